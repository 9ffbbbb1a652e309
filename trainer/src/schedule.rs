//! Numbers of a config that change as a run goes: with its positions, never with the clock.
//!
//! A key that holds such a number takes it plain, `reuse = 4.0`, or as a table, `reuse = { from = 2.0, to = 1.25, positions = 3000000 }`.

mod growth;

use std::fmt;
use std::marker::PhantomData;

pub use growth::{Growth, WindowSize};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, de};

/// A number that stays, or that changes by a law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Schedule<N, L> {
    /// The same throughout the run.
    Constant(N),
    /// Changing as the run goes.
    Changing(L),
}

/// A number that goes evenly from one value to another.
pub(crate) type Ramp<N> = Schedule<N, Line<N>>;

/// A number that goes evenly from one value to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line<N> {
    /// The number at the start of the run.
    pub(crate) from: N,
    /// The number from `positions` on.
    pub(crate) to: N,
    /// The positions of the run over which it changes, at least 1.
    pub(crate) positions: u64,
}

/// What a ramp can be of.
pub(crate) trait Number: Copy + Into<f64> {
    /// Returns the nearest one.
    fn nearest(value: f64) -> Self;
}

impl Number for f64 {
    fn nearest(value: f64) -> Self {
        value
    }
}

impl Number for u32 {
    fn nearest(value: f64) -> Self {
        value.round() as Self
    }
}

impl<N: Number> Ramp<N> {
    /// Returns the number after `positions` of the run.
    pub(crate) fn at(self, positions: u64) -> N {
        match self {
            Self::Constant(value) => value,
            Self::Changing(line) if positions >= line.positions => line.to,
            Self::Changing(line) => {
                let (from, to): (f64, f64) = (line.from.into(), line.to.into());
                let done = positions as f64 / line.positions as f64;
                N::nearest(from + (to - from) * done)
            }
        }
    }

    /// Returns the greatest number that it comes to.
    pub(crate) fn greatest(self) -> N {
        match self {
            Self::Constant(value) => value,
            Self::Changing(Line { from, to, .. }) if from.into() > to.into() => from,
            Self::Changing(line) => line.to,
        }
    }

    /// Checks that every number that it comes to is in the range.
    ///
    /// # Errors
    /// Names the field within its section, its value and what would be right.
    pub(crate) fn validate(self, name: &str, [low, high]: [f64; 2]) -> Result<(), String> {
        let check = |name: &str, value: N| {
            let value = value.into();
            if (low..=high).contains(&value) {
                return Ok(());
            }
            Err(format!("{name} = {value}: must be from {low} to {high}"))
        };
        let line = match self {
            Self::Constant(value) => return check(name, value),
            Self::Changing(line) => line,
        };
        check(&format!("{name}.from"), line.from)?;
        check(&format!("{name}.to"), line.to)?;
        if line.positions == 0 {
            return Err(format!(
                "{name}.positions = 0: must be at least 1; a number that stays is written without a table"
            ));
        }
        Ok(())
    }
}

impl Ramp<f64> {
    /// Returns the sum of the numbers at each of the first `positions` of the run (their integral).
    pub(crate) fn sum(self, positions: u64) -> f64 {
        match self {
            Self::Constant(value) => value * positions as f64,
            Self::Changing(line) => {
                let changing = positions.min(line.positions);
                let after = positions - changing;
                let mean = f64::midpoint(line.from, self.at(changing));
                mean * changing as f64 + line.to * after as f64
            }
        }
    }
}

impl<'de, N: Deserialize<'de>, L: Deserialize<'de>> Deserialize<'de> for Schedule<N, L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrTable(PhantomData))
    }
}

/// Reads either form, so that what is wrong with a number or a table is said as it would be without the other.
struct NumberOrTable<N, L>(PhantomData<(N, L)>);

impl<'de, N: Deserialize<'de>, L: Deserialize<'de>> Visitor<'de> for NumberOrTable<N, L> {
    type Value = Schedule<N, L>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or a table that says how it changes")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        N::deserialize(value.into_deserializer()).map(Schedule::Constant)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        N::deserialize(value.into_deserializer()).map(Schedule::Constant)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        N::deserialize(value.into_deserializer()).map(Schedule::Constant)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Self::Value, A::Error> {
        L::deserialize(MapAccessDeserializer::new(table)).map(Schedule::Changing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config_file;

    #[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Keys {
        reuse: Ramp<f64>,
        batch: Ramp<u32>,
        window: WindowSize,
    }

    const TEXT: &str = "reuse = { from = 2.0, to = 1.25, positions = 3000000 }\nbatch = 512\n\
                        window = { from = 250000, alpha = 0.75, beta = 0.4 }\n";

    fn read(text: &str) -> Result<Keys, String> {
        config_file::from_text("run.toml", text, &[]).map_err(|error| error.to_string())
    }

    fn ramp<N>(from: N, to: N, positions: u64) -> Ramp<N> {
        Schedule::Changing(Line {
            from,
            to,
            positions,
        })
    }

    #[test]
    fn a_number_and_a_table_are_read_and_written() {
        let keys = read(TEXT).unwrap();
        assert_eq!(keys.reuse, ramp(2.0, 1.25, 3_000_000));
        assert_eq!(keys.batch, Schedule::Constant(512));
        let written = config_file::to_toml(&keys).unwrap();
        assert!(
            written.contains("batch = 512\n") && written.contains("[reuse]"),
            "{written}"
        );
        assert_eq!(read(&written).unwrap(), keys);
        // A whole number is a number too.
        let plain = read("reuse = 4\nbatch = { from = 8, to = 4, positions = 9 }\nwindow = 7\n");
        let plain = plain.unwrap();
        assert_eq!(plain.reuse, Schedule::Constant(4.0));
        assert_eq!(plain.batch, ramp(8, 4, 9));
        assert_eq!(plain.window, Schedule::Constant(7));
        let known = config_file::known_keys::<Keys>();
        for key in ["reuse", "reuse.from", "batch.positions", "window.alpha"] {
            assert!(known.iter().any(|known| known == key), "{key} of {known:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (key, value, parts) in [
            (
                "reuse",
                "\"often\"",
                ["`reuse`: invalid type", "a number, or a table"],
            ),
            (
                "reuse",
                "{ from = 2.0, positions = 9 }",
                ["missing key `reuse.to`", "[reuse]"],
            ),
            (
                "reuse",
                "{ from = 2.0, too = 1.0 }",
                ["unknown key `reuse.too`", ""],
            ),
            (
                "batch",
                "0.5",
                ["`batch`: invalid type: floating point", "u32"],
            ),
            (
                "batch",
                "-5",
                ["`batch`: invalid value: integer `-5`", "u32"],
            ),
            (
                "window",
                "{ from = 5, alpha = 0.5 }",
                ["missing key `window.beta`", ""],
            ),
        ] {
            let lines: Vec<String> = TEXT
                .lines()
                .map(|line| {
                    if line.starts_with(key) {
                        format!("{key} = {value}\n")
                    } else {
                        format!("{line}\n")
                    }
                })
                .collect();
            let said = read(&lines.concat()).unwrap_err();
            assert!(parts.iter().all(|part| said.contains(part)), "{said}");
        }
    }

    #[test]
    fn a_ramp_goes_evenly_and_then_stays() {
        let at = |positions| ramp(1024_u32, 4096, 3_000_000).at(positions);
        let points = [0, 1, 750_000, 1_500_000, 2_999_999, 3_000_000, u64::MAX];
        assert_eq!(points.map(at), [1024, 1024, 1792, 2560, 4096, 4096, 4096]);
        let falling = ramp(2.0, 1.25, 1000);
        assert!((falling.at(400) - 1.7).abs() < 1e-12);
        assert_eq!((falling.greatest(), ramp(1, 5, 9).greatest()), (2.0, 5));
        assert_eq!(Ramp::Constant(3_u32).at(u64::MAX), 3);
    }

    /// The sum is that of the numbers at the middle of each position, added up one by one.
    #[test]
    fn the_sum_is_what_adding_up_gives() {
        for ramp in [
            ramp(2.0, 1.25, 1000),
            ramp(0.0, 3.0, 70),
            Ramp::Constant(1.5),
        ] {
            let mut sum = 0.0;
            for position in 0..2000_u64 {
                assert!((ramp.sum(position) - sum).abs() < 1e-8, "{ramp:?}");
                sum += f64::midpoint(ramp.at(position), ramp.at(position + 1));
            }
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused_by_name() {
        let range = [0.01, 1000.0];
        assert_eq!(ramp(2.0, 1.25, 1).validate("reuse", range), Ok(()));
        for (wrong, said) in [
            (Ramp::Constant(0.0), "reuse = 0: must be from 0.01 to 1000"),
            (ramp(f64::NAN, 1.0, 5), "reuse.from = NaN: must be"),
            (ramp(1.0, 2000.0, 5), "reuse.to = 2000: must be"),
            (ramp(1.0, 2.0, 0), "reuse.positions = 0: must be at least 1"),
        ] {
            let found = wrong.validate("reuse", range).unwrap_err();
            assert!(found.starts_with(said), "{found}");
        }
    }
}
