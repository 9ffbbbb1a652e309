//! Holds one game against a rules library of others: positions, counts of the game tree, endings of lines.

use std::collections::BTreeMap;

use rules::board::{Board, Move, Ruleset};
use rules::perft::perft;
use rules::{Game, Outcome, Position, Reason, RuleOptions, Side, Variant};
use serde_json::{Value, json};

use crate::cases::{self, Case, Men};
use crate::common::{Random, legal};
use crate::outside::{self, Oracle, say};

/// Positions that are asked about at once.
const BATCH: usize = 2000;
/// Positions below which the game tree is counted.
const COUNTED: usize = 50;
/// Plies of a line up to which the oracle is asked about every ply.
const WHOLE: usize = 40;

/// What a comparison of one game needs to know.
pub(crate) struct Comparison {
    pub(crate) oracle: Oracle,
    /// The rules as the oracle has them: every deviation from the game's defaults is argued where it is made.
    pub(crate) options: RuleOptions,
    pub(crate) men: Men,
    /// How many fields of a position's text have to agree.
    pub(crate) fields: usize,
    /// The most leaves that the oracle counts in reasonable time.
    pub(crate) leaves: u64,
    pub(crate) random: Random,
    pub(crate) found: Found,
}

/// What a comparison has met.
#[derive(Debug, Default)]
pub(crate) struct Found {
    differences: Vec<String>,
    /// Positions in check and endings met, so that a comparison of nothing would be seen.
    met: BTreeMap<&'static str, usize>,
}

/// How many differences are worth printing.
const SHOWN: usize = 3;

impl Comparison {
    pub(crate) fn differ(&mut self, case: &Case, problem: &str) {
        if self.found.differences.len() < SHOWN {
            let Case { start, moves } = case;
            let differences = &mut self.found.differences;
            differences.push(format!("{start} moves {}: {problem}", moves.join(" ")));
        }
    }

    fn meet(&mut self, outcome: Option<Outcome>) {
        if let Some(outcome) = outcome {
            *self.found.met.entry(outcome.reason.name()).or_default() += 1;
        }
    }

    /// Asks about random positions: moves, text, check, endings that need no history.
    pub(crate) fn positions<R: Ruleset + Variant<Position = Board<R>>>(&mut self) {
        let total = outside::positions();
        for first in (0..total).step_by(BATCH) {
            let cases: Vec<Case> = (first..total.min(first + BATCH))
                .map(|_| cases::position::<R>(self.men, self.options, &mut self.random))
                .collect();
            // A long run is there for the moves.
            let full = first == 0;
            let answers = self.ask(&cases, |_| json!({"ask": "position", "full": full}));
            for (case, answer) in cases.iter().zip(answers) {
                let game = play::<R>(case, self.options);
                if let Err(problem) = self.check_position(&game, &answer, full) {
                    self.differ(case, &problem);
                }
            }
        }
    }

    fn ask(&mut self, cases: &[Case], question: impl Fn(&Case) -> Value) -> Vec<Value> {
        let questions: Vec<Value> = cases
            .iter()
            .map(|case| {
                let mut question = question(case);
                question["start"] = case.start.clone().into();
                question["moves"] = case.moves.clone().into();
                question
            })
            .collect();
        self.oracle.ask(&questions)
    }

    fn check_position<R: Ruleset + Variant<Position = Board<R>>>(
        &mut self,
        game: &Game<R>,
        answer: &Value,
        full: bool,
    ) -> Result<(), String> {
        let moves = legal(game.position());
        let mut ours: Vec<String> = moves.iter().map(ToString::to_string).collect();
        ours.sort();
        let theirs = answer["legal"].as_array().map_or(&[][..], Vec::as_slice);
        let theirs: Vec<&str> = theirs.iter().filter_map(Value::as_str).collect();
        if ours != theirs {
            let missing: Vec<_> = theirs
                .iter()
                .filter(|mv| !ours.iter().any(|own| own == **mv))
                .collect();
            ours.retain(|mv| !theirs.contains(&mv.as_str()));
            return Err(format!(
                "ours alone {ours:?}, the oracle's alone {missing:?}"
            ));
        }
        if full {
            self.check_facts(game, &moves, answer)
        } else {
            Ok(())
        }
    }

    fn check_facts<R: Ruleset + Variant<Position = Board<R>>>(
        &mut self,
        game: &Game<R>,
        moves: &[Move<R>],
        answer: &Value,
    ) -> Result<(), String> {
        let text = game.position().to_string();
        let theirs = comparable(answer["text"].as_str().unwrap_or("none"), self.fields);
        if comparable(&text, self.fields) != theirs {
            return Err(format!("text {text}, oracle {}", answer["text"]));
        }
        if json!(game.position().in_check()) != answer["check"] {
            return Err(format!(
                "check {}, oracle {}",
                game.position().in_check(),
                answer["check"]
            ));
        }
        let ours = game
            .outcome(moves)
            .filter(|outcome| !needs_history(outcome.reason));
        self.meet(ours);
        if game.position().in_check() {
            *self.found.met.entry("check").or_default() += 1;
        }
        let ends = [
            "declaration",
            "no_move",
            "insufficient_material",
            "immediate",
        ];
        let theirs = ends
            .into_iter()
            .find_map(|end| answer["ends"][end].as_str());
        if ours.map(winner) != theirs {
            return Err(format!("end {ours:?}, oracle {}", answer["ends"]));
        }
        Ok(())
    }

    /// Asks for counts of the game tree below some positions.
    pub(crate) fn perft<R: Ruleset + Variant<Position = Board<R>>>(&mut self) {
        let cases: Vec<Case> = (0..COUNTED)
            .map(|_| cases::position::<R>(self.men, self.options, &mut self.random))
            .collect();
        let question = json!({"ask": "perft", "depth": 3, "most": self.leaves});
        let answers = self.ask(&cases, |_| question.clone());
        for (case, answer) in cases.iter().zip(answers) {
            let position = *play::<R>(case, self.options).position();
            let depths = 1..=answer["counts"].as_array().map_or(0, Vec::len) as u32;
            let ours: Vec<u64> = depths.map(|depth| perft(&position, depth)).collect();
            if ours.is_empty() || json!(ours) != answer["counts"] {
                self.differ(
                    case,
                    &format!("counts {ours:?}, oracle {}", answer["counts"]),
                );
            }
        }
    }

    /// Asks where lines end by repetition or for lack of progress, and returns the verdict of each where it differs: the line's number in
    /// `cases`, our outcome, their winner. That a line ends elsewhere is always a difference to report.
    pub(crate) fn lines<R: Ruleset + Variant<Position = Board<R>>>(
        &mut self,
        cases: &[Case],
        options: RuleOptions,
    ) -> Vec<(usize, Outcome, String)> {
        let answers = self.ask(cases, |case| {
            // Not before the last ply but one: a line is long and the oracle may be slow; the rounds of a repetition are asked about whole.
            let from = if case.moves.len() > WHOLE {
                case.moves.len() - 1
            } else {
                0
            };
            json!({"ask": "line", "from": from, "occurrences": options.repetitions})
        });
        let mut otherwise = Vec::new();
        for (number, (case, answer)) in cases.iter().zip(answers).enumerate() {
            let game = play::<R>(case, options);
            let end = &answer["end"];
            let outcome = game.outcome(&legal(game.position()));
            self.meet(outcome);
            match outcome {
                Some(ours) if end["ply"] == json!(game.ply()) => {
                    if end["winner"] != json!(winner(ours)) {
                        let theirs = end["winner"].as_str().unwrap_or("none").to_owned();
                        otherwise.push((number, ours, theirs));
                    }
                }
                ours => self.differ(case, &format!("{ours:?}, oracle {end}")),
            }
        }
        otherwise
    }

    /// Reports what was compared.
    ///
    /// # Panics
    /// If anything differed.
    pub(crate) fn finish<R: Variant>(self, what: &str) {
        let (name, seed) = (&self.oracle.name, outside::seed());
        let game = R::ID;
        assert!(
            self.found.differences.is_empty(),
            "{game} differs from {name}; SENPU_ORACLE_SEED={seed} SENPU_ORACLE_POSITIONS={} repeats this:\n{}",
            outside::positions(),
            self.found.differences.join("\n")
        );
        say(&format!(
            "{game} agrees with {name}: {} positions, {COUNTED} counts, {what} (seed {seed}); met {:?}",
            outside::positions(),
            self.found.met
        ));
    }

    /// Asks where lines end, and reports every verdict that differs.
    pub(crate) fn same_verdicts<R: Ruleset + Variant<Position = Board<R>>>(
        &mut self,
        cases: &[Case],
        options: RuleOptions,
    ) {
        for (number, ours, theirs) in self.lines::<R>(cases, options) {
            self.differ(&cases[number], &format!("{ours:?}, oracle {theirs}"));
        }
    }
}

pub(crate) fn play<R: Ruleset + Variant<Position = Board<R>>>(
    case: &Case,
    options: RuleOptions,
) -> Game<R> {
    let start = case.start.parse().unwrap_or_else(|error| panic!("{error}"));
    let mut game = Game::<R>::from_position(start, options);
    for mv in &case.moves {
        let mv = game.position().parse_move(mv);
        game.play(mv.unwrap_or_else(|error| panic!("{error}")));
    }
    game
}

pub(crate) fn winner(outcome: Outcome) -> &'static str {
    outcome.winner.map_or("draw", Side::name)
}

/// Whether an ending is judged by the game's course, and so by lines and not by positions.
fn needs_history(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Repetition | Reason::PerpetualCheck | Reason::PerpetualChase | Reason::MoveLimit
    )
}

/// The first fields of a text, men in brackets in the order of their letters.
fn comparable(text: &str, fields: usize) -> Vec<String> {
    let mut fields: Vec<String> = text.split(' ').take(fields).map(str::to_owned).collect();
    if let Some((men, hands)) = fields[0].split_once('[') {
        let mut hands: Vec<char> = hands.chars().collect();
        hands.sort_unstable();
        fields[0] = format!("{men}[{}", hands.into_iter().collect::<String>());
    }
    fields
}
