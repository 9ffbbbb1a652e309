//! What ends a grid game besides its vectors: history through play and undo, limits, options.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "oracle/common.rs"]
mod common;

use common::{Random, legal};
use rules::board::{Board, Move, Ruleset};
use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Chase, Declaration, Game, Outcome, Position, Reason, RuleOptions, Side, Variant};

/// Plays and takes back at random, mostly men to and fro, and compares what the game remembers with a naive look at its whole history.
fn history<R: Ruleset + Variant<Position = Board<R>>>(seed: u64) {
    let mut random = Random(0x1234_5678_9abc_def1 ^ seed);
    let mut game = Game::<R>::new(R::OPTIONS);
    let mut keys = vec![game.position().key()];
    let mut most = 0;
    for _ in 0..6_000 {
        let moves = legal(game.position());
        if moves.is_empty() || game.ply() == 200 || random.below(40) == 0 {
            let ply = random.below(game.ply() + 1);
            game.undo_to(ply);
            keys.truncate(ply + 1);
            continue;
        }
        // Straight back again, if that is possible.
        let back = game.ply().checked_sub(2).and_then(|ply| {
            let before = game.moves()[ply];
            let back = Move::new(before.to(), before.from()?, false);
            moves.contains(&back).then_some(back)
        });
        let any = moves[random.below(moves.len())];
        game.play(if random.below(8) > 0 {
            back.unwrap_or(any)
        } else {
            any
        });
        keys.push(game.position().key());
        let last = game.position().key();
        let same = keys.iter().filter(|&&key| key == last).count();
        assert_eq!(game.occurrences() as usize, same, "{}", game.position());
        most = most.max(same);
        let outcome = game.outcome(&legal(game.position()));
        let repeated = same >= R::OPTIONS.repetitions as usize;
        let reason = outcome.map(|outcome| outcome.reason);
        if repeated && !legal(game.position()).is_empty() && !game.position().is_dead_draw() {
            assert!(matches!(
                reason,
                Some(Reason::Repetition | Reason::PerpetualCheck | Reason::PerpetualChase)
            ));
        }
    }
    assert!(most > 4, "the walk hardly repeats anything: {most}");
}

#[test]
fn histories_are_remembered_through_play_and_undo() {
    history::<Showgit>(1);
    history::<EuroShogi>(2);
    history::<Xiangqi>(3);
}

fn outcome_after<V: Variant>(start: &str, moves: &[&str], options: RuleOptions) -> Option<Outcome> {
    let mut game = Game::<V>::from_position(start.parse().unwrap(), options);
    let mut legal = Vec::new();
    for text in moves {
        game.legal_moves(&mut legal);
        assert_eq!(game.outcome(&legal), None, "before {text}");
        game.play(game.position().parse_move(text).unwrap());
    }
    game.legal_moves(&mut legal);
    game.outcome(&legal)
}

#[test]
fn limits_count_what_the_rules_say() {
    let limited = |no_progress, ply_cap| RuleOptions {
        no_progress,
        ply_cap,
        ..EuroShogi::OPTIONS
    };
    let start = "4k3/8/8/8/8/4P3/8/4K3[N] w - - 0 1";
    let quiet = ["e1e2", "e8e7", "e2e1", "e7e8"];
    let limit = Some(Outcome::draw(Reason::MoveLimit));
    assert_eq!(
        outcome_after::<EuroShogi>(start, &quiet, limited(4, 400)),
        limit
    );
    assert_eq!(
        outcome_after::<EuroShogi>(start, &quiet, limited(5, 400)),
        None
    );
    assert_eq!(
        outcome_after::<EuroShogi>(start, &quiet, limited(0, 4)),
        Some(Outcome::draw(Reason::PlyCap))
    );
    // A pawn's move and a drop are progress.
    let line = [
        "e1e2", "e8e7", "e3e4", "e7e8", "N@a5", "e8e7", "e2e1", "e7e8",
    ];
    assert_eq!(
        outcome_after::<EuroShogi>(start, &line, limited(3, 400)),
        limit
    );
    assert_eq!(
        outcome_after::<EuroShogi>(start, &line, limited(4, 400)),
        None
    );
}

#[test]
fn declarations_end_the_game_only_if_configured() {
    let start = "6+P+L1/1+P+B2+P+P2/+S2+RG1+BK1/9/9/9/k8/9/9 b GS2NLP2p 1";
    assert_eq!(outcome_after::<Showgit>(start, &[], Showgit::OPTIONS), None);
    let csa27 = RuleOptions {
        declaration: Declaration::Csa27,
        ..Showgit::OPTIONS
    };
    assert_eq!(
        outcome_after::<Showgit>(start, &[], csa27),
        Some(Outcome::win(Side::First, Reason::Declaration))
    );
}

/// Red's chariot chases an elephant wherever it goes; without the rule that is a draw.
#[test]
fn chases_end_the_game_only_if_configured() {
    let start = "6b2/5k3/6R2/9/9/1C7/9/3K5/9/9 w - - 0 1";
    let line = [
        "g8g5", "g10i8", "g5g8", "i8g10", "g8g5", "g10i8", "g5g8", "i8g10",
    ];
    assert_eq!(
        outcome_after::<Xiangqi>(start, &line, Xiangqi::OPTIONS),
        Some(Outcome::win(Side::Second, Reason::PerpetualChase))
    );
    let plain = RuleOptions {
        chase: Chase::None,
        ..Xiangqi::OPTIONS
    };
    assert_eq!(
        outcome_after::<Xiangqi>(start, &line, plain),
        Some(Outcome::draw(Reason::Repetition))
    );
}
