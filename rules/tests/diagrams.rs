//! Positions as pictures, and why moves are illegal.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rules::diagram::{Arrow, Diagram, Man};
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Position as _, Side, Variant};

fn position<V: Variant>(text: &str) -> V::Position {
    text.parse().unwrap()
}

/// Returns the men on the board in reading order.
fn men(diagram: &Diagram) -> Vec<&Man> {
    let cells = diagram.rows.iter().flatten();
    cells.filter_map(|cell| cell.man.as_ref()).collect()
}

#[test]
fn a_board_is_drawn_from_the_far_side_and_turns() {
    let start = <Showgit as Variant>::Position::initial();
    let diagram = start.diagram();
    assert_eq!(diagram.files.concat(), "987654321");
    assert_eq!(diagram.ranks.concat(), "abcdefghi");
    let first = diagram.rows[0][0].man.as_ref().unwrap();
    assert_eq!(
        (
            first.letters.as_str(),
            first.kanji,
            first.word.as_str(),
            first.owner
        ),
        ("l", '香', "LIMA", Some(Side::Second))
    );
    let turned = diagram.clone().turned();
    assert_eq!(turned.files.concat(), "123456789");
    assert_eq!(turned.rows[8][8], diagram.rows[0][0]);
    assert_eq!(turned.turned(), diagram);
}

#[test]
fn kinds_have_names_and_hands_counts() {
    let board = position::<Showgit>("4k4/9/9/9/4+r4/9/9/9/4K4 b 2P2pb 1");
    let diagram = board.diagram();
    let named: Vec<String> = men(&diagram)
        .iter()
        .map(|man| format!("{} {} {}", man.letters, man.kanji, man.word))
        .collect();
    assert_eq!(named, ["k 玉 STAR", "+r 龍 NEO-TANGO", "K 玉 TIME"]);
    let hands: Vec<String> = diagram
        .hands
        .iter()
        .map(|held| {
            let men = held.men.iter();
            men.map(|(man, count)| format!("{count}{}", man.letters))
                .collect::<Vec<_>>()
                .concat()
        })
        .collect();
    assert_eq!(hands, ["2P", "1b2p"]);
    let xiangqi = <Xiangqi as Variant>::Position::initial().diagram();
    assert!(xiangqi.hands.is_empty());
    let kanji = |row: usize, column: usize| xiangqi.rows[row][column].man.as_ref().unwrap().kanji;
    assert_eq!((kanji(0, 4), kanji(9, 4), kanji(6, 0)), ('將', '帥', '兵'));
    let european = <EuroShogi as Variant>::Position::initial().diagram();
    assert_eq!(
        european.files.concat() + &european.ranks.concat(),
        "abcdefgh87654321"
    );
}

#[test]
fn shared_pieces_belong_to_nobody_and_face_somewhere() {
    let diagram = position::<Gufu>(".K^/S<k</.. b W 7").diagram();
    let found: Vec<(&str, Option<Side>, Option<Arrow>)> = men(&diagram)
        .iter()
        .map(|man| (man.letters.as_str(), man.owner, man.arrow))
        .collect();
    assert_eq!(
        found,
        [
            ("K", Some(Side::First), Some(Arrow::Up)),
            ("S", None, Some(Arrow::Left)),
            ("k", Some(Side::Second), Some(Arrow::Left)),
        ]
    );
    assert_eq!((diagram.hands.len(), diagram.hands[0].owner), (1, None));
    assert_eq!(diagram.hands[0].men[0].0.letters, "W");
    // Turned, what faced the top faces the bottom.
    let turned = diagram.turned();
    assert_eq!(
        turned.rows[2][0].man.as_ref().unwrap().arrow,
        Some(Arrow::Down)
    );
}

#[test]
fn a_step_says_what_goes_from_where_to_where() {
    let start = <Xiangqi as Variant>::Position::initial();
    let step = start.step(start.parse_move("h3e3").unwrap());
    let mut diagram = start.diagram();
    assert_eq!(step.man.word, "CANNON");
    assert_eq!(diagram.square_name(step.from.unwrap()), "h3");
    assert_eq!(diagram.square_name(step.to), "e3");
    diagram.mark(&step);
    let marked = diagram.rows.iter().flatten().filter(|cell| cell.marked);
    assert_eq!(marked.count(), 2);
    let board = position::<Showgit>("4k4/9/9/9/9/9/9/9/4K4 b P 1");
    let step = board.step(board.parse_move("P*5e").unwrap());
    assert_eq!((step.from, step.man.letters.as_str()), (None, "P"));
    let gufu = position::<Gufu>(".K^/S<k</.. b W 7");
    let turn = gufu.step(gufu.parse_move("S:2b").unwrap());
    assert_eq!(gufu.diagram().square_name(turn.from.unwrap()), "2b");
    assert_eq!(
        (turn.from, turn.man.arrow),
        (Some(turn.to), Some(Arrow::Left))
    );
}

fn refused<V: Variant>(text: &str, mv: &str, why: &str) {
    let error = position::<V>(text).parse_move(mv).unwrap_err().to_string();
    assert!(error.contains(why), "{mv} in {text}: {error}");
}

#[test]
fn an_illegal_move_is_explained() {
    for (text, mv, why) in [
        (
            "4k4/9/9/9/4r4/4G4/9/9/4K4 b - 1",
            "5f6f",
            "the own king would be attacked",
        ),
        ("4k4/9/9/9/9/4G4/9/9/4K4 b - 1", "5f5g+", "cannot promote"),
        (
            "4k4/9/9/9/9/4G4/9/9/4K4 b - 1",
            "5f5c",
            "the man does not move so",
        ),
        (
            "4k4/9/9/9/9/4G4/9/9/4K4 b - 1",
            "5a5b",
            "the other player's",
        ),
        ("4k4/9/9/9/9/4G4/9/9/4K4 b - 1", "1a1b", "nobody stands"),
        (
            "4k4/9/9/9/9/9/9/4G4/4K4 b - 1",
            "5i5h",
            "a man of the same player",
        ),
        ("4k4/8P/9/9/9/9/9/9/4K4 b - 1", "1b1a", "must promote"),
        (
            "4k4/9/9/9/9/9/9/9/4K4 b - 1",
            "P*5e",
            "no such man is in hand",
        ),
        (
            "4k4/9/9/9/9/9/9/9/4K4 b P 1",
            "P*5a",
            "its square is occupied",
        ),
        ("4k4/9/9/9/9/9/9/9/4K4 b N 1", "N*1b", "could never move on"),
        (
            "4k4/9/9/9/9/4P4/9/9/4K4 b P 1",
            "P*5d",
            "a second unpromoted pawn",
        ),
        ("7lk/9/8S/9/9/9/9/7L1/8K b P 1", "P*1b", "may not mate"),
        (
            "4k4/9/9/9/9/9/4r4/9/4K4 b P 1",
            "P*1e",
            "(in check): the own king",
        ),
    ] {
        refused::<Showgit>(text, mv, why);
    }
    refused::<EuroShogi>("4k3/8/8/R7/8/8/8/4K3[] w - - 0 1", "a5a6", "must promote");
    refused::<Xiangqi>(
        "4k4/9/9/9/4r4/9/9/9/4R4/4K4 w",
        "e2d2",
        "the own king would be attacked",
    );
    for (text, mv, why) in [
        ("../../.. b KkWS 1", "W*1a>N", "the setup drops a king each"),
        (".K^/../.. w kWS 2", "K*1a>N", "occupied"),
        (".K^/S<k</.. b W 7", "S*2c>N", "on the board already"),
        (".K^/S<k</.. b W 7", "W-2c>N", "in hand"),
        (".K^/S<k</.. b W 7", "K-2c", "does not reach"),
        (".K^/S<k</.. b W 7", "K-2a>N", "a quarter clockwise"),
        (".K^/S<k</.. b W 7", "Kx1b", "kings cannot be captured"),
        (".K^/S<k</.. b W 7", "Kx2a", "nothing to capture"),
    ] {
        refused::<Gufu>(text, mv, why);
    }
}
