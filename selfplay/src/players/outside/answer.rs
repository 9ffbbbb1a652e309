//! What an engine says of its search: `info` lines and the `bestmove`.

use rules::Wdl;

/// The end of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A move, not yet read.
    Move(String),
    /// The engine gives up, or sees no move.
    Resign,
    /// The engine declares that it has won (USI).
    Win,
    /// A line that should name a move and does not.
    Unreadable(String),
}

impl Answer {
    /// Reads a line; `None` if it does not end a search.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        match words.next()? {
            "bestmove" => {}
            // UCCI, where the side to move is mated.
            "nobestmove" => return Some(Self::Resign),
            _ => return None,
        }
        Some(match words.next() {
            None => Self::Unreadable(line.to_owned()),
            Some("resign" | "(none)" | "none" | "null" | "0000") => Self::Resign,
            Some("win") => Self::Win,
            // In UCCI a move may come with an offer.
            Some(_) if words.next_back() == Some("resign") => Self::Resign,
            Some(mv) => Self::Move(mv.to_owned()),
        })
    }
}

/// A value that an engine gives, from its own side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// In hundredths of a pawn.
    Centipawns(i64),
    /// Mate in so many plies or moves, negative if it is mated; `None` in how many.
    Mate(Option<i64>),
}

/// An `info` line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// Plies looked ahead.
    pub depth: Option<u64>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The value.
    pub score: Option<Score>,
    /// The chances, from the engine's side.
    pub wdl: Option<Wdl>,
    /// The number of the line among several, from 1.
    pub line: Option<u64>,
    /// The moves expected.
    pub pv: Vec<String>,
}

impl Info {
    /// Reads what follows the word `info`.
    ///
    /// # Errors
    /// Says which word is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut info = Self::default();
        let mut words = text.split_whitespace().peekable();
        while let Some(key) = words.next() {
            match key {
                "string" | "refutation" | "currline" | "message" => break,
                "pv" => {
                    info.pv = words.map(str::to_owned).collect();
                    break;
                }
                "currmove" => {
                    words.next().ok_or("`currmove` without a move")?;
                }
                "score" => info.score = Some(score(&mut words)?),
                "lowerbound" | "upperbound" if info.score.is_some() => {}
                "wdl" => info.wdl = Some(wdl(&mut words)?),
                "depth" => info.depth = Some(count(key, words.next())?),
                "nodes" => info.nodes = Some(count(key, words.next())?),
                "multipv" => info.line = Some(count(key, words.next())?),
                "seldepth" | "time" | "nps" | "hashfull" | "tbhits" | "sbhits" | "cpuload"
                | "currmovenumber" => {
                    count(key, words.next())?;
                }
                other => return Err(format!("unknown word `{other}`")),
            }
        }
        Ok(info)
    }
}

type Words<'a, 'b> = &'b mut std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn count(key: &str, value: Option<&str>) -> Result<u64, String> {
    let value = value.unwrap_or_default();
    value
        .parse()
        .map_err(|_| format!("`{key} {value}`: a number from 0 is wanted"))
}

/// Reads `cp N`, `mate N`, USI's `mate +` and `mate -`, or UCCI's bare number.
fn score(words: Words<'_, '_>) -> Result<Score, String> {
    let wrong = |value: &str| format!("`score {value}`: `cp` or `mate` and a number are wanted");
    let kind = words.next().unwrap_or_default();
    if let Ok(number) = kind.parse() {
        return Ok(Score::Centipawns(number));
    }
    let value = words.next().unwrap_or_default();
    let number: Result<i64, _> = value.parse();
    match (kind, number) {
        ("cp", Ok(number)) => Ok(Score::Centipawns(number)),
        ("mate", Ok(number)) => Ok(Score::Mate(Some(number))),
        ("mate", Err(_)) if ["+", "-"].contains(&value) => Ok(Score::Mate(None)),
        _ => Err(wrong(&format!("{kind} {value}"))),
    }
}

/// Reads chances in thousandths.
fn wdl(words: Words<'_, '_>) -> Result<Wdl, String> {
    let mut parts = [0.0; 3];
    for part in &mut parts {
        *part = count("wdl", words.next())? as f32 / 1000.0;
    }
    let sum: f32 = parts.iter().sum();
    if (sum - 1.0).abs() > 0.003 {
        return Err("`wdl`: three numbers that add up to 1000 are wanted".to_owned());
    }
    Ok(Wdl::from_array(parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let read = |line| Answer::parse(line);
        let mv = |text: &str| Some(Answer::Move(text.to_owned()));
        assert_eq!(read("bestmove 7g7f"), mv("7g7f"));
        assert_eq!(read("bestmove c3c4 ponder g7g6"), mv("c3c4"));
        assert_eq!(read("bestmove h2e2 draw"), mv("h2e2"));
        for line in [
            "bestmove resign",
            "bestmove (none)",
            "nobestmove",
            "bestmove h2e2 resign",
        ] {
            assert_eq!(read(line), Some(Answer::Resign), "{line}");
        }
        assert_eq!(read("bestmove win"), Some(Answer::Win));
        let unreadable = Answer::Unreadable("bestmove".to_owned());
        assert_eq!(read("bestmove"), Some(unreadable));
        assert_eq!(
            (read("info depth 1"), read(""), read("bestmoves a")),
            (None, None, None)
        );
    }

    #[test]
    fn info_lines_are_read() {
        let line = "depth 3 seldepth 4 multipv 1 score cp -18 lowerbound wdl 200 500 300 nodes 77 nps 9 pv 7g7f 3c3d";
        let info = Info::parse(line).unwrap();
        assert_eq!(
            (info.depth, info.nodes, info.line),
            (Some(3), Some(77), Some(1))
        );
        assert_eq!(info.score, Some(Score::Centipawns(-18)));
        assert_eq!(info.wdl, Some(Wdl::from_array([0.2, 0.5, 0.3])));
        assert_eq!(info.pv, ["7g7f", "3c3d"]);
        assert_eq!(
            Info::parse("score 55").unwrap().score,
            Some(Score::Centipawns(55))
        );
        assert_eq!(
            Info::parse("score mate -").unwrap().score,
            Some(Score::Mate(None))
        );
        assert_eq!(Info::parse("string whatever 1 2"), Ok(Info::default()));
        for (line, part) in [
            ("depth deep", "`depth deep`"),
            ("score", "`cp` or `mate`"),
            ("score cp much", "`score cp much`"),
            ("wdl 1 2 3", "add up to 1000"),
            ("colour red", "unknown word `colour`"),
            ("currmove", "without a move"),
        ] {
            let error = Info::parse(line).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
