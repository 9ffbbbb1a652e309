//! Perpetual chases, after the rules of the Asian Xiangqi Federation as the rules page words them.
//!
//! A side *chases* a man when one of its men other than general and soldier could legally capture it, and the capture is worth it: see
//! [`chased`]. A move makes new the chases by the man that moved, and those by pairs of attacker and man that did not exist before it. A side
//! chases for ever if the new chases of all its moves in the repetition have a man in common.

use super::{ADVISOR, CANNON, CHARIOT, ELEPHANT, GENERAL, HORSE, RIVER, SOLDIER, Xiangqi};
use crate::board::safety::{Setting, attackers, attacks_of, is_king_attacked};
use crate::board::{Bitboard, Board, Move, Ruleset as _, Square};
use crate::outcome::Side;
use crate::position::Position as _;
use crate::variant::Variant as _;

const SQUARES: usize = Xiangqi::GRID.squares();

/// The men that each man chases, by its square.
type Chases = [Bitboard; SQUARES];

/// For each side, whether it chased the same man with every move; see [`Position::chasers`](crate::Position::chasers).
pub(super) fn chasers(positions: &[Board<Xiangqi>], moves: &[Move<Xiangqi>]) -> [bool; 2] {
    // No man is captured within a repetition, so a man is known by the square on which it stood at first.
    let mut names: [u8; SQUARES] = std::array::from_fn(|square| square as u8);
    let mut common = [!Bitboard::EMPTY; 2];
    // The plies go round: the one before the first is the last.
    let mut answer = moves.last().copied();
    for (pair, &mv) in positions.windows(2).zip(moves) {
        let Some(from) = mv.from() else { continue };
        names[mv.to().index()] = names[from.index()];
        let side = pair[0].side_to_move().index();
        common[side] &= new_chases(&pair[0], &pair[1], (from, mv.to()), answer)
            .into_iter()
            .map(|man| Bitboard::of(Square::new(names[man.index()])))
            .fold(Bitboard::EMPTY, |all, man| all | man);
        answer = Some(mv);
    }
    common.map(|men| !men.is_empty())
}

/// Returns the men newly chased after a move: by a pair of attacker and man that did not exist before, or by the man that moved.
///
/// But a chariot or cannon that slides along the very line on which it chased a man already does not chase it anew, unless that man has come
/// onto the line with the `answer` in between: what stays on the line is not being driven about.
fn new_chases(
    before: &Board<Xiangqi>,
    after: &Board<Xiangqi>,
    (from, to): (Square, Square),
    answer: Option<Move<Xiangqi>>,
) -> Bitboard {
    let side = before.side_to_move();
    let (old, now) = (chases(before, side), chases(after, side));
    let slides = [CHARIOT, CANNON]
        .into_iter()
        .any(|kind| after.movers(kind, side).contains(to));
    let line = if slides {
        let line = line(from, to);
        let newcomer = answer.filter(|mv| mv.from().is_some_and(|from| !line.contains(from)));
        line.without(newcomer.map_or(Bitboard::EMPTY, |mv| Bitboard::of(mv.to())))
    } else {
        Bitboard::EMPTY
    };
    (0..SQUARES).fold(Bitboard::EMPTY, |new, attacker| {
        let known = if attacker == to.index() {
            old[from.index()] & line
        } else {
            old[attacker]
        };
        new | now[attacker].without(known)
    })
}

/// The whole line through two squares of a rank or file.
fn line(a: Square, b: Square) -> Bitboard {
    let tables = Xiangqi::tables();
    tables.through(a, b) | tables.through(b, a)
}

/// Returns what each man of `side` chases, whoever is to move.
fn chases(board: &Board<Xiangqi>, side: Side) -> Chases {
    let mut chases = [Bitboard::EMPTY; SQUARES];
    for kind in [ADVISOR, ELEPHANT, HORSE, CHARIOT, CANNON] {
        for from in board.movers(kind, side) {
            let targets = attacks_of(board, kind, side, from) & prey(board, side.other());
            for target in targets {
                if chased(board, side, (kind, from), target) {
                    chases[from.index()] |= Bitboard::of(target);
                }
            }
        }
    }
    chases
}

/// The men of a side that can be chased: all but the general and the soldiers that have not crossed the river.
fn prey(board: &Board<Xiangqi>, side: Side) -> Bitboard {
    let at_home = board
        .movers(SOLDIER, side)
        .into_iter()
        .filter(|soldier| soldier.rank_for(Xiangqi::GRID, side) < RIVER)
        .fold(Bitboard::EMPTY, |all, soldier| all | Bitboard::of(soldier));
    board
        .side(side)
        .without(board.movers(GENERAL, side) | at_home)
}

/// Tells whether an attacked man is chased: the capture is legal, and it wins a chariot for a horse or cannon, a chariot, horse or cannon for
/// an advisor or elephant, or a man for nothing. Men of one kind that can take each other do not chase.
fn chased(
    board: &Board<Xiangqi>,
    side: Side,
    (kind, from): (usize, Square),
    target: Square,
) -> bool {
    if !is_legal(board, side, from, target) {
        return false;
    }
    let Some(victim) = board.piece(target).map(|piece| piece.kind as usize) else {
        return false;
    };
    let gains = match kind {
        HORSE | CANNON => victim == CHARIOT,
        ADVISOR | ELEPHANT => matches!(victim, CHARIOT | HORSE | CANNON),
        _ => false,
    };
    let mutual = kind == victim
        && attacks_of(board, victim, side.other(), target).contains(from)
        && is_legal(board, side.other(), target, from);
    gains || !mutual && !is_guarded(board, side, from, target)
}

/// Tells whether a move that a man of `side` can make leaves its general safe.
fn is_legal(board: &Board<Xiangqi>, side: Side, from: Square, to: Square) -> bool {
    let danger = Setting::of(board, side.other()).after(from, to);
    !is_king_attacked(board, board.king(side), side.other(), danger)
}

/// Tells whether, after a man of `side` has captured on `target`, the other side could legally capture it.
fn is_guarded(board: &Board<Xiangqi>, side: Side, from: Square, target: Square) -> bool {
    let them = side.other();
    let captured = Setting::of(board, them).after(from, target);
    attackers(board, target, them, captured)
        .into_iter()
        .any(|guard| {
            let king = board.king(them);
            let king = if guard == king { target } else { king };
            let danger = Setting {
                occupied: captured.occupied.without(Bitboard::of(guard)),
                attackers: board.side(side).without(Bitboard::of(from)),
            };
            !is_king_attacked(board, king, side, danger)
        })
}
