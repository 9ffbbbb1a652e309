//! A position with the history that led to it: repetition, perpetual checks and chases, limits, and therefore the outcome.

use crate::heuristics::Heuristics as _;
use crate::outcome::{Outcome, Reason, Side};
use crate::position::Position;
use crate::variant::{Chase, MoveOf, RuleOptions, Variant};

/// How many counters [`Game`] keeps of the keys it has seen.
const FILTER: usize = 1024;

/// A game in progress, or the scratch line of a search.
///
/// A search plays down a line and takes it back with [`Game::undo_to`]; after warm-up neither allocates.
#[derive(Clone, Debug)]
pub struct Game<V: Variant> {
    options: RuleOptions,
    /// The start position and the position after each ply; never empty.
    positions: Vec<V::Position>,
    /// `footprints[i]` belongs to `positions[i]`.
    footprints: Vec<Footprint>,
    moves: Vec<MoveOf<V>>,
    /// How many positions of the game have a key with these low bits: nearly always tells at once that a position is new.
    filter: Box<[u16; FILTER]>,
}

/// What later plies need to know of a position.
#[derive(Clone, Copy, Debug)]
struct Footprint {
    key: u64,
    /// How often the position has occurred, this time included.
    occurrences: u32,
    /// The ply of the occurrence before this one, if there is one.
    previous: u32,
    /// Plies that count towards the no-progress rule.
    quiet: u32,
    /// Checks given by each side since the last progress.
    checks: [u16; 2],
    /// The ply from which on positions count as earlier occurrences: 0, or that after the last pass.
    since: u32,
    in_check: bool,
}

impl<V: Variant> Game<V> {
    /// Starts a game from the game's own start position.
    pub fn new(options: RuleOptions) -> Self {
        Self::from_position(V::Position::initial(), options)
    }

    /// Starts a game from any position: repetition and caps count from here.
    pub fn from_position(mut position: V::Position, options: RuleOptions) -> Self {
        position.adopt(&options);
        let key = position.key();
        let footprint = Footprint {
            key,
            occurrences: 1,
            previous: 0,
            quiet: position.starting_quiet_plies(),
            checks: [0; 2],
            since: 0,
            in_check: position.in_check(),
        };
        let mut filter = Box::new([0; FILTER]);
        filter[slot(key)] = 1;
        Self {
            options,
            positions: vec![position],
            footprints: vec![footprint],
            moves: Vec::new(),
            filter,
        }
    }

    /// Returns the rule options that the game was created with.
    pub fn options(&self) -> &RuleOptions {
        &self.options
    }

    /// Returns the current position.
    pub fn position(&self) -> &V::Position {
        &self.positions[self.moves.len()]
    }

    /// Returns the position that the game started from.
    pub fn start(&self) -> &V::Position {
        &self.positions[0]
    }

    /// Returns the moves played so far.
    pub fn moves(&self) -> &[MoveOf<V>] {
        &self.moves
    }

    /// Returns the number of plies played in this game.
    pub fn ply(&self) -> usize {
        self.moves.len()
    }

    /// Replaces `moves` with the legal moves of the current position.
    pub fn legal_moves(&self, moves: &mut Vec<MoveOf<V>>) {
        self.position().legal_moves(moves);
    }

    /// Returns the legal move that `pick` chooses by its place among the legal moves, given how many there are, or `None` if there are none;
    /// see [`Position::pick_move`].
    pub fn pick_move(
        &self,
        buffer: &mut Vec<MoveOf<V>>,
        pick: impl FnOnce(usize) -> usize,
    ) -> Option<MoveOf<V>> {
        self.position().pick_move(buffer, pick)
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: MoveOf<V>) {
        let before = *self.footprint();
        let at = self.moves.len();
        // One copy, straight to where it stays.
        self.positions.extend_from_within(at..);
        let position = &mut self.positions[at + 1];
        let mover = position.side_to_move();
        let progress = position.is_progress(mv);
        position.play(mv);
        let key = position.key();
        let in_check = position.in_check();
        let (quiet, checks) = if progress {
            (0, [0; 2])
        } else {
            quiet_plies::<V>(&before, mover, in_check)
        };
        let (occurrences, previous) = self.earlier(key);
        self.enter(
            mv,
            Footprint {
                key,
                occurrences,
                previous,
                quiet,
                checks,
                since: before.since,
                in_check,
            },
        );
    }

    /// Lets the side to move pass, as no rule allows, for the null moves of a search; returns `false`, and does nothing, where the position has
    /// [no use](crate::Heuristics::passed) for that. `stand_in`, a legal move, stands in the list of moves until this is taken back. No
    /// repetition reaches back over a pass.
    pub fn pass(&mut self, stand_in: MoveOf<V>) -> bool {
        let Some(position) = self.position().passed() else {
            return false;
        };
        let footprint = Footprint {
            key: position.key(),
            occurrences: 1,
            previous: 0,
            since: self.ply() as u32 + 1,
            in_check: false,
            ..*self.footprint()
        };
        self.positions.push(position);
        self.enter(stand_in, footprint);
        true
    }

    fn enter(&mut self, mv: MoveOf<V>, footprint: Footprint) {
        let count = &mut self.filter[slot(footprint.key)];
        *count = count.saturating_add(1);
        self.footprints.push(footprint);
        self.moves.push(mv);
    }

    /// Takes back moves until `ply` plies are left.
    pub fn undo_to(&mut self, ply: usize) {
        debug_assert!(
            ply <= self.ply(),
            "cannot undo to ply {ply} from ply {}",
            self.ply()
        );
        for footprint in &self.footprints[ply + 1..] {
            let count = &mut self.filter[slot(footprint.key)];
            // A counter that has reached its end stays there: it only costs a look at the history.
            if *count < u16::MAX {
                *count -= 1;
            }
        }
        self.moves.truncate(ply);
        self.footprints.truncate(ply + 1);
        self.positions.truncate(ply + 1);
    }

    /// Returns how often the current position has occurred in this game, this time included: at least 1.
    pub fn occurrences(&self) -> u32 {
        self.footprint().occurrences
    }

    /// Returns the ply at which the current position last occurred, and how the rules would judge the plies from there to here if they were
    /// repeated to the end. `None` if the position is new.
    pub fn cycle(&self) -> Option<(usize, Outcome)> {
        let footprint = self.footprint();
        (footprint.occurrences > 1).then(|| {
            let first = footprint.previous as usize;
            (first, self.judge(first))
        })
    }

    /// Returns the plies that count towards the no-progress rule; 0 in games that have none.
    pub fn quiet_plies(&self) -> u32 {
        self.footprint().quiet
    }

    /// Returns the outcome if the game has ended here; `legal` are the legal moves of the current position.
    ///
    /// The tests run in the order of the rules: declaration, no legal move, material draw, repetition, no progress, ply cap. So mate beats
    /// repetition and caps.
    pub fn outcome(&self, legal: &[MoveOf<V>]) -> Option<Outcome> {
        self.outcome_if(!legal.is_empty())
    }

    /// Returns the outcome if the game has ended here, as [`outcome`](Self::outcome) does, given whether there is a legal move.
    pub fn outcome_if(&self, can_move: bool) -> Option<Outcome> {
        if let Some(declared) = self.position().declaration(&self.options) {
            return Some(declared);
        }
        if !can_move {
            return Some(self.position().no_move_outcome());
        }
        if self.position().is_dead_draw() {
            return Some(Outcome::draw(Reason::InsufficientMaterial));
        }
        let footprint = self.footprint();
        if footprint.occurrences >= self.options.repetitions {
            return Some(self.repetition());
        }
        if self.options.no_progress > 0 && footprint.quiet >= self.options.no_progress {
            return Some(Outcome::draw(Reason::MoveLimit));
        }
        (self.ply() >= self.options.ply_cap as usize).then_some(Outcome::draw(Reason::PlyCap))
    }

    fn footprint(&self) -> &Footprint {
        &self.footprints[self.moves.len()]
    }

    /// Returns how often a position that is about to be added has occurred, this time included, and the ply of the last time.
    fn earlier(&self, key: u64) -> (u32, u32) {
        if self.filter[slot(key)] == 0 {
            return (1, 0);
        }
        // Only positions with the same side to move can be equal, hence every second one, the last of which is the one before this move.
        let history = self.footprints.iter().enumerate().rev().skip(1).step_by(2);
        let since = self.footprint().since as usize;
        for (ply, footprint) in history.take_while(|(ply, _)| *ply >= since) {
            if footprint.key == key {
                return (footprint.occurrences + 1, ply as u32);
            }
        }
        (1, 0)
    }

    /// Judges a repetition over the plies from its first occurrence to the current one.
    fn repetition(&self) -> Outcome {
        let first = (1..self.options.repetitions)
            .fold(self.ply(), |ply, _| self.footprints[ply].previous as usize);
        self.judge(first)
    }

    /// Judges a repetition over the plies from `first` to the current one.
    fn judge(&self, first: usize) -> Outcome {
        let draw = Outcome::draw(Reason::Repetition);
        if !V::PERPETUAL_CHECK_LOSES {
            return draw;
        }
        let last = self.ply();
        let (mut always, mut any) = ([true; 2], false);
        for ply in first..last {
            let check = self.footprints[ply + 1].in_check;
            always[self.positions[ply].side_to_move().index()] &= check;
            any |= check;
        }
        if let Some(winner) = opponent_of_the_one(always) {
            return Outcome::win(winner, Reason::PerpetualCheck);
        }
        if self.options.chase == Chase::None || V::CHECKS_SPOIL_REPETITION && any {
            return draw;
        }
        let chasers = V::Position::chasers(&self.positions[first..=last], &self.moves[first..last]);
        opponent_of_the_one(chasers)
            .map_or(draw, |winner| Outcome::win(winner, Reason::PerpetualChase))
    }
}

/// Counts a ply without progress. Checks beyond what the game counts are left out, and so are the answers to them.
fn quiet_plies<V: Variant>(before: &Footprint, mover: Side, gives_check: bool) -> (u32, [u16; 2]) {
    let mut checks = before.checks;
    let excess = |checks: u16| u32::from(checks) > V::CHECKS_COUNTED;
    let answers = before.in_check && excess(checks[mover.other().index()]);
    if gives_check {
        checks[mover.index()] = checks[mover.index()].saturating_add(1);
    }
    let left_out = answers || gives_check && excess(checks[mover.index()]);
    (before.quiet + u32::from(!left_out), checks)
}

/// Returns the other side of the only one marked, if exactly one is.
fn opponent_of_the_one(marked: [bool; 2]) -> Option<Side> {
    match marked {
        [true, false] => Some(Side::Second),
        [false, true] => Some(Side::First),
        _ => None,
    }
}

fn slot(key: u64) -> usize {
    key as usize % FILTER
}
