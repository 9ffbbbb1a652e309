//! Compares one line with what our rules say.

use rules::perft::perft;
use rules::solver::Solution;
use rules::{Game, MoveOf, Outcome, Position, Reason, Side, Variant};
use serde_json::Value;

use crate::dispatch::Yardstick;

/// Judges the lines of one game.
pub(super) struct Judge<V: Variant> {
    solution: Option<Solution<V>>,
}

impl<V: Variant> Judge<V> {
    pub(super) fn new(yardstick: Option<&Yardstick<V>>) -> Self {
        Self {
            solution: yardstick.map(|yardstick| (yardstick.solve)()),
        }
    }

    /// Returns what disagrees, if anything does.
    pub(super) fn judge(&self, line: &Value) -> Result<(), String> {
        if !line["nodes"].is_null() {
            Self::judge_perft(line)
        } else if line.get("expected").is_some() {
            Self::judge_ending(line)
        } else if !line["legal"].is_null() {
            self.judge_position(line)
        } else {
            Err(
                "neither a position (`legal`), an ending (`expected`) nor perft counts (`nodes`)"
                    .to_owned(),
            )
        }
    }

    fn judge_perft(line: &Value) -> Result<(), String> {
        let game = start::<V>(line)?;
        for (depth, count) in (1..).zip(list(line, "nodes")?) {
            let leaves = perft(game.position(), depth);
            equal(&format!("perft {depth}"), &Some(leaves), &count.as_u64())?;
        }
        Ok(())
    }

    /// The game ends exactly at the ply given, and not before.
    fn judge_ending(line: &Value) -> Result<(), String> {
        let mut game = start::<V>(line)?;
        let mut legal = Vec::new();
        let moves = texts(line, "moves")?;
        let expected = expected_outcome(&line["expected"])?;
        let end = line["expected"]["ply"].as_u64().map(|ply| ply as usize);
        for ply in 0..=moves.len() {
            game.legal_moves(&mut legal);
            let outcome = game.outcome(&legal);
            let wanted = expected.filter(|_| end == Some(ply));
            equal(&format!("the outcome after ply {ply}"), &outcome, &wanted)?;
            if let Some(text) = moves.get(ply) {
                game.play(
                    game.position()
                        .parse_move(text)
                        .map_err(|error| error.to_string())?,
                );
            }
        }
        Ok(())
    }

    fn judge_position(&self, line: &Value) -> Result<(), String> {
        let mut game = start::<V>(line)?;
        for text in texts(line, "moves_from_start")? {
            game.play(
                game.position()
                    .parse_move(text)
                    .map_err(|error| error.to_string())?,
            );
        }
        let position = game.position();
        if let Some(text) = text_of_position(line) {
            equal("the position's text", &position.to_string().as_str(), &text)?;
        }
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        equal_moves::<V>(&legal, &texts(line, "legal")?)?;
        equal(
            "in_check",
            &Some(position.in_check()),
            &line["in_check"].as_bool(),
        )?;
        // An earlier end by a limit does not stop the replay; the last position is judged by itself where it is a mate.
        equal(
            "result",
            &game.outcome(&legal),
            &expected_outcome(&line["result"])?,
        )?;
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

fn start<V: Variant>(line: &Value) -> Result<Game<V>, String> {
    let given = ["sfen_or_fen", "sfen", "fen"]
        .into_iter()
        .find_map(|key| line[key].as_str());
    // A position line without a start of its own is played from the start position; its `fen` is where it ends.
    let given = if line["moves_from_start"].is_array() {
        line["sfen_or_fen"].as_str()
    } else {
        given
    };
    let position = match given {
        None => V::Position::initial(),
        Some(text) => text
            .parse()
            .map_err(|error: rules::NotationError| error.to_string())?,
    };
    Ok(Game::from_position(position, V::OPTIONS))
}

fn text_of_position(line: &Value) -> Option<&str> {
    line["fen"].as_str()
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

fn equal_moves<V: Variant>(legal: &[MoveOf<V>], expected: &[&str]) -> Result<(), String> {
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
