//! Moves and action indices.

use std::collections::HashMap;

use model::{BoardEncoder, Encoder};
use rules::board::{Board, Move};
use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Game, Position};

use crate::games::{GridGame, at, planes, random_games, vectors};

fn legal<R: GridGame>(board: &Board<R>) -> Vec<Move<R>> {
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    moves
}

/// Checks that an index leads back to its move among the legal ones, and returns how many there are.
fn indices_lead_back<R: GridGame>(encoder: &BoardEncoder<R>, board: &Board<R>) -> usize {
    let actions = encoder.shape().actions;
    let mut moves = HashMap::new();
    let legal = legal(board);
    for &mv in &legal {
        let action = encoder.action(board, mv);
        assert!(action < actions, "{board}: {mv} is {action}");
        let other = moves.insert(action, mv);
        assert_eq!(other, None, "{board}: {mv} shares its index");
    }
    for mv in legal {
        assert_eq!(moves[&encoder.action(board, mv)], mv);
    }
    moves.len()
}

fn vector_positions<R: GridGame>() {
    let encoder = BoardEncoder::<R>::new();
    let moves: usize = vectors::<R>()
        .iter()
        .map(|game| indices_lead_back(&encoder, game.position()))
        .sum();
    assert!(moves > 20_000, "{moves}");
}

fn random_positions<R: GridGame>() {
    let encoder = BoardEncoder::<R>::new();
    random_games::<R>(60, |game| {
        indices_lead_back(&encoder, game.position());
    });
}

mod every_legal_move_of_the_vectors_has_an_index_of_its_own {
    use super::vector_positions;
    crate::for_each_game!(vector_positions);
}

mod every_legal_move_of_random_games_has_an_index_of_its_own {
    use super::random_positions;
    crate::for_each_game!(random_positions);
}

#[test]
fn tables_have_their_usual_sizes() {
    let showgit = BoardEncoder::<Showgit>::new().shape();
    assert_eq!((showgit.policy_planes, showgit.actions), (27, 2187));
    assert_eq!((showgit.ranks, showgit.files, showgit.planes), (9, 9, 61));
    // Ten ways plain and promoting, and five kinds dropped.
    let euroshogi = BoardEncoder::<EuroShogi>::new().shape();
    assert_eq!((euroshogi.policy_planes, euroshogi.actions), (25, 1600));
    // Eight lines, four elephant and eight horse leaps, four captures over a screen.
    let xiangqi = BoardEncoder::<Xiangqi>::new().shape();
    assert_eq!((xiangqi.policy_planes, xiangqi.actions), (24, 2160));
    assert_eq!((xiangqi.ranks, xiangqi.files), (10, 9));
}

fn action<R: GridGame>(text: &str, mv: &str) -> usize {
    let game: Game<R> = at(text);
    let mv = game.position().parse_move(mv).unwrap();
    BoardEncoder::<R>::new().action(game.position(), mv)
}

/// Indices are part of checkpoints: these must not change without a new version of the encoder.
#[test]
fn indices_are_those_of_the_table() {
    // Lines by (right, forward): (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1); then the leaps.
    let start = <Showgit as rules::board::Ruleset>::START;
    assert_eq!(action::<Showgit>(start, "7g7f"), 4 * 81 + 3 * 9 + 2);
    let second = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    assert_eq!(action::<Showgit>(second, "3c3d"), 4 * 81 + 3 * 9 + 2);
    let leap = "4k4/9/9/2N6/9/9/9/9/4K4 b P 1";
    assert_eq!(action::<Showgit>(leap, "7d8b+"), 18 * 81 + 7 * 9 + 1);
    assert_eq!(action::<Showgit>(leap, "P*5e"), 20 * 81 + 4 * 9 + 4);
    let cannon = "4k4/9/9/4p4/9/4P4/9/9/4C4/3K5 w - - 0 1";
    assert_eq!(action::<Xiangqi>(cannon, "e2e7"), 22 * 90 + 6 * 9 + 4);
    assert_eq!(action::<Xiangqi>(cannon, "e2e4"), 4 * 90 + 3 * 9 + 4);
}

/// A chariot before a screen and a cannon behind it both take the same man, from the same direction.
#[test]
fn captures_over_a_screen_are_told_from_others() {
    let game = at::<Xiangqi>("4k4/9/9/4p4/9/9/4R4/9/4C4/3K5 w - - 0 1");
    let board = game.position();
    let moves = ["e4e7", "e2e7"].map(|text| board.parse_move(text).unwrap());
    let encoder = BoardEncoder::<Xiangqi>::new();
    let [chariot, cannon] = moves.map(|mv| encoder.action(board, mv));
    assert_ne!(chariot, cannon);
    assert_eq!(chariot % 90, cannon % 90);
}

fn swaps<R: GridGame>() {
    let encoder = BoardEncoder::<R>::new();
    let mirror = encoder.mirror().unwrap();
    assert_eq!(mirror.len(), encoder.shape().actions);
    for (action, &mirrored) in mirror.iter().enumerate() {
        assert_eq!(mirror[mirrored as usize] as usize, action);
    }
    let check = |game: &Game<R>| {
        let board = game.position();
        let mirrored = board.mirrored();
        let mut expected = planes(&encoder, game);
        encoder.shape().mirror_planes(&mut expected);
        let mirrored_game = Game::from_position(mirrored, *game.options());
        assert_eq!(planes(&encoder, &mirrored_game), expected, "{board}");
        for mv in legal(board) {
            let action = encoder.action(board, mv);
            let other = encoder.action(&mirrored, mv.mirrored());
            assert_eq!(mirror[action] as usize, other, "{board}: {mv}");
        }
    };
    vectors::<R>().iter().for_each(check);
}

mod a_mirrored_board_has_mirrored_planes_and_indices {
    use super::swaps;
    crate::for_each_game!(swaps);
}

fn turns<R: GridGame>() {
    let encoder = BoardEncoder::<R>::new();
    let squares = R::GRID.squares();
    let side = encoder.shape().planes - 2;
    for game in vectors::<R>() {
        let board = game.position();
        let turned = board.rotated();
        let turned_game = Game::from_position(turned, R::OPTIONS);
        let mut expected = planes(&encoder, &game);
        for value in &mut expected[side * squares..(side + 1) * squares] {
            *value = 1.0 - *value;
        }
        assert_eq!(planes(&encoder, &turned_game), expected, "{board}");
        for mv in legal(board) {
            let other = encoder.action(&turned, mv.rotated());
            assert_eq!(encoder.action(board, mv), other, "{board}: {mv}");
        }
    }
}

mod a_turned_board_with_colours_swapped_has_the_same_planes_and_indices {
    use super::turns;
    crate::for_each_game!(turns);
}
