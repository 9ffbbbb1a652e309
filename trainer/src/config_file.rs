//! Reading a TOML config with overrides from the command line, such that every mistake is shown where it was made.
//!
//! The file and each `--set KEY=VALUE` are one text to the reader: an override is parsed at an offset past the end of the file, so that the
//! place of an error tells which of them it is in.

mod error;
mod known_keys;
mod merge;

pub use error::ConfigError;
pub use known_keys::known_keys;

use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use error::Place;

/// The text of a config file and the overrides given with it.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    name: String,
    text: String,
    sets: Vec<String>,
}

/// Reads a config file, with overrides `KEY=VALUE` whose keys are dotted paths and whose values are TOML or else bare strings.
///
/// # Errors
/// If the file cannot be read, is not TOML, has keys that `T` does not know, or values that `T` cannot hold.
pub fn load<T: DeserializeOwned + JsonSchema>(
    path: &Path,
    sets: &[String],
) -> Result<T, ConfigError> {
    ConfigFile::read(path, sets)?.parse()
}

/// Reads a config from a text; `name` is what errors call it.
///
/// # Errors
/// As [`load`].
pub fn from_text<T: DeserializeOwned + JsonSchema>(
    name: &str,
    text: &str,
    sets: &[String],
) -> Result<T, ConfigError> {
    ConfigFile::new(name, text, sets).parse()
}

/// Returns the JSON schema of a config, for editors.
pub fn schema<T: JsonSchema>() -> serde_json::Value {
    schemars::schema_for!(T).into()
}

/// Returns a config as TOML, every value written out.
///
/// # Errors
/// If a value has no TOML, such as a number above `i64::MAX`.
pub fn to_toml<T: Serialize>(config: &T) -> Result<String, toml::ser::Error> {
    toml::to_string_pretty(config)
}

impl ConfigFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path, sets: &[String]) -> Result<Self, ConfigError> {
        let name = path.display().to_string();
        match fs::read_to_string(path) {
            Ok(text) => Ok(Self::new(&name, &text, sets)),
            Err(error) => Err(ConfigError::unreadable(&name, &error)),
        }
    }

    /// Takes a text as the file; `name` is what errors call it.
    pub fn new(name: &str, text: &str, sets: &[String]) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            sets: sets.to_vec(),
        }
    }

    /// Makes a config of the text and the overrides.
    ///
    /// # Errors
    /// If it is not TOML, has keys that `T` does not know, or values that `T` cannot hold.
    pub fn parse<T: DeserializeOwned + JsonSchema>(&self) -> Result<T, ConfigError> {
        let root = self.merged()?;
        T::deserialize(toml::Deserializer::from(root.clone()))
            .map_err(|error| ConfigError::of_value(self, &error, &root, &known_keys::<T>()))
    }

    /// Makes the error for a value that parses but is out of its range or at odds with another, pointing at the place where the key is set,
    /// or at the nearest table if it has its default. `key` is a dotted path.
    pub fn invalid(&self, key: &str, message: &str) -> ConfigError {
        let span = match self.merged() {
            Ok(root) => merge::span_of(&root, key),
            Err(error) => return error,
        };
        ConfigError::at(self, span, &format!("`{key}`: {message}"), "set here")
    }

    /// Parses the file and lays the overrides over it, the last one on top.
    fn merged(&self) -> Result<Spanned<DeTable<'_>>, ConfigError> {
        let mut root = DeTable::parse(&self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            ConfigError::at(self, Some(span), error.message(), "here")
        })?;
        let mut offset = self.text.len() + 1;
        for set in &self.sets {
            let table = merge::parse_override(set, offset)
                .map_err(|error| ConfigError::of_override(set, &error))?;
            merge::merge(root.get_mut(), table);
            offset += set.len() + 1;
        }
        Ok(root)
    }

    /// Finds out in which text, and where in it, a span is.
    fn place(&self, span: std::ops::Range<usize>) -> Place<'_> {
        if span.start <= self.text.len() {
            let end = span.end.min(self.text.len());
            return Place::File(span.start..end.max(span.start));
        }
        let mut offset = self.text.len() + 1;
        for set in &self.sets {
            if span.start <= offset + set.len() {
                let end = span.end.saturating_sub(offset).min(set.len());
                let start = span.start - offset;
                return Place::Override(set, start..end.max(start));
            }
            offset += set.len() + 1;
        }
        Place::File(0..0)
    }
}

/// Returns what stands under a dotted path, and the key it stands under. A part of the path may name an element of a list, from 0:
/// `stages[2]`.
fn entry<'t, 'i>(
    table: &'t DeTable<'i>,
    path: &str,
) -> Option<(
    &'t Spanned<std::borrow::Cow<'i, str>>,
    &'t Spanned<DeValue<'i>>,
)> {
    let (first, rest) = match path.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    let (first, element) = match first
        .strip_suffix(']')
        .and_then(|part| part.split_once('['))
    {
        Some((first, number)) => (first, Some(number.parse::<usize>().ok()?)),
        None => (first, None),
    };
    let (key, mut value) = table.get_key_value(first)?;
    if let Some(element) = element {
        value = value.get_ref().as_array()?.get(element)?;
    }
    match rest {
        None => Some((key, value)),
        Some(rest) => entry(value.get_ref().as_table()?, rest),
    }
}
