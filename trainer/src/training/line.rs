//! One line of metrics a generation, for machines and for people.

use std::collections::BTreeMap;
use std::fmt;

use model::Losses;
use selfplay::CapsStage;
use serde::Serialize;

use super::endings::{Resignations, Shares};
use super::learn::Learned;
use super::limit::Limits;
use super::play::Played;
use super::scheduled::Scheduled;
use super::timing::{Seconds, Speed};
use crate::evaluation::{Comparisons, Evaluation};

/// What a generation did and found. Everything but `seconds` and `speed` is the same whenever the same run is repeated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct GenerationLine {
    /// The generation, from 0, the untrained net.
    pub(crate) generation: u64,
    /// The identity of the weights that it published.
    pub(crate) checkpoint: String,
    /// Plies searched.
    pub(crate) plies: u64,
    /// Plies searched in the run so far.
    pub(crate) total_plies: u64,
    /// The ply at which games that started in it are capped.
    pub(crate) ply_cap: u32,
    /// Simulations of these searches.
    pub(crate) simulations: u64,
    /// The simulations of a full search.
    pub(crate) full_simulations: u32,
    /// The share of searches that are full.
    pub(crate) full_share: f32,
    /// The simulations of the others.
    pub(crate) fast_simulations: u32,
    /// Games that ended.
    pub(crate) games: u64,
    /// Their mean length in plies, random openings included.
    pub(crate) mean_plies: f64,
    /// How they ended: `first`, `second` and `draw`, and each reason.
    pub(crate) endings: BTreeMap<String, u64>,
    /// Their plies by how the moves came about: `random`, `searched`, `fast`, `policy` and `forked`.
    pub(crate) kinds: BTreeMap<String, u64>,
    /// Mean simulations of their searches, full and fast.
    pub(crate) mean_simulations: f64,
    /// Their positions to learn from, each as often as it counts.
    pub(crate) positions: u64,
    /// Those that started in an earlier game, by why: `fork` or `restart`.
    pub(crate) branched: BTreeMap<String, u64>,
    /// Resignations that were only noted.
    pub(crate) resignations: Noted,
    /// How the newest games ended.
    pub(crate) recent: Shares,
    /// Share of searched plies whose move counts as exploration.
    pub(crate) exploratory: f64,
    /// By what numbers it learned.
    pub(crate) schedule: Scheduled,
    /// Steps of learning.
    pub(crate) steps: u64,
    /// Positions learned from, each as often as it was, for each one stored since the learning before; `None` where none was stored.
    pub(crate) reuse: Option<f64>,
    /// Positions learned from in the run so far, each as often as it was.
    pub(crate) learned_positions: u64,
    /// The learning rate at the first of these steps.
    pub(crate) learning_rate: f64,
    /// Mean losses of these steps.
    pub(crate) losses: Option<Losses>,
    /// What limits the run.
    pub(crate) limit: Option<Limits>,
    /// Positions in the replay window.
    pub(crate) window_positions: u64,
    /// Memory that the window takes, in bytes.
    pub(crate) window_bytes: u64,
    /// Disk that the replay store takes, in bytes.
    pub(crate) store_bytes: u64,
    /// What the net then knew.
    pub(crate) evaluation: Option<Evaluation>,
    /// How it did against other nets and players.
    pub(crate) comparisons: Option<Comparisons>,
    /// The generation of the best net.
    pub(crate) best: u64,
    /// Where the time went.
    pub(crate) seconds: Seconds,
    /// How fast self-play was.
    pub(crate) speed: Speed,
}

/// Resignations after which games were played on, and how often they were wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Noted {
    /// In the generation.
    pub(crate) generation: Resignations,
    /// The share of wrong ones in the generation, if there were any.
    pub(crate) false_share: Option<f64>,
    /// In the run so far.
    pub(crate) run: Resignations,
    /// The share of wrong ones in the run, if there were any.
    pub(crate) run_false_share: Option<f64>,
}

impl Noted {
    /// Adds the generation to what the run had noted before it.
    pub(super) fn follow(&mut self, before: Resignations) {
        self.run = before.with(self.generation);
        self.false_share = self.generation.false_share();
        self.run_false_share = self.run.false_share();
    }
}

/// The evaluation at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct FinalLine<'a> {
    generation: u64,
    at_end: &'a Evaluation,
}

impl<'a> FinalLine<'a> {
    pub(super) fn new(generation: u64, at_end: &'a Evaluation) -> Self {
        Self { generation, at_end }
    }
}

impl GenerationLine {
    /// Makes an empty line.
    pub(super) fn new(generation: u64) -> Self {
        Self {
            generation,
            checkpoint: String::new(),
            plies: 0,
            total_plies: 0,
            ply_cap: 0,
            simulations: 0,
            full_simulations: 0,
            full_share: 0.0,
            fast_simulations: 0,
            games: 0,
            mean_plies: 0.0,
            endings: BTreeMap::new(),
            kinds: BTreeMap::new(),
            mean_simulations: 0.0,
            positions: 0,
            branched: BTreeMap::new(),
            resignations: Noted::default(),
            recent: Shares::default(),
            exploratory: 0.0,
            schedule: Scheduled::default(),
            steps: 0,
            reuse: None,
            learned_positions: 0,
            learning_rate: 0.0,
            losses: None,
            limit: None,
            window_positions: 0,
            window_bytes: 0,
            store_bytes: 0,
            evaluation: None,
            comparisons: None,
            best: 0,
            seconds: Seconds::default(),
            speed: Speed::default(),
        }
    }

    /// Adds what self-play did.
    pub(super) fn add_play(&mut self, played: &Played) {
        let Played {
            report,
            records,
            ply_cap,
            stage,
            seconds,
            speed,
        } = played;
        self.full_simulations = stage.simulations;
        self.full_share = stage.full_share;
        self.fast_simulations = stage.fast_simulations;
        self.speed = *speed;
        self.ply_cap = *ply_cap;
        self.seconds.play = *seconds;
        self.plies = report.plies;
        self.simulations = report.simulations;
        self.games = report.games;
        let plies: usize = records.iter().map(|record| record.moves.len()).sum();
        self.mean_plies = plies as f64 / records.len().max(1) as f64;
        for record in records {
            let winner = record.outcome.winner.map_or("draw", rules::Side::name);
            for name in [winner, record.outcome.reason.name()] {
                *self.endings.entry(name.to_owned()).or_default() += 1;
            }
            if let Some(origin) = record.origin {
                let name = origin.kind.name().to_owned();
                *self.branched.entry(name).or_default() += 1;
            }
            self.resignations.generation.add(record);
        }
        let plies = || records.iter().flat_map(|record| &record.plies);
        for ply in plies() {
            *self.kinds.entry(ply.kind.name().to_owned()).or_default() += 1;
            self.positions += u64::from(ply.copies);
        }
        let searched = || plies().filter(|ply| ply.kind.is_search());
        let searches = searched().count().max(1) as f64;
        let simulations: u64 = searched().map(|ply| u64::from(ply.simulations)).sum();
        self.mean_simulations = simulations as f64 / searches;
        self.exploratory = searched().filter(|ply| ply.exploratory).count() as f64 / searches;
    }

    /// Adds what learning did, with the positions that were stored when the learning before it began.
    pub(super) fn add_learning(&mut self, learned: &Learned, seen: Option<u64>) {
        self.schedule = learned.scheduled;
        let new = seen.and_then(|seen| learned.scheduled.positions.checked_sub(seen));
        self.reuse = new
            .filter(|&new| new > 0)
            .map(|new| learned.positions as f64 / new as f64);
        self.learning_rate = learned.learning_rate;
        self.losses = learned.losses;
        self.limit = learned.limits;
        self.steps = learned.steps;
        self.seconds.learn = learned.seconds;
    }
}

impl fmt::Display for GenerationLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "generation {:>3}, {:>4.0} s",
            self.generation, self.seconds.run
        )?;
        if let Some(losses) = &self.losses {
            let divergence = losses.policy - losses.policy_entropy;
            write!(f, ": {} positions, {} games", self.plies, self.games)?;
            write!(
                f,
                ", policy loss {:.3} (divergence {divergence:.3}), value loss {:.3}",
                losses.policy, losses.wdl
            )?;
        }
        if self.generation > 0 {
            let stage = CapsStage {
                positions: 0,
                simulations: self.full_simulations,
                full_share: self.full_share,
                fast_simulations: self.fast_simulations,
            };
            let schedule = &self.schedule;
            write!(f, ", {}, {schedule}", describe_stage(&stage))?;
            if let Some(reuse) = self.reuse {
                write!(f, ", reuse {reuse:.2} of {:.2}", schedule.reuse)?;
            }
        }
        if let Some(share) = self.resignations.run_false_share {
            let Noted {
                generation, run, ..
            } = self.resignations;
            write!(
                f,
                ", false resignations {} of {} (in the run {} of {}, {:.1} %)",
                generation.wrong,
                generation.played_on,
                run.wrong,
                run.played_on,
                share * 100.0
            )?;
        }
        if let Some(evaluation) = &self.evaluation {
            write!(f, "; {}", describe(evaluation))?;
        }
        if let Some(limit) = self.limit.and_then(|found| found.limit) {
            write!(f, "; limited by its {limit}")?;
        }
        for (opponent, found) in self.comparisons.iter().flat_map(|found| &found.matches) {
            let [wins, draws, losses] = found.wdl;
            write!(f, ", against {opponent} +{wins} ={draws} -{losses}")?;
        }
        Ok(())
    }
}

/// Says how many simulations searches have.
pub(super) fn describe_stage(stage: &CapsStage) -> String {
    let CapsStage {
        simulations,
        full_share,
        fast_simulations,
        ..
    } = stage;
    if *full_share >= 1.0 {
        return format!("{simulations} simulations a move");
    }
    let percent = 100.0 * full_share;
    format!(
        "{simulations} simulations in {percent:.0} % of the moves and {fast_simulations} in others"
    )
}

/// Says in a line what an evaluation found.
pub(super) fn describe(evaluation: &Evaluation) -> String {
    let mut parts = Vec::new();
    if let Some(exactness) = &evaluation.exactness {
        parts.push(format!(
            "exact value kept by policy {:.3} %",
            exactness.policy * 100.0
        ));
        for (simulations, share) in &evaluation.search {
            parts.push(format!(
                "by {simulations} simulations {:.3} %",
                share * 100.0
            ));
        }
        parts.push(format!("value right {:.3} %", exactness.wdl * 100.0));
    }
    let [wins, draws, losses] = evaluation.wdl;
    if wins + draws + losses > 0 {
        parts.push(format!("match +{wins} ={draws} -{losses}"));
    }
    if let Some(diagnosis) = &evaluation.diagnosis {
        parts.push(format!(
            "calibration error {:.3}, search moves policy by {:.3}",
            diagnosis.calibration.all.calibration_error, diagnosis.policy.divergence
        ));
        if let Some(gain) = &diagnosis.search_gain {
            parts.push(format!("search gains Elo {}", gain.estimate()));
        }
        if let Some(blunders) = &diagnosis.blunders {
            parts.push(format!(
                "blunders {:.1} %, with search {:.1} %",
                100.0 * blunders.policy.ratio,
                100.0 * blunders.search.ratio
            ));
        }
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn false_resignations_are_said_once_there_were_any() {
        let mut line = GenerationLine::new(3);
        line.resignations.follow(Resignations::default());
        assert!(!line.to_string().contains("resignations"));
        line.resignations.generation = Resignations {
            played_on: 8,
            wrong: 1,
        };
        line.resignations.follow(Resignations {
            played_on: 12,
            wrong: 1,
        });
        let said = line.to_string();
        assert!(
            said.contains("false resignations 1 of 8 (in the run 2 of 20, 10.0 %)"),
            "{said}"
        );
        assert_eq!(line.resignations.false_share, Some(0.125));
    }

    #[test]
    fn a_line_says_what_was_scheduled_and_what_came_of_it() {
        let mut line = GenerationLine::new(0);
        assert!(!line.to_string().contains("window"));
        line.generation = 7;
        line.full_simulations = 16;
        line.full_share = 1.0;
        let mut learned = Learned {
            scheduled: Scheduled {
                positions: 3000,
                window: 250_000,
                batch: 1024,
                reuse: 1.625,
                root_value_share: 0.25,
            },
            learning_rate: 0.001,
            losses: None,
            limits: None,
            steps: 3,
            positions: 3072,
            seconds: 1.0,
        };
        line.add_learning(&learned, Some(1000));
        assert_eq!(line.reuse, Some(1.536));
        let said = line.to_string();
        assert!(
            said.contains("16 simulations a move, window 250000, batch 1024, root values 25.0 %, reuse 1.54 of 1.62"),
            "{said}"
        );
        (
            line.full_simulations,
            line.full_share,
            line.fast_simulations,
        ) = (128, 0.25, 16);
        let said = line.to_string();
        assert!(
            said.contains("128 simulations in 25 % of the moves and 16 in others, window"),
            "{said}"
        );
        // Without new positions, or where it was not noted how many there were, nothing can be said.
        for seen in [Some(3000), Some(5000), None] {
            line.add_learning(&learned, seen);
            assert_eq!(line.reuse, None);
            assert!(!line.to_string().contains("reuse"));
        }
        learned.positions = 0;
        line.add_learning(&learned, Some(0));
        assert_eq!(line.reuse, Some(0.0));
    }
}
