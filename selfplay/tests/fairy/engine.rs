//! Where the engine is, and how it plays.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use rules::{Dialect, VariantId};
use selfplay::players::{EngineLimit, OutsideConfig};

/// Where Debian puts the engine, and the variable that names another place.
const PROGRAM: &str = "/usr/games/fairy-stockfish";
const PROGRAM_KEY: &str = "SENPU_FAIRY_STOCKFISH";
/// With this variable set to 1, a missing engine is a failure.
const REQUIRE_KEY: &str = "SENPU_REQUIRE_ENGINES";

/// Returns the engine's path, or `None` after saying that it is missing.
///
/// # Panics
/// If it is missing and required.
pub(crate) fn program() -> Option<PathBuf> {
    let path = std::env::var_os(PROGRAM_KEY).map_or_else(|| PROGRAM.into(), PathBuf::from);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var(REQUIRE_KEY).is_ok_and(|value| value == "1");
    assert!(!required, "{} is required but missing", path.display());
    say(&format!(
        "SKIPPED: {} is missing ({PROGRAM_KEY} names another place)",
        path.display()
    ));
    None
}

/// Says something that is to be seen although the test passes.
#[allow(
    clippy::explicit_write,
    reason = "the harness captures what the macros print"
)]
pub(crate) fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").unwrap();
}

/// The engine on one thread: by USI in shogi, by UCCI in xiangqi, otherwise by UCI.
pub(crate) fn config(program: PathBuf, game: VariantId, limit: EngineLimit) -> OutsideConfig {
    let dialect = match game {
        VariantId::Showgit => Dialect::Usi,
        VariantId::Xiangqi => Dialect::Ucci,
        VariantId::Gufu | VariantId::EuroShogi => Dialect::Uci,
    };
    let options = [("Threads", "1"), ("Hash", "16")];
    OutsideConfig {
        command: vec![program.into_os_string().into_string().unwrap()],
        dialect,
        limit,
        options: options
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        patience: Duration::from_mins(2),
        log: None,
    }
}
