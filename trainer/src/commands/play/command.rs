//! What can be typed.

/// A line that was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command<'a> {
    /// Nothing.
    Nothing,
    /// A move, or something that is none.
    Move(&'a str),
    /// The legal moves, those that have to do with a square or a man if one is named.
    Moves(&'a str),
    /// Take back the last own move and what came after.
    Undo,
    /// What the player would do.
    Hint,
    /// Turn the board.
    Flip,
    /// Draw the board.
    Board,
    /// Write the game to a file.
    Save(&'a str),
    /// Give up.
    Resign,
    /// Begin another game.
    New,
    /// What can be typed.
    Help,
    /// Leave.
    Quit,
}

/// The commands with what they do.
const COMMANDS: [(&str, &str); 11] = [
    (
        "MOVE",
        "play it; moves are written as the game's texts write them",
    ),
    (
        "moves [SQUARE|MAN]",
        "the legal moves, all or those of a square or a man",
    ),
    ("undo", "take back your last move and what came after"),
    ("hint", "what the player thinks of the position"),
    ("flip", "turn the board"),
    ("board", "draw the board again"),
    (
        "save FILE",
        "write the game as a record: .pgn, .kif, .csa or .usi",
    ),
    ("resign", "give up"),
    ("new", "begin another game from the same position"),
    ("help", "this list"),
    ("quit", "leave"),
];

impl<'a> Command<'a> {
    /// Reads a line.
    pub(super) fn of(line: &'a str) -> Self {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (word, rest) {
            ("", _) => Self::Nothing,
            ("moves", filter) => Self::Moves(filter),
            ("save", file) => Self::Save(file),
            ("undo", "") => Self::Undo,
            ("hint", "") => Self::Hint,
            ("flip", "") => Self::Flip,
            ("board", "") => Self::Board,
            ("resign", "") => Self::Resign,
            ("new", "") => Self::New,
            ("help" | "?", "") => Self::Help,
            ("quit" | "exit", "") => Self::Quit,
            _ => Self::Move(line),
        }
    }
}

/// Returns the lines of the help; `example` is a legal move.
pub(super) fn help(example: Option<&str>) -> Vec<String> {
    let line = |(command, does): (&str, &str)| format!("  {command:<18} {does}");
    let mut lines: Vec<String> = COMMANDS.into_iter().map(line).collect();
    if let Some(example) = example {
        lines[0] = format!("{}, such as `{example}`", lines[0]);
    }
    lines
}
