//! What stands behind the word `go`.

use std::time::Duration;

use rules::dialect::Dialect;
use rules::{MoveOf, Position as _, Side, Variant};

use super::settings::Settings;
use crate::thinker::{Budget, Clock, ThinkLimits};

/// A request to think.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Go<V: Variant> {
    /// The moves to choose from; none: all.
    pub(super) moves: Vec<MoveOf<V>>,
    /// Until told to stop.
    pub(super) infinite: bool,
    /// On the opponent's time, until the move expected is played.
    pub(super) ponder: bool,
    /// Look for a mate.
    pub(super) mate: bool,
    nodes: Option<u64>,
    depth: Option<u32>,
    time: Option<Duration>,
    clock: Option<Clock>,
}

/// The greatest time that is taken at its word: beyond a year someone mistook the unit.
const MOST_MS: u64 = 1000 * 3600 * 24 * 366;

/// What has a number behind it.
const NUMBERED: [&str; 11] = [
    "depth",
    "nodes",
    "movetime",
    "time",
    "increment",
    "movestogo",
    "byoyomi",
    "btime",
    "wtime",
    "binc",
    "winc",
];

impl<V: Variant> Go<V> {
    /// Reads the words. What is not known is passed over, as the protocols want it.
    pub(super) fn parse(
        words: &[&str],
        dialect: Dialect,
        settings: &Settings,
        position: &V::Position,
    ) -> Self {
        let mut go = Self::default();
        let seconds = dialect == Dialect::Ucci && !settings.milliseconds;
        let unit = if seconds { 1000 } else { 1 };
        let own = own_letter(dialect, position.side_to_move());
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            let next = words.peek().copied().unwrap_or("");
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "mate" => {
                    go.mate = true;
                    // USI: milliseconds or `infinite`; UCI: moves, which limit nothing here.
                    let ms = number(next).filter(|_| dialect == Dialect::Usi);
                    go.time = ms.map(|ms| Duration::from_millis(ms.min(MOST_MS)));
                    if next == "infinite" {
                        words.next();
                    }
                }
                "searchmoves" => {
                    let mv = |word: &&str| dialect.parse_move::<V>(position, word).ok();
                    while let Some(mv) = words.peek().and_then(mv) {
                        go.moves.push(mv);
                        words.next();
                    }
                }
                _ if NUMBERED.contains(&word) => {
                    // Where none stands, the word is passed over: UCCI has `depth infinite`.
                    if let Some(number) = number(next) {
                        words.next();
                        go.set(word, number, unit, own);
                    }
                }
                _ => {}
            }
        }
        go
    }

    fn set(&mut self, word: &str, number: u64, unit: u64, own: char) {
        let time = Duration::from_millis(number.saturating_mul(unit).min(MOST_MS));
        let count = u32::try_from(number).unwrap_or(u32::MAX);
        match word {
            "depth" => return self.depth = Some(count.max(1)),
            "nodes" => return self.nodes = Some(number.max(1)),
            "movetime" => return self.time = Some(time),
            "btime" | "wtime" | "binc" | "winc" if !word.starts_with(own) => return,
            _ => {}
        }
        let clock = self.clock.get_or_insert_default();
        match word {
            "movestogo" => clock.moves_to_go = (count > 0).then_some(count),
            "byoyomi" => clock.byoyomi = time,
            "increment" | "binc" | "winc" => clock.increment = time,
            _ => clock.remaining = time,
        }
    }

    /// Returns where thinking is to end, besides what the settings say of every move.
    pub(super) fn limits(&self, settings: &Settings) -> ThinkLimits {
        let fixed = (self.time).map(|time| Budget::exactly(time, settings.overhead));
        let clocked = self.clock.map(|clock| clock.budget(settings.overhead));
        let asked = ThinkLimits {
            nodes: self.nodes,
            depth: self.depth,
            time: fixed.or(clocked),
        };
        if self.infinite || self.mate {
            return asked;
        }
        let caps = if asked == ThinkLimits::default() {
            settings.unasked()
        } else {
            settings.caps()
        };
        let own_time = (caps.time).map(|time| Budget::exactly(time, Duration::ZERO));
        ThinkLimits {
            nodes: least(asked.nodes, caps.nodes),
            depth: least(asked.depth, caps.depth),
            time: match (asked.time, own_time) {
                (Some(asked), Some(own)) if own.most < asked.ideal => Some(own),
                (Some(asked), _) => Some(asked),
                (None, own) => own,
            },
        }
    }
}

/// Returns the letter with which the clock of a side begins. What UCI calls white, USI calls black: who moves first.
const fn own_letter(dialect: Dialect, side: Side) -> char {
    match (dialect, side) {
        (Dialect::Usi, Side::First) | (Dialect::Uci | Dialect::Ucci, Side::Second) => 'b',
        (Dialect::Usi, Side::Second) | (Dialect::Uci | Dialect::Ucci, Side::First) => 'w',
    }
}

/// Reads a number; a clock that has run out may be written with a minus.
fn number(word: &str) -> Option<u64> {
    word.parse::<i64>()
        .ok()
        .map(|number| u64::try_from(number).unwrap_or(0))
}

fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use rules::variants::showgit::Showgit;
    use rules::variants::xiangqi::Xiangqi;

    use super::*;

    fn usi(text: &str) -> Go<Showgit> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let position = rules::Position::initial();
        Go::parse(&words, Dialect::Usi, &Settings::default(), &position)
    }

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_clock_of_the_side_to_move_counts() {
        let go = usi("btime 60000 wtime 1000 binc 500 winc 9000 byoyomi 2000");
        let clock = go.clock.unwrap();
        assert_eq!(
            (clock.remaining, clock.increment, clock.byoyomi),
            (ms(60_000), ms(500), ms(2000))
        );
        let position = rules::Position::initial();
        let settings = Settings::default();
        let uci = Go::<Xiangqi>::parse(
            &["wtime", "700", "btime", "-5", "movestogo", "3"],
            Dialect::Uci,
            &settings,
            &position,
        );
        let clock = uci.clock.unwrap();
        assert_eq!((clock.remaining, clock.moves_to_go), (ms(700), Some(3)));
    }

    #[test]
    fn ucci_counts_in_the_unit_that_was_agreed_on() {
        let position = rules::Position::initial();
        let read = |milliseconds| {
            let settings = Settings {
                milliseconds,
                ..Settings::default()
            };
            let words = [
                "time",
                "60",
                "increment",
                "1",
                "opptime",
                "7",
                "oppincrement",
                "8",
            ];
            let go = Go::<Xiangqi>::parse(&words, Dialect::Ucci, &settings, &position);
            go.clock.unwrap()
        };
        assert_eq!(read(false).remaining, ms(60_000));
        assert_eq!(read(true).remaining, ms(60));
        assert_eq!(read(true).increment, ms(1));
    }

    #[test]
    fn moves_to_search_end_at_the_next_word() {
        let go = usi("searchmoves 7g7f 2g2f infinite nonsense 17 depth");
        assert_eq!((go.moves.len(), go.infinite, go.depth), (2, true, None));
        let mate = usi("mate 5000");
        assert_eq!((mate.mate, mate.time), (true, Some(ms(5000))));
        assert_eq!(usi("mate infinite").time, None);
    }

    #[test]
    fn the_players_own_limits_hold_beside_those_asked_for() {
        let settings = Settings {
            nodes: 100,
            ..Settings::default()
        };
        let nodes = |text: &str| usi(text).limits(&settings).nodes;
        assert_eq!(nodes("nodes 50"), Some(50));
        assert_eq!(nodes("btime 1000"), Some(100));
        assert_eq!(nodes(""), Some(100));
        assert_eq!(nodes("infinite"), None);
    }
}
