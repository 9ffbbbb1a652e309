//! Configs that are wrong, or not those of the run.

use std::fs;

use crate::{text, train};

#[test]
fn a_config_that_would_make_another_run_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    train(&run, &["stop.generations=1"], &[]).assert().success();
    for (set, key) in [
        ("seed=9", "seed"),
        ("net.channels=8", "net"),
        ("selfplay.games=16", "selfplay.games"),
        ("rules.ply_cap=99", "rules"),
    ] {
        let said = text(train(&run, &[set], &[]).assert().failure().get_output());
        assert!(
            said.contains(&format!("holds a run whose `{key}` is another one")),
            "{said}"
        );
    }
    // What may change is used, and said.
    let said = text(
        train(&run, &["stop.generations=2", "search.simulations=4"], &[])
            .assert()
            .success()
            .get_output(),
    );
    assert!(said.contains("the config differs"), "{said}");
    // A run saved with keys of old is not gone on with in another way than it was begun.
    let path = run.join("config.toml");
    let saved = fs::read_to_string(&path).unwrap();
    let old = saved.replace("stages = []", "full_share = 0.5\nearly_simulations = 4");
    assert_ne!(old, saved);
    fs::write(&path, &old).unwrap();
    let said = text(train(&run, &[], &[]).assert().failure().get_output());
    let said = said.replace("\n  │ ", " ");
    assert!(
        said.contains("config.toml") && said.contains("unknown key `selfplay.caps."),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), old);
}

#[test]
fn wrong_configs_are_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    for (set, parts) in [
        ("selfplay.gamez=3", ["selfplay.gamez=3", "games"]),
        ("search.simulations=0", ["simulations = 0", "from 2"]),
        ("search.simulations=\"many\"", ["many", "u32"]),
        (
            "evaluate.opponent=\"stockfish\"",
            ["unknown player `stockfish`", "alphabeta"],
        ),
        ("replay.batch=100000", ["batch = 100000", "65536"]),
        (
            "replay.batch={ from = 4, to = 8 }",
            ["missing key `replay.batch.positions`", "[replay.batch]"],
        ),
        (
            "replay.reuse={ from = 2.0, to = 0.0, positions = 9 }",
            ["`replay.reuse.to`: reuse.to = 0", "from 0.01 to 1000"],
        ),
        (
            "replay.window={ from = 100000, alpha = 1.5, beta = 0.4 }",
            ["window.alpha = 1.5", "at most 1"],
        ),
        (
            "replay.window=100",
            ["window = 100", "at least the greatest batch, 128"],
        ),
        (
            "targets.root_value_share={ from = 0.0, to = 5.0, positions = 9 }",
            ["root_value_share.to = 5", "from 0 to 1"],
        ),
        (
            "selfplay.caps.stages=[{ positions = 5, simulations = 8, full_share = 1.0, fast_simulations = 8 }]",
            ["caps.stages[0].positions = 5", "must be 0"],
        ),
        (
            "selfplay.caps.stages=[{ positions = 0, simulations = 16, full_share = 1.0, fast_simulations = 8 }]",
            [
                "simulations = 8: must be 16",
                "the most of a stage of selfplay.caps",
            ],
        ),
        (
            "selfplay.caps.full_share=0.5",
            [
                "unknown key `selfplay.caps.full_share`",
                "did you mean `selfplay.caps.stages.full_share`?",
            ],
        ),
        ("stop.generations=0", ["must limit the run", "stop"]),
        (
            "selfplay.openings.random_plies=200",
            [
                "openings = up to 200 plies",
                "must be below the ply cap, 200",
            ],
        ),
        (
            "learn.final_learning_rate=0.5",
            ["final_learning_rate = 0.5", "must be from 0 to"],
        ),
        (
            "selfplay.openings.file_share=0.5",
            ["file_share = 0.5", "without openings.file"],
        ),
        (
            "selfplay.openings.file=\"no-such-file.txt\"",
            ["cannot read `no-such-file.txt`", "selfplay.openings.file"],
        ),
        (
            "selfplay.surprise.value=1.5",
            ["surprise.value = 1.5", "from 0 to 1"],
        ),
        ("guard.most_draws=2.0", ["most_draws = 2", "from 0 to 1"]),
        ("retention.games=\"some\"", ["some", "thin"]),
        (
            "replay.plies_per_game=0",
            ["plies_per_game = 0", "from 1 to 1000"],
        ),
        (
            "replay.shuffle_batches=5000",
            ["shuffle_batches = 5000", "from 1 to 1000"],
        ),
        ("pipeline.lag=2", ["lag = 2", "must be 0 or 1"]),
        ("pipeline.overlap=true", ["overlap = true", "set lag = 1"]),
        ("game=\"chess\"", ["chess", "gufu"]),
    ] {
        let said = text(train(&run, &[set], &[]).assert().failure().get_output());
        // Long messages are wrapped.
        let said = said.replace("\n  │ ", " ");
        for part in parts {
            assert!(said.contains(part), "{set}: {said}");
        }
        assert!(!said.contains("panicked"), "{said}");
        assert!(!run.exists(), "{set}: nothing may be written");
    }
}
