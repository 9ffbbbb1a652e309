//! The grid games held against rules libraries that others made, on positions and lines that nobody has seen before.
//!
//! `scripts/oracles.sh` installs the libraries and runs this; without them it skips itself and says so. See [`outside`] for the variables.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "oracle/cases.rs"]
mod cases;
#[path = "oracle/chases.rs"]
mod chases;
#[path = "oracle/common.rs"]
mod common;
#[path = "oracle/comparison.rs"]
mod comparison;
#[path = "oracle/outside.rs"]
mod outside;
#[path = "oracle/river.rs"]
mod river;

use std::collections::BTreeMap;
use std::path::Path;

use cases::{Case, Hands, Men};
use chases::Term;
use common::{Random, legal};
use comparison::{Comparison, Found, play, winner};
use outside::Oracle;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Declaration, Reason, RuleOptions, Variant};
use serde_json::Value;

const SHOGI: Men = Men {
    letters: "ppppppppppppppppppllllnnnnssssggggbbrr",
    promoting: "plnsbr",
    hands: Hands::Field,
};
const EUROSHOGI: Men = Men {
    letters: "ppppppppppppppppnnnnggggbbbbrr",
    promoting: "pnbr",
    hands: Hands::Brackets,
};
const XIANGQI: Men = Men {
    letters: "ppppppppppaaaabbbbnnnnrrrrcccc",
    promoting: "",
    hands: Hands::None,
};

/// Returns how many lines that repeat are asked about.
fn lines() -> usize {
    outside::positions() / 4
}

/// Lines without captures.
const QUIET: usize = 30;

#[test]
fn shogi_and_cshogi_agree() {
    let Some(oracle) = Oracle::start(&["cshogi"]) else {
        return;
    };
    let mut comparison = Comparison {
        oracle,
        // The library judges declarations, which are off by default; games of any length.
        options: RuleOptions {
            declaration: Declaration::Csa27,
            ply_cap: u32::MAX,
            ..Showgit::OPTIONS
        },
        men: SHOGI,
        fields: 3,
        leaves: 1_000_000,
        random: random(1),
        found: Found::default(),
    };
    comparison.positions::<Showgit>();
    comparison.perft::<Showgit>();
    // The library's own verdict comes with the second occurrence of a position, and it doesn't declare in the middle of a line.
    for repetitions in [2, 4] {
        let options = RuleOptions {
            repetitions,
            declaration: Declaration::Off,
            ..comparison.options
        };
        let cases: Vec<Case> = (0..lines())
            .map(|_| cases::line::<Showgit>(SHOGI, options, &mut comparison.random))
            .collect();
        comparison.same_verdicts::<Showgit>(&cases, options);
    }
    comparison.finish::<Showgit>(&format!("{} lines", 2 * lines()));
}

#[test]
fn euroshogi_and_pyffish_agree() {
    let Some(oracle) = Oracle::start(&["pyffish", "euroshogi"]) else {
        return;
    };
    let mut comparison = Comparison {
        oracle,
        // The library's EuroShogi has neither of our two limits; `outside.py` says in which points it was told to follow our rules page.
        options: RuleOptions {
            no_progress: 0,
            ply_cap: u32::MAX,
            ..EuroShogi::OPTIONS
        },
        men: EUROSHOGI,
        fields: 2,
        leaves: 10_000,
        random: random(2),
        found: Found::default(),
    };
    comparison.positions::<EuroShogi>();
    comparison.perft::<EuroShogi>();
    let options = comparison.options;
    let cases: Vec<Case> = (0..lines())
        .map(|_| cases::line::<EuroShogi>(EUROSHOGI, options, &mut comparison.random))
        .collect();
    comparison.same_verdicts::<EuroShogi>(&cases, options);
    comparison.finish::<EuroShogi>(&format!("{} lines", lines()));
}

#[test]
fn xiangqi_and_pyffish_agree() {
    let Some(oracle) = Oracle::start(&["pyffish", "xiangqi"]) else {
        return;
    };
    // The library has no cap on a game's length.
    let options = RuleOptions {
        ply_cap: u32::MAX,
        ..Xiangqi::OPTIONS
    };
    let mut comparison = Comparison {
        oracle,
        options,
        men: XIANGQI,
        fields: 6,
        leaves: 10_000,
        random: random(3),
        found: Found::default(),
    };
    comparison.positions::<Xiangqi>();
    comparison.perft::<Xiangqi>();
    let quiet: Vec<Case> = (0..QUIET)
        .map(|_| cases::quiet::<Xiangqi>(XIANGQI, options, &mut comparison.random))
        .collect();
    comparison.same_verdicts::<Xiangqi>(&quiet, options);
    let argued = compare_chases(&mut comparison);
    comparison.finish::<Xiangqi>(&format!(
        "{QUIET} lines without captures, {} lines that repeat, of which judged otherwise as argued: {argued:?}",
        lines()
    ));
}

/// Compares verdicts on repetitions in xiangqi, and returns how many differ by which term of the rules page; see [`Term`].
///
/// A difference is argued when our verdict is the slow judge's, and reading one term otherwise (or the test for checks and one term) turns it
/// into theirs. Any other is reported.
fn compare_chases(comparison: &mut Comparison) -> BTreeMap<Vec<Term>, usize> {
    let options = comparison.options;
    let cases = debatable_lines(lines(), options, &mut comparison.random);
    let mut argued = BTreeMap::new();
    for (number, ours, theirs) in comparison.lines::<Xiangqi>(&cases, options) {
        let line = &cases[number];
        match argument(line, winner(ours), &theirs) {
            Some(terms) => *argued.entry(terms).or_default() += 1,
            None => comparison.differ(line, &format!("{ours:?}, oracle {theirs}")),
        }
    }
    argued
}

/// Makes lines that repeat a position, most of them such as a judge of chases has to think about.
fn debatable_lines(count: usize, options: RuleOptions, random: &mut Random) -> Vec<Case> {
    let mut lines = Vec::new();
    while lines.len() < count {
        let line = cases::line::<Xiangqi>(XIANGQI, options, random);
        if random.below(40) == 0 || chases::is_debatable(&line.start, &line.moves) {
            lines.push(line);
        }
    }
    lines
}

/// The term (or the test for checks and one term) whose other reading turns our verdict into theirs.
fn argument(case: &Case, ours: &str, theirs: &str) -> Option<Vec<Term>> {
    let verdict = |terms: &[Term]| chases::verdict(&case.start, &case.moves, terms);
    let singles = Term::ALL.into_iter().map(|term| vec![term]);
    let with_checks = Term::ALL.into_iter().map(|term| vec![Term::Checks, term]);
    singles
        .chain(with_checks)
        .find(|terms| verdict(&[]) == ours && verdict(terms) == theirs)
}

/// A stream of random numbers of the day.
fn random(stream: u64) -> Random {
    let seed = outside::seed().wrapping_mul(4).wrapping_add(stream);
    Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
}

#[test]
fn the_slow_judge_of_chases_agrees() {
    for line in debatable_lines(60, Xiangqi::OPTIONS, &mut Random(0x5eed)) {
        let game = play::<Xiangqi>(&line, Xiangqi::OPTIONS);
        let outcome = game.outcome(&legal(game.position())).unwrap();
        if outcome.reason != Reason::PerpetualCheck {
            let slow = chases::verdict(&line.start, &line.moves, &[]);
            assert_eq!(winner(outcome), slow, "{line:?}");
        }
    }
}

/// The committed examples of each term: a line whose verdict by the page is the expected one, and by the other reading pyffish's.
#[test]
fn argued_chases_turn_on_one_term() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/chases-xiangqi.jsonl");
    let mut examples: BTreeMap<String, usize> = BTreeMap::new();
    for text in std::fs::read_to_string(path).unwrap().lines() {
        let line: Value = serde_json::from_str(text).unwrap();
        let Some(theirs) = line["pyffish"].as_str() else {
            continue;
        };
        let case = Case {
            start: line["fen"].as_str().unwrap().to_owned(),
            moves: serde_json::from_value(line["moves"].clone()).unwrap(),
        };
        let ours = line["expected"]["winner"].as_str().unwrap();
        let term = line["category"].as_str().unwrap();
        let terms = argument(&case, ours, theirs).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(format!("{:?}", terms[0]), term, "{text}");
        *examples.entry(term.to_owned()).or_default() += 1;
    }
    assert_eq!(examples.len(), Term::ALL.len(), "{examples:?}");
}
