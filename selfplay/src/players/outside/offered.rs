//! Options that an engine offers.

/// An option, as the engine describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Its name; UCCI's have no spaces.
    pub name: String,
    /// What its values are.
    pub kind: OptionKind,
    /// Its value unless it is set, if the engine says so; may be empty.
    pub default: Option<String>,
}

/// What the values of an option are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check,
    /// A number, within these bounds.
    Spin(i64, i64),
    /// One of these.
    Combo(Vec<String>),
    /// None: it is pressed.
    Button,
    /// Any text, or the name of a file.
    Text,
    /// None: it only says something (UCCI).
    Label,
}

impl Offered {
    /// Reads what follows the word `option`.
    ///
    /// # Errors
    /// Says what is missing or wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace().peekable();
        // UCCI leaves the word out.
        words.next_if_eq(&"name");
        let name = words_until(&mut words, &["type"]);
        if name.is_empty() {
            return Err("it has no name".to_owned());
        }
        if words.next().is_none() {
            return Err("it has no `type`".to_owned());
        }
        let kind = words.next().unwrap_or_default().to_owned();
        let (mut default, mut min, mut max, mut vars) = (None, None, None, Vec::new());
        while let Some(key) = words.next() {
            let value = words_until(&mut words, &["default", "min", "max", "var"]);
            match key {
                "default" => default = Some(value),
                "min" => min = Some(number(&value)?),
                "max" => max = Some(number(&value)?),
                "var" => vars.push(value),
                other => return Err(format!("`{other}` is neither default, min, max nor var")),
            }
        }
        let kind = match kind.as_str() {
            "check" => OptionKind::Check,
            "spin" => OptionKind::Spin(min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX)),
            "combo" if vars.is_empty() => return Err("a combo has at least one `var`".to_owned()),
            "combo" => OptionKind::Combo(vars),
            "button" => OptionKind::Button,
            "string" | "filename" => OptionKind::Text,
            "label" => OptionKind::Label,
            other => return Err(format!("`{other}` is no type of options")),
        };
        let offered = Self {
            name,
            kind,
            default,
        };
        if let Some(default) = &offered.default {
            offered
                .check(default)
                .map_err(|problem| format!("its default: {problem}"))?;
        }
        Ok(offered)
    }

    /// Checks that the option can have a value.
    ///
    /// # Errors
    /// Says what would be right.
    pub fn check(&self, value: &str) -> Result<(), String> {
        match &self.kind {
            OptionKind::Check if !["true", "false"].contains(&value) => {
                Err(format!("`{value}` must be `true` or `false`"))
            }
            OptionKind::Spin(min, max) => match value.parse::<i64>() {
                Ok(number) if (min..=max).contains(&&number) => Ok(()),
                _ => Err(format!("`{value}` must be a number from {min} to {max}")),
            },
            OptionKind::Combo(vars) if !vars.iter().any(|var| var == value) => {
                Err(format!("`{value}` must be one of {}", vars.join(", ")))
            }
            _ => Ok(()),
        }
    }

    /// Tells whether the option has this name. Case does not matter, and `_` may stand for a space.
    pub fn is_named(&self, name: &str) -> bool {
        let plain = |text: &str| text.to_ascii_lowercase().replace(' ', "_");
        plain(&self.name) == plain(name)
    }
}

/// Takes words up to one of `ends` or the end.
fn words_until<'a>(
    words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    ends: &[&str],
) -> String {
    let mut taken: Vec<&str> = Vec::new();
    while let Some(word) = words.next_if(|word| !ends.contains(word)) {
        taken.push(word);
    }
    taken.join(" ")
}

fn number(text: &str) -> Result<i64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` must be a whole number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let hash = Offered::parse("name Hash type spin default 16 min 1 max 131072").unwrap();
        assert_eq!(hash.kind, OptionKind::Spin(1, 131_072));
        assert_eq!(hash.default.as_deref(), Some("16"));
        assert!(hash.check("0").is_err() && hash.check("64").is_ok());
        let skill = Offered::parse("Skill_Level type spin default 20 min -20 max 20").unwrap();
        assert!(skill.is_named("skill level") && !skill.is_named("Skill"));
        let combo =
            Offered::parse("name Analysis Contempt type combo default Both var Both var Off");
        let vars = vec!["Both".to_owned(), "Off".to_owned()];
        assert_eq!(combo.unwrap().kind, OptionKind::Combo(vars));
        let empty = Offered::parse("name Debug Log File type string default").unwrap();
        assert_eq!(empty.default.as_deref(), Some(""));
        assert_eq!(
            Offered::parse("name Clear Hash type button").unwrap().kind,
            OptionKind::Button
        );
    }

    #[test]
    fn wrong_options_say_what_is_wrong() {
        for (text, part) in [
            ("", "no name"),
            ("name Hash", "no `type`"),
            ("name Hash type", "`` is no type"),
            ("name Hash type number", "`number` is no type"),
            (
                "name Hash type spin default 16 most 3",
                "default: `16 most 3`",
            ),
            (
                "name Hash type spin min few",
                "`few` must be a whole number",
            ),
            ("name Hash type spin default 0 min 1 max 9", "from 1 to 9"),
            ("name Ponder type check default maybe", "`true` or `false`"),
            ("name Style type combo default a", "at least one `var`"),
            ("name Style type combo default a var b", "one of b"),
            ("name Style type check odd", "`odd` is neither"),
        ] {
            let error = Offered::parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
