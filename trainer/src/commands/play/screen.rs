//! Drawing a position with characters.

use rules::Side;
use rules::diagram::{Cell, Diagram, Held, Man};

use crate::cli::Pieces;

/// How a position is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// How men are written.
    pub(super) pieces: Pieces,
    /// Whether the second player is below.
    pub(super) flipped: bool,
    /// Whether the terminal shows colours.
    pub(super) colour: bool,
}

const SECOND: &str = "\u{1b}[36m";
const SHARED: &str = "\u{1b}[33m";
const PLAIN: &str = "\u{1b}[0m";

/// Returns the lines of a board with its hands. The squares of the last move stand in brackets.
pub(super) fn draw(diagram: Diagram, style: Style) -> Vec<String> {
    let diagram = if style.flipped {
        diagram.turned()
    } else {
        diagram
    };
    let cells = diagram.rows.iter().flatten();
    let width = cells
        .map(|cell| columns(&cell_text(cell, style)))
        .chain(diagram.files.iter().map(String::len))
        .max()
        .unwrap_or(1);
    let margin = diagram.ranks.iter().map(String::len).max().unwrap_or(1);
    let files = diagram.files.iter().map(|file| format!("{file:>width$}  "));
    let edge = format!(
        "{:margin$} +{}+",
        "",
        "-".repeat((width + 2) * diagram.files.len())
    );
    let mut lines = held_lines(&diagram.hands, style, true);
    lines.push(
        format!("{:margin$}   {}", "", files.collect::<String>())
            .trim_end()
            .to_owned(),
    );
    lines.push(edge.clone());
    for (row, rank) in diagram.rows.iter().zip(&diagram.ranks) {
        let squares: String = row.iter().map(|cell| square(cell, width, style)).collect();
        lines.push(format!("{rank:>margin$} |{squares}| {rank}"));
    }
    lines.push(edge);
    lines.extend(held_lines(&diagram.hands, style, false));
    lines
}

/// Returns the lines of the hands above the board, or of those below it; a common hand is below.
fn held_lines(hands: &[Held], style: Style, above: bool) -> Vec<String> {
    let top = if style.flipped {
        Side::First
    } else {
        Side::Second
    };
    let wanted = |held: &&Held| (held.owner == Some(top)) == above;
    let line = |held: &Held| {
        let men = held.men.iter().map(|(man, count)| {
            let name = name(man, style.pieces);
            let number = if *count > 1 {
                format!("{count} ")
            } else {
                String::new()
            };
            number + name.trim()
        });
        let men: Vec<String> = men.collect();
        let men = if men.is_empty() {
            "nothing".to_owned()
        } else {
            men.join(", ")
        };
        match held.owner {
            Some(side) => format!("  {} holds {men}", side.name()),
            None => format!("  not on the board: {men}"),
        }
    };
    hands.iter().filter(wanted).map(line).collect()
}

fn square(cell: &Cell, width: usize, style: Style) -> String {
    let text = cell_text(cell, style);
    let blank = " ".repeat(width - columns(&text));
    let paint = match &cell.man {
        Some(man) if style.colour => match man.owner {
            Some(Side::First) => "",
            Some(Side::Second) => SECOND,
            None => SHARED,
        },
        _ => "",
    };
    let plain = if paint.is_empty() { "" } else { PLAIN };
    let [left, right] = if cell.marked { ["[", "]"] } else { [" ", " "] };
    format!("{left}{blank}{paint}{text}{plain}{right}")
}

fn cell_text(cell: &Cell, style: Style) -> String {
    match (&cell.man, style.pieces) {
        (None, Pieces::Kanji) => "・".to_owned(),
        (None, _) => ".".to_owned(),
        (Some(man), pieces) => {
            let arrow = man.arrow.map(|arrow| arrow.sign().to_string());
            name(man, pieces) + &arrow.unwrap_or_default()
        }
    }
}

/// Returns the name of a man. Words are in upper case for the first player, in lower case for the second, and begin with a capital if the man
/// belongs to both.
fn name(man: &Man, pieces: Pieces) -> String {
    match pieces {
        Pieces::Letters => man.letters.clone(),
        Pieces::Kanji => match man.owner {
            Some(Side::Second) => format!("v{}", man.kanji),
            _ => format!(" {}", man.kanji),
        },
        Pieces::Names => match man.owner {
            Some(Side::First) => man.word.clone(),
            Some(Side::Second) => man.word.to_lowercase(),
            None => man.word[..1].to_owned() + &man.word[1..].to_lowercase(),
        },
    }
}

/// Returns the columns that a text takes: two for each character of Chinese or Japanese.
fn columns(text: &str) -> usize {
    text.chars()
        .map(|character| 1 + usize::from(!character.is_ascii()))
        .sum()
}
