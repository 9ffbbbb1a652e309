//! Gufu's encoder held against every vector position and every reachable position.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test fails by panicking; planes hold exact ones"
)]

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use model::{Encoder, GufuEncoder};
use rules::solver::Solution;
use rules::variants::gufu::{Facing, Gufu, Move, Piece, Position, Square};
use rules::{Game, Position as _, Variant};
use serde_json::Value;

fn vectors() -> Vec<Position> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/positions-gufu.jsonl.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text.lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["fen"]
                .as_str()
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect()
}

fn planes(position: Position) -> Vec<f32> {
    let mut planes = vec![9.0; GufuEncoder.shape().plane_len()];
    GufuEncoder.encode(&Game::from_position(position, Gufu::OPTIONS), &mut planes);
    planes
}

fn legal(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves
}

/// Reads planes back: the places of mover's king, opponent's king, Kaze and Arashi, and the ply of the setup, 0 in play.
fn decode(planes: &[f32]) -> ([Option<(Square, Facing)>; 4], usize) {
    let squares: Vec<&[f32]> = planes.chunks_exact(6).collect();
    let found = std::array::from_fn(|i| {
        let in_hand = squares[16 + i] == [1.0; 6];
        let mut place = None;
        for facing in Facing::ALL {
            for square in Square::all() {
                if squares[i * 4 + facing.index()][square.index()] == 1.0 {
                    assert_eq!(place, None);
                    place = Some((square, facing));
                }
            }
        }
        assert_eq!(in_hand, place.is_none());
        place
    });
    let setup = (0..4).find(|ply| squares[20 + ply] == [1.0; 6]);
    (found, setup.map_or(0, |ply| ply + 1))
}

#[test]
fn every_legal_move_has_an_index_of_its_own() {
    let shape = GufuEncoder.shape();
    assert_eq!(
        (shape.planes, shape.ranks, shape.files, shape.actions),
        (27, 3, 2, 93)
    );
    for position in vectors() {
        let mut seen = [false; 93];
        for mv in legal(&position) {
            let action = GufuEncoder.action(&position, mv);
            assert!(!seen[action], "{position}: {mv}");
            seen[action] = true;
        }
    }
}

#[test]
fn planes_decode_to_the_position_up_to_turn_and_colour() {
    for position in vectors() {
        let planes = planes(position);
        assert!(planes.iter().all(|value| *value == 0.0 || *value == 1.0));
        let (decoded, setup) = decode(&planes);
        let mover = position.side_to_move();
        let pieces = [
            Piece::king(mover),
            Piece::king(mover.other()),
            Piece::Kaze,
            Piece::Arashi,
        ];
        let matches = |position: &Position| pieces.map(|piece| position.place(piece)) == decoded;
        assert!(
            matches(&position) || matches(&position.rotated()),
            "{position}"
        );
        let expected = if position.in_setup() {
            usize::from(position.ply())
        } else {
            0
        };
        assert_eq!(setup, expected);
        assert_eq!(
            planes[25 * 6..26 * 6],
            [f32::from(u8::from(position.in_check())); 6]
        );
        let checkers = planes[24 * 6..25 * 6].iter().sum::<f32>();
        assert_eq!(checkers, position.checkers().count() as f32);
        assert_eq!(planes[26 * 6..], [1.0; 6]);
        if let Some((square, _)) = decoded[0].or(decoded[1]) {
            assert_eq!(square.file(), 1);
        }
    }
}

#[test]
fn a_turned_board_has_the_same_planes_and_indices() {
    for position in vectors() {
        let turned = position.rotated();
        if position.place(Piece::FirstKing).is_none() {
            continue;
        }
        assert_eq!(planes(position), planes(turned), "{position}");
        let indices = |position: &Position| {
            let mut indices: Vec<(usize, Vec<f32>)> = legal(position)
                .into_iter()
                .map(|mv| {
                    let mut next = *position;
                    next.play(mv);
                    (GufuEncoder.action(position, mv), planes(next))
                })
                .collect();
            indices.sort_by_key(|(index, _)| *index);
            indices
        };
        // Move by move: the same index leads to the same planes.
        assert_eq!(indices(&position), indices(&turned), "{position}");
    }
}

#[test]
fn four_equivalent_positions_share_their_planes() {
    let solution = Solution::<Gufu>::new();
    let mut classes: HashMap<Vec<u8>, (usize, Vec<usize>, rules::solver::Exact)> = HashMap::new();
    let mut past_setup = 0;
    for position in solution
        .positions()
        .iter()
        .filter(|position| !position.in_setup())
    {
        past_setup += 1;
        let key = planes(*position).iter().map(|value| *value as u8).collect();
        let mut actions: Vec<usize> = legal(position)
            .into_iter()
            .map(|mv| GufuEncoder.action(position, mv))
            .collect();
        actions.sort_unstable();
        let value = solution.value(position).unwrap();
        let class = classes
            .entry(key)
            .or_insert_with(|| (0, actions.clone(), value));
        class.0 += 1;
        assert_eq!((&class.1, class.2), (&actions, value), "{position}");
    }
    assert_eq!(past_setup, 205_052);
    assert!(classes.values().all(|class| class.0 == 4));
    assert_eq!(classes.len(), past_setup / 4);
}
