//! Compares one line with what our rules say.

use rules::perft::perft;
use rules::solver::Solution;
use rules::{
    Declaration, Game, NotationError, Outcome, Position, Reason, RuleOptions, Side, Variant,
    ZoneStart,
};
use serde_json::Value;

use crate::dispatch::Yardstick;

/// Judges the lines of one game.
pub(super) struct Judge<V: Variant> {
    solution: Option<Solution<V>>,
    /// The deepest perft that is counted, if there is a limit.
    deepest: Option<u32>,
}

impl<V: Variant> Judge<V> {
    pub(super) fn new(yardstick: Option<&Yardstick<V>>, deepest: Option<u32>) -> Self {
        Self {
            solution: yardstick.map(|yardstick| (yardstick.solve)()),
            deepest,
        }
    }

    /// Returns what disagrees, if anything does.
    pub(super) fn judge(&self, line: &Value) -> Result<(), String> {
        if !line["nodes"].is_null() {
            self.judge_perft(line)
        } else if line.get("expected").is_some() {
            judge_ending::<V>(line)
        } else if !line["legal"].is_null() {
            self.judge_position(line)
        } else {
            Err(
                "neither a position (`legal`), an ending (`expected`) nor perft counts (`nodes`)"
                    .to_owned(),
            )
        }
    }

    /// Counts under the default rules, and where the line has them, with optional promotion from the zone.
    fn judge_perft(&self, line: &Value) -> Result<(), String> {
        for (key, options) in [
            ("nodes", V::OPTIONS),
            ("nodes_optional_promotion", with_optional_promotion::<V>()),
        ] {
            if line[key].is_null() {
                continue;
            }
            let game = start::<V>(line, options)?;
            for (depth, count) in (1..).zip(list(line, key)?) {
                if self.deepest.is_some_and(|deepest| depth > deepest) {
                    break;
                }
                let leaves = perft(game.position(), depth);
                equal(&format!("{key} {depth}"), &Some(leaves), &count.as_u64())?;
            }
        }
        Ok(())
    }

    /// An earlier end by a limit or a material draw does not stop the replay.
    fn judge_position(&self, line: &Value) -> Result<(), String> {
        let game = replay::<V>(line, V::OPTIONS)?;
        let position = game.position();
        if let Some(text) = line["fen"].as_str() {
            // Counters and the order of men in hand may differ; who stands where and who is to move may not.
            let given = parse::<V>(text)?;
            if given.key() != position.key() {
                return Err(format!("the position: `{position}`, expected `{text}`"));
            }
            equal(
                "the text read again",
                &parse::<V>(&position.to_string())?,
                position,
            )?;
        }
        equal_moves(&game, &texts(line, "legal")?)?;
        equal(
            "in_check",
            &Some(position.in_check()),
            &line["in_check"].as_bool(),
        )?;
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        let expected = line.get("result_seed").unwrap_or(&line["result"]);
        equal(
            "result",
            &game.outcome(&legal),
            &expected_outcome(expected)?,
        )?;
        judge_optional_promotion::<V>(line)?;
        self.judge_value(position, line)
    }

    fn judge_value(&self, position: &V::Position, line: &Value) -> Result<(), String> {
        if line["perfect"].is_null() {
            return Ok(());
        }
        let exact = self
            .solution
            .as_ref()
            .and_then(|solution| solution.value(position))
            .ok_or("not a reachable position")?;
        equal(
            "the exact value",
            &Some(i64::from(exact.sign())),
            &line["perfect"]["value"].as_i64(),
        )?;
        equal(
            "the plies to mate",
            &exact.plies().map(u64::from),
            &line["perfect"]["plies"].as_u64(),
        )
    }
}

/// The game ends exactly at the ply given, and not before.
fn judge_ending<V: Variant>(line: &Value) -> Result<(), String> {
    let options = if line["can_declare"].is_null() {
        V::OPTIONS
    } else {
        RuleOptions {
            declaration: Declaration::Csa27,
            ..V::OPTIONS
        }
    };
    let mut game = start::<V>(line, options)?;
    let mut legal = Vec::new();
    let moves = texts(line, "moves")?;
    let expected = line.get("expected_seed").unwrap_or(&line["expected"]);
    let end = expected["ply"].as_u64().map(|ply| ply as usize);
    let expected = expected_outcome(expected)?;
    if end.is_some_and(|end| end > moves.len()) {
        return Err("the line is shorter than its end".to_owned());
    }
    for ply in 0..=moves.len() {
        game.legal_moves(&mut legal);
        let outcome = game.outcome(&legal);
        let wanted = expected.filter(|_| end == Some(ply));
        equal(&format!("the outcome after ply {ply}"), &outcome, &wanted)?;
        // By our reading the game may end before the line does.
        if wanted.is_some() {
            break;
        }
        if let Some(text) = moves.get(ply) {
            play(&mut game, text)?;
        }
    }
    match line["illegal_move"].as_str() {
        Some(text) if game.position().parse_move(text).is_ok() => {
            Err(format!("`{text}` is legal, but must not be"))
        }
        _ => Ok(()),
    }
}

/// With optional promotion from the zone the legal moves are `legal` and `extra_optional_promotion` together.
fn judge_optional_promotion<V: Variant>(line: &Value) -> Result<(), String> {
    if line["extra_optional_promotion"].is_null() {
        return Ok(());
    }
    let mut expected = texts(line, "legal")?;
    expected.extend(texts(line, "extra_optional_promotion")?);
    expected.sort_unstable();
    equal_moves(
        &replay::<V>(line, with_optional_promotion::<V>())?,
        &expected,
    )
}

const fn with_optional_promotion<V: Variant>() -> RuleOptions {
    RuleOptions {
        zone_start_promotion: ZoneStart::Optional,
        ..V::OPTIONS
    }
}

fn start<V: Variant>(line: &Value, options: RuleOptions) -> Result<Game<V>, String> {
    let given = ["sfen_or_fen", "sfen", "fen"]
        .into_iter()
        .find_map(|key| line[key].as_str());
    // A position line without a start of its own is played from the start position; its `fen` is where it ends.
    let given = if line["moves_from_start"].is_array() {
        line["sfen_or_fen"].as_str()
    } else {
        given
    };
    let position = given.map_or_else(|| Ok(V::Position::initial()), parse::<V>)?;
    Ok(Game::from_position(position, options))
}

fn replay<V: Variant>(line: &Value, options: RuleOptions) -> Result<Game<V>, String> {
    let mut game = start::<V>(line, options)?;
    for text in texts(line, "moves_from_start")? {
        play(&mut game, text)?;
    }
    Ok(game)
}

fn play<V: Variant>(game: &mut Game<V>, text: &str) -> Result<(), String> {
    let mv = game.position().parse_move(text);
    game.play(mv.map_err(|error| error.to_string())?);
    Ok(())
}

fn parse<V: Variant>(text: &str) -> Result<V::Position, String> {
    text.parse()
        .map_err(|error: NotationError| error.to_string())
}

fn expected_outcome(value: &Value) -> Result<Option<Outcome>, String> {
    if value.is_null() {
        return Ok(None);
    }
    let winner = match value["winner"].as_str() {
        Some("first") => Some(Side::First),
        Some("second") => Some(Side::Second),
        Some("draw") => None,
        other => return Err(format!("winner {other:?}: expected first, second or draw")),
    };
    let name = value["reason"].as_str().unwrap_or_default();
    // Gufu's vectors say `mate`.
    let name = if name == "mate" {
        Reason::Checkmate.name()
    } else {
        name
    };
    let reason = Reason::ALL
        .into_iter()
        .find(|reason| reason.name() == name)
        .ok_or_else(|| format!("unknown reason `{name}`"))?;
    Ok(Some(Outcome { winner, reason }))
}

fn list<'a>(line: &'a Value, key: &str) -> Result<&'a Vec<Value>, String> {
    line[key]
        .as_array()
        .ok_or_else(|| format!("`{key}` is not a list"))
}

fn texts<'a>(line: &'a Value, key: &str) -> Result<Vec<&'a str>, String> {
    list(line, key)?
        .iter()
        .map(|value| {
            value
                .as_str()
                .ok_or_else(|| format!("`{key}` holds something else than texts"))
        })
        .collect()
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, ours: &T, theirs: &T) -> Result<(), String> {
    if ours == theirs {
        return Ok(());
    }
    Err(format!("{what}: {ours:?}, expected {theirs:?}"))
}

fn equal_moves<V: Variant>(game: &Game<V>, expected: &[&str]) -> Result<(), String> {
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    let mut ours: Vec<String> = legal.iter().map(ToString::to_string).collect();
    ours.sort();
    if ours == expected {
        return Ok(());
    }
    let extra: Vec<&String> = ours
        .iter()
        .filter(|mv| !expected.contains(&mv.as_str()))
        .collect();
    let missing: Vec<&&str> = expected
        .iter()
        .filter(|mv| !ours.iter().any(|our| our == **mv))
        .collect();
    Err(format!(
        "legal moves: {extra:?} too many, {missing:?} missing"
    ))
}
