//! Rows of tactics read back: around kings, who is attacked by what is worth less, and what moves attack.

use std::collections::BTreeSet;

use model::{Features, PolicyMoves, SparseBoardEncoder, SparseEncoder};
use rules::board::{Board, Move, Square};
use rules::{Heuristics, Position, Side};

use crate::games::{GridGame, vectors};

/// Tells whether `by` attacks a square with a man that is worth less than one of `kind`: tried with every such man alone.
fn attacked_by_less<R: GridGame>(board: &Board<R>, by: Side, kind: u8, square: Square) -> bool {
    let price = |kind: u8| R::worth().exchange(kind);
    let of_movement = |movement| {
        let kinds = (0..R::KINDS.len() as u8).filter(|&kind| kind != R::KING);
        let alike = kinds.filter(|&kind| R::KINDS[kind as usize].movement == movement);
        alike.map(price).max()
    };
    let each = board.attacked_by_each(by);
    (0..R::MOVEMENTS.len()).any(|movement| {
        let is_king = R::KINDS[R::KING as usize].movement as usize == movement;
        let is_less = kind == R::KING || of_movement(movement as u8) < Some(price(kind));
        !is_king && is_less && each[movement].contains(square)
    })
}

/// The part of the six that a man has by who attacks and guards it.
pub(crate) fn level<R: GridGame>(
    board: &Board<R>,
    (side, kind): (Side, u8),
    square: Square,
) -> u32 {
    let by = |side: Side| board.attacked_by(side).contains(square);
    let less = attacked_by_less(board, side.other(), kind, square);
    u32::from(by(side.other())) + u32::from(less) + 3 * u32::from(by(side))
}

/// What a row says of a square around a king: whose king, how far to the right and ahead, what stands there, and who attacks it.
type Seen = (Side, (i8, i8), Option<(Side, usize)>, u32);

/// Reads the rows of what is around the kings back, by nothing but the documented table; `first` is the first of them.
fn decode_around<R: GridGame>(rows: &[u32], first: u32, mover: Side) -> BTreeSet<Seen> {
    let movements = R::MOVEMENTS.len() as u32;
    let (next, near) = (2 * (1 + 2 * movements), 4 * 2 * movements);
    let a_king = 8 * next + 16 * near;
    let steps = |far: i8| {
        let all = (-2..=2).flat_map(|forward| (-2..=2).map(move |right| (right, forward)));
        let size = move |(right, forward): &(i8, i8)| right.abs().max(forward.abs());
        all.filter(|at| size(at) == far).collect::<Vec<_>>()
    };
    let man = |content: u32, king: Side| {
        let side = [king, king.other()][(content / movements) as usize];
        (side, (content % movements) as usize)
    };
    let row = |row: &u32| {
        let king = [mover, mover.other()][((row - first) / a_king) as usize];
        let at = (row - first) % a_king;
        if at < 8 * next {
            let (content, part) = (at % next / 2, at % 2);
            let man = (content > 0).then(|| man(content - 1, king));
            return (king, steps(1)[(at / next) as usize], man, part);
        }
        let at = at - 8 * next;
        let (content, part) = (at % near / 4, at % 4);
        let step = steps(2)[(at / near) as usize];
        (king, step, Some(man(content, king)), part)
    };
    rows.iter().map(row).collect()
}

fn around<R: GridGame>(board: &Board<R>) -> BTreeSet<Seen> {
    let mover = board.side_to_move();
    let reach = [Side::First, Side::Second].map(|side| board.attacked_by(side));
    let mut seen = BTreeSet::new();
    for side in [Side::First, Side::Second] {
        let steps = (-2..=2).flat_map(|forward| (-2..=2).map(move |right| (right, forward)));
        for (right, forward) in steps.filter(|step| *step != (0, 0)) {
            let square = board.king(side).offset(R::GRID, mover, right, forward);
            let Some(square) = square else { continue };
            let man = board.piece(square);
            let man = man.map(|man| (man.side, R::KINDS[man.kind as usize].movement as usize));
            let by = |side: Side| u32::from(reach[side.index()].contains(square));
            if right.abs() < 2 && forward.abs() < 2 {
                seen.insert((side, (right, forward), man, by(side.other())));
            } else if man.is_some() {
                let part = by(side.other()) + 2 * by(side);
                seen.insert((side, (right, forward), man, part));
            }
        }
    }
    seen
}

fn decodes_around<R: GridGame>() {
    let with = SparseBoardEncoder::<R>::new(Features::Tactics, PolicyMoves::Plain);
    let without = SparseBoardEncoder::<R>::new(Features::Threats, PolicyMoves::Plain);
    let men = 2 * R::KINDS.len() * R::GRID.squares();
    let first = without.shape().features - 1 + 2 * men;
    let last = with.shape().features - 1;
    let mut rows = Vec::new();
    for game in vectors::<R>() {
        rows.clear();
        with.features(&game, &mut rows);
        rows.retain(|row| (first..last).contains(&(*row as usize)));
        let board = game.position();
        let decoded = decode_around::<R>(&rows, first as u32, board.side_to_move());
        assert_eq!(decoded, around(board), "{board}");
    }
}

mod rows_decode_to_what_is_around_the_kings {
    use super::decodes_around;
    crate::for_each_game!(decodes_around);
}

/// Of a move's rows that come with tactics, all but those of attacked men, worked out from the position alone, as the documented table numbers them.
fn told_of_tactics<R: GridGame>(board: &Board<R>, mv: Move<R>) -> Vec<u32> {
    let (kinds, movements) = (R::KINDS.len() as u32, R::MOVEMENTS.len() as u32);
    let mover = board.side_to_move();
    let after = match mv.from() {
        Some(from) => {
            let kind = board.piece(from).unwrap().kind;
            let promoted = R::KINDS[kind as usize].promoted;
            promoted.filter(|_| mv.promotes()).unwrap_or(kind)
        }
        None => mv.dropped().unwrap(),
    };
    let mut told = Vec::new();
    for (i, side) in [mover, mover.other()].into_iter().enumerate() {
        let (king, to) = (board.king(side), mv.to());
        let all = (-2..=2).flat_map(|forward| (-2..=2).map(move |right| (right, forward)));
        let others = all.filter(|step| *step != (0, 0));
        for (slot, (right, forward)) in others.enumerate() {
            if king.offset(R::GRID, mover, right, forward) == Some(to) {
                let movement = u32::from(R::KINDS[after as usize].movement);
                told.push((i as u32 * movements + movement) * 24 + slot as u32);
            }
        }
    }
    let leaves = 2 * movements * 24;
    if let Some(from) = mv.from() {
        let kind = board.piece(from).unwrap().kind;
        told.push(leaves + 6 * u32::from(kind) + level(board, (mover, kind), from));
    }
    let arrives = leaves + 6 * kinds;
    told.push(arrives + 6 * u32::from(after) + level(board, (mover, after), mv.to()));
    told.sort_unstable();
    told
}

/// The rows of the men that the man which makes a move could take next, if it were its side's turn again: by its legal captures, of which a pin
/// may forbid some. `None` where the turn cannot be passed.
fn attacks_next<R: GridGame>(board: &Board<R>, mv: Move<R>) -> Option<Vec<u32>> {
    let mut next = *board;
    next.play(mv);
    let again = next.passed()?;
    let movement = R::KINDS[again.piece(mv.to())?.kind as usize].movement;
    let guards = board.attacked_by(board.side_to_move().other());
    let (mut legal, mut targets) = (Vec::new(), BTreeSet::new());
    again.legal_moves(&mut legal);
    targets.extend(
        legal
            .iter()
            .filter(|next| next.from() == Some(mv.to()))
            .map(|next| next.to()),
    );
    let rows = targets.into_iter().filter_map(|target| {
        let man = again.piece(target)?.kind;
        let row = 2 * (u32::from(movement) * R::KINDS.len() as u32 + u32::from(man));
        Some(row + u32::from(guards.contains(target)))
    });
    let mut rows: Vec<u32> = rows.collect();
    rows.sort_unstable();
    Some(rows)
}

fn moves_tell_of_tactics<R: GridGame>() {
    let with = SparseBoardEncoder::<R>::new(Features::Tactics, PolicyMoves::Tactics);
    let without = SparseBoardEncoder::<R>::new(Features::Tactics, PolicyMoves::Exchange);
    let first = without.shape().moves as u32;
    let attacks = with.shape().moves as u32 - 2 * (R::MOVEMENTS.len() * R::KINDS.len()) as u32;
    let (mut legal, mut attacking, mut pinned) = (Vec::new(), 0, 0);
    for game in vectors::<R>() {
        let board = game.position();
        game.legal_moves(&mut legal);
        for &mv in &legal {
            let (mut rows, mut expected) = (Vec::new(), Vec::new());
            with.move_rows(board, mv, &mut rows);
            assert!(rows.len() <= 18);
            rows.sort_unstable();
            let told = rows.split_off(rows.partition_point(|row| *row < attacks));
            without.move_rows(board, mv, &mut expected);
            expected.extend(told_of_tactics(board, mv).iter().map(|row| first + row));
            expected.sort_unstable();
            assert_eq!(rows, expected, "{mv} in {board}");
            let Some(next) = attacks_next(board, mv) else {
                continue;
            };
            let mut left = told.iter().map(|row| row - attacks);
            assert!(
                next.iter().all(|row| left.any(|told| told == *row)),
                "{mv} in {board}"
            );
            attacking += usize::from(!next.is_empty());
            pinned += usize::from(next.len() < told.len());
        }
    }
    assert!(
        attacking > 1000 && pinned * 20 < attacking,
        "{attacking} {pinned}"
    );
}

mod rows_of_moves_tell_of_tactics {
    use super::moves_tell_of_tactics;
    crate::for_each_game!(moves_tell_of_tactics);
}
