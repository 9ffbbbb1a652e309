//! Games as the field's programs write and read them: PGN, KIF, CSA and lines of the USI protocol.
//!
//! What a format cannot say is lost in it: a USI line has neither names nor a result, KIF and CSA count moves from the start of the record and
//! times in whole seconds. Readers play every move by the rules. They take what other programs write: comments, times and variations (which
//! are passed over), several games in a file.

mod builder;
mod csa;
mod error;
mod kif;
mod pgn;
mod remark;
mod usi;

pub use error::{ReadError, WrongGame};

use std::any::Any;
use std::fmt;
use std::str::FromStr;

use rules::variants::showgit::Showgit;
use rules::{RuleOptions, Variant, VariantId};

use crate::transcript::Transcript;

/// A format of game records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Portable game notation, with moves as UCI writes them.
    Pgn,
    /// The format of Kakinoki's programs; shogi only.
    Kif,
    /// The format of the Computer Shogi Association, version 2.2; shogi only.
    Csa,
    /// A line a game, as the USI protocol sends it: `position startpos moves ...`.
    Usi,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Pgn, Self::Kif, Self::Csa, Self::Usi];

    /// Returns the name of the format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pgn => "pgn",
            Self::Kif => "kif",
            Self::Csa => "csa",
            Self::Usi => "usi",
        }
    }

    /// Returns the ending for files of it in UTF-8: readers take `.kif` for another encoding.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Kif => "kifu",
            _ => self.name(),
        }
    }

    /// Returns the format that files with this ending are in: its name, or `kifu`, which KIF in UTF-8 often has.
    pub fn of_extension(extension: &str) -> Option<Self> {
        let lower = extension.to_ascii_lowercase();
        let name = if lower == "kifu" { "kif" } else { &lower };
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns the game that the format is of, if it is of one only.
    pub const fn game(self) -> Option<VariantId> {
        match self {
            Self::Kif | Self::Csa => Some(VariantId::Showgit),
            Self::Pgn | Self::Usi => None,
        }
    }

    /// Returns what stands between two games of a file.
    pub const fn separator(self) -> &'static str {
        match self {
            Self::Csa => "/\n",
            Self::Pgn | Self::Kif => "\n",
            Self::Usi => "",
        }
    }

    /// Writes a game.
    ///
    /// # Errors
    /// If the format is of another game.
    pub fn write<V: Variant>(self, transcript: &Transcript<V>) -> Result<String, WrongGame> {
        // The formats of shogi are of one variant, which only its type can say.
        let shogi = || {
            let transcript: &dyn Any = transcript;
            transcript
                .downcast_ref::<Transcript<Showgit>>()
                .ok_or_else(|| WrongGame::new(self, V::ID))
        };
        match self {
            Self::Pgn => Ok(pgn::write(transcript)),
            Self::Kif => shogi().map(kif::write),
            Self::Csa => shogi().map(csa::write),
            Self::Usi => Ok(usi::write(transcript)),
        }
    }

    /// Reads all games of a text. They are played under `options`, but for what a game states of its own.
    ///
    /// # Errors
    /// Names the line that is wrong, and says what would be right.
    pub fn read<V: Variant>(
        self,
        text: &str,
        options: RuleOptions,
    ) -> Result<Vec<Transcript<V>>, ReadError> {
        match self {
            Self::Pgn => pgn::read(text, options),
            Self::Kif => self.of_shogi(kif::read(text, options)?),
            Self::Csa => self.of_shogi(csa::read(text, options)?),
            Self::Usi => usi::read(text, options),
        }
    }

    fn of_shogi<V: Variant>(
        self,
        games: Vec<Transcript<Showgit>>,
    ) -> Result<Vec<Transcript<V>>, ReadError> {
        let games: Box<dyn Any> = Box::new(games);
        match games.downcast() {
            Ok(games) => Ok(*games),
            Err(_) => Err(ReadError::new(1, WrongGame::new(self, V::ID))),
        }
    }

    /// Returns the game that a text says it is of, if it says so.
    ///
    /// # Errors
    /// If it names a game that this program does not know.
    pub fn variant_of(self, text: &str) -> Result<Option<VariantId>, ReadError> {
        match self {
            Self::Pgn => pgn::variant_of(text),
            Self::Kif | Self::Csa => Ok(self.game()),
            Self::Usi => Ok(None),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::of_extension(text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("unknown format `{text}`: expected one of {names}")
        })
    }
}

/// Returns the text of a file, without the mark that some programs put before UTF-8.
///
/// # Errors
/// If it is not UTF-8: names the line, and says what helps.
pub fn decode(bytes: &[u8]) -> Result<&str, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.split(|&byte| byte == b'\n').count();
        let problem = "not UTF-8: a file in Shift-JIS, as older programs write it, has to be converted first, \
            for instance by `iconv -f CP932 -t UTF-8`";
        ReadError::new(line, problem)
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}
