//! The result of a match as fastchess prints it, for scripts that read its output.

use std::fmt;

use super::elo::{NELO_PER_T, elo_of_score, normal_quantile, strength};
use super::pairs::Tally;
use super::sprt::{Sprt, SprtVerdict};

/// A match's result whose `Display` writes the lines of a fastchess report with `-report penta=true`.
///
/// The numbers are those of fastchess's formulas, with 1.96 standard errors after `+/-`; its `nan` and `inf` stand where it has no number.
/// One thing differs: where all pairs scored alike, the errors are `nan` instead of `0.00`, since the result does not tell them, and the
/// likelihood of superiority is that of [`strength`]. [`strength`] has the intervals to rely on.
#[derive(Clone, Copy, Debug)]
pub struct FastchessReport<'a> {
    /// The player whose result it is.
    pub first: &'a str,
    /// Its opponent.
    pub second: &'a str,
    /// What fastchess shows in parentheses after the names: limits and openings, separated by commas.
    pub conditions: &'a str,
    /// The result.
    pub tally: &'a Tally,
    /// The sequential test, if there is one.
    pub sprt: Option<&'a Sprt>,
}

const RULE: &str = "--------------------------------------------------";

impl fmt::Display for FastchessReport<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally {
            wdl: [wins, draws, losses],
            pairs,
            drawn_pairs,
        } = *self.tally;
        let [ll, ld, even, wd, ww] = pairs.0;
        let games = self.tally.games();
        let points = wins as f64 + draws as f64 / 2.0;
        writeln!(out, "{RULE}")?;
        let (first, second, conditions) = (self.first, self.second, self.conditions);
        writeln!(out, "Results of {first} vs {second} ({conditions}):")?;
        self.strength_lines(out)?;
        writeln!(
            out,
            "Games: {games}, Wins: {wins}, Losses: {losses}, Draws: {draws}, Points: {points:.1} ({} %)",
            Number(100.0 * points / games as f64)
        )?;
        writeln!(
            out,
            "Ptnml(0-2): [{ll}, {ld}, {even}, {wd}, {ww}], WL/DD Ratio: {}",
            Number((even - drawn_pairs) as f64 / drawn_pairs as f64)
        )?;
        if let Some(sprt) = self.sprt {
            writeln!(out, "{}", LlrLine(sprt, self.tally))?;
        }
        write!(out, "{RULE}")
    }
}

impl FastchessReport<'_> {
    /// Returns the line that fastchess writes when the test is over; `None` before.
    pub fn completion(&self) -> Option<String> {
        let sprt = self.sprt?;
        let accepted = match sprt.verdict(sprt.llr(&self.tally.pairs)) {
            SprtVerdict::Undecided => return None,
            SprtVerdict::H0 => "H0",
            SprtVerdict::H1 => "H1",
        };
        let [elo0, elo1] = sprt.hypotheses();
        Some(format!(
            "SPRT ([{elo0:.2}, {elo1:.2}]) completed - {accepted} was accepted"
        ))
    }

    fn strength_lines(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.tally.pairs;
        let pairs = counts.pairs() as f64;
        let known = |value: Option<f64>| value.unwrap_or(f64::NAN);
        let (score, variance) = (known(counts.score()), known(counts.variance()));
        let margin = if counts.only_kind().is_some() {
            f64::NAN
        } else {
            normal_quantile() / pairs.sqrt()
        };
        let deviation = variance.sqrt();
        let end = |sign: f64| elo_of_score(score + sign * margin * deviation);
        let elo_error = (known(end(1.0)) - known(end(-1.0))) / 2.0;
        let elo = -400.0 * (1.0 / score - 1.0).log10();
        writeln!(
            out,
            "Elo: {} +/- {}, nElo: {} +/- {}",
            Number(elo),
            Number(elo_error),
            Number(NELO_PER_T * (score - 0.5) / deviation),
            Number(NELO_PER_T * margin)
        )?;
        let [ll, ld, even, wd, ww] = counts.0;
        writeln!(
            out,
            "LOS: {:.2} %, DrawRatio: {} %, PairsRatio: {}",
            100.0 * strength(&counts).los,
            Number(100.0 * even as f64 / pairs),
            Number((ww + wd) as f64 / (ld + ll) as f64)
        )
    }
}

struct LlrLine<'a>(&'a Sprt, &'a Tally);

impl fmt::Display for LlrLine<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let llr = self.0.llr(&self.1.pairs);
        let ([lower, upper], [elo0, elo1]) = (self.0.bounds(), self.0.hypotheses());
        let part = 100.0 * if llr < 0.0 { -llr / lower } else { llr / upper };
        write!(
            out,
            "LLR: {llr:.2} ({part:.1}%) ({lower:.2}, {upper:.2}) [{elo0:.2}, {elo1:.2}]"
        )
    }
}

/// A number with two decimals, spelt as C++ does where it is none.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_nan() {
            out.write_str("nan")
        } else {
            // Adding 0 turns -0 into 0.
            write!(out, "{:.2}", self.0 + 0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{PairCounts, SprtModel};

    fn report(tally: &Tally, elo: [f64; 2]) -> String {
        let sprt = Sprt::new(elo, 0.05, 0.05, SprtModel::Normalized).unwrap();
        let report = FastchessReport {
            first: "new",
            second: "old",
            conditions: "15+0.1, 10t, NULL, 8moves_v3.pgn",
            tally,
            sprt: Some(&sprt),
        };
        let completion = report.completion().unwrap_or_default();
        format!("{report}\n{completion}")
    }

    /// Reports of fastchess itself, found in public test logs.
    #[test]
    fn fastchess_prints_the_same() {
        let tally = Tally {
            wdl: [544, 376, 438],
            pairs: PairCounts([77, 111, 231, 149, 111]),
            drawn_pairs: 58,
        };
        assert_eq!(
            report(&tally, [0.0, 10.0]),
            "--------------------------------------------------\n\
             Results of new vs old (15+0.1, 10t, NULL, 8moves_v3.pgn):\n\
             Elo: 27.17 +/- 15.93, nElo: 31.68 +/- 18.48\n\
             LOS: 99.96 %, DrawRatio: 34.02 %, PairsRatio: 1.38\n\
             Games: 1358, Wins: 544, Losses: 438, Draws: 376, Points: 732.0 (53.90 %)\n\
             Ptnml(0-2): [77, 111, 231, 149, 111], WL/DD Ratio: 2.98\n\
             LLR: 2.97 (100.8%) (-2.94, 2.94) [0.00, 10.00]\n\
             --------------------------------------------------\n\
             SPRT ([0.00, 10.00]) completed - H1 was accepted"
        );
        let lopsided = Tally {
            wdl: [54, 46, 0],
            pairs: PairCounts([0, 0, 3, 40, 7]),
            drawn_pairs: 3,
        };
        let text = report(&lopsided, [0.0, 10.0]);
        for line in [
            "Elo: 209.91 +/- 30.05, nElo: 603.02 +/- 68.10\n",
            "LOS: 100.00 %, DrawRatio: 6.00 %, PairsRatio: inf\n",
            "Games: 100, Wins: 54, Losses: 0, Draws: 46, Points: 77.0 (77.00 %)\n",
            "Ptnml(0-2): [0, 0, 3, 40, 7], WL/DD Ratio: 0.00\n",
            "LLR: 1.45 (49.4%) (-2.94, 2.94) [0.00, 10.00]\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }

    #[test]
    fn results_without_an_error_do_not_claim_one() {
        let won = Tally {
            wdl: [148, 0, 0],
            pairs: PairCounts([0, 0, 0, 0, 74]),
            drawn_pairs: 0,
        };
        let text = report(&won, [0.0, 10.0]);
        assert!(
            text.contains("Elo: inf +/- nan, nElo: inf +/- nan\n"),
            "{text}"
        );
        assert!(text.contains("LLR: 2.95 (100.2%)"), "{text}");
        let drawn = Tally {
            wdl: [0, 20, 0],
            pairs: PairCounts([0, 0, 10, 0, 0]),
            drawn_pairs: 10,
        };
        let text = report(&drawn, [0.0, 10.0]);
        assert!(
            text.contains("Elo: 0.00 +/- nan, nElo: nan +/- nan\n"),
            "{text}"
        );
        assert!(text.contains("LOS: 50.00 %"), "{text}");
        let text = report(&Tally::default(), [0.0, 10.0]);
        assert!(text.contains("Elo: nan +/- nan"), "{text}");
        assert!(text.contains("LLR: 0.00 (0.0%)"), "{text}");
    }
}
