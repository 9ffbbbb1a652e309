//! The options of an engine: what they are called, what they may be, and what they are.

use std::time::Duration;

use rules::VariantId;
use rules::dialect::Dialect;

use crate::thinker::{Abilities, Resources};

/// Limits that a player has of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caps {
    /// Simulations or nodes a move.
    pub nodes: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
    /// Time a move.
    pub time: Option<Duration>,
}

/// What can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Simulations or nodes a move at most, whatever the clock says; 0: no such limit.
    pub nodes: u64,
    /// Other limits of the player, that hold besides.
    pub own: Caps,
    /// How far to think where nothing at all is said of it.
    pub unasked: Caps,
    /// Threads.
    pub threads: usize,
    /// Megabytes of a tree or table.
    pub megabytes: usize,
    /// Moves shown with their lines.
    pub lines: usize,
    /// What may pass between an answer and its arrival.
    pub overhead: Duration,
    /// 0 for the best move, or how freely it is chosen.
    pub temperature: f32,
    /// Give up below this expected score, in hundredths; 0: never.
    pub resign: u32,
    /// Whether chances are shown.
    pub show_wdl: bool,
    /// Whether UCCI counts time in milliseconds, not in seconds.
    pub milliseconds: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            nodes: 0,
            own: Caps::default(),
            unasked: Caps {
                nodes: Some(800),
                ..Caps::default()
            },
            threads: 1,
            megabytes: 256,
            lines: 1,
            overhead: Duration::from_millis(100),
            temperature: 0.0,
            resign: 0,
            show_wdl: false,
            milliseconds: true,
        }
    }
}

/// An option of the protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Variant,
    Threads,
    Hash,
    Ponder,
    Lines,
    Nodes,
    Overhead,
    Temperature,
    Resign,
    ShowWdl,
    Milliseconds,
}

const ALL: [Key; 11] = [
    Key::Variant,
    Key::Threads,
    Key::Hash,
    Key::Ponder,
    Key::Lines,
    Key::Nodes,
    Key::Overhead,
    Key::Temperature,
    Key::Resign,
    Key::ShowWdl,
    Key::Milliseconds,
];

const MOST_THREADS: u64 = 256;
const MOST_MEGABYTES: u64 = 1 << 20;

/// What an option that was set asks of whoever holds the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing more.
    Done,
    /// The thinker's resources changed.
    Resources,
    /// Another game is wanted.
    Variant(VariantId),
}

impl Key {
    const fn name(self, dialect: Dialect) -> &'static str {
        match (self, dialect) {
            (Self::Variant, Dialect::Usi) => "USI_Variant",
            (Self::Variant, _) => "UCI_Variant",
            (Self::Threads, Dialect::Ucci) => "threads",
            (Self::Threads, _) => "Threads",
            (Self::Hash, Dialect::Usi) => "USI_Hash",
            (Self::Hash, Dialect::Uci) => "Hash",
            (Self::Hash, Dialect::Ucci) => "hashsize",
            (Self::Ponder, Dialect::Usi) => "USI_Ponder",
            (Self::Ponder, Dialect::Uci) => "Ponder",
            (Self::Ponder, Dialect::Ucci) => "ponder",
            (Self::Lines, _) => "MultiPV",
            (Self::Nodes, _) => "NodesPerMove",
            (Self::Overhead, Dialect::Uci) => "Move Overhead",
            (Self::Overhead, _) => "MoveOverhead",
            (Self::Temperature, _) => "Temperature",
            (Self::Resign, _) => "ResignScore",
            (Self::ShowWdl, _) => "UCI_ShowWDL",
            (Self::Milliseconds, _) => "usemillisec",
        }
    }

    /// Tells whether the option is offered. UCI has no way to resign, and seconds are known to UCCI alone.
    const fn is_offered(self, dialect: Dialect, abilities: Abilities) -> bool {
        match self {
            Self::Variant | Self::Overhead | Self::Ponder => true,
            Self::Threads | Self::Temperature => abilities.threads,
            Self::Hash => abilities.memory,
            Self::Lines | Self::Nodes => abilities.searches,
            Self::Resign => abilities.searches && !matches!(dialect, Dialect::Uci),
            Self::ShowWdl => abilities.searches && !matches!(dialect, Dialect::Ucci),
            Self::Milliseconds => matches!(dialect, Dialect::Ucci),
        }
    }
}

impl Settings {
    /// Returns what the thinker may use.
    pub(super) const fn resources(&self) -> Resources {
        Resources {
            threads: self.threads,
            bytes: self.megabytes << 20,
        }
    }

    /// Returns the limits that hold for every move.
    pub(super) fn caps(&self) -> Caps {
        let nodes = (self.nodes > 0).then_some(self.nodes);
        Caps {
            nodes: nodes.or(self.own.nodes),
            ..self.own
        }
    }

    /// Returns the limits where nothing is said of them.
    pub(super) fn unasked(&self) -> Caps {
        let caps = self.caps();
        if caps == Caps::default() {
            self.unasked
        } else {
            caps
        }
    }

    /// Returns the lines that declare the options.
    pub(super) fn declared(
        &self,
        dialect: Dialect,
        abilities: Abilities,
        variants: &[VariantId],
        current: VariantId,
    ) -> Vec<String> {
        let offered = ALL
            .into_iter()
            .filter(|key| key.is_offered(dialect, abilities));
        let word = if dialect == Dialect::Ucci {
            ""
        } else {
            "name "
        };
        offered
            .map(|key| {
                let kind = self.kind(key, variants, current);
                format!("option {word}{} type {kind}", key.name(dialect))
            })
            .collect()
    }

    fn kind(&self, key: Key, variants: &[VariantId], current: VariantId) -> String {
        let spin =
            |value: u64, min: u64, max: u64| format!("spin default {value} min {min} max {max}");
        let check = |value: bool| format!("check default {value}");
        match key {
            Key::Variant => {
                let names = variants.iter().map(|&id| format!(" var {}", game_name(id)));
                format!(
                    "combo default {}{}",
                    game_name(current),
                    names.collect::<String>()
                )
            }
            Key::Threads => spin(self.threads as u64, 1, MOST_THREADS),
            Key::Hash => spin(self.megabytes as u64, 1, MOST_MEGABYTES),
            Key::Ponder => check(false),
            Key::Lines => spin(self.lines as u64, 1, 500),
            Key::Nodes => spin(self.nodes, 0, 1_000_000_000),
            Key::Overhead => spin(self.overhead.as_millis() as u64, 0, 10_000),
            Key::Temperature => spin((self.temperature * 100.0).round() as u64, 0, 10_000),
            Key::Resign => spin(u64::from(self.resign), 0, 50),
            Key::ShowWdl => check(self.show_wdl),
            Key::Milliseconds => check(self.milliseconds),
        }
    }

    /// Sets an option.
    ///
    /// # Errors
    /// Says that there is no such option, or what its value may be.
    pub(super) fn set(
        &mut self,
        name: &str,
        value: &str,
        dialect: Dialect,
        variants: &[VariantId],
    ) -> Result<Change, String> {
        let known = |key: &Key| {
            [Dialect::Usi, Dialect::Uci, Dialect::Ucci]
                .iter()
                .any(|&dialect| plain(key.name(dialect)) == plain(name))
        };
        let Some(key) = ALL.into_iter().find(known) else {
            return Err("no such option".to_owned());
        };
        let spin = |min: u64, max: u64| match value.parse::<u64>() {
            Ok(number) if (min..=max).contains(&number) => Ok(number),
            _ => Err(format!("must be a number from {min} to {max}")),
        };
        match key {
            Key::Variant => return variant(value, variants),
            Key::Threads => self.threads = spin(1, MOST_THREADS)? as usize,
            Key::Hash => self.megabytes = spin(1, MOST_MEGABYTES)? as usize,
            Key::Ponder => {
                check(value, dialect)?;
            }
            Key::Lines => self.lines = spin(1, 500)? as usize,
            Key::Nodes => self.nodes = spin(0, 1_000_000_000)?,
            Key::Overhead => self.overhead = Duration::from_millis(spin(0, 10_000)?),
            Key::Temperature => self.temperature = spin(0, 10_000)? as f32 / 100.0,
            Key::Resign => self.resign = spin(0, 50)? as u32,
            Key::ShowWdl => self.show_wdl = check(value, dialect)?,
            Key::Milliseconds => self.milliseconds = check(value, dialect)?,
        }
        Ok(match key {
            Key::Threads | Key::Hash => Change::Resources,
            _ => Change::Done,
        })
    }
}

/// Returns the name that protocols have for a game.
pub(super) const fn game_name(id: VariantId) -> &'static str {
    match id {
        VariantId::Showgit => "shogi",
        other => other.name(),
    }
}

fn variant(value: &str, variants: &[VariantId]) -> Result<Change, String> {
    let is_meant = |id: &&VariantId| value == game_name(**id) || value == id.name();
    if let Some(&id) = variants.iter().find(is_meant) {
        return Ok(Change::Variant(id));
    }
    let names: Vec<&str> = variants.iter().map(|&id| game_name(id)).collect();
    Err(format!("this player plays {}", names.join(", ")))
}

/// Reads a check: `true` and `false`, in UCCI `on` and `off` too, and nothing for yes.
fn check(value: &str, dialect: Dialect) -> Result<bool, String> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        "on" | "" if dialect == Dialect::Ucci => Ok(true),
        "off" if dialect == Dialect::Ucci => Ok(false),
        _ => Err("must be true or false".to_owned()),
    }
}

/// Returns a name as it is compared: programs differ in case, and some write `_` for a space.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|letter| !matches!(letter, ' ' | '_'))
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_known_by_the_names_of_every_protocol() {
        let mut settings = Settings::default();
        for name in ["Move Overhead", "MoveOverhead", "move_overhead"] {
            settings.overhead = Duration::ZERO;
            let change = settings.set(name, "250", Dialect::Uci, &[]);
            assert_eq!(change, Ok(Change::Done));
            assert_eq!(settings.overhead, Duration::from_millis(250));
        }
        let hash = settings.set("hashsize", "64", Dialect::Ucci, &[]);
        assert_eq!((hash, settings.megabytes), (Ok(Change::Resources), 64));
        assert_eq!(
            settings.set("usemillisec", "off", Dialect::Ucci, &[]),
            Ok(Change::Done)
        );
        assert!(!settings.milliseconds);
    }

    #[test]
    fn wrong_values_change_nothing_and_say_what_would_be_right() {
        let mut settings = Settings::default();
        let before = settings.clone();
        for (name, value, said) in [
            ("Threads", "0", "from 1 to 256"),
            ("MultiPV", "many", "from 1 to 500"),
            ("UCI_ShowWDL", "perhaps", "true or false"),
            ("UCI_Variant", "chess", "plays shogi, gufu"),
            ("Contempt", "3", "no such option"),
        ] {
            let variants = [VariantId::Showgit, VariantId::Gufu];
            let error = settings
                .set(name, value, Dialect::Uci, &variants)
                .unwrap_err();
            assert!(error.contains(said), "{error}");
        }
        assert_eq!(settings, before);
    }
}
