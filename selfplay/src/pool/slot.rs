//! One place of the pool: a game after another, each searched and recorded ply by ply.

use rand::RngExt;
use rules::{Game, MoveOf, RuleOptions, Variant};
use serde::{Deserialize, Serialize};

use super::config::SelfplayConfig;
use super::live::Live;
use crate::evaluator::{Evaluation, Evaluations, Evaluator};
use crate::random::{Purpose, stream};
use crate::record::{GameRecord, PlyKind, PlyRecord};
use crate::search::{Report, Search, SearchConfig, SearchTask};

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
    }

    /// Returns the bytes that its tree takes.
    pub(super) fn tree_bytes(&self) -> usize {
        self.search.tree_bytes()
    }

    /// Searches and plays until leaves were put off or the generation is over for this slot, and returns the leaves put off.
    pub(super) fn run(
        &mut self,
        plan: &Plan,
        live: &Live,
        (evaluator, answer): (&mut dyn Evaluator<V>, &mut Evaluations),
    ) -> usize {
        while self.plies_left > 0 && !live.is_stopped() {
            self.search.run(evaluator, answer);
            if self.search.pending() > 0 {
                return self.search.pending();
            }
            let report = self.search.report();
            live.count_ply(report.simulations);
            if let Some(record) = self.play(plan, report) {
                live.hand_over(record);
            }
            self.plies_left -= 1;
            if self.plies_left > 0 {
                self.begin_ply(plan);
            }
        }
        0
    }

    /// Takes the evaluation of the leaf that was put off first.
    pub(super) fn settle(&mut self, evaluation: Evaluation<'_>) {
        self.search.settle(evaluation);
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
        let temperature = plan.selfplay.temperature.at(ply);
        let task = SearchTask {
            simulations: plan.search.simulations,
            temperature,
            explore: true,
        };
        self.search.begin(task, rng);
    }

    /// Records and plays the move of a finished search; if that ends the game, returns its record and sets up the slot's next one.
    fn play(&mut self, plan: &Plan, report: Report<MoveOf<V>>) -> Option<GameRecord> {
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
        let outcome = game.outcome(&self.legal)?;
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
        self.next_game(plan);
        Some(record)
    }

    /// The games of slot `i` of `n` are numbered `i`, `i + n`, `i + 2n`, ...: no slot needs to ask another.
    fn next_game(&mut self, plan: &Plan) {
        self.number += u64::from(plan.selfplay.games);
        let (game, plies) = opening::<V>(plan, self.number);
        self.plies = plies;
        self.search.set_game(game);
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
