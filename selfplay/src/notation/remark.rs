//! What formats have no place of their own for, as words in their comments: the value of a move, how a game ended, the rule options.

use rules::Side;

use crate::transcript::{Claim, Ending, Heading};

const VALUE: &str = "value ";
const REASON: &str = "reason: ";
const WINNER: &str = ", winner: ";
/// What a comment about rule options begins with.
pub(super) const RULES: &str = "rules: ";

/// Writes the value of a move, with three decimals.
pub(super) fn write_value(value: f32) -> String {
    format!("{VALUE}{value:+.3}")
}

/// Reads the value of a move.
pub(super) fn read_value(comment: &str) -> Option<f32> {
    let value: f32 = comment.trim().strip_prefix(VALUE)?.trim().parse().ok()?;
    (-1.0..=1.0).contains(&value).then_some(value)
}

/// Writes how a game ended.
pub(super) fn write_ending(ending: Ending) -> String {
    let winner = ending.winner.map_or("nobody", Side::name);
    format!("{REASON}{}{WINNER}{winner}", ending.claim().name())
}

/// Reads how a game ended.
pub(super) fn read_ending(comment: &str) -> Option<Ending> {
    let (reason, winner) = comment.trim().strip_prefix(REASON)?.split_once(WINNER)?;
    let sides = [Side::First, Side::Second];
    let winner = match winner {
        "nobody" => None,
        name => Some(sides.into_iter().find(|side| side.name() == name)?),
    };
    Some(Ending::claimed(winner, Claim::named(reason)?))
}

/// Writes a date with other signs between its numbers.
pub(super) fn write_date(heading: &Heading, sign: &str) -> String {
    let (date, time) = heading.date.split_once(' ').unwrap_or((&heading.date, ""));
    let date = date.replace('-', sign);
    if time.is_empty() {
        date
    } else {
        format!("{date} {time}")
    }
}

/// Reads a date with other signs between its numbers, perhaps with the day of the week behind it and a time; empty if it is none.
pub(super) fn read_date(text: &str) -> String {
    let mut words = text.split_whitespace();
    let date = words.next().unwrap_or_default();
    let date = date.split('(').next().unwrap_or_default();
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    let is_number =
        |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() != 3 || !parts.iter().all(is_number) {
        return String::new();
    }
    let date = format!("{:0>4}-{:0>2}-{:0>2}", parts[0], parts[1], parts[2]);
    match words.next().filter(|time| time.contains(':')) {
        Some(time) => format!("{date} {time}"),
        None => date,
    }
}

/// Writes one line of what may have had several.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
