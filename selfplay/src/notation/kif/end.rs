//! How a game ended.

use std::fmt::Write as _;

use rules::variants::showgit::Showgit;
use rules::{Position as _, Reason, Side};

use super::super::remark;
use crate::transcript::{Claim, Ending, Transcript};

const RESIGNED: &str = "投了";
const STOPPED: &str = "中断";
const MATE: &str = "詰み";
const REPETITION: &str = "千日手";
const IMPASSE: &str = "持将棋";
const TIME: &str = "切れ負け";
const FOUL_WINS: &str = "反則勝ち";
const FOUL_LOSES: &str = "反則負け";
const DECLARED: &str = "入玉勝ち";
const BY_DEFAULT: &str = "不戦勝";
const DEFAULTED: &str = "不戦敗";
const NO_MATE: &str = "不詰";

/// Writes the last numbered line, the line `まで...`, and what these do not say as a comment.
pub(super) fn write(transcript: &Transcript<Showgit>, text: &mut String) {
    let plies = transcript.game.ply();
    let mover = transcript.game.position().side_to_move();
    let word = transcript
        .ending
        .map_or(STOPPED, |ending| word(ending, mover));
    super::push_numbered(text, plies + 1, word, "");
    if let Some(ending) = transcript.ending
        && read_word(word, mover) != Some(Some(Ending::claimed(ending.winner, ending.claim())))
    {
        let _ = writeln!(text, "*{}", remark::write_ending(ending));
    }
    let winner = transcript.ending.and_then(|ending| ending.winner);
    let _ = writeln!(text, "まで{plies}手で{}", summary(word, winner, mover));
}

/// Returns the word for an end where `mover` would have to move.
fn word(ending: Ending, mover: Side) -> &'static str {
    let mover_wins = ending.winner.map(|winner| winner == mover);
    match (ending.claim(), mover_wins) {
        (Claim::Reason(Reason::Repetition), None) => REPETITION,
        (Claim::Reason(Reason::Declaration), Some(true)) => DECLARED,
        (Claim::Reason(Reason::Checkmate | Reason::Stalemate), Some(false)) => MATE,
        (Claim::Time, Some(false)) => TIME,
        (Claim::Reason(Reason::PerpetualCheck | Reason::Forfeit), Some(true)) => FOUL_WINS,
        (Claim::Reason(Reason::PerpetualCheck | Reason::Forfeit), Some(false)) => FOUL_LOSES,
        (_, Some(false)) => RESIGNED,
        (_, None) => IMPASSE,
        (_, Some(true)) => STOPPED,
    }
}

/// Returns what a word says where `mover` would have to move: `Some(None)` if the game has no end, `None` if it is no such word.
#[allow(
    clippy::option_option,
    reason = "a word for a game that was stopped is no word that is unknown"
)]
pub(super) fn read_word(word: &str, mover: Side) -> Option<Option<Ending>> {
    let wins = |claim| Some(Ending::claimed(Some(mover), claim));
    let loses = |claim| Some(Ending::claimed(Some(mover.other()), claim));
    let drawn = |claim| Some(Ending::claimed(None, claim));
    Some(match word {
        RESIGNED => loses(Claim::Reason(Reason::Resignation)),
        MATE | "詰" => loses(Claim::Reason(Reason::Checkmate)),
        REPETITION => drawn(Claim::Reason(Reason::Repetition)),
        IMPASSE => drawn(Claim::Impasse),
        TIME => loses(Claim::Time),
        FOUL_WINS | BY_DEFAULT => wins(Claim::Reason(Reason::Forfeit)),
        FOUL_LOSES | DEFAULTED => loses(Claim::Reason(Reason::Forfeit)),
        DECLARED | "入玉宣言" => wins(Claim::Reason(Reason::Declaration)),
        STOPPED | NO_MATE => None,
        _ => return None,
    })
}

fn summary(word: &str, winner: Option<Side>, mover: Side) -> String {
    let name = |side: Side| ["先手", "後手"][side.index()];
    match (word, winner) {
        (FOUL_WINS | FOUL_LOSES | DECLARED, _) => format!("{}の{word}", name(mover)),
        (TIME, Some(winner)) => format!("時間切れにより{}の勝ち", name(winner)),
        (_, Some(winner)) => format!("{}の勝ち", name(winner)),
        (_, None) => word.to_owned(),
    }
}

/// Reads what the line `まで...` says of the winner, for records whose moves end without a word.
pub(super) fn read_summary(text: &str) -> Option<Ending> {
    let side = if text.contains("先手") || text.contains("下手") {
        Side::First
    } else if text.contains("後手") || text.contains("上手") {
        Side::Second
    } else {
        return [REPETITION, IMPASSE]
            .into_iter()
            .find(|word| text.ends_with(word))
            .and_then(|word| read_word(word, Side::First).flatten());
    };
    let wins = |claim| Some(Ending::claimed(Some(side), claim));
    if text.ends_with(FOUL_LOSES) {
        let claim = Claim::Reason(Reason::Forfeit);
        return Some(Ending::claimed(Some(side.other()), claim));
    }
    match text {
        _ if text.ends_with(FOUL_WINS) => wins(Claim::Reason(Reason::Forfeit)),
        _ if text.ends_with(DECLARED) => wins(Claim::Reason(Reason::Declaration)),
        _ if text.contains("時間切れ") => wins(Claim::Time),
        _ if text.ends_with("勝ち") => wins(Claim::Unstated),
        _ => None,
    }
}
