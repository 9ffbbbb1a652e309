//! Rows read back, moves told apart, mirror images.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use model::{Features, PolicyMoves, SparseBoardEncoder, SparseEncoder};
use rules::board::{Board, Piece, Square};
use rules::{Game, Heuristics, Position, Side};

use crate::games::{GridGame, random_games, vectors};
use crate::tactics::level;

const SETS: [(Features, PolicyMoves); 3] = [
    (Features::Plain, PolicyMoves::Plain),
    (Features::Threats, PolicyMoves::Exchange),
    (Features::Tactics, PolicyMoves::Tactics),
];

/// Men by square with who attacks and who guards them, hands of mover and opponent, whether in check, whether the mover is the second.
type Decoded = (BTreeMap<Square, (Piece, u32)>, [Vec<u32>; 2], bool, bool);

/// Reads rows back, by nothing but the documented table.
fn decode<R: GridGame>(rows: &[u32], split: u32, shape: model::SparseShape) -> Decoded {
    let (squares, kinds) = (R::GRID.squares() as u32, R::KINDS.len() as u32);
    let second = rows.contains(&(shape.features as u32 - 1));
    let mover = if second { Side::Second } else { Side::First };
    let sets = crate::planes::sets::<R>();
    let men_rows = 2 * kinds * squares * split;
    let hand_rows: u32 = sets.iter().map(|set| *set as u32).sum();
    let (mut men, mut hands) = (BTreeMap::new(), [vec![0; sets.len()], vec![0; sets.len()]]);
    for &row in rows {
        if row < men_rows {
            let (man, part) = (row / split, row % split);
            let side = if man / squares < kinds {
                mover
            } else {
                mover.other()
            };
            let kind = (man / squares % kinds) as u8;
            let square = Square::new((man % squares) as u8).seen_by(R::GRID, mover);
            assert_eq!(men.insert(square, (Piece { kind, side }, part)), None);
        } else if row < men_rows + 2 * hand_rows {
            let at = row - men_rows;
            let (owner, mut left) = (at / hand_rows, at % hand_rows);
            let mut kind = 0;
            while left >= sets[kind] as u32 {
                left -= sets[kind] as u32;
                kind += 1;
            }
            assert_eq!(hands[owner as usize][kind], 0);
            hands[owner as usize][kind] = left + 1;
        }
    }
    let in_check = rows.contains(&(men_rows + 2 * hand_rows));
    (men, hands, in_check, second)
}

fn position<R: GridGame>(board: &Board<R>, features: Features) -> Decoded {
    let mover = board.side_to_move();
    let reach = [Side::First, Side::Second].map(|side| board.attacked_by(side));
    let men = board.occupied().into_iter().map(|square| {
        let piece = board.piece(square).unwrap();
        let by = |side: Side| u32::from(reach[side.index()].contains(square));
        let part = match features {
            Features::Plain => 0,
            Features::Threats => by(piece.side.other()) + 2 * by(piece.side),
            Features::Tactics => level(board, (piece.side, piece.kind), square),
        };
        (square, (piece, part))
    });
    let hand = |side| {
        (0..R::HAND_KINDS)
            .map(|kind| board.hand(side).count(kind))
            .collect()
    };
    (
        men.collect(),
        [hand(mover), hand(mover.other())],
        board.in_check(),
        mover == Side::Second,
    )
}

fn decodes<R: GridGame>() {
    for (features, moves) in SETS {
        let encoder = SparseBoardEncoder::<R>::new(features, moves);
        let shape = encoder.shape();
        let (mut rows, mut checks) = (Vec::new(), 0);
        for game in vectors::<R>() {
            rows.clear();
            encoder.features(&game, &mut rows);
            let split = match features {
                Features::Plain => 1,
                Features::Threats => 4,
                Features::Tactics => 6,
            };
            let board = game.position();
            assert_eq!(
                decode::<R>(&rows, split, shape),
                position(board, features),
                "{board}"
            );
            let distinct: BTreeSet<u32> = rows.iter().copied().collect();
            assert_eq!(distinct.len(), rows.len());
            assert!(rows.iter().all(|row| (*row as usize) < shape.features));
            checks += u32::from(board.in_check());
        }
        assert!(checks > 10);
    }
}

mod rows_decode_to_the_position {
    use super::decodes;
    crate::for_each_game!(decodes);
}

fn mirrored_rows(rows: &[u32], mirror: &[u32]) -> BTreeSet<u32> {
    rows.iter().map(|row| mirror[*row as usize]).collect()
}

fn told_apart<R: GridGame>() {
    for (features, moves) in SETS {
        let encoder = SparseBoardEncoder::<R>::new(features, moves);
        let (shape, mirror) = (encoder.shape(), encoder.mirror().unwrap());
        for map in [&mirror.features, &mirror.moves] {
            assert!((0..map.len()).all(|row| map[map[row] as usize] as usize == row));
        }
        let (mut legal, mut most, mut losing, mut checking) = (Vec::new(), 0, 0, 0);
        let (mut images, mut differing) = (0, 0);
        random_games::<R>(3, |game: &Game<R>| {
            let board = game.position();
            let rows = |board: &Board<R>, mv| {
                let mut rows = Vec::new();
                encoder.move_rows(board, mv, &mut rows);
                assert!(rows.iter().all(|row| (*row as usize) < shape.moves));
                rows
            };
            // Of two men of equal worth an exchange takes with whichever comes first on the board, which may be the other one in an image.
            let end = SparseBoardEncoder::<R>::new(features, PolicyMoves::Exchange)
                .shape()
                .moves as u32;
            let of_exchange = end - R::KINDS.len() as u32..end;
            let mut same =
                |mut own: BTreeSet<u32>, mut image: BTreeSet<u32>, what: &dyn Display| {
                    images += 1;
                    differing += usize::from(own != image);
                    own.retain(|row| !of_exchange.contains(row));
                    image.retain(|row| !of_exchange.contains(row));
                    assert_eq!(own, image, "{what} in {board}");
                };
            game.legal_moves(&mut legal);
            let all: BTreeSet<Vec<u32>> = legal.iter().map(|&mv| rows(board, mv)).collect();
            assert_eq!(all.len(), legal.len(), "{board}");
            let reflection = board.mirrored();
            for &mv in &legal {
                let own = rows(board, mv);
                let mirrored = rows(&reflection, mv.mirrored()).into_iter().collect();
                same(mirrored_rows(&own, &mirror.moves), mirrored, &mv);
                let turned = rows(&board.rotated(), mv.rotated()).into_iter().collect();
                same(own.into_iter().collect(), turned, &mv);
                let mut next = *board;
                next.play(mv);
                checking += usize::from(next.in_check());
                losing += usize::from(!board.wins_exchange(mv, 0));
            }
            let show = |game: &Game<R>| {
                let mut rows = Vec::new();
                encoder.features(game, &mut rows);
                rows
            };
            let own = show(game);
            most = most.max(own.len());
            // Alone, without what the history shows.
            let alone = show(&Game::from_position(*board, R::OPTIONS));
            let mirrored: BTreeSet<u32> = show(&Game::from_position(reflection, R::OPTIONS))
                .into_iter()
                .collect();
            assert_eq!(mirrored_rows(&alone, &mirror.features), mirrored, "{board}");
        });
        assert!(most <= shape.active, "{most} rows, {shape:?}");
        assert!(losing > 0 && checking > 0);
        assert!(
            differing * 100 < images,
            "{differing} of {images} images differ"
        );
    }
}

mod moves_are_told_apart_and_mirrored {
    use super::told_apart;
    crate::for_each_game!(told_apart);
}

/// The rows of what the planes show of the history: each occurrence and each step has its own.
fn history<R: GridGame>() {
    let encoder = SparseBoardEncoder::<R>::new(Features::Plain, PolicyMoves::Plain);
    let mut seen = BTreeMap::new();
    random_games::<R>(6, |game: &Game<R>| {
        let alone = Game::<R>::from_position(*game.position(), *game.options());
        let show = |game: &Game<R>| {
            let mut rows = Vec::new();
            encoder.features(game, &mut rows);
            rows.into_iter().collect::<BTreeSet<u32>>()
        };
        let own: BTreeSet<u32> = show(game).difference(&show(&alone)).copied().collect();
        let known = seen
            .entry(encoder.history(game))
            .or_insert_with(|| own.clone());
        if encoder.history(&alone) == 0 {
            assert_eq!(*known, own);
        }
    });
    assert!(seen[&0].is_empty());
}

mod rows_show_the_history {
    use super::history;
    crate::for_each_game!(history);
}
