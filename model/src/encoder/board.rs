//! Grid games with men and hands: planes and actions derived from the tables of a [`Ruleset`], the same code for every game.
//!
//! Everything is from the mover's side: the board is turned by 180 degrees when the second player moves, so that row 0 is the mover's home
//! rank and column 0 the mover's left. The planes, in this order:
//!
//! | planes | hold |
//! |---|---|
//! | a kind each | ones where the mover's men of the kind stand; promoted kinds are kinds of their own |
//! | a kind each | the same of the opponent's men |
//! | two for each kind that can be in hand | the mover's hand: all ones if it holds such a man; its men of the kind as a share of the game's whole set, above 1 in constructed positions only |
//! | the same | the opponent's hand |
//! | repetitions - 2 of the game's own options | all ones from the second, third, ... occurrence of the position in its game on |
//! | 4 in games with a no-progress rule | all ones from 1/4, 1/2, 3/4 and 7/8 of the plies without progress that are allowed on |
//! | 1 | all ones when the mover is in check |
//! | 1 | all ones when the mover is the second player |
//! | 1 | all ones, so that the edge of the board can be seen |
//!
//! `actions` holds the table of actions.

mod actions;

use std::marker::PhantomData;

use rules::board::{Board, Move, Piece, Ruleset};
use rules::{Game, Position, Side};

use self::actions::Actions;
use super::{Encoder, Shape};

/// The encoder of a grid game.
#[derive(Clone, Debug)]
pub struct BoardEncoder<R> {
    actions: Actions,
    /// The men of each kind that a game has, on both sides together.
    sets: Vec<f32>,
    ruleset: PhantomData<R>,
}

/// Planes of one kind in one hand.
const PER_HAND_KIND: usize = 2;

/// The shares of the plies without progress that are allowed, in eighths, from which on a plane is set.
pub(super) const QUIET_EIGHTHS: [u32; 4] = [2, 4, 6, 7];

impl<R: Ruleset<Position = Board<R>>> BoardEncoder<R> {
    const ENEMY: usize = R::KINDS.len();
    const HANDS: usize = 2 * R::KINDS.len();
    const OCCURRENCES: usize = Self::HANDS + 2 * PER_HAND_KIND * R::HAND_KINDS;
    const QUIET: usize = Self::OCCURRENCES + R::OPTIONS.repetitions as usize - 2;
    const IN_CHECK: usize = Self::QUIET
        + if R::OPTIONS.no_progress > 0 {
            QUIET_EIGHTHS.len()
        } else {
            0
        };
    const SECOND: usize = Self::IN_CHECK + 1;
    const ONES: usize = Self::SECOND + 1;
    const PLANES: usize = Self::ONES + 1;
    const SQUARES: usize = R::GRID.squares();

    /// Builds the encoder's tables.
    pub fn new() -> Self {
        Self {
            actions: Actions::new::<R>(),
            sets: sets::<R>(),
            ruleset: PhantomData,
        }
    }

    /// Sets the planes of the men on the board.
    fn encode_men(board: &Board<R>, planes: &mut [f32]) {
        let mover = board.side_to_move();
        for square in board.occupied() {
            let Some(Piece { kind, side }) = board.piece(square) else {
                continue;
            };
            let owner = if side == mover { 0 } else { Self::ENEMY };
            let plane = owner + usize::from(kind);
            planes[plane * Self::SQUARES + square.seen_by(R::GRID, mover).index()] = 1.0;
        }
    }

    /// Sets the planes of the men in hand.
    fn encode_hands(&self, board: &Board<R>, planes: &mut [f32]) {
        let mover = board.side_to_move();
        for (i, side) in [mover, mover.other()].into_iter().enumerate() {
            let hand = board.hand(side);
            for (kind, set) in self
                .sets
                .iter()
                .enumerate()
                .filter(|(kind, _)| hand.has(*kind))
            {
                let plane = Self::HANDS + PER_HAND_KIND * (i * R::HAND_KINDS + kind);
                Self::fill(planes, plane, 1.0);
                Self::fill(planes, plane + 1, hand.count(kind) as f32 / set);
            }
        }
    }

    /// Sets the planes of what the game's history brings with it.
    fn encode_history(game: &Game<R>, planes: &mut [f32]) {
        for earlier in 0..occurrences_shown(game) {
            Self::fill(planes, Self::OCCURRENCES + earlier, 1.0);
        }
        for step in 0..quiet_steps(game) {
            Self::fill(planes, Self::QUIET + step, 1.0);
        }
    }

    /// Fills one plane with one value.
    fn fill(planes: &mut [f32], plane: usize, value: f32) {
        planes[plane * Self::SQUARES..][..Self::SQUARES].fill(value);
    }
}

/// Returns how many men of each kind that can be in hand a game has, on both sides together.
pub(super) fn sets<R: Ruleset<Position = Board<R>>>() -> Vec<f32> {
    let start = Board::<R>::initial();
    let mut sets = vec![0.0; R::HAND_KINDS];
    for piece in start
        .occupied()
        .into_iter()
        .filter_map(|at| start.piece(at))
    {
        if let Some(set) = sets.get_mut(R::KINDS[piece.kind as usize].base as usize) {
            *set += 1.0;
        }
    }
    sets
}

/// Returns how many earlier occurrences of the position are shown.
pub(super) fn occurrences_shown<R: Ruleset<Position = Board<R>>>(game: &Game<R>) -> usize {
    let known = R::OPTIONS.repetitions as usize - 2;
    known.min(game.occurrences() as usize - 1)
}

/// Returns how many of [`QUIET_EIGHTHS`] the plies without progress have reached.
pub(super) fn quiet_steps<R: Ruleset<Position = Board<R>>>(game: &Game<R>) -> usize {
    let allowed = game.options().no_progress;
    if R::OPTIONS.no_progress == 0 || allowed == 0 {
        return 0;
    }
    let reached = |eighths: &&u32| 8 * game.quiet_plies() >= **eighths * allowed;
    QUIET_EIGHTHS.iter().filter(reached).count()
}

impl<R: Ruleset<Position = Board<R>>> Default for BoardEncoder<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Ruleset<Position = Board<R>>> Encoder<R> for BoardEncoder<R> {
    fn shape(&self) -> Shape {
        Shape {
            planes: Self::PLANES,
            ranks: R::GRID.ranks,
            files: R::GRID.files,
            actions: self.actions.planes() * Self::SQUARES,
            policy_planes: self.actions.planes(),
        }
    }

    fn version(&self) -> u32 {
        1
    }

    fn encode(&self, game: &Game<R>, planes: &mut [f32]) {
        debug_assert_eq!(planes.len(), Self::PLANES * Self::SQUARES);
        let board = game.position();
        planes.fill(0.0);
        Self::encode_men(board, planes);
        self.encode_hands(board, planes);
        Self::encode_history(game, planes);
        if board.in_check() {
            Self::fill(planes, Self::IN_CHECK, 1.0);
        }
        if board.side_to_move() == Side::Second {
            Self::fill(planes, Self::SECOND, 1.0);
        }
        Self::fill(planes, Self::ONES, 1.0);
    }

    fn history(&self, game: &Game<R>) -> u64 {
        (occurrences_shown(game) * (QUIET_EIGHTHS.len() + 1) + quiet_steps(game)) as u64
    }

    fn action(&self, position: &Board<R>, mv: Move<R>) -> usize {
        self.actions.index(position, mv)
    }

    fn mirror(&self) -> Option<&[u32]> {
        Some(self.actions.mirror())
    }
}
