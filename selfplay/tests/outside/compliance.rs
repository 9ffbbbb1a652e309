//! The compliance list, run on engines that keep to their protocol and on ones that do not.

use std::time::Duration;

use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Dialect, Variant};
use selfplay::compliance::{Check, Verdict, check_engine};
use selfplay::players::{EngineLimit, OutsideConfig};

use crate::engines::{answering, script};
use crate::real::{fairy, gps};

fn checks<V: Variant>(config: &OutsideConfig) -> Vec<Check> {
    let mut checks = Vec::new();
    check_engine::<V>(config, &mut |check| checks.push(check.clone()));
    checks
}

/// Returns the checks with this verdict.
fn with(checks: &[Check], verdict: Verdict) -> Vec<&'static str> {
    let mut with = checks.iter().filter(|check| check.verdict == verdict);
    let names = with.by_ref().map(|check| check.check);
    names.collect()
}

#[test]
fn fairy_stockfish_keeps_to_its_protocols() {
    fn check<V: Variant>(dialect: Dialect) {
        let Some(config) = fairy(dialect, EngineLimit::Nodes(1)) else {
            return;
        };
        let checks = checks::<V>(&config);
        let fails = with(&checks, Verdict::Fail);
        assert_eq!(fails, [""; 0], "{dialect} {}: {checks:#?}", V::ID);
        assert_eq!(with(&checks, Verdict::Skip), [""; 0], "{checks:#?}");
        let usi = usize::from(dialect == Dialect::Usi);
        assert_eq!(checks.len(), 20 + usi, "{checks:#?}");
    }
    check::<Showgit>(Dialect::Usi);
    check::<Showgit>(Dialect::Uci);
    check::<EuroShogi>(Dialect::Uci);
    check::<EuroShogi>(Dialect::Usi);
    check::<Xiangqi>(Dialect::Uci);
    check::<Xiangqi>(Dialect::Ucci);
}

#[test]
fn gpsshogi_knows_no_limits_but_time() {
    let Some(config) = gps(EngineLimit::Nodes(1)) else {
        return;
    };
    let checks = checks::<Showgit>(&config);
    let fails = with(&checks, Verdict::Fail);
    // In the start position it answers out of its book, whatever it is asked.
    let unknown = ["go by nodes", "go by depth", "go movetime"];
    assert_eq!(fails[..3], unknown, "{checks:#?}");
    assert_eq!(fails[3..], ["go infinite, stop"], "{checks:#?}");
    let nodes = checks.iter().find(|check| check.check == "go by nodes");
    let seen = &nodes.unwrap().seen;
    assert!(seen.contains("(after `go nodes 1000`)"), "{seen}");
}

/// Returns the one check that fails, with what was seen.
fn only_failure(config: &OutsideConfig) -> (&'static str, String) {
    let checks = checks::<Showgit>(config);
    let fails = with(&checks, Verdict::Fail);
    assert_eq!(fails.len(), 1, "{checks:#?}");
    let failed = checks.into_iter().find(|check| check.check == fails[0]);
    let failed = failed.unwrap();
    (failed.check, failed.seen)
}

/// An engine in a shell that keeps to the protocol, as far as it knows the position: it says its options and answers with what the first
/// argument of `go` makes of them.
fn engine(options: &str, go: &str, more: &str) -> OutsideConfig {
    let text = format!(
        r#"
answer() {{ [ $mv = resign ] || echo "info depth 1 score cp 3 pv $mv"; echo "bestmove $mv"; }}
while read -r word rest; do
    case $word in
        usi) echo "id name script"; {options} echo usiok ;;
        isready) echo readyok ;;
        position) case $rest in
            startpos) mv=7g7f ;;
            *) mv=resign ;;
            esac ;;
        go) {go} ;;
        {more}
        quit) exit ;;
    esac
done
"#
    );
    let mut config = script(&text);
    config.patience = Duration::from_secs(20);
    config
}

const GO: &str = r"case $rest in infinite) ;; *) answer ;; esac";
const STOP: &str = "stop) answer ;;";

#[test]
fn what_an_engine_does_wrong_is_said() {
    // Right but for positions other than the start, which it gives up.
    let fails = |config: &OutsideConfig| {
        let checks = checks::<Showgit>(config);
        let fails = with(&checks, Verdict::Fail).into_iter();
        let positions = |name: &&str| !name.starts_with("a position");
        let failed: Vec<&str> = fails.filter(positions).collect();
        let seen = |name: &str| checks.iter().find(|check| check.check == name).cloned();
        failed
            .into_iter()
            .map(|name| (name, seen(name).unwrap().seen))
            .collect::<Vec<_>>()
    };
    assert_eq!(fails(&engine("", GO, STOP)), []);
    let one = |config: &OutsideConfig, name: &str, part: &str| {
        let fails = fails(config);
        assert_eq!(fails.len(), 1, "{fails:#?}");
        assert_eq!(fails[0].0, name);
        assert!(fails[0].1.contains(part), "{fails:?}");
    };
    let wrong = engine(
        "echo 'option name Hash type spin default 0 min 1 max 2';",
        GO,
        STOP,
    );
    one(&wrong, "options are well-formed", "from 1 to 2");
    let games = engine(
        "echo 'option name UCI_Variant type combo default chess var chess';",
        GO,
        STOP,
    );
    let refused = fails(&games);
    assert_eq!(refused.len(), 1, "{refused:#?}");
    assert_eq!(refused[0].0, "the game is offered");
    assert!(
        refused[0].1.contains("does not play showgit"),
        "{refused:#?}"
    );
    one(
        &engine("", "answer", STOP),
        "go infinite, stop",
        "before it was told to stop",
    );
    let mut deaf = engine("", GO, "");
    deaf.patience = Duration::from_millis(700);
    one(&deaf, "go infinite, stop", "`bestmove`");
    let dying = engine("", GO, "stop) answer ;;\n this) exit 5 ;;");
    one(&dying, "an unknown command is ignored", "exit status: 5");
    let empty = engine("", GO, "stop) answer ;;\n '') exit 6 ;;");
    one(&empty, "empty lines are ignored", "exit status: 6");
    let illegal = engine("", &GO.replace("answer", "mv=7g7e; answer"), STOP);
    let illegal = fails(&illegal);
    assert!(
        illegal
            .iter()
            .any(|(name, seen)| *name == "go by nodes" && seen.contains("not legal"))
    );
    let odd = engine(
        "",
        &GO.replace("answer", "echo info depth much; answer"),
        STOP,
    );
    one(&odd, "info lines are well-formed", "`depth much`");
    let line = engine(
        "",
        &GO.replace("answer", "echo info score cp 1 pv 7g7f 3c3d 7f7d; answer"),
        STOP,
    );
    one(&line, "lines expected are legal", "7f7d");
    let staying = engine(
        "",
        GO,
        "stop) answer ;;\n quit) while :; do sleep 1; done ;;",
    );
    let mut staying = staying;
    staying.patience = Duration::from_millis(700);
    one(&staying, "quit ends the process", "still there");
}

#[test]
fn an_engine_that_never_answers_fails_once() {
    let mut silent = script("while read -r line; do :; done");
    silent.patience = Duration::from_millis(300);
    let (check, seen) = only_failure(&silent);
    assert_eq!(check, "handshake");
    assert!(seen.contains("`usiok`"), "{seen}");
    let mut missing = answering("");
    missing.command = vec!["/no/such/engine".to_owned()];
    assert!(only_failure(&missing).1.contains("cannot be started"));
}
