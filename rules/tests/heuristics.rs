//! Rough judgements: the same seen from either side, captures that are captures, exchanges, passes.

use rules::board::{Board, Ruleset};
use rules::variants::{euroshogi::EuroShogi, gufu, showgit::Showgit, xiangqi::Xiangqi};
use rules::{Game, Heuristics, Position, Variant};

/// Positions of random games, from a generator of their own.
fn positions<R: Ruleset<Position = Board<R>>>() -> Vec<Board<R>> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    let (mut positions, mut legal) = (Vec::new(), Vec::new());
    let mut game = Game::<R>::new(R::OPTIONS);
    while positions.len() < 3000 {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game.undo_to(0);
            continue;
        }
        positions.push(*game.position());
        game.play(legal[random(legal.len())]);
    }
    positions
}

fn evaluation_is_symmetric<R: Ruleset<Position = Board<R>>>() {
    let mut values = Vec::new();
    for board in positions::<R>() {
        let value = board.evaluate();
        assert_eq!(board.rotated().evaluate(), value, "{board}");
        assert_eq!(board.mirrored().evaluate(), value, "{board}");
        assert!(value.abs() <= Board::<R>::GREATEST);
        if let Some(passed) = board.passed() {
            // All but the right to move changes its sign.
            let right_to_move = value + passed.evaluate();
            values.push(right_to_move);
        }
    }
    assert!(values.iter().all(|value| *value == values[0]), "{}", R::ID);
    assert!(values[0] > 0);
}

#[test]
fn the_evaluation_is_the_same_from_either_side_and_in_the_mirror() {
    evaluation_is_symmetric::<Showgit>();
    evaluation_is_symmetric::<EuroShogi>();
    evaluation_is_symmetric::<Xiangqi>();
}

fn forcing_moves_are_captures_and_promotions<R: Ruleset<Position = Board<R>>>() {
    let (mut legal, mut forcing) = (Vec::new(), Vec::new());
    for board in positions::<R>() {
        board.legal_moves(&mut legal);
        board.forcing_moves(&mut forcing);
        legal.retain(|mv| board.piece(mv.to()).is_some() || mv.promotes());
        legal.sort_unstable();
        forcing.sort_unstable();
        assert_eq!(legal, forcing, "{board}");
        assert!(forcing.iter().all(|&mv| board.gain(mv) > 0), "{board}");
    }
}

#[test]
fn forcing_moves_are_the_legal_captures_and_promotions() {
    forcing_moves_are_captures_and_promotions::<Showgit>();
    forcing_moves_are_captures_and_promotions::<EuroShogi>();
    forcing_moves_are_captures_and_promotions::<Xiangqi>();
}

#[test]
fn exchanges_count_every_capture_on_the_square() {
    // Who stands behind whom decides: a pawn takes first, kings last and only what nobody guards.
    for (position, mv, wins) in [
        ("4k4/9/9/4p4/9/9/9/4R4/3K5 b - 1", "5h5d", true),
        ("4k4/9/4g4/4p4/9/9/9/4R4/3K5 b - 1", "5h5d", false),
        ("4k4/9/4g4/4p4/4P4/9/9/4R4/3K5 b - 1", "5e5d", true),
        ("4k4/9/4g4/4p4/9/9/4R4/4R4/3K5 b - 1", "5g5d", false),
        ("4k4/9/4g4/4s4/9/9/4R4/4R4/3K5 b - 1", "5g5d", true),
        ("9/9/9/4k4/4p4/9/9/4R4/3K5 b - 1", "5h5e", false),
        ("9/9/9/4k4/4p4/3S5/9/4R4/3K5 b - 1", "5h5e", true),
        // Of two rooks the hidden one counts as well.
        ("4k4/9/4r4/4g4/9/9/4R4/4R4/3K5 b - 1", "5g5d", true),
        ("4k4/9/4r4/4g4/9/9/4R4/9/3K5 b - 1", "5g5d", false),
        // A dropped pawn is lost to the gold, unless the gold is then lost too.
        ("4k4/9/9/4g4/9/9/9/9/3K5 b P 1", "P*5e", false),
        ("4k4/9/9/4g4/9/4R4/9/9/3K5 b P 1", "P*5e", true),
        ("4k4/9/9/4g4/9/5S3/9/9/3K5 b P 1", "P*5e", true),
    ] {
        let board: Board<Showgit> = position.parse().unwrap();
        let mv = board.parse_move(mv).unwrap();
        assert_eq!(board.wins_exchange(mv, 0), wins, "{position} {mv}");
    }
}

#[test]
fn a_cannon_counts_the_screen_that_an_exchange_takes_away() {
    for (position, mv, wins) in [
        ("3k5/9/4c4/4n4/4p4/9/9/4R4/9/5K3 w - - 0 1", "e3e6", false),
        ("3k5/9/4c4/9/4p4/9/9/4R4/9/5K3 w - - 0 1", "e3e6", true),
    ] {
        let board: Board<Xiangqi> = position.parse().unwrap();
        let mv = board.parse_move(mv).unwrap();
        assert_eq!(board.wins_exchange(mv, 0), wins, "{position} {mv}");
    }
}

#[test]
fn no_repetition_reaches_back_over_a_pass() {
    let mut game = Game::<Showgit>::new(Showgit::OPTIONS);
    let play = |game: &mut Game<Showgit>, moves: &str| {
        for text in moves.split(' ') {
            let mv = game.position().parse_move(text).unwrap();
            game.play(mv);
        }
    };
    let mut legal = Vec::new();
    play(&mut game, "5i5h");
    game.legal_moves(&mut legal);
    assert!(game.pass(legal[0]));
    play(&mut game, "5h5i");
    // The start position, but with the other side to move; one more pass, and all is as in the beginning.
    assert!(game.pass(legal[0]));
    assert_eq!(game.position().key(), game.start().key());
    assert_eq!((game.ply(), game.occurrences()), (4, 1));
    // What is repeated after the pass counts; taking all back leaves the game as it was.
    play(&mut game, "5i5h 5a5b 5h5i 5b5a");
    assert_eq!(game.occurrences(), 2);
    game.undo_to(1);
    play(&mut game, "5a5b 5h5i 5b5a");
    assert_eq!(game.occurrences(), 2);
}

#[test]
fn nobody_passes_in_check() {
    let checked: Board<Showgit> = "4k4/9/9/4R4/9/9/9/9/4K4 w - 1".parse().unwrap();
    assert!(checked.passed().is_none());
    // With soldiers alone in xiangqi, a side may be glad not to have to move.
    let soldiers: Board<Xiangqi> = "3k5/9/9/9/4p4/4P4/9/9/9/4K4 w".parse().unwrap();
    assert!(soldiers.passed().is_none());
}

#[test]
fn where_men_are_shared_nothing_is_worth_anything() {
    let start = gufu::Position::initial();
    assert_eq!(start.evaluate(), 0);
    assert!(start.passed().is_none());
}
