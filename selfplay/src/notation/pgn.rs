//! Portable game notation as programs for chess variants use it: the tags `Variant`, `SetUp` and `FEN`, and moves as UCI writes them.
//!
//! The first player of every game is White. Besides the usual tags there are `Reason`, in this program's words, and `Rules` where rule options are
//! not the usual ones. A comment gives the value and the time of a move: `{value +0.352, 1.2s}`.

mod read;
mod token;

pub(super) use read::{read, variant_of};

use std::fmt::Write as _;

use rules::notation::move_number;
use rules::{Dialect, Position as _, Reason, Side, Variant, VariantId};

use super::remark;
use crate::transcript::{Claim, Ending, Heading, Note, Transcript};

const WIDTH: usize = 80;
const RESULTS: [&str; 3] = ["1-0", "0-1", "1/2-1/2"];
const UNFINISHED: &str = "*";

/// Returns the name of a game in the tag `Variant`.
const fn variant_name(id: VariantId) -> &'static str {
    match id {
        VariantId::Showgit => "shogi",
        VariantId::EuroShogi | VariantId::Xiangqi | VariantId::Gufu => id.name(),
    }
}

/// Writes a game.
pub(super) fn write<V: Variant>(transcript: &Transcript<V>) -> String {
    let result = transcript
        .ending
        .map_or(UNFINISHED, |ending| result(ending.winner));
    let mut text = String::new();
    for (name, value) in tags(transcript, result) {
        let value = remark::one_line(&value)
            .replace('\\', "\\\\")
            .replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    }
    text.push('\n');
    let mut column = 0;
    for word in movetext(transcript).chain([result.to_owned()]) {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(&word);
        column += width;
    }
    text.push('\n');
    text
}

fn tags<V: Variant>(transcript: &Transcript<V>, result: &str) -> Vec<(&'static str, String)> {
    let Heading {
        players: [first, second],
        event,
        site,
        round,
        ..
    } = &transcript.heading;
    let game = &transcript.game;
    let known = |text: &str| if text.is_empty() { "?" } else { text }.to_owned();
    let (date, time) = date(&transcript.heading);
    let mut tags = vec![
        ("Event", known(event)),
        ("Site", known(site)),
        ("Date", date),
        ("Round", known(round)),
        ("White", known(first)),
        ("Black", known(second)),
        ("Result", result.to_owned()),
    ];
    if !time.is_empty() {
        tags.push(("Time", time));
    }
    tags.push(("Variant", variant_name(V::ID).to_owned()));
    if game.start().to_string() != V::Position::initial().to_string() {
        tags.push(("SetUp", "1".to_owned()));
        tags.push(("FEN", Dialect::Uci.position_text::<V>(game.start())));
    }
    let options = game.options().differences(&V::OPTIONS);
    if !options.is_empty() {
        tags.push(("Rules", options));
    }
    tags.push(("PlyCount", game.ply().to_string()));
    tags.push(("Termination", termination(transcript.ending).to_owned()));
    if let Some(ending) = transcript.ending {
        tags.push(("Reason", ending.claim().name().to_owned()));
    }
    tags
}

fn date(heading: &Heading) -> (String, String) {
    if heading.date.is_empty() {
        return ("????.??.??".to_owned(), String::new());
    }
    let date = remark::write_date(heading, ".");
    match date.split_once(' ') {
        Some((date, time)) => (date.to_owned(), time.to_owned()),
        None => (date, String::new()),
    }
}

const fn result(winner: Option<Side>) -> &'static str {
    RESULTS[match winner {
        Some(Side::First) => 0,
        Some(Side::Second) => 1,
        None => 2,
    }]
}

/// Returns how the game ended in the words of the format.
fn termination(ending: Option<Ending>) -> &'static str {
    match ending.map(Ending::claim) {
        None => "unterminated",
        Some(Claim::Reason(Reason::Adjudication)) => "adjudication",
        Some(Claim::Reason(Reason::Forfeit)) => "rules infraction",
        Some(Claim::Time) => "time forfeit",
        Some(_) => "normal",
    }
}

/// Returns the words of the moves: numbers, moves, comments. A comment may be broken between lines.
fn movetext<V: Variant>(transcript: &Transcript<V>) -> impl Iterator<Item = String> + '_ {
    let start = transcript.game.start();
    let offset = 2 * (move_number::<V>(start) as usize - 1) + start.side_to_move().index();
    let mut commented = true;
    let mut position = *start;
    let moves = transcript.game.moves().iter().enumerate();
    moves.flat_map(move |(ply, &mv)| {
        let mut words = Vec::new();
        let played = offset + ply;
        let (number, second) = (played / 2 + 1, played % 2 == 1);
        if !second {
            words.push(format!("{number}."));
        } else if commented {
            words.push(format!("{number}..."));
        }
        words.push(Dialect::Uci.move_text::<V>(&position, mv));
        position.play(mv);
        let comment = comment(transcript.note(ply));
        commented = !comment.is_empty();
        words.extend(comment);
        words
    })
}

fn comment(note: Note) -> Vec<String> {
    let value = note.value.map(remark::write_value);
    let time = note.seconds.map(|seconds| format!("{seconds}s"));
    let parts: Vec<String> = value.into_iter().chain(time).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let comment = format!("{{{}}}", parts.join(", "));
    comment.split(' ').map(str::to_owned).collect()
}
