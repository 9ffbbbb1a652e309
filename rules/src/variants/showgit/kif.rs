//! Moves and positions as KIF writes them, the format of Kakinoki's programs: `７六歩(77)`, `同　銀成(31)`, `５五角打`, and boards drawn with
//! characters.
//!
//! Source: <http://kakinoki.o.oo7.jp/kif_format.html>, and for boards what programs of the field write.

mod board;

pub use self::board::{BoardReader, write_board};

use std::fmt::Write as _;

use super::Showgit;
use super::draft;
use crate::board::text::why_illegal;
use crate::board::{Board, Move, Ruleset, Square};
use crate::notation::NotationError;
use crate::position::Position as _;

const FILES: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
const RANKS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];
/// The names of the kinds in moves, in the order of the table of kinds.
const IN_MOVES: [&str; 14] = [
    "歩", "香", "桂", "銀", "金", "角", "飛", "玉", "と", "成香", "成桂", "成銀", "馬", "龍",
];
/// Other names of kinds, and those of promoted kinds on boards.
const SYNONYMS: [(&str, u8); 5] = [("王", 7), ("杏", 9), ("圭", 10), ("全", 11), ("竜", 13)];

/// Starts with a name of their own, which the second player moves first from unless none is left out.
const HANDICAPS: [(&str, &str); 15] = [
    ("平手", Showgit::START),
    (
        "香落ち",
        "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "右香落ち",
        "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "角落ち",
        "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "飛車落ち",
        "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "飛香落ち",
        "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "二枚落ち",
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "三枚落ち",
        "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "四枚落ち",
        "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "五枚落ち",
        "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "左五枚落ち",
        "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "六枚落ち",
        "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "八枚落ち",
        "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    (
        "十枚落ち",
        "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    ),
    // What is meant is drawn; without a drawing it is the usual start.
    ("その他", Showgit::START),
];

/// Returns the name of a start position among the handicaps that every program knows; three, five and left-over men differ between them.
pub fn handicap_name(board: &Board<Showgit>) -> Option<&'static str> {
    const DIFFERING: [&str; 4] = ["三枚落ち", "五枚落ち", "左五枚落ち", "その他"];
    let same = |text: &str| {
        let named = text.parse::<Board<Showgit>>();
        named.is_ok_and(|named| named.key() == board.key())
    };
    HANDICAPS
        .iter()
        .filter(|(name, _)| !DIFFERING.contains(name))
        .find(|(_, text)| same(text))
        .map(|(name, _)| *name)
}

/// Returns the start position of a handicap.
///
/// # Errors
/// If the name is none of those of the format.
pub fn handicap(name: &str) -> Result<Board<Showgit>, NotationError> {
    if let Some((_, text)) = HANDICAPS.iter().find(|(known, _)| *known == name) {
        return text.parse();
    }
    let names: Vec<&str> = HANDICAPS.iter().map(|(name, _)| *name).collect();
    let names = names.join(", ");
    let problem = format!("no handicap has this name: expected one of {names}");
    Err(NotationError::new("handicap", name, 1, problem))
}

/// Writes a legal move; `previous` is where the move before it ended.
pub fn write_move(board: &Board<Showgit>, mv: Move<Showgit>, previous: Option<Square>) -> String {
    let [file, rank] = draft::numbers(mv.to());
    let mut text = if previous == Some(mv.to()) {
        "同　".to_owned()
    } else {
        String::from_iter([FILES[usize::from(file) - 1], RANKS[usize::from(rank) - 1]])
    };
    if let Some(from) = mv.from() {
        let kind = board.piece(from).map_or(0, |man| man.kind);
        text.push_str(IN_MOVES[usize::from(kind)]);
        if mv.promotes() {
            text.push('成');
        }
        let [file, rank] = draft::numbers(from);
        let _ = write!(text, "({file}{rank})");
    } else {
        text.push_str(IN_MOVES[usize::from(mv.dropped().unwrap_or_default())]);
        text.push('打');
    }
    text
}

/// Reads a move, which must be legal; `previous` is where the move before it ended, which `同` means. Marks of the players before it are
/// passed over, numbers may be written either way.
///
/// # Errors
/// Says which part of `text` is wrong, or that the move is not legal here.
pub fn parse_move(
    board: &Board<Showgit>,
    text: &str,
    previous: Option<Square>,
) -> Result<Move<Showgit>, NotationError> {
    let mut reader = Reader {
        text,
        rest: text.trim_start_matches(['▲', '△', '▼', '▽', '☗', '☖', ' ', '　']),
    };
    let to = reader.target(previous)?;
    let kind = reader.kind()?;
    let promotes = !reader.take("不成") && reader.take("成");
    let mv = match reader.origin()? {
        None => Move::drop(kind, to),
        Some(from) => {
            let found = board.piece(from).map(|man| man.kind);
            if found != Some(kind) {
                let standing = found.map_or("nobody", |kind| IN_MOVES[usize::from(kind)]);
                let named = IN_MOVES[usize::from(kind)];
                let problem = format!("{named} is said to move from where {standing} stands");
                return Err(NotationError::new("move", text, 1, problem));
            }
            Move::new(from, to, promotes)
        }
    };
    let mut legal = Vec::new();
    board.legal_moves(&mut legal);
    if legal.contains(&mv) {
        return Ok(mv);
    }
    Err(NotationError::new("move", text, 1, why_illegal(board, mv)))
}

struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
}

impl Reader<'_> {
    fn target(&mut self, previous: Option<Square>) -> Result<Square, NotationError> {
        if self.take("同") {
            self.rest = self.rest.trim_start_matches([' ', '　']);
            return previous.ok_or_else(|| self.error("`同` needs a move before it"));
        }
        let file = self.number(&FILES).ok_or_else(|| {
            self.error("a square is wanted here, such as `７六`, or `同`, or an end such as `投了`")
        })?;
        let rank = (self.number(&RANKS).or_else(|| self.number(&FILES)))
            .ok_or_else(|| self.error("a rank from `一` to `九` is wanted here"))?;
        Ok(draft::square(file, rank))
    }

    fn kind(&mut self) -> Result<u8, NotationError> {
        let names = (IN_MOVES.iter().copied().zip(0..)).chain(SYNONYMS);
        let found = names
            .filter(|(name, _)| self.rest.starts_with(name))
            .max_by_key(|(name, _)| name.len());
        let Some((name, kind)) = found else {
            return Err(self.error("the name of a man is wanted here, such as `歩`"));
        };
        self.take(name);
        Ok(kind)
    }

    /// Reads where the man comes from: `None` for a drop.
    fn origin(&mut self) -> Result<Option<Square>, NotationError> {
        let origin = if self.take("打") {
            None
        } else if self.take("(") {
            let number = |reader: &mut Self| {
                reader
                    .number(&FILES)
                    .or_else(|| reader.take("0").then_some(0))
                    .ok_or_else(|| reader.error("two numbers from 1 to 9 are wanted here"))
            };
            let (file, rank) = (number(self)?, number(self)?);
            if !self.take(")") {
                return Err(self.error("`)` is missing"));
            }
            match (file, rank) {
                (0, 0) => None,
                (1.., 1..) => Some(draft::square(file, rank)),
                _ => return Err(self.error("two numbers from 1 to 9 are wanted here")),
            }
        } else {
            return Err(self.error("`打`, or where the man stood, such as `(77)`, is wanted here"));
        };
        if self.rest.is_empty() {
            Ok(origin)
        } else {
            Err(self.error("text after the end of the move"))
        }
    }

    /// Reads a number from 1 to 9, written with one of `digits` or as an ASCII digit.
    fn number(&mut self, digits: &[char; 9]) -> Option<u8> {
        let found = self.rest.chars().next()?;
        let ascii = found.to_digit(10).filter(|digit| *digit > 0);
        let number = match ascii {
            Some(digit) => digit as u8,
            None => digits.iter().position(|digit| *digit == found)? as u8 + 1,
        };
        self.rest = &self.rest[found.len_utf8()..];
        Some(number)
    }

    fn take(&mut self, word: &str) -> bool {
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn error(&self, problem: &str) -> NotationError {
        let read = self.text.len() - self.rest.len();
        let at = self.text[..read].chars().count() + 1;
        NotationError::new("move", self.text, at, problem)
    }
}
