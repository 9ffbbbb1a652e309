//! The format of the Computer Shogi Association, version 2.2; what version 3.0 adds is read too.
//!
//! Source: <http://www2.computer-shogi.org/protocol/record_v22.html>. Where the word for the end does not say enough, a comment does, in this program's
//! words; so it does for values.

mod read;

pub(super) use read::read;

use std::fmt::Write as _;

use rules::variants::showgit::{Showgit, csa};
use rules::{Position as _, Reason, Side, Variant};

use super::remark;
use crate::transcript::{Claim, Ending, Heading, Transcript};

/// What begins a record: a comment for older programs, the encoding for those of version 3.0.
const ENCODING: &str = "'CSA encoding=UTF-8";
const VERSION: &str = "V2.2";
const STOPPED: &str = "%CHUDAN";

/// Writes a game.
pub(super) fn write(transcript: &Transcript<Showgit>) -> String {
    let game = &transcript.game;
    let mut text = format!("{ENCODING}\n{VERSION}\n");
    let options = game.options().differences(&Showgit::OPTIONS);
    if !options.is_empty() {
        let _ = writeln!(text, "'{}{options}", remark::RULES);
    }
    for (key, value) in headers(&transcript.heading) {
        let value = remark::one_line(&value);
        if !value.is_empty() {
            let _ = writeln!(text, "{key}{value}");
        }
    }
    text.push_str(&csa::write_board(game.start()));
    let mut position = *game.start();
    for (ply, &mv) in game.moves().iter().enumerate() {
        let note = transcript.note(ply);
        let _ = writeln!(text, "{}", csa::write_move(&position, mv));
        position.play(mv);
        if let Some(seconds) = note.seconds {
            let _ = writeln!(text, "T{}", seconds as u64);
        }
        if let Some(value) = note.value {
            let _ = writeln!(text, "'*{}", remark::write_value(value));
        }
    }
    write_end(transcript.ending, position.side_to_move(), &mut text);
    text
}

fn headers(heading: &Heading) -> [(&'static str, String); 6] {
    let [first, second] = heading.players.clone();
    [
        ("N+", first),
        ("N-", second),
        ("$EVENT:", heading.event.clone()),
        ("$SITE:", heading.site.clone()),
        ("$START_TIME:", remark::write_date(heading, "/")),
        ("$ROUND:", heading.round.clone()),
    ]
}

fn write_end(ending: Option<Ending>, mover: Side, text: &mut String) {
    let word = ending.map_or(STOPPED, |ending| word(ending, mover));
    let _ = writeln!(text, "{word}");
    if let Some(ending) = ending
        && read_word(word, mover) != Some(Some(Ending::claimed(ending.winner, ending.claim())))
    {
        let _ = writeln!(text, "'*{}", remark::write_ending(ending));
    }
}

/// Returns the word for an end where `mover` would have to move.
fn word(ending: Ending, mover: Side) -> &'static str {
    let mover_wins = ending.winner.map(|winner| winner == mover);
    match (ending.claim(), mover_wins) {
        (Claim::Reason(Reason::Repetition), None) => "%SENNICHITE",
        (Claim::Reason(Reason::Declaration), Some(true)) => "%KACHI",
        (Claim::Reason(Reason::Checkmate | Reason::Stalemate), Some(false)) => "%TSUMI",
        (Claim::Time, Some(false)) => "%TIME_UP",
        (Claim::Reason(Reason::PerpetualCheck | Reason::Forfeit), Some(false)) => "%ILLEGAL_MOVE",
        // The sign is that of the player who did wrong.
        (Claim::Reason(Reason::PerpetualCheck | Reason::Forfeit), Some(true)) => match mover {
            Side::First => "%-ILLEGAL_ACTION",
            Side::Second => "%+ILLEGAL_ACTION",
        },
        (Claim::Impasse, None) => "%JISHOGI",
        (_, Some(false)) => "%TORYO",
        (_, None) => "%HIKIWAKE",
        (_, Some(true)) => STOPPED,
    }
}

/// Returns what a word says where `mover` would have to move: `Some(None)` if the game has no end, `None` if it is no such word.
#[allow(
    clippy::option_option,
    reason = "a word for a game that was stopped is no word that is unknown"
)]
fn read_word(word: &str, mover: Side) -> Option<Option<Ending>> {
    let decided = |winner, claim| Some(Ending::claimed(Some(winner), claim));
    let drawn = |claim| Some(Ending::claimed(None, claim));
    let foul = Claim::Reason(Reason::Forfeit);
    Some(match word {
        "%TORYO" => decided(mover.other(), Claim::Reason(Reason::Resignation)),
        "%TSUMI" => decided(mover.other(), Claim::Reason(Reason::Checkmate)),
        "%SENNICHITE" => drawn(Claim::Reason(Reason::Repetition)),
        "%JISHOGI" => drawn(Claim::Impasse),
        "%HIKIWAKE" => drawn(Claim::Agreement),
        "%MAX_MOVES" => drawn(Claim::Reason(Reason::PlyCap)),
        "%TIME_UP" => decided(mover.other(), Claim::Time),
        "%ILLEGAL_MOVE" => decided(mover.other(), foul),
        "%+ILLEGAL_ACTION" => decided(Side::Second, foul),
        "%-ILLEGAL_ACTION" => decided(Side::First, foul),
        "%KACHI" => decided(mover, Claim::Reason(Reason::Declaration)),
        STOPPED | "%MATTA" | "%FUZUMI" | "%ERROR" => None,
        _ => return None,
    })
}
