//! What engines do wrong ends one game and no match.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rules::variants::showgit::Showgit;
use rules::{Declaration, Game, Reason, RuleOptions, Variant, Wdl};
use selfplay::arena::{Faults, MatchConfig, MatchResult, Openings};
use selfplay::players::{EngineLimit, EngineLog, OutsideConfig, OutsidePlayer, RandomPlayer};
use selfplay::{Act, Arena, Fault, Player, Turn};

use crate::engines::{LOOP, answering, play, script};

/// Plays a bad engine as player B; it must lose every game by this fault.
fn loses_all(config: OutsideConfig, said: &str) -> Faults {
    let result = play::<Showgit>(config, 3, 2);
    assert_eq!(result.games.len(), 6);
    for game in &result.games {
        assert_eq!(game.outcome.winner, Some(game.side_of_a()), "{game:?}");
        let told = game.forfeit.as_ref().map_or("", |forfeit| &forfeit.said);
        assert!(told.contains(said), "{told}");
    }
    let [random, engine] = result.faults();
    assert_eq!(random, Faults::default());
    engine
}

fn forfeits(result: &MatchResult) -> usize {
    result.endings().get("forfeit").copied().unwrap_or(0)
}

#[test]
fn a_crash_loses_the_game_and_the_engine_is_started_again() {
    let dying = answering("echo about to die >&2; exit 3");
    let faults = loses_all(dying, "exit status: 3");
    assert_eq!((faults.crashes, faults.forfeits()), (6, 6));
    let closing = answering("exec >&-; sleep 1000 & wait");
    assert_eq!(loses_all(closing, "closed its output").crashes, 6);
}

#[test]
fn what_it_said_last_is_told() {
    loses_all(answering("echo about to die >&2; exit 3"), "about to die");
}

#[test]
fn an_engine_that_hangs_runs_out_of_time() {
    let mut hanging = answering("sleep 1000 & wait");
    hanging.patience = Duration::from_millis(300);
    assert_eq!(loses_all(hanging, "did not say `bestmove`").timeouts, 6);
    let mut busy = answering("while :; do echo info string still here; sleep 0.01; done");
    busy.patience = Duration::from_millis(300);
    assert_eq!(loses_all(busy, "did not say `bestmove`").timeouts, 6);
    // Its flag falls although it answers.
    let mut slow = answering("sleep 0.6; echo bestmove resign");
    slow.limit = EngineLimit::Clock {
        base: Duration::from_millis(200),
        increment: Duration::ZERO,
    };
    assert_eq!(loses_all(slow, "within 0.3 s").timeouts, 6);
}

#[test]
fn nonsense_and_illegal_moves_are_told() {
    let illegal = [
        ("echo bestmove 5i5a", "not legal"),
        ("echo bestmove e2e4", "a file from `1` to `9`"),
        ("echo bestmove", "answered `bestmove`"),
        ("printf 'bestmove \\377\\376\\n'", "\u{fffd}"),
        ("echo bestmove win", "declared a win"),
    ];
    for (answer, said) in illegal {
        let faults = loses_all(answering(answer), said);
        assert_eq!(
            (faults.illegal_moves, faults.forfeits()),
            (6, 6),
            "{answer}"
        );
    }
}

#[test]
fn nonsense_before_an_answer_is_passed_over() {
    let long = "head -c 300000 /dev/zero | tr '\\0' x; echo; echo; echo usiok";
    let faults = loses_all(answering(&format!("{long}; echo bestmove resign")), "");
    assert_eq!((faults.resignations, faults.forfeits()), (6, 0));
}

#[test]
fn giving_up_is_a_loss_and_no_fault() {
    for answer in ["resign", "(none)", "0000"] {
        let result = play::<Showgit>(answering(&format!("echo 'bestmove {answer}'")), 2, 2);
        let [_, engine] = result.faults();
        assert_eq!((engine.resignations, engine.forfeits()), (4, 0));
        for game in &result.games {
            assert_eq!(game.outcome.reason, Reason::Resignation);
            assert_eq!(game.outcome.winner, Some(game.side_of_a()));
            assert_eq!(game.moves.len(), 2 + usize::from(game.number % 2 == 0));
        }
    }
}

#[test]
fn chances_come_with_the_move() {
    let wdl = "info depth 1 score cp 5 wdl 600 300 100 pv 7g7f";
    for (said, expected) in [
        (wdl, Some(Wdl::from_array([0.6, 0.3, 0.1]))),
        ("info depth 1 score cp 5 wdl 600 300", None),
        ("info depth 1 score cp 5", None),
    ] {
        let engine = answering(&format!(
            "echo '{said}'; echo info depth 2; echo bestmove 7g7f"
        ));
        let mut engine = OutsidePlayer::start::<Showgit>(engine).unwrap();
        let game = Game::<Showgit>::new(Showgit::OPTIONS);
        let turn = Turn {
            game: &game,
            number: 0,
        };
        let choice = Player::<Showgit>::choose(&mut engine, &[turn])
            .unwrap()
            .remove(0);
        assert_eq!(
            choice.mv().map(ToString::to_string).as_deref(),
            Some("7g7f")
        );
        assert_eq!(choice.wdl, expected, "{said}");
    }
}

/// Player B fails in its first games and plays on well enough in the others.
#[test]
fn a_match_goes_on_after_faults() {
    // Every process dies at its second move; a move that is legal in the first ply of black alone.
    let text = r#"n=0; answer() { n=$((n+1)); [ $n = 1 ] && echo "bestmove 7g7f" || exit 1; }"#;
    let result = play::<Showgit>(script(&format!("{text}\n{LOOP}")), 4, 0);
    assert_eq!(result.games.len(), 8);
    let [_, engine] = result.faults();
    assert_eq!(engine.crashes + engine.illegal_moves, 8);
    assert!(engine.crashes > 0 && engine.illegal_moves > 0, "{engine:?}");
    assert_eq!(forfeits(&result), 8);
}

/// In this position the rules give the second player, who is to move, a win by declaration.
const DECLARED: &str = "4K4/9/9/9/9/9/+r+r+b+bggggs/ssssppppp/4k4 w - 1";

#[test]
fn a_declared_win_counts_if_the_rules_say_so() {
    let position: <Showgit as Variant>::Position = DECLARED.parse().unwrap();
    let off = Showgit::OPTIONS;
    let mut engine = OutsidePlayer::start::<Showgit>(answering("echo bestmove win")).unwrap();
    let game = Game::<Showgit>::from_position(position, off);
    let turn = Turn {
        game: &game,
        number: 0,
    };
    let choices = Player::<Showgit>::choose(&mut engine, &[turn]).unwrap();
    assert_eq!(choices[0].act, Act::Declare);
    for declaration in [Declaration::Off, Declaration::Csa27] {
        let options = RuleOptions { declaration, ..off };
        let game = Game::<Showgit>::from_position(position, options);
        let config = MatchConfig {
            pairs: 1,
            opening_plies: 0,
            concurrent: 2,
            seed: 0,
            options,
        };
        let arena = Arena::<Showgit>::new(config).with_openings(Openings::Given([game].into()));
        let random = RandomPlayer::new(1);
        let result = arena.play([&engine, &random], &mut |_| true).unwrap();
        let first = &result.games[1];
        let reason = match declaration {
            Declaration::Off => Reason::Forfeit,
            Declaration::Csa27 => Reason::Declaration,
        };
        assert_eq!(first.outcome.reason, reason);
        let fault = first.forfeit.as_ref().map(|forfeit| forfeit.fault);
        let illegal = (declaration == Declaration::Off).then_some(Fault::IllegalMove);
        assert_eq!(fault, illegal);
    }
}

#[test]
fn an_engine_that_does_not_work_is_an_error_that_says_why() {
    let error = |mut config: OutsideConfig, patience| {
        config.patience = Duration::from_millis(patience);
        let error = OutsidePlayer::start::<Showgit>(config).unwrap_err();
        error.to_string()
    };
    let mut missing = script("");
    missing.command = vec!["/no/such/engine".to_owned(), "-x".to_owned()];
    let said = error(missing, 100);
    assert!(
        said.contains("`/no/such/engine -x`: cannot be started"),
        "{said}"
    );
    let said = error(script("echo cannot find my net >&2; exit 7"), 5000);
    assert!(
        said.contains("`usiok`") && said.contains("exit status: 7"),
        "{said}"
    );
    assert!(said.ends_with("ends with: cannot find my net"), "{said}");
    let said = error(script("while read -r line; do echo info what; done"), 300);
    assert!(said.contains("did not say `usiok` within 0.3 s"), "{said}");
    let said = error(script("read -r line; echo usiok; sleep 1000 & wait"), 300);
    assert!(said.contains("did not say `readyok`"), "{said}");
    let said = error(script("sleep 1000 & wait"), 300);
    assert!(said.contains("`usiok`"), "{said}");
}

#[test]
fn what_an_engine_does_not_offer_is_an_error() {
    let offering = |options: &str, (name, value): (&str, &str)| {
        let text = format!(
            "read -r line; echo '{options}'; echo usiok; while read -r word rest; do [ $word = isready ] && echo readyok; done"
        );
        let mut config = script(&text);
        config.options = vec![(name.to_owned(), value.to_owned())];
        OutsidePlayer::start::<Showgit>(config)
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let hash = "option name Hash Size type spin default 16 min 1 max 64";
    assert_eq!(offering(hash, ("Hash Size", "64")), Ok(()));
    assert_eq!(offering(hash, ("hash_size", "1")), Ok(()));
    let said = offering(hash, ("Hash Size", "65")).unwrap_err();
    assert!(
        said.contains("`65` must be a number from 1 to 64"),
        "{said}"
    );
    let said = offering(hash, ("Threads", "1")).unwrap_err();
    assert!(
        said.contains("has no option `Threads`; it has: Hash Size"),
        "{said}"
    );
    let games = "option name UCI_Variant type combo default chess var chess var xiangqi";
    let said = offering(games, ("UCI_Variant", "chess")).unwrap_err();
    assert!(
        said.contains("does not play showgit") && said.contains("`shogi`"),
        "{said}"
    );
}

/// A place to write that others can look at.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn standard_error_and_faults_go_to_the_log() {
    let log = Shared::default();
    let mut config = answering("echo thinking >&2; echo bestmove 1a1a");
    config.log = Some(EngineLog::new(log.clone()));
    play::<Showgit>(config, 1, 2);
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(text.matches("thinking").count(), 2, "{text}");
    assert_eq!(text.matches("senpu: game ").count(), 2, "{text}");
}

#[test]
fn processes_end_with_their_player() {
    let place = std::env::temp_dir().join(format!("senpu-outside-{}", std::process::id()));
    let file = place.to_str().unwrap().to_owned();
    // Deaf to `quit`, and to the end of its input.
    let text = format!(
        "echo $$ > {file}; read -r l; echo usiok; read -r l; echo readyok; while :; do sleep 0.05; done"
    );
    let engine = OutsidePlayer::start::<Showgit>(script(&text)).unwrap();
    let process = std::fs::read_to_string(&place).unwrap();
    let process = format!("/proc/{}", process.trim());
    let alive = || std::path::Path::new(&process).exists();
    assert!(alive() || !std::path::Path::new("/proc/self").exists());
    drop(engine);
    assert!(!alive());
    // A panic ends it too.
    let engine = OutsidePlayer::start::<Showgit>(script(&text)).unwrap();
    let process = std::fs::read_to_string(&place).unwrap();
    let process = format!("/proc/{}", process.trim());
    let panicked = std::thread::spawn(move || {
        let _engine = engine;
        panic!("as a bug would");
    });
    assert!(panicked.join().is_err());
    assert!(!std::path::Path::new(&process).exists());
    std::fs::remove_file(place).unwrap();
}
