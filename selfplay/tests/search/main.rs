//! Searches on gufu, held against its exact solution.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod proofs;
mod targets;

use std::sync::LazyLock;

use rules::solver::{Exact, Solution, differ};
use rules::variants::gufu::{Gufu, Position};
use rules::{Game, MoveOf, Position as _, RuleOptions, Variant, Wdl};
use selfplay::random::{Purpose, stream};
use selfplay::{
    Descent, Evaluator, GumbelConfig, PuctConfig, Report, RolloutEvaluator, RootKind, Search,
    SearchConfig, SearchTask, UniformEvaluator, Workers, search_all,
};

static WORKERS: LazyLock<Workers> = LazyLock::new(Workers::new);

static SOLUTION: LazyLock<Solution<Gufu>> = LazyLock::new(Solution::new);

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

fn search(game: Game<Gufu>, config: SearchConfig, temperature: f32, seed: u64) -> Search<Gufu> {
    let rng = stream(seed, Purpose::Search, 0, 0);
    let mut search = Search::new(config, game, rng.clone());
    let task = SearchTask {
        simulations: config.simulations,
        temperature,
        explore: temperature > 0.0,
    };
    search.begin(task, rng);
    search
}

fn run(
    game: Game<Gufu>,
    config: SearchConfig,
    temperature: f32,
    seed: u64,
) -> Report<MoveOf<Gufu>> {
    let mut searches = [search(game, config, temperature, seed)];
    search_all(&mut searches, &mut UniformEvaluator, &WORKERS)
        .unwrap()
        .remove(0)
}

/// Every 71st position past the setup in which a mistake is possible.
fn sample(step: usize) -> Vec<Position> {
    let mut values = Vec::new();
    let mut chosen = |position: &&Position| {
        SOLUTION.move_values(position, &mut values);
        !position.in_setup() && differ(&values)
    };
    SOLUTION
        .positions()
        .iter()
        .filter(|position| chosen(position))
        .step_by(step)
        .copied()
        .collect()
}

fn game(position: Position) -> Game<Gufu> {
    Game::from_position(position, Gufu::OPTIONS)
}

#[test]
fn more_simulations_keep_the_exact_value_more_often() {
    let positions = sample(100);
    for root in [RootKind::Gumbel, RootKind::Puct] {
        let share = |simulations| {
            let mut searches: Vec<_> = positions
                .iter()
                .map(|&position| search(game(position), config(root, simulations), 0.0, 3))
                .collect();
            let reports = search_all(&mut searches, &mut UniformEvaluator, &WORKERS).unwrap();
            let kept = positions.iter().zip(reports).filter(|(position, report)| {
                let mut next = **position;
                next.play(report.mv);
                SOLUTION.value(&next).unwrap().before().sign()
                    == SOLUTION.value(position).unwrap().sign()
            });
            kept.count() as f64 / positions.len() as f64
        };
        let (few, some, many) = (share(8), share(64), share(1000));
        println!("{root:?}: {few:.3} at 8, {some:.3} at 64, {many:.3} at 1000");
        assert!(
            few < some && some < many && some > 0.75 && many > 0.9,
            "{root:?}: {few} {some} {many}"
        );
    }
}

/// With more simulations the value of the root comes nearer to the exact one, in 1,000 positions.
#[test]
fn values_converge_to_the_exact_ones() {
    let positions: Vec<Position> = sample(144).into_iter().take(1000).collect();
    assert_eq!(positions.len(), 1000);
    for root in [RootKind::Gumbel, RootKind::Puct] {
        let error = |simulations| {
            let mut searches: Vec<_> = positions
                .iter()
                .map(|&position| search(game(position), config(root, simulations), 0.0, 3))
                .collect();
            let reports = search_all(&mut searches, &mut UniformEvaluator, &WORKERS).unwrap();
            let error = |(position, report): (&Position, &Report<_>)| {
                let exact = f32::from(SOLUTION.value(position).unwrap().sign());
                (exact - report.root.value()).abs()
            };
            positions.iter().zip(&reports).map(error).sum::<f32>() / 1000.0
        };
        let errors = [16, 256, 4096].map(error);
        println!("{root:?}: mean errors {errors:?} at 16, 256 and 4096 simulations");
        assert!(errors[0] > errors[1] && errors[1] > errors[2], "{errors:?}");
        assert!(errors[2] < 0.1, "{errors:?}");
    }
}

/// The lower bound prefers the well-known move; without it the most visited is played. Only searches that do not explore use it.
#[test]
fn a_lower_bound_decides_in_matches_only() {
    let mut differ = 0;
    for position in sample(400) {
        let plain = config(RootKind::Puct, 60);
        let mut bounded = plain;
        bounded.puct.lcb_deviations = 5.0;
        // Values must differ for a bound to tell moves apart.
        let moves = |config, temperature| {
            let mut searches = [search(game(position), config, temperature, 2)];
            let rollouts = &mut RolloutEvaluator::new(2);
            search_all(&mut searches, rollouts, &WORKERS).unwrap()[0].mv
        };
        differ += usize::from(moves(plain, 0.0) != moves(bounded, 0.0));
        assert_eq!(moves(plain, 1.0), moves(bounded, 1.0));
    }
    assert!(differ > 5, "{differ}");
}

/// Below a repetition the verdict depends on the path, so nothing may be proven there, and a third occurrence is a draw.
#[test]
fn repetition_is_judged_by_the_real_history() {
    let options = RuleOptions {
        repetitions: 2,
        ..Gufu::OPTIONS
    };
    // With the second occurrence a draw and everything else lost within the cap, no search may claim a proof it does not have.
    let mut checked = 0;
    for position in sample(997) {
        let report = run(
            Game::from_position(position, options),
            config(RootKind::Gumbel, 600),
            0.0,
            5,
        );
        if report.proven {
            checked += 1;
            assert_eq!(
                SOLUTION.value(&position).unwrap().sign(),
                report.root.value() as i8,
                "{position}"
            );
        }
    }
    assert!(checked > 10);
    // A cap of one ply makes every quiet move a draw.
    let capped = RuleOptions {
        ply_cap: 1,
        ..Gufu::OPTIONS
    };
    let drawn = sample(997)
        .into_iter()
        .find(|position| SOLUTION.value(position) == Some(Exact::Draw))
        .unwrap();
    let report = run(
        Game::from_position(drawn, capped),
        config(RootKind::Puct, 200),
        0.0,
        5,
    );
    assert!(!report.proven);
    assert_eq!(report.root, Wdl::DRAW);
}

#[test]
fn rollouts_tell_won_from_lost() {
    let mean = |value: Exact| {
        let chosen = sample(31)
            .into_iter()
            .filter(|position| SOLUTION.value(position) == Some(value))
            .take(60);
        let mut searches: Vec<_> = chosen
            .map(|position| search(game(position), config(RootKind::Puct, 30), 0.0, 1))
            .collect();
        let reports = search_all(&mut searches, &mut RolloutEvaluator::new(9), &WORKERS).unwrap();
        reports
            .iter()
            .map(|report| report.root.value())
            .sum::<f32>()
            / reports.len() as f32
    };
    let (won, drawn) = (mean(Exact::Win(1)), mean(Exact::Draw));
    assert!(won > drawn, "{won} {drawn}");
    assert_eq!(
        won.to_bits(),
        mean(Exact::Win(1)).to_bits(),
        "the same search gives the same result"
    );
}
