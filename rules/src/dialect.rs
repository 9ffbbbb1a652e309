//! How protocols write positions and moves: USI, UCI and UCCI, for every game.
//!
//! A game has texts of its own (`Display` and `FromStr` of its positions, [`Position::parse_move`]), and most protocols write them otherwise.
//! The conversion is textual: `moves` rewrites squares by the size of the board, `positions` rewrites SFEN into FEN and back. Conventions are
//! those of Fairy-Stockfish, which speaks all three protocols of shogi, `EuroShogi` and xiangqi. A game with a form of its own
//! ([`Variant::TEXTS`] is `None`) is written in that form in every protocol.

mod moves;
mod positions;

use std::fmt;

use self::moves::Squares;
use self::positions::Form;
use crate::game::Game;
use crate::notation::{Notation, NotationError, play_moves, split_moves};
use crate::position::Position as _;
use crate::variant::{Grid, MoveOf, RuleOptions, Variant};

const RANKS_OF_XIANGQI: usize = 10;

/// How a protocol writes positions and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// SFEN; files numbered from the right, ranks `a` and on from the far side, drops `P*7f`. The tenth rank from home is written with the
    /// file in two digits (`8h08a`), as Fairy-Stockfish does.
    Usi,
    /// FEN with hands in brackets, first player `w`; files `a` and on from the left, ranks numbered from 1 at home, drops `P@c4`.
    Uci,
    /// As UCI, but on the board of xiangqi ranks are numbered from 0. The protocol is xiangqi's; other games are written as Fairy-Stockfish
    /// does when it speaks it.
    Ucci,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 3] = [Self::Usi, Self::Uci, Self::Ucci];

    /// Returns the protocol's name: `usi`, `uci` or `ucci`, which is also what opens its handshake.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Usi => "usi",
            Self::Uci => "uci",
            Self::Ucci => "ucci",
        }
    }

    /// Returns the word before the text of a position: `sfen` or `fen`.
    pub const fn position_word(self) -> &'static str {
        match self {
            Self::Usi => "sfen",
            Self::Uci | Self::Ucci => "fen",
        }
    }

    /// Writes a move that is legal in `position`.
    pub fn move_text<V: Variant>(self, _position: &V::Position, mv: MoveOf<V>) -> String {
        let own = mv.to_string();
        let Some(squares) = self.rewritten_from::<V>() else {
            return own;
        };
        // The game's own texts are always well-formed.
        moves::rewrite(&own, V::GRID, squares, self.squares(V::GRID)).unwrap_or(own)
    }

    /// Reads a move, which must be legal in `position`.
    ///
    /// # Errors
    /// Says which part of `text` is wrong, or that the move is not legal here.
    pub fn parse_move<V: Variant>(
        self,
        position: &V::Position,
        text: &str,
    ) -> Result<MoveOf<V>, NotationError> {
        let Some(squares) = self.rewritten_from::<V>() else {
            return position.parse_move(text);
        };
        let own = moves::rewrite(text, V::GRID, self.squares(V::GRID), squares)?;
        position
            .parse_move(&own)
            .map_err(|error| NotationError::new("move", text, 1, error.problem))
    }

    /// Writes a position: SFEN in USI, FEN in UCI and UCCI, without the word before it.
    ///
    /// SFEN has no place for the plies without progress, and FEN none for the number of a ply that does not fit the side to move.
    pub fn position_text<V: Variant>(self, position: &V::Position) -> String {
        let own = position.to_string();
        let Some(notation) = V::TEXTS else {
            return own;
        };
        positions::rewrite(&own, Form::of(notation), self.form(), notation).unwrap_or(own)
    }

    /// Reads a position: SFEN in USI, FEN in UCI and UCCI, without the word before it.
    ///
    /// FEN may leave out the fields after the side to move or the two that are always `-`, and write empty hands as `[-]` or not at all; UCCI
    /// may write `r` for the first player.
    ///
    /// # Errors
    /// Says which part of `text` is wrong and what would be right.
    pub fn parse_position<V: Variant>(self, text: &str) -> Result<V::Position, NotationError> {
        parse_form::<V>(self.form(), text)
    }

    /// Reads what follows the word `position`: `startpos`, `sfen` or `fen` and a position in that form, or a position alone in the form of the
    /// protocol; each may be followed by `moves ...`.
    ///
    /// # Errors
    /// Says which position or move is wrong and why; a move after the end of the game is wrong too.
    pub fn parse_game<V: Variant>(
        self,
        text: &str,
        options: RuleOptions,
    ) -> Result<Game<V>, NotationError> {
        let (start, moves) = split_moves(text);
        let position = match start.split_once(' ') {
            None if start == "startpos" => V::Position::initial(),
            Some(("sfen", rest)) => parse_form::<V>(Form::Sfen, rest.trim())?,
            Some(("fen", rest)) => parse_form::<V>(Form::Fen, rest.trim())?,
            _ => self.parse_position::<V>(start)?,
        };
        let game = Game::<V>::from_position(position, options);
        play_moves(game, moves, |position, word| {
            self.parse_move::<V>(position, word)
        })
    }

    /// Writes a game as what follows the word `position`: `startpos` or the start position behind its word, and `moves ...` if there are any.
    pub fn game_text<V: Variant>(self, game: &Game<V>) -> String {
        let start = game.start();
        let mut text = if start.to_string() == V::Position::initial().to_string() {
            "startpos".to_owned()
        } else {
            format!(
                "{} {}",
                self.position_word(),
                self.position_text::<V>(start)
            )
        };
        if game.ply() > 0 {
            text.push_str(" moves");
        }
        for &mv in game.moves() {
            text.push(' ');
            text.push_str(&self.move_text::<V>(start, mv));
        }
        text
    }

    const fn form(self) -> Form {
        match self {
            Self::Usi => Form::Sfen,
            Self::Uci | Self::Ucci => Form::Fen,
        }
    }

    const fn squares(self, grid: Grid) -> Squares {
        match self {
            Self::Usi => Squares::Numbered,
            Self::Ucci if grid.ranks == RANKS_OF_XIANGQI => Squares::Lettered { lowest: 0 },
            Self::Uci | Self::Ucci => Squares::Lettered { lowest: 1 },
        }
    }

    /// Returns how the game itself writes squares, unless that is how the protocol does.
    fn rewritten_from<V: Variant>(self) -> Option<Squares> {
        let own = match V::TEXTS? {
            Notation::Sfen => Squares::Numbered,
            Notation::FenWithHands | Notation::Fen => Squares::Lettered { lowest: 1 },
        };
        (own != self.squares(V::GRID)).then_some(own)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn parse_form<V: Variant>(form: Form, text: &str) -> Result<V::Position, NotationError> {
    let Some(notation) = V::TEXTS else {
        return text.parse();
    };
    let own = Form::of(notation);
    if form != own {
        let native = positions::rewrite(text, form, own, notation)?;
        return (native.parse()).map_err(|error: NotationError| {
            NotationError::new("position", text, 1, error.problem)
        });
    }
    text.parse::<V::Position>().or_else(|error| {
        let completed = positions::completed(text, notation);
        completed.parse().map_err(|_| error)
    })
}
