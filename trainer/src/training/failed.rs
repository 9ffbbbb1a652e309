//! A batch that could not be learned from, saved so that it can be looked into.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::Result;
use model::Batch;
use serde_json::{Value, json};

use crate::run_dir::RunDir;

/// Writes a batch as lines of JSON: first what failed, then one object a sample. Numbers that are not finite are written as texts.
pub(super) fn save_batch(
    run: &RunDir,
    step: u64,
    batch: &Batch,
    origins: &[(u64, usize)],
    error: &str,
) -> Result<PathBuf> {
    let mut text = json!({"step": step, "error": error, "samples": batch.size}).to_string();
    // The arrays hold as many values for each sample.
    let rows = |array: &[f32], at: usize| {
        let width = array.len() / batch.size;
        numbers(&array[at * width..(at + 1) * width])
    };
    for at in 0..batch.size {
        let (game, ply) = origins.get(at).copied().unwrap_or_default();
        let mut sample = json!({
            "game": game,
            "ply": ply,
            "wdl": rows(&batch.wdl, at),
            "moves_left": number(batch.moves_left[at]),
            "moves_left_weight": number(batch.moves_left_weight[at]),
        });
        if batch.rows.is_empty() {
            sample["planes"] = rows(&batch.planes, at);
            sample["legal"] = rows(&batch.legal, at);
            sample["policy"] = rows(&batch.policy, at);
        } else {
            let moves = batch.rows.moves_of(at);
            sample["features"] = json!(batch.rows.features_of(at));
            sample["policy"] = numbers(&batch.targets[moves.clone()]);
            let moves: Vec<&[u32]> = moves.map(|mv| batch.rows.rows_of(mv)).collect();
            sample["moves"] = json!(moves);
        }
        // Writing to a text cannot fail.
        let _ = write!(text, "\n{sample}");
    }
    text.push('\n');
    let path = run.path().join(format!("failed-batch-{step:09}.jsonl"));
    run.write_atomic(&path, text.as_bytes())?;
    Ok(path)
}

fn numbers(values: &[f32]) -> Value {
    Value::from(
        values
            .iter()
            .map(|&value| number(value))
            .collect::<Vec<_>>(),
    )
}

fn number(value: f32) -> Value {
    if value.is_finite() {
        json!(value)
    } else {
        json!(value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::{Features, PolicyMoves, Shape, Sights, SparseGufuEncoder, View};
    use rules::variants::gufu::Gufu;
    use rules::{Game, Variant};

    use super::*;
    use crate::durable::RealDisk;

    #[test]
    fn a_saved_batch_names_games_and_keeps_what_is_no_number() {
        let dir = tempfile::tempdir().unwrap();
        let run = RunDir::create_or_open(dir.path(), Arc::new(RealDisk)).unwrap();
        let shape = Shape {
            planes: 1,
            ranks: 1,
            files: 2,
            actions: 2,
            policy_planes: 0,
        };
        let mut batch = Batch::new(shape, 2);
        batch.planes[3] = f32::NAN;
        let path = save_batch(&run, 7, &batch, &[(11, 3), (12, 5)], "not finite").unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(
            (lines.len(), &lines[0]["error"], &lines[2]["game"]),
            (3, &json!("not finite"), &json!(12))
        );
        assert_eq!(lines[2]["planes"], json!([0.0, "NaN"]));
    }

    /// Of a net of features, rows and moves are saved as they are, each sample its own.
    #[test]
    fn a_saved_batch_of_rows_has_features_and_moves() {
        let dir = tempfile::tempdir().unwrap();
        let run = RunDir::create_or_open(dir.path(), Arc::new(RealDisk)).unwrap();
        let encoder = SparseGufuEncoder::new(Features::Threats, PolicyMoves::Exchange);
        let view = View::<Gufu>::Rows(Arc::new(encoder));
        let (mut sights, mut legal) = (Sights::default(), Vec::new());
        let mut game = Game::<Gufu>::new(Gufu::OPTIONS);
        let mut batch = Batch::new(view.sizes(), 2);
        for _ in 0..2 {
            game.legal_moves(&mut legal);
            view.show(&game, &legal, false, &mut sights);
            let share = 1.0 / legal.len() as f32;
            batch.targets.extend(legal.iter().map(|_| share));
            game.play(legal[0]);
        }
        batch.rows = sights.rows().clone();
        let second = batch.rows.moves_of(1);
        batch.targets[second.start] = f32::INFINITY;
        let path = save_batch(&run, 8, &batch, &[(21, 0), (21, 1)], "not finite").unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!((lines.len(), &lines[0]["samples"]), (3, &json!(2)));
        for (at, line) in lines[1..].iter().enumerate() {
            assert_eq!((&line["game"], &line["ply"]), (&json!(21), &json!(at)));
            assert_eq!(line["features"], json!(batch.rows.features_of(at)));
            let moves = batch.rows.moves_of(at);
            assert!(moves.len() > 1);
            let rows: Vec<&[u32]> = moves.clone().map(|mv| batch.rows.rows_of(mv)).collect();
            assert_eq!(line["moves"], json!(rows));
            assert_eq!(line["policy"].as_array().unwrap().len(), moves.len());
            assert!(line.get("planes").is_none() && line.get("legal").is_none());
        }
        assert_eq!(lines[2]["policy"][0], json!("inf"));
        assert_ne!(lines[1]["features"], lines[2]["features"]);
    }
}
