//! Captures at the horizon, repetitions and perpetual checks.

use rules::variants::{euroshogi::EuroShogi, showgit::Showgit, xiangqi::Xiangqi};
use rules::{Game, Side, Variant};
use selfplay::players::alphabeta::Limits;

use crate::{game, search};

fn plays<V: Variant>(game: &Game<V>, depth: u32) -> (String, i32) {
    let found = search(game, Limits::depth(depth));
    (found.line[0].to_string(), found.value)
}

/// A rook takes a free pawn at once, and leaves a guarded one alone although it looks no further than its own move.
fn sees_the_guard<V: Variant>(free: &str, guarded: &str, takes: &str) {
    assert_eq!(plays(&game::<V>(free, ""), 1).0, takes);
    assert_ne!(plays(&game::<V>(guarded, ""), 1).0, takes);
}

#[test]
fn no_man_is_left_hanging_at_the_horizon() {
    sees_the_guard::<Showgit>(
        "4k4/9/9/4p4/9/9/9/4R4/3K5 b - 1",
        "4k4/9/4g4/4p4/9/9/9/4R4/3K5 b - 1",
        "5h5d",
    );
    sees_the_guard::<EuroShogi>(
        "k7/8/8/4p3/8/8/4R3/3K4[] w - - 0 1",
        "k7/8/4g3/4p3/8/8/4R3/3K4[] w - - 0 1",
        "e2e5",
    );
    sees_the_guard::<Xiangqi>(
        "3k5/9/9/9/4p4/9/9/4R4/9/4K4 w - - 0 1",
        "3k5/9/3n5/9/4p4/9/9/4R4/9/4K4 w - - 0 1",
        "e3e6",
    );
}

#[test]
fn the_worse_side_repeats_and_the_better_one_does_not() {
    // The kings walk to and fro; white's step back would repeat the first position.
    let to_repeat = |hands: &str| {
        let position = format!("4k4/9/9/9/9/9/9/9/4K4 b {hands} 1");
        plays(&game::<Showgit>(&position, "5i4i 5a4a 4i5i"), 2)
    };
    assert_eq!(to_repeat("R2P"), ("4a5a".to_owned(), 0));
    let (mv, value) = to_repeat("2r2g2s2p");
    assert_ne!(mv, "4a5a");
    assert!(value > 0, "{value}");
}

#[test]
fn perpetual_check_is_no_draw_for_the_checker() {
    // Black, far behind, has checked to and fro; one more check repeats a position.
    let position = "k8/9/9/9/9/9/9/8R/4K4 b 2r2g 1";
    let mut game = game::<Showgit>(position, "1h1a 9a9b 1a1b 9b9a");
    let (mv, value) = plays(&game, 2);
    assert!(mv != "1b1a" && value < -500, "{mv} {value}");
    game.play(rules::Position::parse_move(game.position(), "1b1a").unwrap());
    let cycle = game.cycle().map(|(ply, outcome)| (ply, outcome.winner));
    assert_eq!(cycle, Some((1, Some(Side::Second))));
}
