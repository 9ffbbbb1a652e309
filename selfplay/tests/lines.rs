//! The moves and lines that a search lists, held against its report and against the exact solution of gufu.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rules::solver::Solution;
use rules::variants::gufu::{Gufu, Position};
use rules::{Game, MoveOf, Position as _, Variant};
use selfplay::random::{Purpose, stream};
use selfplay::{
    GumbelConfig, PuctConfig, RootKind, RootMove, Search, SearchConfig, SearchTask,
    UniformEvaluator, Workers, search_all,
};

const fn config(root: RootKind, simulations: u32) -> SearchConfig {
    SearchConfig {
        simulations,
        root,
        mate_plies: 0,
        leaves: 1,
        gumbel: GumbelConfig::USUAL,
        puct: PuctConfig::USUAL,
    }
}

fn search(game: Game<Gufu>, root: RootKind) -> Search<Gufu> {
    let rng = stream(1, Purpose::Search, 0, 0);
    let mut search = Search::new(config(root, 200), game, rng.clone());
    let task = SearchTask {
        simulations: 200,
        temperature: 0.0,
        explore: false,
    };
    search.begin(task, rng);
    search
}

/// Every legal move is listed once, the chosen one first; its figures are those of the report, and its line can be played.
#[test]
fn root_moves_are_those_of_the_report_and_their_lines_can_be_played() {
    let solution = Solution::<Gufu>::new();
    for root in [RootKind::Gumbel, RootKind::Puct] {
        for &position in solution.positions().iter().step_by(10_007) {
            let mut legal = Vec::new();
            position.legal_moves(&mut legal);
            let game = Game::<Gufu>::from_position(position, Gufu::OPTIONS);
            if game.outcome(&legal).is_some() {
                continue;
            }
            let mut searches = [search(game, root)];
            let report = search_all(&mut searches, &mut UniformEvaluator, &Workers::new())
                .unwrap()
                .remove(0);
            let moves = searches[0].root_moves(&report);
            assert_eq!(moves.len(), legal.len());
            assert_eq!(moves[0].mv(), report.mv, "{root:?} {position}");
            let visits: u32 = moves.iter().map(|known| known.visits).sum();
            assert_eq!(visits, report.simulations, "{root:?} {position}");
            let rest = moves[1..].iter().filter(|known| known.target > 0.0);
            assert!(
                report.proven || rest.map(|known| known.visits).is_sorted_by(|a, b| a >= b),
                "{root:?} {position}"
            );
            for known in &moves {
                let at = legal.iter().position(|mv| *mv == known.mv()).unwrap();
                let edge = report.edges.iter().find(|edge| edge.index as usize == at);
                let expected = edge.map_or((0, 0.0), |edge| (edge.visits, edge.target));
                assert_eq!((known.visits, known.target), expected);
                assert_eq!(known.wdl.is_some(), known.visits > 0);
                assert!((known.prior * legal.len() as f32 - 1.0).abs() < 1e-4);
                check_line(&solution, position, known);
            }
            assert!(
                report.proven || moves[0].line.len() > 1,
                "{root:?} {position}: 200 simulations see a reply"
            );
        }
    }
}

/// Plays a line; if it is proven, the exact solution must agree.
fn check_line(solution: &Solution<Gufu>, position: Position, known: &RootMove<MoveOf<Gufu>>) {
    let mut game = Game::<Gufu>::from_position(position, Gufu::OPTIONS);
    let mut legal = Vec::new();
    for &mv in &known.line {
        game.legal_moves(&mut legal);
        assert!(legal.contains(&mv), "{position}: {mv} in {:?}", known.line);
        game.play(mv);
    }
    if let Some(plies) = known.mate {
        let mut next = position;
        next.play(known.mv());
        let sign = solution.value(&next).unwrap().sign();
        assert_eq!(i32::from(-sign), plies.signum(), "{position}");
    }
}
