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

    use model::Shape;

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
}
