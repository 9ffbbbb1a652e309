//! What the command line says of a match's openings and of its adjudication.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use rules::{Game, RuleOptions, Variant};
use selfplay::arena::{Adjudication, Balance, Openings, Threshold};
use serde_json::{Value, json};

use crate::cli::MatchArgs;
use crate::dispatch::Parts;
use crate::game_lines;
use crate::player_spec::PlayerSpec;

/// Openings, and what tells them from others.
pub(super) struct Opened<V: Variant> {
    pub(super) openings: Openings<V>,
    /// For people.
    pub(super) text: String,
    /// For the saved match.
    pub(super) identity: Value,
}

/// Finds the openings that were asked for; `a` is the first player, whose net may be asked for them.
pub(super) fn openings<V: Variant>(
    args: &MatchArgs,
    parts: &Parts<V>,
    a: &PlayerSpec,
    rules: RuleOptions,
) -> Result<Opened<V>> {
    if let Some(path) = &args.openings {
        return from_file(path, rules);
    }
    if let Some(plies) = args.policy_plies {
        let temperature = args.policy_temperature;
        ensure!(
            (0.0..=100.0).contains(&temperature),
            "--policy-temperature {temperature}: must be from 0 to 100"
        );
        let Some(evaluator) = a.evaluator(parts)? else {
            bail!(
                "--policy-plies asks the net of player A, and `{}` is none",
                args.a
            );
        };
        return Ok(Opened {
            openings: Openings::Policy {
                plies,
                temperature,
                evaluator,
            },
            text: format!("{plies} plies of A's policy at temperature {temperature}"),
            identity: json!({"policy": {"plies": plies, "temperature": temperature}}),
        });
    }
    random(args, parts)
}

fn random<V: Variant>(args: &MatchArgs, parts: &Parts<V>) -> Result<Opened<V>> {
    let plies = args.opening_plies;
    let Some(bound) = args.balance else {
        return Ok(Opened {
            openings: Openings::Random {
                plies,
                balance: None,
            },
            text: format!("{plies} random plies"),
            identity: json!({"random": {"plies": plies}}),
        });
    };
    ensure!(
        (0.0..=1.0).contains(&bound),
        "--balance {bound}: must be from 0 to 1"
    );
    let judge: PlayerSpec = args.judge.parse()?;
    let balance = Balance {
        judge: judge.build(parts, args.seed)?,
        bound,
    };
    Ok(Opened {
        openings: Openings::Random {
            plies,
            balance: Some(balance),
        },
        text: format!(
            "{plies} random plies within {bound} of even for {}",
            args.judge
        ),
        identity: json!({"random": {"plies": plies, "balance": bound, "judge": args.judge}}),
    })
}

fn from_file<V: Variant>(path: &Path, rules: RuleOptions) -> Result<Opened<V>> {
    let games = game_lines::read::<V>(path, rules).context("--openings")?;
    let line = |game: &Game<V>| {
        let moves = game.moves().iter().map(|mv| format!(" {mv}"));
        format!("{}{}\n", game.start(), moves.collect::<String>())
    };
    let said: String = games.iter().map(line).collect();
    let checksum = format!("{:08x}", crc32fast::hash(said.as_bytes()));
    Ok(Opened {
        text: format!("{} openings of {}", games.len(), path.display()),
        identity: json!({"file": {"openings": games.len(), "checksum": checksum}}),
        openings: Openings::Given(Arc::from(games)),
    })
}

/// Returns when the match ends games by itself.
pub(super) fn adjudication(args: &MatchArgs) -> Result<Adjudication> {
    let plies = |option: &str, number: f64| {
        ensure!(
            number.fract() == 0.0 && (0.0..=1e6).contains(&number),
            "{option}: {number} is no number of plies"
        );
        Ok(number as u32)
    };
    let mut found = Adjudication {
        most_plies: args.max_plies,
        ..Adjudication::default()
    };
    if let Some(&[value, row]) = args.adjudicate_win.as_deref() {
        found.win = Some(Threshold {
            value: value as f32,
            plies: plies("--adjudicate-win", row)?,
        });
    }
    if let Some(&[value, row, from]) = args.adjudicate_draw.as_deref() {
        found.draw = Some(Threshold {
            value: value as f32,
            plies: plies("--adjudicate-draw", row)?,
        });
        found.draw_from = plies("--adjudicate-draw", from)?;
    }
    found.validate().map_err(anyhow::Error::msg)?;
    Ok(found)
}
