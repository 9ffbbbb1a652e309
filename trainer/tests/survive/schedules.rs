//! Runs in which everything changes that a schedule can change.

use std::path::Path;

use serde_json::Value;

use crate::pipeline::generations;
use crate::stops::killed_and_whole_are_alike;
use crate::{left, succeed, train};

/// A generation has 960 searched positions.
const CHANGING: [&str; 5] = [
    "replay.window={ from = 1500, alpha = 0.75, beta = 0.4 }",
    "replay.batch={ from = 32, to = 128, positions = 4000 }",
    "replay.reuse={ from = 3.0, to = 1.25, positions = 4000 }",
    "targets.root_value_share={ from = 0.0, to = 0.5, positions = 4000 }",
    "selfplay.caps.stages=[\
        { positions = 0, simulations = 4, full_share = 1.0, fast_simulations = 4 }, \
        { positions = 1500, simulations = 6, full_share = 1.0, fast_simulations = 4 }, \
        { positions = 4000, simulations = 8, full_share = 0.5, fast_simulations = 2 }]",
];
const LAG: [&str; 2] = ["pipeline.lag=1", "pipeline.overlap=true"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    CHANGING.into_iter().chain(more.iter().copied()).collect()
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn six_kills_amid_schedules_change_nothing() {
    killed_and_whole_are_alike(6, &with(&LAG));
}

/// A run that was stopped after each of its generations leaves the same metrics, weights and games as one that never was.
#[test]
fn stopping_after_each_generation_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let but_end = |run: &Path| -> Vec<String> {
        let lines = left(run).into_iter();
        lines.filter(|line| !line.contains("at_end")).collect()
    };
    for lag in [&[][..], &LAG] {
        let (whole, parts) = (
            dir.path().join(format!("whole-{}", lag.len())),
            dir.path().join(format!("parts-{}", lag.len())),
        );
        let stops: Vec<String> = (1..=7)
            .map(|stop| format!("stop.generations={stop}"))
            .collect();
        let sets = |stop| [&with(lag)[..], &[stop]].concat();
        succeed(&mut train(&whole, &sets(&stops[6])));
        for stop in &stops {
            succeed(&mut train(&parts, &sets(stop)));
        }
        assert_eq!(but_end(&parts), but_end(&whole));
        // What was scheduled did change meanwhile.
        let lines = generations(&whole);
        for key in ["window", "batch", "reuse", "root_value_share"] {
            let value = |line: usize| number(&lines[line]["schedule"][key]);
            assert!(
                !same(value(3), value(2)) && !same(value(6), value(3)),
                "{key}: {} {} {}",
                value(2),
                value(3),
                value(6)
            );
        }
    }
}

/// Metrics and progress say what was scheduled and what came of it: what the formulas give for the positions in them.
#[test]
fn metrics_say_what_was_scheduled_and_what_came_of_it() {
    let dir = tempfile::tempdir().unwrap();
    for lag in [0, 1] {
        let run = dir.path().join(lag.to_string());
        let said = succeed(&mut train(&run, &with(if lag == 1 { &LAG } else { &[] })));
        let lines = generations(&run);
        let (mut stored, mut seen, mut learned) = (vec![0.0], 0.0, 0.0);
        for (number_of, line) in lines.iter().enumerate().skip(1) {
            stored.push(stored[number_of - 1] + number(&line["positions"]));
            let now = stored[number_of - lag];
            let schedule = &line["schedule"];
            assert!(same(number(&schedule["positions"]), now), "{line}");
            expect_scheduled(schedule, now);
            let plies = number(&lines[number_of - 1]["total_plies"]);
            let searches = [
                &line["full_simulations"],
                &line["full_share"],
                &line["fast_simulations"],
            ];
            let stage = match plies {
                0.0..1500.0 => [4.0, 1.0, 4.0],
                1500.0..4000.0 => [6.0, 1.0, 4.0],
                _ => [8.0, 0.5, 2.0],
            };
            let alike = searches.into_iter().zip(stage);
            assert!(
                alike
                    .into_iter()
                    .all(|(found, stage)| same(number(found), stage)),
                "{line}"
            );

            let (more, batch) = (
                number(&line["learned_positions"]) - learned,
                number(&schedule["batch"]),
            );
            assert!(same(more, number(&line["steps"]) * batch), "{line}");
            learned += more;
            // At the start there are not enough positions for a batch.
            if number(&line["steps"]) > 0.0 {
                let due = due(now);
                assert!(
                    learned <= due && due < learned + batch,
                    "{learned} of {due}: {line}"
                );
            }
            if now > seen {
                assert!(same(number(&line["reuse"]), more / (now - seen)));
            } else {
                assert!(line["reuse"].is_null(), "{line}");
            }
            seen = now;
        }
        let last = lines.last().unwrap();
        assert!(number(&last["window_positions"]) >= number(&last["schedule"]["window"]));
        assert!(number(&last["window_positions"]) < 0.8 * stored[lines.len() - 1]);
        let share = number(&last["reuse"]) / number(&last["schedule"]["reuse"]);
        assert!((0.7..1.4).contains(&share), "{last}");
        for part in [
            "4 simulations a move, window 1500, batch ",
            "8 simulations in 50 % of the moves and 2 in others, window ",
            ", root values 50.0 %, reuse 1.",
            " of 1.25",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}

/// What reuse asks to be learned of all that is stored: 3 falls evenly to 1.25 over 4000 positions.
fn due(stored: f64) -> f64 {
    let falling = stored.min(4000.0);
    falling * (3.0 - 1.75 * falling / 8000.0) + 1.25 * (stored - falling)
}

fn expect_scheduled(schedule: &Value, stored: f64) {
    let done = (stored / 4000.0).min(1.0);
    let window = if stored > 1500.0 {
        (1500.0 * (1.0 + 0.4 * ((stored / 1500.0).powf(0.75) - 1.0) / 0.75)).floor()
    } else {
        1500.0
    };
    assert!((number(&schedule["window"]) - window).abs() < 1.5);
    let batch = (32.0 + 96.0 * done).round();
    assert!(same(number(&schedule["batch"]), batch));
    assert!(same(number(&schedule["reuse"]), 3.0 - 1.75 * done));
    assert!(same(number(&schedule["root_value_share"]), 0.5 * done));
}
