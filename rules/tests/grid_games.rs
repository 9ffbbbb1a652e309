//! The grid games: counts of the rules pages, and what can be seen of a board.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rules::board::{Board, Piece};
use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Position, Side, Variant};

#[test]
fn perft_of_the_rules_pages() {
    fn counts<V: Variant>(text: &str, expected: &[u64]) {
        let position = if text == "startpos" {
            V::Position::initial()
        } else {
            text.parse().unwrap()
        };
        for (depth, &leaves) in (1..).zip(expected) {
            assert_eq!(
                rules::perft::perft(&position, depth),
                leaves,
                "{text} {depth}"
            );
        }
    }
    counts::<Showgit>("startpos", &[30, 900, 25470, 719_731, 19_861_490]);
    counts::<Showgit>("7lk/9/8S/9/9/9/9/7L1/8K b P 1", &[85, 639, 10786, 167_089]);
    counts::<Showgit>(
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        &[593],
    );
    counts::<EuroShogi>("startpos", &[25, 625, 15424, 380_499, 9_451_149]);
    counts::<Xiangqi>("startpos", &[44, 1920, 79666, 3_290_240]);
    let text = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w";
    counts::<Xiangqi>(text, &[38, 1128, 43929, 1_339_047]);
    if std::env::var_os("SENPU_PERFT_FULL").is_some() {
        counts::<Showgit>(
            "startpos",
            &[30, 900, 25470, 719_731, 19_861_490, 547_581_517],
        );
        counts::<Xiangqi>(text, &[38, 1128, 43929, 1_339_047, 53_112_976]);
        counts::<Xiangqi>(
            "startpos",
            &[44, 1920, 79666, 3_290_240, 133_312_995, 5_392_831_844],
        );
    }
}

#[test]
fn men_are_seen_by_kind_square_and_hand() {
    let board: Board<Showgit> =
        "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b 2Pg 3"
            .parse()
            .unwrap();
    let pawn = Piece {
        kind: 0,
        side: Side::First,
    };
    assert_eq!(board.pieces(pawn).count(), 9);
    assert_eq!(board.hand(Side::First).count(0), 2);
    assert_eq!(board.hand(Side::Second).count(4), 1);
    let mv = board.parse_move("8h2b+").unwrap();
    assert!(mv.promotes());
    assert_eq!(
        board.piece(mv.from().unwrap()),
        Some(Piece {
            kind: 5,
            side: Side::First
        })
    );
    assert_eq!(
        board.piece(mv.to()),
        Some(Piece {
            kind: 5,
            side: Side::Second
        })
    );
    assert_eq!(
        board
            .parse_move("P*5e")
            .unwrap_err()
            .problem
            .split(" in")
            .next(),
        Some("not legal")
    );
}
