//! KIF, the format of Kakinoki's programs, in UTF-8: headers, a start by name or as a drawn board, numbered moves with their times, and a last
//! numbered word for the end.
//!
//! Source: <http://kakinoki.o.oo7.jp/kif_format.html>. Where the word for the end does not say enough, a comment behind it does, in this program's
//! words; so it does for values.

mod end;
mod line;
mod read;

pub(super) use read::read;

use std::fmt::Write as _;

use rules::variants::showgit::{Showgit, kif};
use rules::{Position as _, Side, Variant};

use super::remark;
use crate::transcript::{Heading, Note, Transcript};

/// The line that begins a record; what it says of the encoding is read by newer programs.
const FIRST_LINE: &str = "#KIF version=2.0 encoding=UTF-8";
const MOVES_LINE: &str = "手数----指手---------消費時間--";
/// Columns of a move, a character of Japanese being two.
const MOVE_WIDTH: usize = 12;

/// Writes a game.
pub(super) fn write(transcript: &Transcript<Showgit>) -> String {
    let game = &transcript.game;
    let mut text = format!("{FIRST_LINE}\n");
    let options = game.options().differences(&Showgit::OPTIONS);
    if !options.is_empty() {
        let _ = writeln!(text, "#{}{options}", remark::RULES);
    }
    match kif::handicap_name(game.start()) {
        Some(name) => {
            let _ = writeln!(text, "手合割：{name}");
        }
        None => text.push_str(&kif::write_board(game.start())),
    }
    for (key, value) in headers(&transcript.heading) {
        let value = remark::one_line(&value);
        if !value.is_empty() {
            let _ = writeln!(text, "{key}：{value}");
        }
    }
    let _ = writeln!(text, "{MOVES_LINE}");
    write_moves(transcript, &mut text);
    end::write(transcript, &mut text);
    text
}

fn headers(heading: &Heading) -> [(&'static str, String); 6] {
    let [first, second] = heading.players.clone();
    [
        ("開始日時", remark::write_date(heading, "/")),
        ("棋戦", heading.event.clone()),
        ("場所", heading.site.clone()),
        ("回戦", heading.round.clone()),
        ("先手", first),
        ("後手", second),
    ]
}

fn write_moves(transcript: &Transcript<Showgit>, text: &mut String) {
    let mut position = *transcript.game.start();
    let mut previous = None;
    let mut clock = Clock::default();
    for (ply, &mv) in transcript.game.moves().iter().enumerate() {
        let note = transcript.note(ply);
        let written = kif::write_move(&position, mv, previous);
        let time = clock.time(position.side_to_move(), note);
        push_numbered(text, ply + 1, &written, &time);
        if let Some(value) = note.value {
            let _ = writeln!(text, "*{}", remark::write_value(value));
        }
        previous = Some(mv.to());
        position.play(mv);
    }
}

/// Writes a numbered line: a move or the word for an end.
fn push_numbered(text: &mut String, number: usize, what: &str, time: &str) {
    let width: usize = what
        .chars()
        .map(|character| 1 + usize::from(!character.is_ascii()))
        .sum();
    let blank = if time.is_empty() {
        String::new()
    } else {
        " ".repeat(1 + MOVE_WIDTH.saturating_sub(width))
    };
    let _ = writeln!(text, "{number:>4} {what}{blank}{time}");
}

/// The time that each player has used, in seconds.
#[derive(Debug, Default)]
struct Clock([u64; 2]);

impl Clock {
    /// Returns the time of a move and of its player's moves so far, or nothing if it is unknown.
    fn time(&mut self, side: Side, note: Note) -> String {
        let Some(seconds) = note.seconds else {
            return String::new();
        };
        let seconds = seconds as u64;
        let total = &mut self.0[side.index()];
        *total += seconds;
        let (minutes, rest) = (*total / 60, *total % 60);
        format!(
            "({:>2}:{:02}/{:02}:{:02}:{rest:02})",
            seconds / 60,
            seconds % 60,
            minutes / 60,
            minutes % 60
        )
    }
}
