//! Positions from SFEN to FEN and back. Men are written alike in both; whether they can stand where they do, the game's own reader says.

use crate::notation::{Notation, NotationError};

/// The two forms of a position text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Men, side (`b` first), hands, ply from 1.
    Sfen,
    /// Men with hands in brackets, side (`w` first), two fields of nothing, plies without progress, move from 1.
    Fen,
}

/// What both forms say.
struct Fields<'a> {
    men: &'a str,
    second: bool,
    /// The letters in hand, one a man.
    hands: String,
    /// Plies before the position.
    played: u32,
}

/// The most men that hands may be said to hold: every game refuses more.
const MOST_IN_HAND: usize = 400;

impl Form {
    /// Returns the form of a game's own position texts.
    pub(super) const fn of(notation: Notation) -> Self {
        match notation {
            Notation::Sfen => Self::Sfen,
            Notation::FenWithHands | Notation::Fen => Self::Fen,
        }
    }
}

/// Rewrites a position of a game whose own notation is `notation`.
pub(super) fn rewrite(
    text: &str,
    from: Form,
    to: Form,
    notation: Notation,
) -> Result<String, NotationError> {
    if from == to {
        return Ok(text.to_owned());
    }
    let completed = completed(text, notation);
    let read = match from {
        Form::Sfen => read_sfen(text),
        Form::Fen => read_fen(&completed),
    };
    let fields = read.map_err(|problem| NotationError::new("position", text, 1, problem))?;
    if notation == Notation::Fen && !fields.hands.is_empty() {
        let problem = "this game has no men in hand: the third field must be `-`";
        return Err(NotationError::new("position", text, 1, problem));
    }
    Ok(match to {
        Form::Sfen => write_sfen(&fields),
        Form::Fen => write_fen(&fields, notation),
    })
}

/// Returns a FEN with the fields that some programs leave out or write otherwise.
pub(super) fn completed(text: &str, notation: Notation) -> String {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [men, side, rest @ ..] = &fields[..] else {
        return text.to_owned();
    };
    let men = match men.split_once('[') {
        Some((men, "-]")) if notation == Notation::Fen => men.to_owned(),
        Some((men, "-]")) => format!("{men}[]"),
        None if notation != Notation::Fen => format!("{men}[]"),
        _ => (*men).to_owned(),
    };
    let side = if *side == "r" { "w" } else { side };
    let rest = match rest {
        [] | ["-"] | ["-", "-"] => "- - 0 1".to_owned(),
        [quiet, number] => format!("- - {quiet} {number}"),
        _ => rest.join(" "),
    };
    format!("{men} {side} {rest}")
}

fn read_sfen(text: &str) -> Result<Fields<'_>, String> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let (men, side, hands, number) = match fields[..] {
        [men, side, hands] => (men, side, hands, "1"),
        [men, side, hands, number] => (men, side, hands, number),
        _ => {
            let found = fields.len();
            return Err(format!(
                "{found} fields where 4 (men, side to move, hands, ply) are wanted"
            ));
        }
    };
    let second = second(side, ["b", "w"])?;
    let number: u32 = (number.parse().ok())
        .filter(|&number| number >= 1)
        .ok_or_else(|| format!("the ply `{number}` must be a number from 1"))?;
    Ok(Fields {
        men,
        second,
        hands: expanded(hands)?,
        played: number - 1,
    })
}

fn read_fen(text: &str) -> Result<Fields<'_>, String> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [men, side, "-", "-", quiet, number] = fields[..] else {
        return Err("a FEN has 6 fields (men, side to move, `-`, `-`, plies, moves)".to_owned());
    };
    let second = second(side, ["w", "b"])?;
    if quiet.parse::<u32>().is_err() {
        return Err(format!("the plies `{quiet}` must be a number"));
    }
    let moves: u32 = (number.parse().ok())
        .filter(|number| (1..=u32::MAX / 2).contains(number))
        .ok_or_else(|| format!("the move `{number}` must be a number from 1"))?;
    let (men, hands) = match men.split_once('[') {
        None => (men, ""),
        Some((men, hands)) => {
            let hands = hands.strip_suffix(']');
            let hands = hands.ok_or("`]` is missing after the men in hand")?;
            if hands.len() > MOST_IN_HAND {
                return Err(too_many());
            }
            (men, hands)
        }
    };
    Ok(Fields {
        men,
        second,
        hands: hands.to_owned(),
        played: 2 * (moves - 1) + u32::from(second),
    })
}

fn second(side: &str, letters: [&str; 2]) -> Result<bool, String> {
    (letters.iter().position(|letter| *letter == side))
        .map(|number| number == 1)
        .ok_or_else(|| {
            let [first, second] = letters;
            format!("the side to move `{side}` must be `{first}` or `{second}`")
        })
}

fn too_many() -> String {
    format!("more than {MOST_IN_HAND} men in hand")
}

/// Writes counts out: `2Pb` is `PPb`.
fn expanded(hands: &str) -> Result<String, String> {
    let mut letters = String::new();
    let mut digits = String::new();
    if hands == "-" {
        return Ok(letters);
    }
    for found in hands.chars() {
        if found.is_ascii_digit() {
            digits.push(found);
            continue;
        }
        let count = if digits.is_empty() {
            Ok(1)
        } else {
            digits.parse()
        };
        let count = (count.ok())
            .filter(|count| (1..=MOST_IN_HAND).contains(count))
            .ok_or_else(|| format!("`{digits}` is no number of men in hand"))?;
        if letters.len() + count > MOST_IN_HAND {
            return Err(too_many());
        }
        letters.extend(std::iter::repeat_n(found, count));
        digits.clear();
    }
    if !digits.is_empty() || letters.is_empty() {
        return Err("men in hand are `-` or letters, each after its number".to_owned());
    }
    Ok(letters)
}

/// Writes men in hand as counts before letters; each kind once, where it comes first.
fn counted(hands: &str) -> String {
    let mut written = String::new();
    for (at, letter) in hands.char_indices() {
        if hands[..at].contains(letter) {
            continue;
        }
        let count = hands.matches(letter).count();
        if count > 1 {
            written.push_str(&count.to_string());
        }
        written.push(letter);
    }
    if written.is_empty() {
        written.push('-');
    }
    written
}

fn write_sfen(fields: &Fields<'_>) -> String {
    let side = if fields.second { 'w' } else { 'b' };
    let hands = counted(&fields.hands);
    format!("{} {side} {hands} {}", fields.men, fields.played + 1)
}

fn write_fen(fields: &Fields<'_>, notation: Notation) -> String {
    let side = if fields.second { 'b' } else { 'w' };
    let hands = match notation {
        Notation::Fen => String::new(),
        Notation::Sfen | Notation::FenWithHands => format!("[{}]", fields.hands),
    };
    let number = fields.played.saturating_sub(u32::from(fields.second)) / 2 + 1;
    format!("{}{hands} {side} - - 0 {number}", fields.men)
}
