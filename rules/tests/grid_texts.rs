//! Texts of the grid games: what is refused, why, and at which character; what is read.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Debug;

use rules::board::{Board, Move};
use rules::notation::parse_game;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Dialect, Game, NotationError, Position, Variant};

fn refused<T: Debug>(read: Result<T, NotationError>, text: &str, at: usize, problem: &str) {
    match read {
        Ok(read) => panic!("`{text}` must be refused, but is {read:?}"),
        Err(error) => {
            assert_eq!(error.at, at, "{error}");
            assert!(error.problem.contains(problem), "{error}");
        }
    }
}

fn refuses<V: Variant>(cases: &[(&str, usize, &str)]) {
    let mut wrong = Vec::new();
    for &(text, at, problem) in cases {
        match text.parse::<V::Position>() {
            Ok(read) => wrong.push(format!("`{text}` must be refused, but is {read:?}")),
            Err(error) if error.at == at && error.problem.contains(problem) => (),
            Err(error) => wrong.push(format!("{error}, not `{problem}` at {at}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn wrong_sfens() {
    refuses::<Showgit>(&[
        ("", 1, "4 fields"),
        ("4k4/9/9/9/9/9/9/9/4K4 b -", 1, "3 fields"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1 ", 1, "5 fields"),
        ("4k4/9/9/9/9/9/9/9/4K4 x - 1", 23, "must be `b` or `w`"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 0", 27, "from 1"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 01", 27, "from 1"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - +1", 27, "from 1"),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 99999999999", 27, "from 1"),
        // Kings.
        (
            "9/9/9/9/9/9/9/9/4K4 b - 1",
            1,
            "the second player has no king",
        ),
        (
            "4k4/9/9/9/9/9/9/9/9 b - 1",
            1,
            "the first player has no king",
        ),
        (
            "4k4/9/9/4K4/9/9/9/9/4K4 b - 1",
            22,
            "second king of the first",
        ),
        ("4k4/9/9/9/9/9/9/9/4K4 b K 1", 25, "cannot be in hand"),
        ("4k4/9/9/9/9/9/9/9/4K4R w - 1", 22, "more than 9 squares"),
        (
            "4k4/9/9/9/4R4/9/9/9/4K4 b - 1",
            25,
            "could capture the king",
        ),
        ("4k4/4K4/9/9/9/9/9/9/9 b - 1", 23, "could capture the king"),
        // Ranks and squares.
        ("4k4/9/9/9/9/9/9/4K4 b - 1", 20, "8 ranks where 9"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 b - 1", 20, "more than 9 ranks"),
        ("4k4/8/9/9/9/9/9/9/4K4 b - 1", 6, "8 squares in a rank"),
        ("4k4/99/9/9/9/9/9/9/4K4 b - 1", 6, "two numbers"),
        ("4k4/9p/9/9/9/9/9/9/4K4 b - 1", 6, "more than 9 squares"),
        ("4k4/0/9/9/9/9/9/9/4K4 b - 1", 5, "`0` is no man"),
        (
            "4k4/9/9/4x4/9/9/9/9/4K4 b - 1",
            10,
            "`x` is no man: expected one of PLNSGBRK",
        ),
        ("4k4/9/9/4+g4/9/9/9/9/4K4 b - 1", 11, "`g` does not promote"),
        (
            "4k4/9/9/4+5/9/9/9/9/4K4 b - 1",
            11,
            "must be followed by a man",
        ),
        (
            "4k4/9/9/9/9/9/9/9/4K4+ b - 1",
            23,
            "must be followed by a man",
        ),
        (
            "4k4/9/9/9/9/9/9/9/4K3+ b - 1",
            23,
            "must be followed by a man",
        ),
        // Men that could not have come there, and pawns of one file.
        ("4k3P/9/9/9/9/9/9/9/4K4 b - 1", 4, "could not move on"),
        ("4k3L/9/9/9/9/9/9/9/4K4 b - 1", 4, "could not move on"),
        ("4k4/N8/9/9/9/9/9/9/4K4 b - 1", 5, "could not move on"),
        ("4k4/9/9/9/9/9/9/n8/4K4 b - 1", 17, "could not move on"),
        ("4k4/9/P8/P8/9/9/9/9/4K4 b - 1", 10, "second pawn"),
        // Hands.
        ("4k4/9/9/9/9/9/9/9/4K4 b P2 1", 27, "each after its number"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 1P 1", 25, "from 2 to 160"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 0P 1", 25, "from 2 to 160"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 02P 1", 25, "from 2 to 160"),
        ("4k4/9/9/9/9/9/9/9/4K4 b R161P 1", 26, "from 2 to 160"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 80P81p 1", 1, "more than 160 `P`"),
        ("4k4/9/9/+P8/9/9/9/9/4K4 b 160p 1", 1, "more than 160 `P`"),
        ("4k4/9/9/9/9/9/9/9/4K4 b 9999P 1", 28, "`9` is no man"),
        ("4k4/9/9/9/9/9/9/9/4K4 b PP 1", 26, "in hand already"),
        ("4k4/9/9/9/9/9/9/9/4K4 b P- 1", 26, "`-` is no man"),
        ("4k4/9/9/9/9/9/9/9/4K4 b +P 1", 25, "`+` is no man"),
        ("4k4/9/9/9/9/9/9/9/4K4 b  1", 25, "each after its number"),
        ("王4/9/9/9/9/9/9/9/4K4 b - 1", 1, "`王` is no man"),
    ]);
}

#[test]
fn wrong_fens_of_euroshogi() {
    refuses::<EuroShogi>(&[
        ("4k3/8/8/8/8/8/8/4K3[] w - -", 1, "4 fields"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 20, "in brackets"),
        ("4k3/8/8/8/8/8/8/4K3[P w - - 0 1", 22, "`]` is missing"),
        (
            "4k3/8/8/8/8/8/8/4K3[]P w - - 0 1",
            22,
            "after the men in hand",
        ),
        ("4k3/8/8/8/8/8/8/4K3[L] w - - 0 1", 21, "`L` is no man"),
        ("4k3/8/8/8/8/8/8/4K3[K] w - - 0 1", 21, "cannot be in hand"),
        ("4k3/8/8/8/8/8/8/4K3[] b KQ - 0 1", 25, "must be `-`"),
        ("4k3/8/8/8/8/8/8/4K3[] b - e3 0 1", 27, "must be `-`"),
        ("4k3/8/8/8/8/8/8/4K3[] b - - x 1", 29, "from 0"),
        ("4k3/8/8/8/8/8/8/4K3[] b - - 0 0", 31, "from 1"),
        ("4k3/8/8/8/8/8/8/4K3[] b - - 2 1", 29, "only 1 were played"),
        ("4k3/9/8/8/8/8/8/4K3[] w - - 0 1", 5, "more than 8 squares"),
        ("3Pk3/8/8/8/8/8/8/4K3[] w - - 0 1", 2, "could not move on"),
        (
            "4k3/4R3/8/8/8/8/8/4K3[] w - - 0 1",
            25,
            "could capture the king",
        ),
    ]);
    let hand = format!("4k3/8/8/8/8/8/8/4K3[{}] w - - 0 1", "p".repeat(161));
    refused(
        hand.parse::<Board<EuroShogi>>(),
        &hand,
        181,
        "more than 160",
    );
}

#[test]
fn wrong_fens_of_xiangqi() {
    refuses::<Xiangqi>(&[
        ("3k5/9/9/9/9/9/9/9/9/4K4", 1, "1 fields"),
        ("3k5/9/9/9/9/9/9/9/9/4K4[] w", 24, "more than 9 squares"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 r", 25, "must be `w` or `b`"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w", 25, "could capture the king"),
        (
            "3k5/9/9/9/9/9/9/9/9/4K4 w - - 100 10",
            31,
            "only 18 were played",
        ),
        ("2k6/9/9/9/9/9/9/9/9/4K4 w", 2, "can never come here"),
        ("3k5/9/9/9/9/9/9/9/3A5/4K4 w", 20, "can never come here"),
        ("3k5/9/9/9/B8/9/9/9/9/4K4 w", 11, "can never come here"),
        ("3k5/9/9/9/9/9/9/9/B8/4K4 w", 19, "can never come here"),
        ("3k5/9/9/9/9/9/9/9/P8/4K4 w", 19, "can never come here"),
        ("3k5/9/9/9/9/1P7/9/9/9/4K4 w", 14, "can never come here"),
        ("3k5/9/9/9/9/+P8/9/9/9/4K4 w", 14, "does not promote"),
    ]);
    assert!(
        "3k5/9/9/9/9/9/9/9/4A4/3AK4 w"
            .parse::<Board<Xiangqi>>()
            .is_ok()
    );
}

#[test]
fn wrong_moves() {
    let shogi = Board::<Showgit>::initial();
    for (text, at, problem) in [
        ("", 1, "it ends where a file"),
        ("7", 2, "a rank from `a` to `i`"),
        ("7g", 3, "it ends"),
        ("0g7f", 1, "`0` where a file from `1` to `9`"),
        ("7j7f", 2, "`j` where a rank"),
        ("7g7f+", 1, "not legal"),
        ("7g7fx", 5, "after the end"),
        ("7g7f++", 6, "after the end"),
        ("7g7g", 5, "ends where it starts"),
        ("7g7e", 1, "not legal"),
        ("P*5e", 1, "not legal"),
        ("K*5e", 1, "no man that can be dropped"),
        ("P@5e", 2, "`@` where `*`"),
        ("p*5e", 1, "a file"),
    ] {
        refused(shogi.parse_move(text), text, at, problem);
    }
    let xiangqi = Board::<Xiangqi>::initial();
    for (text, at, problem) in [
        ("h3e11", 5, "a rank from 1 to 10"),
        ("h0e3", 2, "a rank from 1 to 10"),
        ("h03e3", 2, "a rank from 1 to 10"),
        ("j3e3", 1, "a file from `a` to `i`"),
        ("h3e3+", 5, "after the end"),
        ("P@e3", 1, "a file"),
    ] {
        refused(xiangqi.parse_move(text), text, at, problem);
    }
    let checked: Board<Showgit> = "4k4/9/9/9/9/9/9/3r5/4K4 b - 1".parse().unwrap();
    refused(checked.parse_move("5i6i"), "5i6i", 1, "not legal in `4k4");
    let checked: Board<Showgit> = "4k4/9/9/9/9/9/4r4/9/4K4 b P 1".parse().unwrap();
    refused(checked.parse_move("P*1e"), "P*1e", 1, "(in check)");
}

#[test]
fn numbers_that_are_no_move() {
    for bits in 0..=u16::MAX {
        if let Ok(mv) = Move::<Xiangqi>::try_from(bits) {
            assert_eq!(u16::from(mv), bits);
            assert!(mv.from().is_some() && !mv.promotes());
        }
    }
    assert_eq!(
        (0..=u16::MAX)
            .filter(|&bits| Move::<Xiangqi>::try_from(bits).is_ok())
            .count(),
        90 * 89
    );
    assert_eq!(
        (0..=u16::MAX)
            .filter(|&bits| Move::<Showgit>::try_from(bits).is_ok())
            .count(),
        2 * 81 * 80 + 7 * 81
    );
}

#[test]
fn texts_are_kept() {
    for text in [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
        "4k4/9/9/9/9/9/9/9/4K4 b 80P80p 1",
    ] {
        assert_eq!(text.parse::<Board<Showgit>>().unwrap().to_string(), text);
    }
    let text = "1nk2g2/8/p1p3+rp/5b2/P3nP1P/3P4/1g2KG2/1N4P1[RGPPbbbnpppppp] b - - 7 34";
    assert_eq!(text.parse::<Board<EuroShogi>>().unwrap().to_string(), text);
    let text = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w";
    assert_eq!(
        text.parse::<Board<Xiangqi>>().unwrap().to_string(),
        format!("{text} - - 0 1")
    );
}

#[test]
fn counters_of_texts() {
    // EuroShogi's own count of quiet plies begins at 0 in a game, xiangqi's goes on.
    let game: Game<EuroShogi> =
        parse_game("4k3/8/8/8/8/8/8/4K3[] w - - 90 60", EuroShogi::OPTIONS).unwrap();
    assert_eq!(game.quiet_plies(), 0);
    let text = "3k5/9/9/9/9/4R4/9/9/9/4K4 w - - 90 60";
    let mut game: Game<Xiangqi> = parse_game(text, Xiangqi::OPTIONS).unwrap();
    assert_eq!(game.quiet_plies(), 90);
    game.play(game.position().parse_move("e5f5").unwrap());
    assert_eq!(
        game.position().to_string(),
        "3k5/9/9/9/9/5R3/9/9/9/4K4 b - - 91 60"
    );
    let other: Board<Xiangqi> = "3k5/9/9/9/9/4R4/9/9/9/4K4 w".parse().unwrap();
    assert_eq!(other.key(), game.start().key());
    assert_ne!(other, *game.start());
}

#[test]
fn ucci_moves() {
    let board = Board::<Xiangqi>::initial();
    let read = |board: &Board<Xiangqi>, text| Dialect::Ucci.parse_move::<Xiangqi>(board, text);
    let mv = read(&board, "h2e2").unwrap();
    assert_eq!(mv.to_string(), "h3e3");
    assert_eq!(Dialect::Ucci.move_text::<Xiangqi>(&board, mv), "h2e2");
    let last = read(&"R8/3k5/9/9/9/9/9/9/9/4K4 w".parse().unwrap(), "a9a8")
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(last.to_string(), "a10a9");
    refused(read(&board, "h2e10"), "h2e10", 4, "a rank from 0 to 9");
}

#[test]
fn megabytes_of_junk_are_refused_shortly() {
    for junk in ["9", "/", "p", "+", "k", " ", "王", "[", "1 "] {
        let text = junk.repeat(2 << 20);
        for error in [
            text.parse::<Board<Showgit>>().unwrap_err(),
            text.parse::<Board<EuroShogi>>().unwrap_err(),
            text.parse::<Board<Xiangqi>>().unwrap_err(),
            Board::<Showgit>::initial().parse_move(&text).unwrap_err(),
            Board::<Xiangqi>::initial().parse_move(&text).unwrap_err(),
        ] {
            assert!(
                error.to_string().len() < 2500,
                "{}",
                error.to_string().len()
            );
        }
    }
}

/// What is played from the last text that is read can be written and read too.
#[test]
fn counters_and_hands_stop_where_texts_do() {
    fn after<V: Variant>(start: &str, moves: &[&str], expected: &str) {
        let mut game = Game::<V>::from_position(start.parse().unwrap(), V::OPTIONS);
        for text in moves {
            game.play(game.position().parse_move(text).unwrap());
        }
        assert_eq!(game.position().to_string(), expected);
        assert!(expected.parse::<V::Position>().unwrap() == *game.position());
    }
    after::<Showgit>(
        "4k4/9/9/9/9/9/9/9/4K4 w - 999999",
        &["5a6a", "5i6i", "6a5a"],
        "4k4/9/9/9/9/9/9/9/3K5 b - 1000000",
    );
    after::<Showgit>(
        "R8/4k4/9/9/9/9/9/4K4/r8 b 158R 1",
        &["9a9i"],
        "9/4k4/9/9/9/9/9/4K4/R8 w 159R 2",
    );
    after::<Xiangqi>(
        "3k5/9/9/9/9/4R4/9/9/9/4K4 b - - 999999 1000000",
        &["d10d9", "e5f5", "d9d10", "f5e5"],
        "3k5/9/9/9/9/4R4/9/9/9/4K4 b - - 1000000 1000000",
    );
}
