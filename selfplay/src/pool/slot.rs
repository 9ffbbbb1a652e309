//! One place of the pool: a game after another, each searched and recorded ply by ply.

use rand::RngExt;
use rules::{Game, MoveOf, RuleOptions, Variant};
use serde::{Deserialize, Serialize};

use super::config::SelfplayConfig;
use crate::evaluator::{Evaluation, Leaf};
use crate::random::{Purpose, stream};
use crate::record::{GameRecord, PlyKind, PlyRecord};
use crate::search::{Report, Search, SearchConfig};

/// What all slots of a pool have in common.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) options: RuleOptions,
    pub(super) selfplay: SelfplayConfig,
    pub(super) search: SearchConfig,
    pub(super) seed: u64,
}

/// An unfinished game between two generations. Its trees are not kept, so a pool that goes on and one that was restored play alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotState {
    /// The number of the game in its run.
    pub number: u64,
    /// The rule options that it is played under.
    pub options: RuleOptions,
    /// The moves so far, from the game's own start position.
    pub moves: Vec<u16>,
    /// One entry a move.
    pub plies: Vec<PlyRecord>,
    /// Which nets played, as in [`GameRecord::checkpoints`].
    pub checkpoints: Vec<(u32, u64)>,
}

#[derive(Debug)]
pub(super) struct Slot<V: Variant> {
    search: Search<V>,
    number: u64,
    plies: Vec<PlyRecord>,
    checkpoints: Vec<(u32, u64)>,
    checkpoint: u64,
    /// Searched plies left in this generation.
    plies_left: u32,
    /// Plies searched since [`Slot::take_plies`] was last called.
    new_plies: u64,
    finished: Vec<GameRecord>,
    waits: bool,
    legal: Vec<MoveOf<V>>,
}

impl<V: Variant> Slot<V> {
    /// Sets up game `number`, random opening included.
    pub(super) fn new(plan: &Plan, number: u64) -> Self {
        let (game, plies) = opening::<V>(plan, number);
        let search = Search::new(
            plan.search,
            game,
            stream(plan.seed, Purpose::Search, number, 0),
        );
        Self {
            search,
            number,
            plies,
            checkpoints: Vec::new(),
            checkpoint: 0,
            plies_left: 0,
            new_plies: 0,
            finished: Vec::new(),
            waits: false,
            legal: Vec::new(),
        }
    }

    pub(super) fn state(&self) -> SlotState {
        SlotState {
            number: self.number,
            options: *self.search.game().options(),
            moves: self
                .search
                .game()
                .moves()
                .iter()
                .map(|&mv| mv.into())
                .collect(),
            plies: self.plies.clone(),
            checkpoints: self.checkpoints.clone(),
        }
    }

    pub(super) fn restore(&mut self, plan: &Plan, state: SlotState) -> Result<(), String> {
        let mut game = Game::<V>::new(state.options);
        let mut legal = Vec::new();
        for &bits in &state.moves {
            let mv = MoveOf::<V>::try_from(bits).map_err(|error| error.to_string())?;
            game.legal_moves(&mut legal);
            if !legal.contains(&mv) {
                return Err(format!(
                    "stored game {}: {mv} is not legal in `{}`",
                    state.number,
                    game.position()
                ));
            }
            game.play(mv);
        }
        game.legal_moves(&mut legal);
        if state.plies.len() != state.moves.len() || game.outcome(&legal).is_some() {
            return Err(format!(
                "stored game {} is not an unfinished game",
                state.number
            ));
        }
        *self = Self::new(plan, state.number);
        self.search = Search::new(
            plan.search,
            game,
            stream(plan.seed, Purpose::Search, state.number, 0),
        );
        self.plies = state.plies;
        self.checkpoints = state.checkpoints;
        Ok(())
    }

    /// Starts a generation in which `checkpoint` plays, and runs to the first leaf.
    pub(super) fn begin_generation(&mut self, plan: &Plan, checkpoint: u64) {
        self.checkpoint = checkpoint;
        self.plies_left = plan.selfplay.plies_per_generation;
        self.search.forget();
        self.begin_ply(plan);
        self.waits = self.run(plan);
    }

    /// Returns the leaf that waits for an evaluation, if one does.
    pub(super) fn leaf(&self) -> Option<Leaf<'_, V>> {
        self.waits.then(|| self.search.leaf())
    }

    /// Takes the evaluation of the leaf and runs to the next one.
    pub(super) fn go_on(&mut self, plan: &Plan, evaluation: Evaluation<'_>) {
        self.search.back_up(evaluation);
        self.waits = self.run(plan);
    }

    /// Returns how many plies were searched since this was last asked.
    pub(super) fn take_plies(&mut self) -> u64 {
        std::mem::take(&mut self.new_plies)
    }

    /// Returns the games finished since this was last asked.
    pub(super) fn take_finished(&mut self) -> impl Iterator<Item = GameRecord> + use<'_, V> {
        self.finished.drain(..)
    }

    /// Searches and plays until a leaf waits (`true`) or the generation is over for this slot.
    fn run(&mut self, plan: &Plan) -> bool {
        loop {
            if self.plies_left == 0 {
                return false;
            }
            if self.search.descend() {
                return true;
            }
            let report = self.search.report();
            self.play(plan, report);
            self.plies_left -= 1;
            self.new_plies += 1;
            if self.plies_left > 0 {
                self.begin_ply(plan);
            }
        }
    }

    fn begin_ply(&mut self, plan: &Plan) {
        let ply = self.search.game().ply();
        if self
            .checkpoints
            .last()
            .is_none_or(|&(_, checkpoint)| checkpoint != self.checkpoint)
        {
            self.checkpoints.push((ply as u32, self.checkpoint));
        }
        let rng = stream(plan.seed, Purpose::Search, self.number, ply as u64);
        self.search.begin(plan.selfplay.temperature.at(ply), rng);
    }

    /// Records and plays the move of a finished search; if that ends the game, sets up the slot's next one.
    fn play(&mut self, plan: &Plan, report: Report<MoveOf<V>>) {
        self.plies.push(PlyRecord {
            kind: PlyKind::Searched,
            root: report.root,
            raw: report.raw,
            exploratory: report.regret > plan.selfplay.exploratory_regret,
            edges: report.edges,
        });
        self.search.advance(report.mv);
        let game = self.search.game();
        game.legal_moves(&mut self.legal);
        let Some(outcome) = game.outcome(&self.legal) else {
            return;
        };
        let record = GameRecord {
            variant: V::ID,
            rules_version: V::RULES_VERSION,
            options: *game.options(),
            seed: plan.seed,
            number: self.number,
            start: game.start().to_string(),
            moves: game.moves().iter().map(|&mv| mv.into()).collect(),
            plies: std::mem::take(&mut self.plies),
            outcome,
            checkpoints: std::mem::take(&mut self.checkpoints),
        };
        self.finished.push(record);
        self.next_game(plan);
    }

    /// The games of slot `i` of `n` are numbered `i`, `i + n`, `i + 2n`, ...: no slot needs to ask another.
    fn next_game(&mut self, plan: &Plan) {
        self.number += u64::from(plan.selfplay.games);
        let (game, plies) = opening::<V>(plan, self.number);
        self.plies = plies;
        self.search = Search::new(
            plan.search,
            game,
            stream(plan.seed, Purpose::Search, self.number, 0),
        );
    }
}

/// Returns the game from which search starts: the start position, or for a share of the games one after random plies.
///
/// Random plies that end the game are drawn anew, and so is their number, which can be 0: there is always an end to it.
fn opening<V: Variant>(plan: &Plan, number: u64) -> (Game<V>, Vec<PlyRecord>) {
    let mut rng = stream(plan.seed, Purpose::Opening, number, 0);
    let mut game = Game::<V>::new(plan.options);
    if rng.random::<f32>() >= plan.selfplay.random_opening_share {
        return (game, Vec::new());
    }
    let mut legal = Vec::new();
    loop {
        let plies = rng.random_range(0..=plan.selfplay.random_opening_plies) as usize;
        game.undo_to(0);
        loop {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() {
                break;
            }
            if game.ply() == plies {
                return (game, vec![PlyRecord::random(); plies]);
            }
            game.play(legal[rng.random_range(0..legal.len())]);
        }
    }
}
