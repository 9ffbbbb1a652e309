//! Gufu against its slow generator: every position that can be reached, and every one that cannot.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use rules::Position as _;
use rules::solver::Solution;
use rules::variants::gufu::{Gufu, Move, Piece, Position};

use crate::corpus::Tested as _;
use crate::generation::{legal, sorted};
use crate::six_squares::SixSquares;
use crate::texts::is_kept;

/// Holds everything that can be asked of a position against the slow generator, and its symmetries.
pub(crate) fn agrees(position: &Position) -> TestCaseResult {
    let text = position.to_string();
    let moves = legal(position);
    let oracle = SixSquares::read(&text);
    prop_assert_eq!(sorted(&moves), oracle.legal_moves(), "{}", &text);
    prop_assert_eq!(position.in_check(), oracle.in_check(), "{}", &text);
    prop_assert_eq!(
        position.count_moves(&mut Vec::new()),
        moves.len(),
        "{}",
        &text
    );
    let mate = position.mate_in_one(&moves, &mut Vec::new());
    let mates = oracle.mates();
    let found = mate.map_or(mates.is_empty(), |mv| mates.contains(&mv.to_string()));
    prop_assert!(found, "{mate:?} mates, or one of {mates:?}: {text}");
    let turned = sorted(moves.iter().map(|&mv| Move {
        to: mv.to.rotated(),
        facing: mv.facing.opposite(),
        ..mv
    }));
    prop_assert_eq!(sorted(legal(&position.rotated())), turned, "{}", &text);
    if !position.in_setup() {
        let swapped: Position = colours_swapped(&text).parse()?;
        prop_assert_eq!(sorted(legal(&swapped)), sorted(&moves), "{}", &text);
    }
    Ok(())
}

/// Gives each king to the other player, whose turn it then is.
fn colours_swapped(text: &str) -> String {
    let fields: Vec<&str> = text.split(' ').collect();
    let men: String = fields[0]
        .chars()
        .map(|letter| match letter {
            'K' => 'k',
            'k' => 'K',
            other => other,
        })
        .collect();
    let side = if fields[1] == "b" { "w" } else { "b" };
    let ply: u32 = fields[3].parse().unwrap();
    // One ply on, or back from the last that a text can have.
    let ply = if ply < 60_000 { ply + 1 } else { ply - 1 };
    format!("{men} {side} {} {ply}", fields[2])
}

/// Every way to place the four men or to leave shared ones in hand, as the first field and the third of a text.
fn placements() -> impl Iterator<Item = (String, String)> {
    let places =
        || (0..6_usize).flat_map(|square| "^>v<".chars().map(move |arrow| Some((square, arrow))));
    let shared = move || places().chain([None]);
    places()
        .flat_map(move |one| places().map(move |two| [one, two]))
        .flat_map(move |[one, two]| shared().map(move |wind| [one, two, wind]))
        .flat_map(move |[one, two, wind]| shared().map(move |storm| [one, two, wind, storm]))
        .filter_map(|men| written(&men))
}

fn written(men: &[Option<(usize, char)>; 4]) -> Option<(String, String)> {
    let mut squares = [const { String::new() }; 6];
    let mut hand = String::new();
    for (man, letter) in men.iter().zip("KkWS".chars()) {
        match man {
            None => hand.push(letter),
            Some((square, _)) if !squares[*square].is_empty() => return None,
            Some((square, arrow)) => squares[*square] = format!("{letter}{arrow}"),
        }
    }
    for square in squares.iter_mut().filter(|square| square.is_empty()) {
        square.push('.');
    }
    let hand = if hand.is_empty() {
        "-".to_owned()
    } else {
        hand
    };
    let ranks: Vec<String> = squares.chunks(2).map(<[String]>::concat).collect();
    Some((ranks.join("/"), hand))
}

/// All placements past the setup, whoever is to move, reached by play or not.
#[test]
fn every_placement_agrees() {
    let mut checks = [0; 3];
    for (men, hand) in placements() {
        for end in
            ["b", "w"].map(|side| format!("{side} {hand} {}", if side == "b" { 21 } else { 22 }))
        {
            let text = format!("{men} {end}");
            let oracle = SixSquares::read(&text);
            let read = text.parse::<Position>();
            assert_eq!(read.is_err(), oracle.kings_face(), "{text}");
            let Ok(position) = read else { continue };
            agrees(&position).unwrap();
            checks[position.checkers().count()] += 1;
        }
    }
    assert_eq!(checks, [158_628, 50_560, 512]);
}

/// The setup, and the positions right after it.
#[test]
fn every_reachable_position_agrees() {
    let solution = Solution::<Gufu>::new();
    let mut keys = std::collections::HashMap::new();
    for position in solution.positions() {
        let name = Gufu::name(position);
        assert_eq!(
            keys.insert(position.key(), name.clone()),
            None,
            "{position} shares the key of {name}"
        );
        if position.in_setup()
            || Piece::SHARED
                .iter()
                .all(|&piece| position.place(piece).is_some())
        {
            is_kept::<Gufu>(position).unwrap();
        }
        if position.in_setup() {
            agrees(position).unwrap();
        }
    }
}
