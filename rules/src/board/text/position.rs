//! Reading positions. Nothing is repaired: what cannot be is refused, with the character at which it goes wrong.

mod whole;

use super::{kind_of, letters};
use crate::board::bitboard::Bitboard;
use crate::board::grid::Square;
use crate::board::hand::Hand;
use crate::board::piece::Piece;
use crate::board::position::{Board, MOST_COUNTED};
use crate::board::ruleset::Ruleset;
use crate::notation::{Notation, NotationError};
use crate::outcome::Side;
use crate::position::Position as _;

/// Reads a position in the game's own notation.
pub(in crate::board) fn parse_position<R: Ruleset>(text: &str) -> Result<Board<R>, NotationError> {
    let mut at = 1;
    let mut fields = Vec::new();
    for field in text.splitn(8, ' ') {
        fields.push(Field { text: field, at });
        at += field.chars().count() + 1;
    }
    let parsed = match R::NOTATION {
        Notation::Sfen => Parser::<R>::sfen(&fields),
        Notation::FenWithHands | Notation::Fen => Parser::<R>::fen(&fields),
    };
    parsed.map_err(|problem| NotationError::new("position", text, problem.at, problem.text))
}

#[derive(Clone, Copy)]
struct Field<'a> {
    text: &'a str,
    /// Where it begins, in characters from 1.
    at: usize,
}

impl Field<'_> {
    fn end(self) -> usize {
        self.at + self.text.chars().count()
    }
}

struct Problem {
    at: usize,
    text: String,
}

impl Problem {
    fn new(at: usize, text: impl Into<String>) -> Self {
        Self {
            at,
            text: text.into(),
        }
    }
}

type Parsed<T> = Result<T, Problem>;

struct Parser<R: Ruleset> {
    board: Board<R>,
    /// At which character the man on each square is written.
    places: [usize; 128],
}

impl<R: Ruleset> Parser<R> {
    fn sfen(fields: &[Field<'_>]) -> Parsed<Board<R>> {
        let [men, side, hands, number] = fields else {
            return Err(count_problem(
                fields,
                "4 fields (men, side to move, hands, ply)",
            ));
        };
        let mut parser = Self::new(*side, ["b", "w"])?;
        parser.men(*men)?;
        parser.sfen_hands(*hands)?;
        let number = counter(*number, 1)?;
        parser.board.set_counters(0, number);
        parser.finish(*side)
    }

    fn fen(fields: &[Field<'_>]) -> Parsed<Board<R>> {
        let least = if R::NOTATION == Notation::Fen { 2 } else { 6 };
        if fields.len() < least || fields.len() > 6 {
            let wanted = "6 fields (men, side to move, `-`, `-`, plies, moves)";
            return Err(count_problem(fields, wanted));
        }
        let (men, side) = (fields[0], fields[1]);
        let mut parser = Self::new(side, ["w", "b"])?;
        let men = if R::NOTATION == Notation::FenWithHands {
            parser.bracket_hands(men)?
        } else {
            men
        };
        parser.men(men)?;
        for field in fields.iter().take(4).skip(2) {
            if field.text != "-" {
                return Err(Problem::new(field.at, "this field must be `-`"));
            }
        }
        let quiet = fields.get(4).map_or(Ok(0), |&field| counter(field, 0))?;
        let second = u32::from(parser.board.side_to_move() == Side::Second);
        // Without a move number, the lowest one that leaves room for the quiet plies.
        let lowest = (quiet + 1 - second.min(quiet)) / 2 + 1;
        let number = fields
            .get(5)
            .map_or(Ok(lowest), |&field| counter(field, 1))?;
        let played = 2 * (number - 1) + second;
        if quiet > played {
            let problem = format!(
                "{quiet} plies without progress, but only {played} were played before move {number}"
            );
            let at = fields.get(4).map_or(side.at, |field| field.at);
            return Err(Problem::new(at, problem));
        }
        parser.board.set_counters(quiet, number);
        parser.finish(side)
    }

    fn new(side: Field<'_>, letters: [&str; 2]) -> Parsed<Self> {
        let to_move = match side.text {
            text if text == letters[0] => Side::First,
            text if text == letters[1] => Side::Second,
            _ => {
                let problem = format!(
                    "the side to move must be `{}` or `{}`",
                    letters[0], letters[1]
                );
                return Err(Problem::new(side.at, problem));
            }
        };
        Ok(Self {
            board: Board::empty(to_move),
            places: [0; 128],
        })
    }

    /// Reads the men, rank by rank from the second player's home.
    fn men(&mut self, field: Field<'_>) -> Parsed<()> {
        let grid = R::GRID;
        let (mut file, mut rank) = (0, grid.ranks - 1);
        let mut promoted = false;
        let mut after_digit = false;
        for (at, found) in (field.at..).zip(field.text.chars()) {
            if promoted && !found.is_ascii_alphabetic() {
                return Err(Problem::new(at, "`+` must be followed by a man"));
            }
            let was_digit = std::mem::replace(&mut after_digit, found.is_ascii_digit());
            match found {
                '/' if file < grid.files => {
                    return Err(Problem::new(at, short_rank(file, grid.files)));
                }
                '/' if rank == 0 => {
                    return Err(Problem::new(at, format!("more than {} ranks", grid.ranks)));
                }
                '/' => (file, rank) = (0, rank - 1),
                '+' => promoted = true,
                '1'..='9' if was_digit => {
                    return Err(Problem::new(at, "two numbers of empty squares in a row"));
                }
                '1'..='9' => file += found as usize - '0' as usize,
                _ if file >= grid.files => return Err(Problem::new(at, long_rank(grid.files))),
                _ => {
                    let piece = Self::piece(found, promoted, at)?;
                    promoted = false;
                    self.place(Square::at(grid, file, rank), piece, at)?;
                    file += 1;
                }
            }
            if file > grid.files {
                return Err(Problem::new(at, long_rank(grid.files)));
            }
        }
        if promoted {
            return Err(Problem::new(field.end(), "`+` must be followed by a man"));
        }
        if file < grid.files {
            return Err(Problem::new(field.end(), short_rank(file, grid.files)));
        }
        if rank > 0 {
            let found = grid.ranks - rank;
            return Err(Problem::new(
                field.end(),
                format!("{found} ranks where {} are wanted", grid.ranks),
            ));
        }
        Ok(())
    }

    fn piece(letter: char, promoted: bool, at: usize) -> Parsed<Piece> {
        let Some(kind) = kind_of::<R>(letter, promoted) else {
            let problem = if kind_of::<R>(letter, false).is_some() {
                format!("`{letter}` does not promote")
            } else {
                format!("`{letter}` is no man: expected one of {}", letters::<R>())
            };
            return Err(Problem::new(at, problem));
        };
        let side = if letter.is_ascii_uppercase() {
            Side::First
        } else {
            Side::Second
        };
        Ok(Piece { kind, side })
    }

    fn place(&mut self, square: Square, piece: Piece, at: usize) -> Parsed<()> {
        if piece.kind == R::KING && self.board.pieces(piece) != Bitboard::EMPTY {
            return Err(Problem::new(
                at,
                format!("a second king of the {} player", piece.side.name()),
            ));
        }
        let movement = R::KINDS[piece.kind as usize].movement as usize;
        if R::tables().dead[movement][piece.side.index()].contains(square) {
            return Err(Problem::new(
                at,
                "this man could never have come here: it could not move on",
            ));
        }
        if Some(piece.kind) == R::PAWN {
            let column = square.file(R::GRID);
            let mut pawns = self.board.pieces(piece).into_iter();
            if pawns.any(|pawn| pawn.file(R::GRID) == column) {
                return Err(Problem::new(at, "a second pawn of one player on a file"));
            }
        }
        self.places[square.index()] = at;
        self.board.put(square, piece);
        Ok(())
    }

    /// Reads `-` or counts and letters.
    fn sfen_hands(&mut self, field: Field<'_>) -> Parsed<()> {
        if field.text == "-" {
            return Ok(());
        }
        let mut hands = [Hand::default(); 2];
        let mut digits = String::new();
        let mut digits_at = field.at;
        for (at, found) in (field.at..).zip(field.text.chars()) {
            if found.is_ascii_digit() && digits.len() < 3 {
                if digits.is_empty() {
                    digits_at = at;
                }
                digits.push(found);
                continue;
            }
            let (side, kind) = Self::in_hand(found, at)?;
            if hands[side.index()].has(kind) {
                return Err(Problem::new(at, format!("`{found}` is in hand already")));
            }
            let count = if digits.is_empty() {
                1
            } else {
                digits.parse().unwrap_or(0)
            };
            let strict = digits.is_empty() || count >= 2 && !digits.starts_with('0');
            if !strict || count > Hand::MOST_OF_A_KIND {
                let problem = format!("a number in hand is from 2 to {}", Hand::MOST_OF_A_KIND);
                return Err(Problem::new(digits_at, problem));
            }
            hands[side.index()].set(kind, count);
            digits.clear();
        }
        if !digits.is_empty() || field.text.is_empty() {
            return Err(Problem::new(
                field.end(),
                "men in hand are `-` or letters, each after its number",
            ));
        }
        self.board.set_hand(Side::First, hands[0]);
        self.board.set_hand(Side::Second, hands[1]);
        Ok(())
    }

    /// Reads the letters in brackets behind the men; returns the field without them.
    fn bracket_hands<'a>(&mut self, field: Field<'a>) -> Parsed<Field<'a>> {
        let missing = || Problem::new(field.end(), "the men in hand must follow in brackets");
        let (men, letters) = field.text.split_once('[').ok_or_else(missing)?;
        let men = Field {
            text: men,
            at: field.at,
        };
        let mut hands = [Hand::default(); 2];
        let mut chars = (men.end() + 1..).zip(letters.chars());
        loop {
            let Some((at, found)) = chars.next() else {
                return Err(Problem::new(field.end(), "`]` is missing"));
            };
            if found == ']' {
                break;
            }
            let (side, kind) = Self::in_hand(found, at)?;
            let count = hands[side.index()].count(kind) + 1;
            if count > Hand::MOST_OF_A_KIND {
                return Err(Problem::new(
                    at,
                    format!("more than {} of a kind in hand", Hand::MOST_OF_A_KIND),
                ));
            }
            hands[side.index()].set(kind, count);
        }
        if let Some((at, found)) = chars.next() {
            return Err(Problem::new(at, format!("`{found}` after the men in hand")));
        }
        self.board.set_hand(Side::First, hands[0]);
        self.board.set_hand(Side::Second, hands[1]);
        Ok(men)
    }

    fn in_hand(letter: char, at: usize) -> Parsed<(Side, usize)> {
        let piece = Self::piece(letter, false, at)?;
        if usize::from(piece.kind) >= R::HAND_KINDS {
            return Err(Problem::new(at, format!("`{letter}` cannot be in hand")));
        }
        Ok((piece.side, usize::from(piece.kind)))
    }
}

/// Reads a number without leading zeros, at least `least`.
fn counter(field: Field<'_>, least: u32) -> Parsed<u32> {
    let number = field.text.parse().ok().filter(|number: &u32| {
        field.text.bytes().all(|byte| byte.is_ascii_digit())
            && (*number == 0 || !field.text.starts_with('0'))
            && (field.text.len() == 1 || *number > 0)
    });
    number
        .filter(|number| (least..=MOST_COUNTED).contains(number))
        .ok_or_else(|| {
            Problem::new(
                field.at,
                format!("a number from {least} to {MOST_COUNTED} is wanted here"),
            )
        })
}

fn count_problem(fields: &[Field<'_>], wanted: &str) -> Problem {
    Problem::new(
        1,
        format!("{} fields where {wanted} are wanted", fields.len()),
    )
}

fn short_rank(found: usize, wanted: usize) -> String {
    format!("{found} squares in a rank where {wanted} are wanted")
}

fn long_rank(wanted: usize) -> String {
    format!("more than {wanted} squares in a rank")
}
