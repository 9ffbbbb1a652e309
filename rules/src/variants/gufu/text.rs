//! Position and move texts, as the rules page has them, read strictly and written in one form.

use std::fmt;
use std::str::FromStr;

use super::moves::{Actor, Move, MoveKind};
use super::piece::{Facing, Piece, Square};
use super::position::{LAST_PLY, Place, Position, SETUP_PLIES};
use crate::notation::NotationError;
use crate::outcome::Side;
use crate::position::Position as _;

const ARROWS: [char; 4] = ['^', '>', 'v', '<'];
const FACINGS: [char; 4] = ['N', 'E', 'S', 'W'];
const RANKS: [char; 3] = ['a', 'b', 'c'];
const KANJI_RANKS: [char; 3] = ['一', '二', '三'];

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file(), RANKS[self.rank() as usize])
    }
}

impl fmt::Display for Facing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", FACINGS[self.index()])
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}{}>{}",
            self.actor.letter(),
            self.kind.sign(),
            self.to,
            self.facing
        )
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in Square::all() {
            let on_square = |piece: &Piece| self.place(*piece).is_some_and(|(at, _)| at == square);
            match Piece::ALL
                .into_iter()
                .find(on_square)
                .and_then(|piece| Some((piece, self.place(piece)?)))
            {
                None => write!(f, ".")?,
                Some((piece, (_, facing))) => {
                    write!(f, "{}{}", piece.letter(), ARROWS[facing.index()])?;
                }
            }
            if square.index() == 1 || square.index() == 3 {
                write!(f, "/")?;
            }
        }
        let side = ['b', 'w'][self.side_to_move().index()];
        let hand: String = Piece::ALL
            .into_iter()
            .filter(|&piece| self.place(piece).is_none())
            .map(Piece::letter)
            .collect();
        let hand = if hand.is_empty() { "-" } else { &hand };
        write!(f, " {side} {hand} {}", self.ply())
    }
}

impl FromStr for Position {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = |at: usize, problem: String| NotationError::new("position", text, at, problem);
        let fields: Vec<&str> = text.split(' ').collect();
        let [board, side, hand, ply] = fields[..] else {
            let problem = format!(
                "{} fields where board, side, hand and ply are wanted",
                fields.len()
            );
            return Err(error(1, problem));
        };
        let places = parse_board(text, board)?;
        let side_at = board.chars().count() + 2;
        let hand_at = side_at + side.chars().count() + 1;
        let ply_at = hand_at + hand.chars().count() + 1;
        let position = match ply.parse::<u16>() {
            Ok(number @ 1..=LAST_PLY) if ply == number.to_string() => Self {
                places,
                ply: number,
            },
            _ => {
                return Err(error(
                    ply_at,
                    format!("the ply number must be from 1 to {LAST_PLY}"),
                ));
            }
        };
        let expected_side = ["b", "w"][position.side_to_move().index()];
        if side != expected_side {
            return Err(error(
                side_at,
                format!("the side to move must be `{expected_side}` at ply {ply}"),
            ));
        }
        let written = position.to_string();
        let expected_hand = written.split(' ').nth(2).unwrap_or_default();
        if hand != expected_hand {
            return Err(error(
                hand_at,
                format!("what is not on the board must be `{expected_hand}`"),
            ));
        }
        check_phase(&position).map_err(|problem| error(ply_at, problem))?;
        check_kings(&position).map_err(|problem| error(1, problem))?;
        Ok(position)
    }
}

/// Reads the three ranks of `board`, the first field of `text`.
fn parse_board(text: &str, board: &str) -> Result<[Option<Place>; 4], NotationError> {
    let error = |at: usize, problem: String| Err(NotationError::new("position", text, at, problem));
    let mut places = [None; 4];
    let mut square = 0;
    let mut chars = board.chars().zip(1..).peekable();
    let end = board.chars().count() + 1;
    while let Some((letter, at)) = chars.next() {
        if letter == '/' {
            return error(
                at,
                "`/` belongs after two squares of a rank, between ranks".to_owned(),
            );
        }
        if square == Square::COUNT {
            return error(at, "more than six squares".to_owned());
        }
        if letter != '.' {
            let Some(piece) = Piece::ALL
                .into_iter()
                .find(|piece| piece.letter() == letter)
            else {
                return error(
                    at,
                    format!("`{letter}` is no piece: expected `.`, `K`, `k`, `W` or `S`"),
                );
            };
            let arrow = chars
                .next()
                .and_then(|(arrow, _)| ARROWS.iter().position(|&known| known == arrow));
            let Some(facing) = arrow else {
                return error(
                    at + 1,
                    format!("`{letter}` must be followed by one of ^ > v <"),
                );
            };
            if places[piece.index()].is_some() {
                return error(at, format!("a second `{letter}`"));
            }
            places[piece.index()] = Some((Square::new(square), Facing::ALL[facing]));
        }
        square += 1;
        if square % 2 == 0
            && square < Square::COUNT
            && chars.next_if(|&(slash, _)| slash == '/').is_none()
        {
            let at = chars.peek().map_or(end, |&(_, at)| at);
            return error(
                at,
                "expected `/` after the two squares of a rank".to_owned(),
            );
        }
    }
    if square < Square::COUNT {
        return error(end, format!("{square} squares where six are wanted"));
    }
    Ok(places)
}

/// Ply and hand must fit together: in the setup the pieces come in a fixed order, and past it both kings stand on the board.
fn check_phase(position: &Position) -> Result<(), String> {
    let on_board = |piece: Piece| position.place(piece).is_some();
    if position.in_setup() {
        for (piece, ply) in Piece::ALL.into_iter().zip(1..) {
            let letter = piece.letter();
            if on_board(piece) != (ply < position.ply()) {
                let state = if on_board(piece) {
                    "on the board already"
                } else {
                    "still in hand"
                };
                return Err(format!(
                    "`{letter}` is dropped at ply {ply}, but is {state} at ply {}",
                    position.ply()
                ));
            }
        }
    } else if let Some(king) = [Piece::FirstKing, Piece::SecondKing]
        .into_iter()
        .find(|&king| !on_board(king))
    {
        return Err(format!(
            "`{}` is in hand at ply {}, past the setup of {SETUP_PLIES} plies",
            king.letter(),
            position.ply()
        ));
    }
    Ok(())
}

/// Refuses what no move can leave behind: kings face to face, and check in the setup.
fn check_kings(position: &Position) -> Result<(), String> {
    if position.face_to_face() {
        return Err("the kings stand face to face".to_owned());
    }
    if position.ply() <= SETUP_PLIES + 1 && position.in_check() {
        return Err("a drop in the setup cannot give check".to_owned());
    }
    Ok(())
}

/// Reads a move: letter, sign, square, and `>facing`, which may be left out except after a drop; a final `+` or `#` is passed over.
pub(super) fn parse_move(position: &Position, text: &str) -> Result<Move, NotationError> {
    let error = |at: usize, problem: String| NotationError::new("move", text, at, problem);
    let body = text.strip_suffix(['+', '#']).unwrap_or(text);
    let mut chars = body.chars();
    let mut index_of = |at: usize, table: &[char], expected: &str| {
        let found = chars.next();
        found
            .and_then(|found| table.iter().position(|&known| known == found))
            .ok_or_else(|| match found {
                Some(found) => error(at, format!("`{found}` where {expected} is wanted")),
                None => error(at, format!("it ends where {expected} is wanted")),
            })
    };
    let actor = Actor::ALL[index_of(1, &Actor::ALL.map(Actor::letter), "`K`, `W` or `S`")?];
    let kind = MoveKind::ALL[index_of(
        2,
        &MoveKind::ALL.map(MoveKind::sign),
        "`-`, `x`, `:` or `*`",
    )?];
    let column = index_of(3, &['2', '1'], "file `1` or `2`")?;
    let rank = index_of(4, &[RANKS, KANJI_RANKS].concat(), "rank `a`, `b` or `c`")? % 3;
    let to = Square::new(rank * 2 + column);
    let facing = if body.chars().count() > 4 {
        index_of(5, &['>'], "`>`")?;
        Some(Facing::ALL[index_of(6, &FACINGS, "`N`, `E`, `S` or `W`")?])
    } else {
        None
    };
    if body.chars().count() > 6 {
        return Err(error(7, "text after the facing".to_owned()));
    }
    if facing.is_none() && kind == MoveKind::Drop {
        return Err(error(5, "a drop needs `>` and a facing".to_owned()));
    }
    let mut legal = Vec::new();
    position.legal_moves(&mut legal);
    legal
        .into_iter()
        .find(|mv| {
            mv.actor == actor
                && mv.kind == kind
                && mv.to == to
                && facing.is_none_or(|facing| facing == mv.facing)
        })
        .ok_or_else(|| {
            let piece = actor.piece(position.side_to_move());
            let turned = position.place(piece).map(|(_, facing)| facing.clockwise());
            let why = position.why_illegal(Move {
                actor,
                kind,
                to,
                facing: facing.or(turned).unwrap_or(Facing::North),
            });
            let check = explain_check(position);
            error(1, format!("not legal in `{position}`{check}: {why}"))
        })
}

fn explain_check(position: &Position) -> &'static str {
    match (position.in_check(), position.side_to_move()) {
        (false, _) => "",
        (true, Side::First) => " (Black is in check)",
        (true, Side::Second) => " (White is in check)",
    }
}
