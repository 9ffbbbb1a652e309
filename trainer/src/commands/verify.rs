//! `senpu verify`: holds the rules against JSON lines made by other programs.
//!
//! Three kinds of line are known: a position with its legal moves, a line of play with its end, and perft counts.

mod argued;
mod judge;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use rules::{Variant, VariantId};
use serde_json::{Value, json};

use self::argued::Argued;
use self::judge::Judge;
use crate::cli::VerifyArgs;
use crate::dispatch::{Parts, Task, dispatch};
use crate::output;

/// How many disagreements of a file are printed in full.
const SHOWN: usize = 20;

/// Verifies each file and prints what disagrees.
///
/// # Errors
/// If a file cannot be read, or anything in it disagrees.
pub fn run(args: &VerifyArgs) -> Result<()> {
    let argued = args
        .argued
        .as_deref()
        .map(Argued::load)
        .transpose()?
        .unwrap_or_default();
    let mut failed = 0;
    for path in &args.files {
        failed += verify_file(path, &argued, args)?;
    }
    if failed > 0 {
        bail!("{failed} lines disagree with the rules");
    }
    Ok(())
}

/// A line of a file: its number, from 1, and its object.
struct Line {
    number: usize,
    value: Value,
}

/// What is wrong with a line.
struct Disagreement {
    number: usize,
    problem: String,
}

/// Returns how many lines disagree and are not argued.
fn verify_file(path: &Path, argued: &Argued, args: &VerifyArgs) -> Result<usize> {
    let lines = read_lines(path)?;
    let checked: usize = lines.values().map(Vec::len).sum();
    let mut disagreements = Vec::new();
    for (variant, lines) in lines {
        let task = Verify {
            lines: &lines,
            deepest: args.depth,
        };
        disagreements.extend(dispatch(variant, task).with_context(|| path.display().to_string())?);
    }
    let (accepted, failed): (Vec<_>, Vec<_>) = disagreements
        .into_iter()
        .partition(|found| argued.accepts(path, found.number));
    if args.json {
        let file = path.display().to_string();
        output::json(
            &json!({"file": file, "checked": checked, "failed": failed.len(), "argued": accepted.len()}),
        );
        return Ok(failed.len());
    }
    for found in failed.iter().take(SHOWN) {
        output::line(format!(
            "{}:{}: {}",
            path.display(),
            found.number,
            found.problem
        ));
    }
    let note = if accepted.is_empty() {
        String::new()
    } else {
        format!(", {} argued", accepted.len())
    };
    output::line(format!(
        "{}: {checked} checked, {} failed{note}",
        path.display(),
        failed.len()
    ));
    Ok(failed.len())
}

fn read_lines(path: &Path) -> Result<BTreeMap<VariantId, Vec<Line>>> {
    let file = File::open(path).with_context(|| format!("cannot open `{}`", path.display()))?;
    let reader: Box<dyn Read> = match path.extension() {
        Some(extension) if extension == "gz" => Box::new(flate2::read::GzDecoder::new(file)),
        _ => Box::new(file),
    };
    let mut lines: BTreeMap<VariantId, Vec<Line>> = BTreeMap::new();
    for (number, text) in (1..).zip(BufReader::new(reader).lines()) {
        let place = || format!("{}:{number}", path.display());
        let text = text.with_context(place)?;
        let value: Value = serde_json::from_str(&text).with_context(place)?;
        let name = value["variant"]
            .as_str()
            .with_context(|| format!("{}: no `variant`", place()))?;
        // The vectors call showgit by the name of the game it is.
        let name = if name == "shogi" { "showgit" } else { name };
        let variant: VariantId = name.parse().with_context(place)?;
        lines
            .entry(variant)
            .or_default()
            .push(Line { number, value });
    }
    Ok(lines)
}

struct Verify<'a> {
    lines: &'a [Line],
    deepest: Option<u32>,
}

impl Task for Verify<'_> {
    type Output = Vec<Disagreement>;

    fn run<V: Variant>(self, parts: Parts<V>) -> Result<Vec<Disagreement>> {
        let judge = Judge::<V>::new(parts.yardstick.as_ref(), self.deepest);
        let judged = self
            .lines
            .iter()
            .map(|line| (line.number, judge.judge(&line.value)));
        Ok(judged
            .filter_map(|(number, verdict)| {
                verdict
                    .err()
                    .map(|problem| Disagreement { number, problem })
            })
            .collect())
    }
}
