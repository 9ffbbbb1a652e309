//! Engines to test with: scripts of the shell, and where programs of others are.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rules::{Dialect, Variant};
use selfplay::arena::{MatchConfig, MatchResult};
use selfplay::players::{EngineLimit, OutsideConfig, OutsidePlayer, RandomPlayer};
use selfplay::{Arena, Player};

/// Ends a script that answers the handshake, and what it is asked for a move with `$answer`.
pub(crate) const LOOP: &str = r#"
while read -r word rest; do
    case $word in
        usi) echo "id name script"; echo usiok ;;
        isready) echo readyok ;;
        go) answer "$rest" ;;
        quit) exit ;;
    esac
done
"#;

/// An engine that is a script of the shell.
pub(crate) fn script(text: &str) -> OutsideConfig {
    OutsideConfig {
        command: ["sh", "-c", text].map(str::to_owned).to_vec(),
        dialect: Dialect::Usi,
        limit: EngineLimit::Nodes(1),
        options: Vec::new(),
        patience: Duration::from_secs(20),
        log: None,
    }
}

/// An engine that answers the handshake, and `go` by the body of a function.
pub(crate) fn answering(body: &str) -> OutsideConfig {
    script(&format!("answer() {{ {body}; }}\n{LOOP}"))
}

/// Plays an engine, which is player B, against random moves.
pub(crate) fn play<V: Variant>(config: OutsideConfig, pairs: u32, plies: u32) -> MatchResult {
    let engine = OutsidePlayer::start::<V>(config).unwrap();
    let players: [&dyn Player<V>; 2] = [&RandomPlayer::new(1), &engine];
    let arena = Arena::<V>::new(MatchConfig {
        pairs,
        opening_plies: plies,
        concurrent: 16,
        seed: 5,
        options: V::OPTIONS,
    });
    arena.play(players, &mut |_| true).unwrap()
}

/// Returns where a program is, or `None` after saying that it is missing.
///
/// # Panics
/// If it is missing and required.
#[allow(
    clippy::explicit_write,
    reason = "the harness captures what the macros print"
)]
pub(crate) fn program(place: &str, key: &str) -> Option<PathBuf> {
    use std::io::Write;
    let path = std::env::var_os(key).map_or_else(|| Path::new(place).to_owned(), PathBuf::from);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var("SENPU_REQUIRE_ENGINES").is_ok_and(|value| value == "1");
    assert!(!required, "{} is required but missing", path.display());
    let missing = path.display();
    writeln!(
        std::io::stderr(),
        "SKIPPED: {missing} is missing ({key} names another place)"
    )
    .unwrap();
    None
}
