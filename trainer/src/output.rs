//! Results on standard output and errors on standard error. A reader that goes away early is no error.

use std::fmt::Display;
use std::io::Write;

use crate::config_file::ConfigError;

/// Prints one line of results.
pub fn line(text: impl Display) {
    // A closed pipe leaves no one to tell.
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Prints one line of results, and tells whether it could be: not if no one listens any more.
pub(crate) fn heard(text: &str) -> bool {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).is_ok()
}

/// Prints text that has its own ends of lines, and waits until it is seen.
pub fn text(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a value as one line of JSON.
pub fn json(value: &serde_json::Value) {
    line(value);
}

/// Prints that something is wrong, on standard error.
pub(crate) fn warning(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "warning: {text}");
}

/// Prints why the program ends; errors in a config show the line they are about.
pub fn error(error: anyhow::Error) {
    let text = match error.downcast::<ConfigError>() {
        Ok(error) => format!("{:?}", miette::Report::new(error)),
        Err(error) => format!("error: {error:#}"),
    };
    let _ = writeln!(std::io::stderr().lock(), "{}", text.trim_end());
}
