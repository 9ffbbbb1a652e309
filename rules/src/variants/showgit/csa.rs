//! Moves and positions as the files of the Computer Shogi Association write them: `+7776FU`, `-0055KA`, and boards in lines that begin with
//! `P`.
//!
//! Source: <http://www2.computer-shogi.org/protocol/record_v22.html>.

use std::fmt::Write as _;

use super::Showgit;
use super::draft::{self, Draft};
use crate::board::text::why_illegal;
use crate::board::{Board, Move, Piece, Ruleset, Square};
use crate::notation::NotationError;
use crate::outcome::Side;
use crate::position::Position;

/// The names of the kinds, in the order of the table of kinds.
const NAMES: [&str; 14] = [
    "FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU", "TO", "NY", "NK", "NG", "UM", "RY",
];
/// The men of the usual set, by kinds that can be in hand.
const SET: [u32; Showgit::HAND_KINDS] = [18, 4, 4, 4, 4, 2, 2];

/// Returns the sign of a side.
pub const fn sign(side: Side) -> char {
    ['+', '-'][side.index()]
}

/// Writes a legal move: sign, origin or `00`, target, and the man as it is afterwards.
pub fn write_move(board: &Board<Showgit>, mv: Move<Showgit>) -> String {
    let [file, rank] = draft::numbers(mv.to());
    let (origin, kind) = match mv.from() {
        Some(from) => {
            let kind = board.piece(from).map_or(0, |man| man.kind);
            let promoted = Showgit::KINDS[usize::from(kind)].promoted;
            let kind = if mv.promotes() {
                promoted.unwrap_or(kind)
            } else {
                kind
            };
            (draft::numbers(from), kind)
        }
        None => ([0; 2], mv.dropped().unwrap_or_default()),
    };
    let name = NAMES[usize::from(kind)];
    let sign = sign(board.side_to_move());
    format!("{sign}{}{}{file}{rank}{name}", origin[0], origin[1])
}

/// Reads a move, which must be legal and the move of the side to move.
///
/// # Errors
/// Says which part of `text` is wrong, or that the move is not legal here.
pub fn parse_move(board: &Board<Showgit>, text: &str) -> Result<Move<Showgit>, NotationError> {
    let error = |at, problem: &str| NotationError::new("move", text, at, problem);
    let form = "a move has the form `+7776FU`: sign, origin or `00`, target, man";
    if text.len() != 7 || !text.is_ascii() {
        return Err(error(1, form));
    }
    if !text.starts_with(sign(board.side_to_move())) {
        let problem = format!("`{}` is to move", sign(board.side_to_move()));
        return Err(error(1, &problem));
    }
    let digit = |at: usize| text[at..=at].parse::<u8>().map_err(|_| error(at + 1, form));
    let [from_file, from_rank, file, rank] = [digit(1)?, digit(2)?, digit(3)?, digit(4)?];
    if file == 0 || rank == 0 {
        return Err(error(4, "a target has two numbers from 1 to 9"));
    }
    let kind = kind(&text[5..]).ok_or_else(|| error(6, &unknown_kind(&text[5..])))?;
    let to = draft::square(file, rank);
    let mv = match (from_file, from_rank) {
        (0, 0) if usize::from(kind) < Showgit::HAND_KINDS => Move::drop(kind, to),
        (0, 0) => return Err(error(6, "this man cannot be dropped")),
        (1.., 1..) => {
            let from = draft::square(from_file, from_rank);
            Move::new(
                from,
                to,
                promotes(board, from, kind).map_err(|problem| error(6, &problem))?,
            )
        }
        _ => return Err(error(2, "an origin is `00` or has two numbers from 1 to 9")),
    };
    let mut legal = Vec::new();
    board.legal_moves(&mut legal);
    if legal.contains(&mv) {
        return Ok(mv);
    }
    Err(error(1, &why_illegal(board, mv)))
}

/// Tells whether the man on a square promotes if it is of `kind` after its move.
fn promotes(board: &Board<Showgit>, from: Square, kind: u8) -> Result<bool, String> {
    let standing = board.piece(from).map(|man| man.kind);
    match standing {
        Some(before) if before == kind => Ok(false),
        Some(before) if Showgit::KINDS[usize::from(before)].promoted == Some(kind) => Ok(true),
        Some(before) => Err(format!(
            "{} stands where the move begins and cannot become {}",
            NAMES[usize::from(before)],
            NAMES[usize::from(kind)]
        )),
        None => Err("nobody stands where the move begins".to_owned()),
    }
}

fn kind(name: &str) -> Option<u8> {
    let found = NAMES.iter().position(|known| *known == name)?;
    Some(found as u8)
}

fn unknown_kind(name: &str) -> String {
    format!("`{name}` is no man: expected one of {}", NAMES.join(", "))
}

/// Writes a position, each line with its end: `PI` for the usual start, else nine ranks and both hands; then the side to move.
pub fn write_board(board: &Board<Showgit>) -> String {
    let sign = sign(board.side_to_move());
    if board.key() == Board::<Showgit>::initial().key() {
        return format!("PI\n{sign}\n");
    }
    let mut text = String::new();
    for rank in 1..=9 {
        let _ = write!(text, "P{rank}");
        for file in (1..=9).rev() {
            match board.piece(draft::square(file, rank)) {
                None => text.push_str(" * "),
                Some(man) => {
                    text.push(self::sign(man.side));
                    text.push_str(NAMES[usize::from(man.kind)]);
                }
            }
        }
        text.push('\n');
    }
    for side in [Side::First, Side::Second] {
        let _ = write!(text, "P{}", self::sign(side));
        for &kind in Showgit::HAND_ORDER {
            let man = format!("00{}", NAMES[usize::from(kind)]);
            let count = board.hand(side).count(usize::from(kind)) as usize;
            text.push_str(&man.repeat(count));
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{sign}");
    text
}

/// A position read line by line.
#[derive(Clone, Debug, Default)]
pub struct BoardReader {
    draft: Draft,
    begun: bool,
}

impl BoardReader {
    /// Reads a line that begins with `P`: the usual start with men left out (`PI82HI22KA`), a rank (`P1-KY-KE ... `), or men of one side
    /// (`P+00FU87TO`, and `P-00AL` for all that are left).
    ///
    /// # Errors
    /// Says which part of `text` is wrong.
    pub fn line(&mut self, text: &str) -> Result<(), NotationError> {
        self.begun = true;
        let error = |at, problem: &str| NotationError::new("position", text, at, problem);
        if !text.is_ascii() {
            return Err(error(1, "a position is written in ASCII"));
        }
        match text.as_bytes().get(1) {
            Some(b'I') => self.usual_start(text),
            Some(digit @ b'1'..=b'9') => self.rank(*digit - b'0', text),
            Some(b'+') => self.men(Side::First, text),
            Some(b'-') => self.men(Side::Second, text),
            _ => Err(error(
                2,
                "`P` is followed by `I`, a rank from 1 to 9, `+` or `-`",
            )),
        }
    }

    /// Tells whether a line of a position was read.
    pub const fn has_begun(&self) -> bool {
        self.begun
    }

    /// Makes a position of what was read, with `side` to move.
    ///
    /// # Errors
    /// If the rules exclude it.
    pub fn finish(&self, side: Side) -> Result<Board<Showgit>, NotationError> {
        self.draft.board(side)
    }

    fn usual_start(&mut self, text: &str) -> Result<(), NotationError> {
        let start = Board::<Showgit>::initial();
        for (file, rank) in squares() {
            self.draft
                .put(file, rank, start.piece(draft::square(file, rank)));
        }
        for (at, file, rank, name) in entries(text)? {
            let error = |problem: &str| NotationError::new("position", text, at, problem);
            let man = (file > 0 && rank > 0)
                .then(|| self.draft.man(file, rank))
                .flatten();
            if man.is_none_or(|man| kind(name) != Some(man.kind)) {
                return Err(error("no such man stands there in the usual start"));
            }
            self.draft.put(file, rank, None);
        }
        Ok(())
    }

    /// Reads nine squares of three characters; blanks that were lost at the end or between empty squares are put back.
    fn rank(&mut self, rank: u8, text: &str) -> Result<(), NotationError> {
        let mut rest = &text[2..];
        for file in (1..=9).rev() {
            let at = text.len() - rest.len() + 1;
            let error = |problem: &str| NotationError::new("position", text, at, problem);
            let cell = rest.trim_start();
            if let Some(after) = cell.strip_prefix('*') {
                self.draft.put(file, rank, None);
                rest = after.strip_prefix(' ').unwrap_or(after);
                continue;
            }
            let side = match cell.as_bytes().first() {
                Some(b'+') => Side::First,
                Some(b'-') => Side::Second,
                Some(_) => return Err(error("a square is ` * `, or a sign and a man")),
                None => return Err(error("a rank has nine squares")),
            };
            let name = cell.get(1..3).unwrap_or_default();
            let kind = kind(name).ok_or_else(|| error(&unknown_kind(name)))?;
            self.draft.put(file, rank, Some(Piece { kind, side }));
            rest = &cell[3..];
        }
        if rest.trim().is_empty() {
            Ok(())
        } else {
            let at = text.len() - rest.len() + 1;
            Err(NotationError::new(
                "position",
                text,
                at,
                "a rank has nine squares",
            ))
        }
    }

    fn men(&mut self, side: Side, text: &str) -> Result<(), NotationError> {
        for (at, file, rank, name) in entries(text)? {
            let error = |problem: &str| NotationError::new("position", text, at, problem);
            if name == "AL" {
                for (man, total) in SET.iter().enumerate() {
                    let rest = total.saturating_sub(self.draft.count(man as u8));
                    self.draft.hold(side, man, rest);
                }
                continue;
            }
            let kind = kind(name).ok_or_else(|| error(&unknown_kind(name)))?;
            match (file, rank) {
                (0, 0) if usize::from(kind) < Showgit::HAND_KINDS => {
                    self.draft.hold(side, usize::from(kind), 1);
                }
                (1.., 1..) => self.draft.put(file, rank, Some(Piece { kind, side })),
                _ => {
                    return Err(error(
                        "a man stands on a square, or is `00` and can be in hand",
                    ));
                }
            }
        }
        Ok(())
    }
}

fn squares() -> impl Iterator<Item = (u8, u8)> {
    (1..=9).flat_map(|file| (1..=9).map(move |rank| (file, rank)))
}

/// Reads entries of four characters from the third on: file, rank, man. Each comes with its place, in characters from 1.
fn entries(text: &str) -> Result<Vec<(usize, u8, u8, &str)>, NotationError> {
    let mut found = Vec::new();
    for at in (2..text.len()).step_by(4) {
        let error = || {
            let problem = "men are written as `76FU`: file, rank and man, or `00` in hand";
            NotationError::new("position", text, at + 1, problem)
        };
        let entry = text.get(at..at + 4).ok_or_else(error)?;
        let number = |digit: &str| digit.parse().map_err(|_| error());
        found.push((
            at + 1,
            number(&entry[..1])?,
            number(&entry[1..2])?,
            &entry[2..],
        ));
    }
    Ok(found)
}
