//! One place of the pool: a game after another, each searched and recorded ply by ply.

use rand::RngExt;
use rules::{Game, MoveOf, Outcome, Position as _, Reason, RuleOptions, Variant};
use serde::{Deserialize, Serialize};

use super::branches::Reservoir;
use super::config::{CapsStage, SelfplayConfig};
use super::live::Live;
use super::openings::{draw_policy, open};
use crate::evaluator::{Evaluation, Evaluations, Evaluator};
use crate::random::{Purpose, stream};
use crate::record::{GameRecord, Origin, PlyKind, PlyRecord, ResignationNote};
use crate::search::{Report, Search, SearchConfig, SearchTask};

/// What all slots of a pool have in common.
#[derive(Clone, Debug)]
pub(super) struct Plan<V: Variant> {
    pub(super) options: RuleOptions,
    pub(super) selfplay: SelfplayConfig,
    pub(super) search: SearchConfig,
    /// How many simulations searches have in this generation.
    pub(super) stage: CapsStage,
    pub(super) seed: u64,
    /// Positions to start games from.
    pub(super) starts: Vec<V::Position>,
}

impl<V: Variant> Plan<V> {
    /// Returns what kind of ply comes next in a game, and what its search is to do.
    fn task(&self, notes: &GameNotes, ply: usize) -> (PlyKind, SearchTask) {
        let stage = &self.stage;
        let drawn = || stream(self.seed, Purpose::Budget, notes.number, ply as u64).random::<f32>();
        let (kind, simulations) = if ply < notes.policy_until as usize {
            (PlyKind::Policy, 0)
        } else if drawn() < stage.full_share {
            (PlyKind::Searched, stage.simulations)
        } else {
            (PlyKind::Fast, stage.fast_simulations)
        };
        let task = SearchTask {
            simulations,
            temperature: self.selfplay.temperature.at(ply),
            explore: kind == PlyKind::Searched,
        };
        (kind, task)
    }
}

/// What is known of a game under way beside its moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameNotes {
    /// The number of the game in its run.
    pub number: u64,
    /// One entry a move.
    pub plies: Vec<PlyRecord>,
    /// Which nets played, as in [`GameRecord::checkpoints`].
    pub checkpoints: Vec<(u32, u64)>,
    /// The ply before which moves are drawn from the net's policy.
    pub policy_until: u32,
    /// Who first wanted to resign.
    pub resigned: Option<ResignationNote>,
    /// The earlier game that it started in.
    pub origin: Option<Origin>,
}

/// An unfinished game between two generations, and what its slot remembers. Its trees are not kept, so a pool that goes on and one that was
/// restored play alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotState {
    /// The rule options that the game is played under.
    pub options: RuleOptions,
    /// The text of the position that it started from.
    pub start: String,
    /// The moves so far.
    pub moves: Vec<u16>,
    /// What else is known of it.
    pub notes: GameNotes,
    /// Positions of the slot's earlier games to start from.
    pub reservoir: Reservoir,
}

#[derive(Debug)]
pub(super) struct Slot<V: Variant> {
    search: Search<V>,
    notes: GameNotes,
    reservoir: Reservoir,
    /// The kind of the ply under way.
    kind: PlyKind,
    checkpoint: u64,
    /// Searched plies left in this generation.
    plies_left: u32,
    legal: Vec<MoveOf<V>>,
}

impl<V: Variant> Slot<V> {
    /// Sets up game `number`, its opening included.
    pub(super) fn new(plan: &Plan<V>, number: u64) -> Self {
        let mut reservoir = Reservoir::default();
        let (game, notes) = open(plan, number, &mut reservoir);
        Self::of_game(plan, game, notes, reservoir)
    }

    fn of_game(plan: &Plan<V>, game: Game<V>, notes: GameNotes, reservoir: Reservoir) -> Self {
        let rng = stream(plan.seed, Purpose::Search, notes.number, 0);
        Self {
            search: Search::new(plan.search, game, rng),
            notes,
            reservoir,
            kind: PlyKind::Searched,
            checkpoint: 0,
            plies_left: 0,
            legal: Vec::new(),
        }
    }

    pub(super) fn state(&self) -> SlotState {
        let game = self.search.game();
        SlotState {
            options: *game.options(),
            start: game.start().to_string(),
            moves: game.moves().iter().map(|&mv| mv.into()).collect(),
            notes: self.notes.clone(),
            reservoir: self.reservoir.clone(),
        }
    }

    pub(super) fn restore(&mut self, plan: &Plan<V>, state: SlotState) -> Result<(), String> {
        let number = state.notes.number;
        let start = state.start.parse();
        let start = start.map_err(|error| format!("stored game {number}: {error}"))?;
        let mut game = Game::<V>::from_position(start, state.options);
        let mut legal = Vec::new();
        for &bits in &state.moves {
            let mv = MoveOf::<V>::try_from(bits).map_err(|error| error.to_string())?;
            game.legal_moves(&mut legal);
            if !legal.contains(&mv) {
                return Err(format!(
                    "stored game {number}: {mv} is not legal in `{}`",
                    game.position()
                ));
            }
            game.play(mv);
        }
        game.legal_moves(&mut legal);
        if state.notes.plies.len() != state.moves.len() || game.outcome(&legal).is_some() {
            return Err(format!("stored game {number} is not an unfinished game"));
        }
        *self = Self::of_game(plan, game, state.notes, state.reservoir);
        Ok(())
    }

    /// Starts a generation in which `checkpoint` plays, and runs to the first leaf.
    pub(super) fn begin_generation(&mut self, plan: &Plan<V>, checkpoint: u64) {
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
        plan: &Plan<V>,
        live: &Live,
        (evaluator, answer): (&mut dyn Evaluator<V>, &mut Evaluations),
    ) -> usize {
        while self.plies_left > 0 && !live.is_stopped() {
            let before = evaluator.evaluated_at_once();
            self.search.run(evaluator, answer);
            live.count_at_once(evaluator.evaluated_at_once() - before);
            if self.search.pending() > 0 {
                return self.search.pending();
            }
            let report = self.search.report();
            if self.kind == PlyKind::Policy {
                self.play_policy(plan, &report);
            } else {
                live.count_ply(report.simulations);
                if let Some(record) = self.play(plan, report) {
                    live.hand_over(record);
                }
                self.plies_left -= 1;
            }
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

    fn begin_ply(&mut self, plan: &Plan<V>) {
        let ply = self.search.game().ply();
        let checkpoints = &mut self.notes.checkpoints;
        if checkpoints
            .last()
            .is_none_or(|&(_, checkpoint)| checkpoint != self.checkpoint)
        {
            checkpoints.push((ply as u32, self.checkpoint));
        }
        let (kind, task) = plan.task(&self.notes, ply);
        self.kind = kind;
        let rng = stream(plan.seed, Purpose::Search, self.notes.number, ply as u64);
        self.search.begin(task, rng);
    }

    /// Plays a move drawn from the net's policy. One that would end the game is not played: there the opening is over.
    fn play_policy(&mut self, plan: &Plan<V>, report: &Report<MoveOf<V>>) {
        let game = self.search.game();
        let ply = game.ply() as u64;
        let mut rng = stream(plan.seed, Purpose::Policy, self.notes.number, ply);
        let temperature = plan.selfplay.openings.policy_temperature;
        game.legal_moves(&mut self.legal);
        let drawn = draw_policy(&report.edges, temperature, &mut rng);
        let mv = drawn.map_or(report.mv, |at| self.legal[at]);
        let mut next = game.clone();
        next.play(mv);
        next.legal_moves(&mut self.legal);
        if next.outcome(&self.legal).is_some() {
            self.notes.policy_until = 0;
            return;
        }
        self.notes.plies.push(PlyRecord {
            root: report.raw,
            raw: report.raw,
            ..PlyRecord::unsearched(PlyKind::Policy)
        });
        self.search.advance(mv);
    }

    /// Records and plays the move of a finished search; if that ends the game, returns its record and sets up the slot's next one.
    fn play(&mut self, plan: &Plan<V>, report: Report<MoveOf<V>>) -> Option<GameRecord> {
        let is_full = self.kind == PlyKind::Searched;
        self.notes.plies.push(PlyRecord {
            kind: self.kind,
            root: report.root,
            raw: report.raw,
            exploratory: report.regret > plan.selfplay.exploratory_regret,
            surprise: report.surprise,
            simulations: report.simulations,
            copies: u8::from(is_full),
            edges: if is_full { report.edges } else { Vec::new() },
        });
        self.search.advance(report.mv);
        let game = self.search.game();
        game.legal_moves(&mut self.legal);
        let by_rules = game.outcome(&self.legal);
        let outcome = by_rules.or_else(|| self.resignation(plan))?;
        Some(self.finish(plan, outcome))
    }

    /// Notes the first resignation of the game and returns the outcome, unless the game is played on.
    fn resignation(&mut self, plan: &Plan<V>) -> Option<Outcome> {
        let (config, notes, game) = (&plan.selfplay.resign, &mut self.notes, self.search.game());
        if notes.resigned.is_some() {
            return None;
        }
        let mover = game.position().side_to_move().other();
        let side = config.gives_up(&notes.plies, mover)?;
        notes.resigned = Some(ResignationNote {
            side,
            ply: game.ply() as u32,
        });
        let ends = !config.plays_on(plan.seed, notes.number);
        ends.then_some(Outcome::win(side.other(), Reason::Resignation))
    }

    fn finish(&mut self, plan: &Plan<V>, outcome: Outcome) -> GameRecord {
        let game = self.search.game();
        let mut notes = std::mem::take(&mut self.notes);
        let surprise = &plan.selfplay.surprise;
        surprise.assign(plan.seed, notes.number, &mut notes.plies);
        let record = GameRecord {
            variant: V::ID,
            rules_version: V::RULES_VERSION,
            options: *game.options(),
            seed: plan.seed,
            number: notes.number,
            start: game.start().to_string(),
            moves: game.moves().iter().map(|&mv| mv.into()).collect(),
            plies: notes.plies,
            outcome,
            checkpoints: notes.checkpoints,
            resigned: notes.resigned,
            origin: notes.origin,
        };
        let (forks, first) = (&plan.selfplay.forks, game.start().side_to_move());
        self.reservoir.consider::<V>(forks, &record, first);
        self.next_game(plan, record.number);
        record
    }

    /// The games of slot `i` of `n` are numbered `i`, `i + n`, `i + 2n`, ...: no slot needs to ask another.
    fn next_game(&mut self, plan: &Plan<V>, last: u64) {
        let number = last + u64::from(plan.selfplay.games);
        let (game, notes) = open(plan, number, &mut self.reservoir);
        self.search.set_game(game);
        self.notes = notes;
    }
}
