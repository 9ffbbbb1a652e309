//! What is wrong with a config, and where.

use std::io;
use std::ops::Range;

use miette::{Diagnostic, NamedSource, SourceSpan};
use toml::Spanned;
use toml::de::DeTable;

use super::{ConfigFile, merge};

/// The least likeness, in `[0, 1]`, of a key to one that is suggested in its place.
const LIKENESS: f64 = 0.7;

/// Something wrong with a config: what, in which file or override, where in it, and what might be right.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{}", .0.message)]
#[diagnostic(transparent)]
pub struct ConfigError(Box<Details>);

// In a box of its own so that a `Result` with it stays small.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
struct Details {
    message: String,
    #[source_code]
    source_code: NamedSource<String>,
    #[label("{label}")]
    span: Option<SourceSpan>,
    label: String,
    #[help]
    help: Option<String>,
    line: usize,
    column: usize,
}

/// Where in the file or in which override something stands.
pub(super) enum Place<'a> {
    File(Range<usize>),
    Override(&'a str, Range<usize>),
}

impl ConfigError {
    /// Returns the line in the file, or in the override, from 1.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// Returns the column, from 1, in characters.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// Returns what might be right, if anything comes to mind.
    pub fn help_text(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    pub(super) fn unreadable(name: &str, error: &io::Error) -> Self {
        let help = match error.kind() {
            io::ErrorKind::NotFound => "check the path; configs to start from are in configs/",
            io::ErrorKind::InvalidData => "a config is a TOML file in UTF-8",
            _ => "check the path and the permissions",
        };
        Self(Box::new(Details {
            message: format!("cannot read the config `{name}`: {error}"),
            source_code: NamedSource::new(name, String::new()),
            span: None,
            label: String::new(),
            help: Some(help.to_owned()),
            line: 1,
            column: 1,
        }))
    }

    pub(super) fn of_override(set: &str, message: &str) -> Self {
        Self::in_text("--set", set, 0..set.len(), message, "here")
    }

    pub(super) fn at(
        file: &ConfigFile,
        span: Option<Range<usize>>,
        message: &str,
        label: &str,
    ) -> Self {
        match file.place(span.unwrap_or(0..0)) {
            Place::File(span) => Self::in_text(&file.name, &file.text, span, message, label),
            Place::Override(set, span) => Self::in_text("--set", set, span, message, label),
        }
    }

    /// Makes the error for a text that is TOML but does not fit the config's type.
    pub(super) fn of_value(
        file: &ConfigFile,
        error: &toml::de::Error,
        root: &Spanned<DeTable<'_>>,
        known: &[String],
    ) -> Self {
        let section = section_of(error);
        let message = error.message();
        let mut names = quoted(message);
        let name = names.next().unwrap_or_default();
        let key = joined(&section, name);
        if message.starts_with("unknown field") {
            let span = super::entry(root.get_ref(), &key).map(|(key, _)| key.span());
            let text = format!("unknown key `{key}`");
            let made = Self::at(
                file,
                span.or(error.span()),
                &text,
                "not a key of this table",
            );
            made.with_help(suggestion(
                &section,
                name,
                &names.collect::<Vec<_>>(),
                known,
            ))
        } else if message.starts_with("missing field") {
            let table = match section.as_str() {
                "" => "the top level".to_owned(),
                section => format!("[{section}]"),
            };
            let text = format!("missing key `{key}`: {table} needs it");
            let span = merge::span_of(root, &section);
            Self::at(file, span, &text, "missing from this table")
        } else {
            let text = match section.as_str() {
                "" => message.to_owned(),
                section => format!("`{section}`: {message}"),
            };
            let span = error.span().or_else(|| merge::span_of(root, &section));
            let near = message
                .starts_with("unknown variant")
                .then(|| nearest(name, names))
                .flatten();
            Self::at(file, span, &text, "this value")
                .with_help(near.map(|near| format!("did you mean `{near}`?")))
        }
    }

    fn with_help(mut self, help: Option<String>) -> Self {
        self.0.help = help;
        self
    }

    fn in_text(name: &str, text: &str, span: Range<usize>, message: &str, label: &str) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        let place = if name == "--set" {
            format!("--set {text}")
        } else {
            format!("{name}:{line}:{column}")
        };
        Self(Box::new(Details {
            message: format!("{place}: {message}"),
            source_code: NamedSource::new(name, text.to_owned()),
            span: Some(span.into()),
            label: label.to_owned(),
            help: None,
            line,
            column,
        }))
    }
}

/// Returns the dotted path of the table or value that an error is in; empty for the top level.
fn section_of(error: &toml::de::Error) -> String {
    // The path has no accessor; without the input an error prints it as its last line.
    let text = error.to_string();
    text.trim_end()
        .rsplit_once('\n')
        .and_then(|(_, last)| last.strip_prefix("in `")?.strip_suffix('`'))
        .unwrap_or_default()
        .to_owned()
}

fn joined(section: &str, name: &str) -> String {
    if section.is_empty() {
        name.to_owned()
    } else {
        format!("{section}.{name}")
    }
}

/// Returns what stands between backticks in a message.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    message.split('`').skip(1).step_by(2)
}

fn suggestion(section: &str, name: &str, here: &[&str], known: &[String]) -> Option<String> {
    if let Some(near) = nearest(name, here.iter().copied()) {
        return Some(format!("did you mean `{}`?", joined(section, near)));
    }
    let elsewhere = known
        .iter()
        .find(|key| key.rsplit('.').next() == Some(name));
    if let Some(key) = elsewhere {
        return Some(format!("did you mean `{key}`?"));
    }
    (!here.is_empty()).then(|| format!("the keys of this table are {}", here.join(", ")))
}

fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
