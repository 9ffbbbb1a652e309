//! Why a move is not legal, for people.

use crate::board::bitboard::Bitboard;
use crate::board::grid::Square;
use crate::board::moves::Move;
use crate::board::piece::Piece;
use crate::board::position::Board;
use crate::board::ruleset::Ruleset;
use crate::board::safety::{self, Setting};
use crate::position::Position as _;

/// Says why a move that can be written is not legal.
pub(crate) fn why_illegal<R: Ruleset>(board: &Board<R>, mv: Move<R>) -> String {
    let own = match (mv.from(), mv.dropped()) {
        (Some(from), _) => wrong_step(board, mv, from),
        (None, kind) => wrong_drop(board, kind.unwrap_or_default(), mv.to()),
    };
    let check = if board.in_check() { " (in check)" } else { "" };
    let why = own.unwrap_or_else(|| danger(board, mv));
    format!("not legal in `{board}`{check}: {why}")
}

fn wrong_step<R: Ruleset>(board: &Board<R>, mv: Move<R>, from: Square) -> Option<&'static str> {
    let side = board.side_to_move();
    match board.piece(from) {
        None => return Some("nobody stands where it begins"),
        Some(man) if man.side != side => return Some("the man there is the other player's"),
        Some(_) => {}
    }
    match board.piece(mv.to()) {
        Some(man) if man.side == side => {
            return Some("a man of the same player stands where it ends");
        }
        Some(man) if man.kind == R::KING => return Some("the man does not move so"),
        _ => {}
    }
    let mut legal = Vec::new();
    board.legal_moves(&mut legal);
    let other = Move::new(from, mv.to(), !mv.promotes());
    legal.contains(&other).then_some(if mv.promotes() {
        "the man cannot promote there"
    } else {
        "the man must promote there, which is written with a `+`"
    })
}

fn wrong_drop<R: Ruleset>(board: &Board<R>, kind: u8, to: Square) -> Option<&'static str> {
    let side = board.side_to_move();
    if !board.hand(side).has(usize::from(kind)) {
        return Some("no such man is in hand");
    }
    if board.piece(to).is_some() {
        return Some("its square is occupied");
    }
    let movement = usize::from(R::KINDS[usize::from(kind)].movement);
    if R::tables().dead[movement][side.index()].contains(to) {
        return Some("a man dropped there could never move on");
    }
    let same_file = |square: Square| square.file(R::GRID) == to.file(R::GRID);
    let second = Some(kind) == R::PAWN && {
        let mut pawns = board.pieces(Piece { kind, side }).into_iter();
        pawns.any(same_file)
    };
    second.then_some("a second unpromoted pawn on the file")
}

/// Says what is wrong where only the kings can tell.
fn danger<R: Ruleset>(board: &Board<R>, mv: Move<R>) -> &'static str {
    let side = board.side_to_move();
    let mut next = *board;
    next.play_move(mv);
    let setting = Setting::of(&next, side.other());
    if safety::is_king_attacked(&next, next.king(side), side.other(), setting) {
        return "the own king would be attacked";
    }
    match mv.from() {
        None if mv.dropped() == R::PAWN && next.checkers() != Bitboard::EMPTY => {
            "the drop of a pawn may not mate"
        }
        _ => "the man does not move so",
    }
}
