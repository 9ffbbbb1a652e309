//! The lines of the format.

use rules::Side;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// Nothing, a remark for programs, a bookmark, or an ornament.
    Empty,
    /// The rule options, in this program's words.
    Rules(&'a str),
    /// A comment.
    Comment(&'a str),
    /// `手合割`: the start by its name.
    Handicap(&'a str),
    /// What a side holds.
    Hand(Side, &'a str),
    /// A rank of the board.
    Rank(&'a str),
    /// Who is to move.
    Turn(Side),
    /// Another header.
    Header(&'a str, &'a str),
    /// A numbered move or end: its number, what it is, and its time in seconds.
    Numbered(usize, &'a str, Option<f64>),
    /// The beginning of a variation.
    Variation,
    /// `まで...`: how the game ended.
    Summary(&'a str),
    /// None of these.
    Unknown,
}

impl<'a> Line<'a> {
    /// Reads a line.
    pub(super) fn of(text: &'a str) -> Self {
        let trimmed = text.trim_matches([' ', '　', '\t', '\r']);
        if let Some(rules) = text.strip_prefix("#rules: ") {
            return Self::Rules(rules);
        }
        if let Some(comment) = text.strip_prefix('*') {
            return Self::Comment(comment);
        }
        if text.starts_with('|') {
            return Self::Rank(text.trim_end());
        }
        if is_ornament(trimmed) {
            return Self::Empty;
        }
        if let Some(summary) = trimmed.strip_prefix("まで") {
            return Self::Summary(summary);
        }
        match trimmed {
            "先手番" | "下手番" => return Self::Turn(Side::First),
            "後手番" | "上手番" => return Self::Turn(Side::Second),
            _ => {}
        }
        numbered(trimmed)
            .or_else(|| header(trimmed))
            .unwrap_or(Self::Unknown)
    }
}

/// Remarks, bookmarks, and the lines that frame a board or the moves.
fn is_ornament(text: &str) -> bool {
    text.is_empty()
        || text.starts_with(['#', '&', '+'])
        || text.starts_with("手数--")
        || text.starts_with("手数＝")
        || text.starts_with("９ ８")
        || text.starts_with("9 8")
}

fn header(text: &str) -> Option<Line<'_>> {
    let (key, value) = text.split_once(['：', ':'])?;
    let value = value.trim_matches([' ', '　']);
    Some(match key {
        "変化" => Line::Variation,
        "手合割" => Line::Handicap(value),
        "先手の持駒" | "下手の持駒" => Line::Hand(Side::First, value),
        "後手の持駒" | "上手の持駒" => Line::Hand(Side::Second, value),
        _ if key.contains([' ', '　']) => return None,
        _ => Line::Header(key, value),
    })
}

fn numbered(text: &str) -> Option<Line<'_>> {
    let rest = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let number = text[..text.len() - rest.len()].parse().ok()?;
    if !rest.starts_with([' ', '　']) {
        return None;
    }
    // A `+` behind the time says that variations follow.
    let rest = rest.trim_matches([' ', '　']).trim_end_matches('+');
    let (what, seconds) = match rest.rfind('(') {
        Some(at) if rest[at..].contains([':', '/']) => {
            let time = rest[at..].trim_start_matches('(').trim();
            (&rest[..at], seconds(time))
        }
        _ => (rest, None),
    };
    Some(Line::Numbered(
        number,
        what.trim_matches([' ', '　']),
        seconds,
    ))
}

/// Reads the time of a move, the part before the slash of `0:16/00:00:16`.
fn seconds(time: &str) -> Option<f64> {
    let time = time.split(['/', ')']).next()?.trim();
    let mut total = 0.0;
    for part in time.split(':') {
        total = total * 60.0 + part.trim().parse::<f64>().ok()?;
    }
    (total.is_finite() && total >= 0.0).then_some(total)
}
