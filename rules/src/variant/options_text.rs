//! Rule options as a line of text, for records that state them.

use super::{Chase, Declaration, RuleOptions, ZoneStart};

/// The names of all options, as configs have them.
const KEYS: [&str; 6] = [
    "repetitions",
    "ply_cap",
    "no_progress",
    "chase",
    "declaration",
    "zone_start_promotion",
];

impl RuleOptions {
    /// Writes the options that are not as in `usual`, as `ply_cap=300 chase=none`; nothing if all are.
    pub fn differences(&self, usual: &Self) -> String {
        let different = KEYS
            .iter()
            .zip(self.values().into_iter().zip(usual.values()))
            .filter(|(_, (own, usual))| own != usual)
            .map(|(key, (own, _))| format!("{key}={own}"));
        different.collect::<Vec<_>>().join(" ")
    }

    /// Returns these options with those of `text` in their place, written as [`differences`](Self::differences) does.
    ///
    /// # Errors
    /// Says which option or value is wrong, and what would be right.
    pub fn with_differences(mut self, text: &str) -> Result<Self, String> {
        for word in text.split_whitespace() {
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| format!("`{word}` is not KEY=VALUE"))?;
            self.set(key, value)?;
        }
        self.validate()?;
        Ok(self)
    }

    fn values(&self) -> [String; 6] {
        [
            self.repetitions.to_string(),
            self.ply_cap.to_string(),
            self.no_progress.to_string(),
            match self.chase {
                Chase::None => "none",
                Chase::Axf => "axf",
            }
            .to_owned(),
            match self.declaration {
                Declaration::Off => "off",
                Declaration::Csa27 => "csa27",
            }
            .to_owned(),
            match self.zone_start_promotion {
                ZoneStart::Mandatory => "mandatory",
                ZoneStart::Optional => "optional",
            }
            .to_owned(),
        ]
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let wrong = |expected: &str| format!("{key} = {value}: expected {expected}");
        let number = || value.parse().map_err(|_| wrong("a number"));
        match key {
            "repetitions" => self.repetitions = number()?,
            "ply_cap" => self.ply_cap = number()?,
            "no_progress" => self.no_progress = number()?,
            "chase" => {
                self.chase = match value {
                    "none" => Chase::None,
                    "axf" => Chase::Axf,
                    _ => return Err(wrong("none or axf")),
                }
            }
            "declaration" => {
                self.declaration = match value {
                    "off" | "none" => Declaration::Off,
                    "csa27" => Declaration::Csa27,
                    _ => return Err(wrong("off or csa27")),
                }
            }
            "zone_start_promotion" => {
                self.zone_start_promotion = match value {
                    "mandatory" => ZoneStart::Mandatory,
                    "optional" => ZoneStart::Optional,
                    _ => return Err(wrong("mandatory or optional")),
                }
            }
            _ => {
                return Err(format!(
                    "`{key}` is no rule option: expected one of {}",
                    KEYS.join(", ")
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::Variant as _;
    use crate::variants::{showgit::Showgit, xiangqi::Xiangqi};

    #[test]
    fn what_is_written_is_read() {
        let usual = Xiangqi::OPTIONS;
        assert_eq!(usual.differences(&usual), "");
        let other = RuleOptions {
            ply_cap: 7,
            chase: Chase::None,
            ..usual
        };
        let text = other.differences(&usual);
        assert_eq!(text, "ply_cap=7 chase=none");
        assert_eq!(usual.with_differences(&text), Ok(other));
        let all = Showgit::OPTIONS.differences(&RuleOptions {
            repetitions: 9,
            no_progress: 9,
            declaration: Declaration::Csa27,
            zone_start_promotion: ZoneStart::Optional,
            ..other
        });
        let read = other.with_differences(&all).unwrap();
        assert_eq!(read, Showgit::OPTIONS);
    }

    #[test]
    fn a_wrong_option_is_named() {
        for (text, part) in [
            ("ply_cap", "not KEY=VALUE"),
            ("ply_cup=3", "`ply_cup` is no rule option"),
            ("chase=all", "none or axf"),
            ("repetitions=1", "at least 2"),
        ] {
            let error = Xiangqi::OPTIONS.with_differences(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
