//! What the lab prints: a line now and then while an arm learns, and what came of all of them.

use model::Losses;
use serde::Serialize;
use serde_json::json;

use crate::loader::{Difference, Means};
use crate::output;
use crate::yardstick::Exactness;

/// How far an arm is and how it does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Point {
    /// Positions learned from, each as often as it was.
    pub(crate) positions: u64,
    /// The same divided by the positions that there are to learn from.
    pub(crate) epochs: f64,
    /// The learning rate of the next step.
    pub(crate) learning_rate: f64,
    /// Mean losses of the steps since the line before, each before its weights changed, of the newest weights; `None` at the start.
    pub(crate) training: Option<Losses>,
    /// Of the averaged weights, which play, on games learned from.
    pub(crate) learned: Means,
    /// Of the same on games never learned from.
    pub(crate) held_out: Means,
}

/// What came of an arm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Summary {
    pub(crate) arm: String,
    /// Of the net.
    pub(crate) parameters: usize,
    #[serde(flatten)]
    pub(crate) end: Point,
    /// What the net knows of a solved game.
    pub(crate) exactness: Option<Exactness>,
    /// Losses on the games held out against those of the first arm; `None` for that one.
    pub(crate) against_base: Option<Against>,
}

/// By how much an arm loses more than the first one on the games held out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Against {
    pub(crate) policy: Difference,
    pub(crate) wdl: Difference,
}

/// The games that are learned from and held out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Parts {
    pub(crate) learned_games: usize,
    pub(crate) learned_positions: u64,
    pub(crate) held_out_games: usize,
    pub(crate) held_out_positions: u64,
}

/// Where lines go: text for people or JSON for machines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) json: bool,
}

impl Table {
    /// Says what the store was split into.
    pub(crate) fn store(self, parts: &Parts) {
        if self.json {
            output::json(&json!({ "store": parts }));
        } else {
            output::line(format!(
                "learns from {} positions of {} games; {} positions of {} games are held out",
                parts.learned_positions,
                parts.learned_games,
                parts.held_out_positions,
                parts.held_out_games
            ));
        }
    }

    /// Begins an arm.
    pub(crate) fn arm(self, name: &str, net: &str, parameters: usize, first: &Point) {
        if self.json {
            return;
        }
        let Means {
            positions,
            policy_entropy,
            policy_uniform,
            wdl_entropy,
            ..
        } = first.held_out;
        output::line(format!(
            "\n{name}: a net of arch {net}, {parameters} parameters; on {positions} positions held out, policies to learn have an entropy of \
             {policy_entropy:.4} (all moves alike: {policy_uniform:.4}) and results one of {wdl_entropy:.4}"
        ));
        output::line(format!(
            "{:>10} {:>7} {:>9} {:>17} {:>17} {:>17} {:>17} {:>10}",
            "positions",
            "epochs",
            "rate",
            "policy loss",
            "divergence",
            "value loss",
            "plies left",
            "samples/s"
        ));
        let two = format!("{:>8} {:>8}", "learned", "held out");
        output::line(format!(
            "{:28} {two} {two} {two} {two} {:>10}",
            "", "of CPU"
        ));
    }

    /// Says how far an arm is. `speed` is in samples a second of processor time.
    pub(crate) fn point(self, arm: &str, point: &Point, speed: Option<f64>) {
        if self.json {
            let mut line = json!(point);
            line["arm"] = arm.into();
            line["speed"] = json!({ "samples_per_cpu_second": speed });
            output::json(&line);
            return;
        }
        let Point {
            learned, held_out, ..
        } = point;
        let two = |of: fn(&Means) -> f64| format!("{:>8.4} {:>8.4}", of(learned), of(held_out));
        output::line(format!(
            "{:>10} {:>7.2} {:>9.2e} {} {} {} {} {:>10}",
            point.positions,
            point.epochs,
            point.learning_rate,
            two(|of| of.policy),
            two(Means::divergence),
            two(|of| of.wdl),
            two(|of| of.moves_left),
            speed.map_or(String::new(), |speed| format!("{speed:.0}"))
        ));
    }

    /// Says what came of all arms.
    pub(crate) fn summaries(self, summaries: &[Summary]) {
        if self.json {
            for summary in summaries {
                output::json(&json!({ "summary": summary }));
            }
            return;
        }
        output::line("");
        for summary in summaries {
            output::line(summary_text(summary));
        }
    }
}

fn summary_text(summary: &Summary) -> String {
    let Summary {
        arm,
        end,
        exactness,
        against_base,
        ..
    } = summary;
    let mut parts = vec![format!(
        "{arm}: after {} positions ({:.2} epochs) policy divergence {:.4} (of games learned from {:.4}), value loss {:.4} ({:.4})",
        end.positions,
        end.epochs,
        end.held_out.divergence(),
        end.learned.divergence(),
        end.held_out.wdl,
        end.learned.wdl
    )];
    if let Some(Exactness { policy, .. }) = exactness {
        parts.push(format!(
            ", exact value kept by policy {:.3} %",
            policy * 100.0
        ));
    }
    if let Some(Against { policy, wdl }) = against_base {
        parts.push(format!(
            "; against base: policy {}, value {}",
            verdict(policy),
            verdict(wdl)
        ));
    }
    parts.concat()
}

/// Says whether a difference is one, at two standard errors.
fn verdict(difference: &Difference) -> String {
    let Difference { mean, error } = difference;
    let word = if mean.abs() <= 2.0 * error {
        "no clear difference"
    } else if *mean < 0.0 {
        "better"
    } else {
        "worse"
    };
    format!("{mean:+.4} +- {:.4} ({word})", 2.0 * error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_one_beyond_two_standard_errors() {
        let said = |mean, error| verdict(&Difference { mean, error });
        assert_eq!(said(-0.03, 0.01), "-0.0300 +- 0.0200 (better)");
        assert_eq!(said(0.03, 0.01), "+0.0300 +- 0.0200 (worse)");
        assert_eq!(
            said(-0.015, 0.01),
            "-0.0150 +- 0.0200 (no clear difference)"
        );
    }
}
