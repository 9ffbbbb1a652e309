//! Grid games with men and hands: rows derived from the tables of a [`Ruleset`], the same code for every game.
//!
//! The board is turned by 180 degrees when the second player moves. `S` squares, `K` kinds, `H` kinds that can be in hand.
//!
//! | rows of a position | one is active |
//! |---|---|
//! | 2 K S, or four or six times as many | for each man: the mover's, then the opponent's, by kind and square; with threats by 1 if the side that does not own it attacks its square, plus 2 if its own side does; with tactics by 1 if the other side attacks it, 2 if with a man that is worth less, plus 3 if its own side does |
//! | for each hand (the mover's first) and kind as many as the game has men of it | for each kind of which the hand holds men: by how many |
//! | 1 | in check |
//! | repetitions - 2 of the game's own options | from the second occurrence of the position on: by which it is |
//! | 4 in games with a no-progress rule | from 1/4, 1/2, 3/4 and 7/8 of the plies without progress on: by the last that is reached |
//! | R, with tactics | for each of the squares at most two files and two ranks from a king: below |
//! | 1 | when the mover is the second player |
//!
//! | rows of moves | one is part |
//! |---|---|
//! | K S | of a move on the board: the man and whence it comes |
//! | K S | of a move on the board: the man as it is after it, and the target |
//! | K | of a promotion: what promotes |
//! | K K | of a capture: what captures, what is captured |
//! | H S | of a drop: what is dropped, and where |
//! | H | of a drop: what is dropped |
//! | K | where exchanges are told: of a move that gives check, the man as it is after it |
//! | K | where exchanges are told: of a move that loses material, the man |
//! | 2 M 24 | with tactics: of a move to one of the squares around the mover's and the opponent's king, how the man moves after it, and which square |
//! | K 6 | with tactics: of a move on the board: the man, and who attacks and guards it where it stands, as above |
//! | K 6 | with tactics: the man as it is after the move, and who attacks and guards the target, as above, before the move |
//! | M K 2 | with tactics: for each of the opponent's men but its king that the man attacks after the move: how the man moves, the opponent's man, and whether it was guarded |
//!
//! Around a king, the mover's first: 8 squares next to it, each with 1 + 2 M contents (nothing, men of the king's side, men of the other side,
//! by their `M` ways to move) and whether the other side attacks it; then 16 squares two steps away, each with 2 M contents and whether the other
//! side attacks it plus 2 if the king's side does, active where men stand. Squares come from the rear left on, as the mover sees them.
//!
//! An exchange takes with whichever of two men of equal worth comes first on the board. Now and then that is another one in the mirror, and a
//! move that loses material there does not here.

use std::marker::PhantomData;

use rules::board::{Board, Move, Outlook, Piece, Ruleset, Square};
use rules::{Game, Position as _, Side};

use super::around::{self, SLOTS, Surroundings};
use super::reach::{LEVELS, Prices, Reach};
use super::{Features, PolicyMoves, RowMirror, Shown, SparseEncoder, SparseShape};
use crate::encoder::board::{QUIET_EIGHTHS, occurrences_shown, quiet_steps, sets};

/// The encoder of a grid game to rows.
#[derive(Clone, Debug)]
pub struct SparseBoardEncoder<R> {
    features: Features,
    moves: PolicyMoves,
    /// Where the rows of each kind in a hand begin, and behind them where they end.
    hands: Vec<usize>,
    /// Men of the start position.
    men: usize,
    mirror: RowMirror,
    surroundings: Surroundings,
    prices: Prices,
    ruleset: PhantomData<R>,
}

/// What is known of a position when the rows of its moves are told.
struct Look<'a, R: Ruleset> {
    outlook: Outlook<'a, R>,
    /// Where each side attacks, and the kings' squares, the mover's first, where these are told.
    tactics: Option<(&'a Reach, [Square; 2])>,
}

impl<R: Ruleset<Position = Board<R>>> SparseBoardEncoder<R> {
    const SQUARES: usize = R::GRID.squares();
    const KINDS: usize = R::KINDS.len();
    /// The kinds of men on squares.
    const MEN: usize = Self::KINDS * Self::SQUARES;

    const TO: usize = Self::MEN;
    const PROMOTES: usize = 2 * Self::MEN;
    const CAPTURES: usize = Self::PROMOTES + Self::KINDS;
    const DROPS: usize = Self::CAPTURES + Self::KINDS * Self::KINDS;
    const DROPPED: usize = Self::DROPS + R::HAND_KINDS * Self::SQUARES;
    const CHECKS: usize = Self::DROPPED + R::HAND_KINDS;
    const LOSES: usize = Self::CHECKS + Self::KINDS;
    const AROUND: usize = Self::LOSES + Self::KINDS;
    const LEAVES: usize = Self::AROUND + 2 * R::MOVEMENTS.len() * SLOTS;
    const ARRIVES: usize = Self::LEAVES + 2 * LEVELS * Self::KINDS;
    const ATTACKS: usize = Self::ARRIVES + 2 * LEVELS * Self::KINDS;
    const ALL: usize = Self::ATTACKS + 2 * R::MOVEMENTS.len() * Self::KINDS;

    /// Builds the encoder's tables.
    pub fn new(features: Features, moves: PolicyMoves) -> Self {
        let mut hands = vec![0];
        for set in sets::<R>() {
            hands.push(hands.last().copied().unwrap_or_default() + set as usize);
        }
        let mut encoder = Self {
            features,
            moves,
            hands,
            men: Board::<R>::initial().occupied().count() as usize,
            mirror: RowMirror {
                features: Vec::new(),
                moves: Vec::new(),
            },
            surroundings: Surroundings::new::<R>(),
            prices: Prices::new::<R>(),
            ruleset: PhantomData,
        };
        let shape = encoder.shape();
        let mirrored = |square: usize| Square::new(square as u8).mirrored(R::GRID).index();
        let of_men = |row: usize| row - row % Self::SQUARES + mirrored(row % Self::SQUARES);
        let split = encoder.split();
        let men = 2 * Self::MEN * split;
        let around = encoder.around();
        encoder.mirror.features = (0..shape.features)
            .map(|row| match row {
                row if row < men => (of_men(row / split) * split + row % split) as u32,
                row if (around..shape.features - 1).contains(&row) => {
                    (around + around::mirrored_row::<R>(row - around)) as u32
                }
                row => row as u32,
            })
            .collect();
        encoder.mirror.moves = (0..shape.moves)
            .map(|row| match row {
                row if row < Self::PROMOTES => of_men(row) as u32,
                row if (Self::DROPS..Self::DROPPED).contains(&row) => {
                    (Self::DROPS + of_men(row - Self::DROPS)) as u32
                }
                row if (Self::AROUND..Self::LEAVES).contains(&row) => {
                    let slot = (row - Self::AROUND) % SLOTS;
                    (row - slot + around::mirrored_slot(slot)) as u32
                }
                row => row as u32,
            })
            .collect();
        encoder
    }

    /// Rows of a man on a square.
    fn split(&self) -> usize {
        match self.features {
            Features::Plain => 1,
            Features::Threats => 4,
            Features::Tactics => 2 * LEVELS,
        }
    }

    fn hand_rows(&self) -> usize {
        self.hands[R::HAND_KINDS]
    }

    fn in_check(&self) -> usize {
        2 * (Self::MEN * self.split() + self.hand_rows())
    }

    /// Where the rows of what is around the kings begin.
    fn around(&self) -> usize {
        let quiet = if R::OPTIONS.no_progress > 0 {
            QUIET_EIGHTHS.len()
        } else {
            0
        };
        self.in_check() + 1 + R::OPTIONS.repetitions as usize - 2 + quiet
    }

    fn men(&self, board: &Board<R>, reach: Option<&Reach>, rows: &mut Vec<u32>) {
        let mover = board.side_to_move();
        let split = self.split();
        for square in board.occupied() {
            let Some(Piece { kind, side }) = board.piece(square) else {
                continue;
            };
            let owner = usize::from(side != mover);
            let man = owner * Self::KINDS + usize::from(kind);
            let at = man * Self::SQUARES + square.seen_by(R::GRID, mover).index();
            let part = match (self.features, reach) {
                (Features::Threats, Some(reach)) => reach.part(side, square),
                (Features::Tactics, Some(reach)) => {
                    reach.level(&self.prices, (side, usize::from(kind)), square)
                }
                _ => 0,
            };
            rows.push((at * split + part) as u32);
        }
    }

    fn hands(&self, board: &Board<R>, rows: &mut Vec<u32>) {
        let mover = board.side_to_move();
        for (i, side) in [mover, mover.other()].into_iter().enumerate() {
            let hand = board.hand(side);
            let base = 2 * Self::MEN * self.split() + i * self.hand_rows();
            for (kind, range) in self.hands.windows(2).enumerate() {
                // Constructed positions may have more of a kind than the game.
                let count = (hand.count(kind) as usize).min(range[1] - range[0]);
                if count > 0 {
                    rows.push((base + range[0] + count - 1) as u32);
                }
            }
        }
    }

    /// Looks at where each side attacks, if that is told of men or moves.
    fn reach(&self, board: &Board<R>) -> Option<Reach> {
        if self.features == Features::Plain && self.moves != PolicyMoves::Tactics {
            return None;
        }
        let tactics = self.features == Features::Tactics || self.moves == PolicyMoves::Tactics;
        Some(Reach::of(board, tactics.then_some(&self.prices)))
    }

    /// Looks at what moves threaten and risk, where that is told of them.
    fn look<'a>(&self, board: &'a Board<R>, reach: Option<&'a Reach>) -> Option<Look<'a, R>> {
        if self.moves == PolicyMoves::Plain {
            return None;
        }
        let mover = board.side_to_move();
        let outlook = match reach {
            Some(reach) => Outlook::with_attacks(board, reach.all(mover.other())),
            None => Outlook::new(board),
        };
        let reach = reach.filter(|_| self.moves == PolicyMoves::Tactics);
        let kings = [mover, mover.other()].map(|side| board.king(side));
        Some(Look {
            outlook,
            tactics: reach.map(|reach| (reach, kings)),
        })
    }

    /// Adds the rows of a legal move.
    fn add_move(
        &self,
        board: &Board<R>,
        look: Option<&Look<'_, R>>,
        mv: Move<R>,
        rows: &mut Vec<u32>,
    ) {
        let mover = board.side_to_move();
        let seen = |square: Square| square.seen_by(R::GRID, mover).index();
        let (kind, after) = if let Some(from) = mv.from() {
            let kind = board.piece(from).map_or(0, |piece| piece.kind);
            let promoted = R::KINDS[usize::from(kind)]
                .promoted
                .filter(|_| mv.promotes());
            let (kind, after) = (usize::from(kind), usize::from(promoted.unwrap_or(kind)));
            rows.push((kind * Self::SQUARES + seen(from)) as u32);
            rows.push((Self::TO + after * Self::SQUARES + seen(mv.to())) as u32);
            if mv.promotes() {
                rows.push((Self::PROMOTES + kind) as u32);
            }
            if let Some(taken) = board.piece(mv.to()) {
                rows.push((Self::CAPTURES + kind * Self::KINDS + usize::from(taken.kind)) as u32);
            }
            (kind, after)
        } else {
            let kind = usize::from(mv.dropped().unwrap_or_default());
            rows.push((Self::DROPS + kind * Self::SQUARES + seen(mv.to())) as u32);
            rows.push((Self::DROPPED + kind) as u32);
            (kind, kind)
        };
        let Some(look) = look else { return };
        if look.outlook.gives_check(mv) {
            rows.push((Self::CHECKS + after) as u32);
        }
        if look.outlook.loses_material(mv) {
            rows.push((Self::LOSES + kind) as u32);
        }
        if look.tactics.is_some() {
            self.add_tactics(board, look, (mv, kind, after), rows);
        }
    }

    /// Adds what tactics tell of a move of a man of a kind, which is of another after it if it promotes.
    fn add_tactics(
        &self,
        board: &Board<R>,
        look: &Look<'_, R>,
        (mv, kind, after): (Move<R>, usize, usize),
        rows: &mut Vec<u32>,
    ) {
        let Some((reach, kings)) = &look.tactics else {
            return;
        };
        let (mover, to) = (board.side_to_move(), mv.to());
        let movement = usize::from(R::KINDS[after].movement);
        for (i, king) in kings.iter().enumerate() {
            if let Some(slot) = self.surroundings.slot(mover, *king, to) {
                let men = i * R::MOVEMENTS.len() + movement;
                rows.push((Self::AROUND + men * SLOTS + slot) as u32);
            }
        }
        let level = |kind, square| reach.level(&self.prices, (mover, kind), square);
        if let Some(from) = mv.from() {
            rows.push((Self::LEAVES + 2 * LEVELS * kind + level(kind, from)) as u32);
        }
        rows.push((Self::ARRIVES + 2 * LEVELS * after + level(after, to)) as u32);
        for square in look.outlook.attacks(mv) {
            let man = board.piece(square).map_or(0, |man| usize::from(man.kind));
            let guarded = usize::from(reach.attacks(mover.other(), square));
            rows.push((Self::ATTACKS + 2 * (movement * Self::KINDS + man) + guarded) as u32);
        }
    }

    /// Adds the rows of a position.
    fn add_features(&self, game: &Game<R>, reach: Option<&Reach>, rows: &mut Vec<u32>) {
        let board = game.position();
        self.men(board, reach, rows);
        self.hands(board, rows);
        let in_check = self.in_check();
        let occurrences = in_check + 1;
        let quiet = occurrences + R::OPTIONS.repetitions as usize - 2;
        if board.in_check() {
            rows.push(in_check as u32);
        }
        let known = occurrences_shown(game);
        if known > 0 {
            rows.push((occurrences + known - 1) as u32);
        }
        let steps = quiet_steps(game);
        if steps > 0 {
            rows.push((quiet + steps - 1) as u32);
        }
        if let Some(reach) = reach.filter(|_| self.features == Features::Tactics) {
            (self.surroundings).rows(board, reach, self.around(), rows);
        }
        if board.side_to_move() == Side::Second {
            rows.push((self.shape().features - 1) as u32);
        }
    }

    /// Adds the rows of legal moves, and for each the number of all rows up to its last one.
    fn add_moves(
        &self,
        (board, reach): (&Board<R>, Option<&Reach>),
        moves: &[Move<R>],
        (rows, ends): (&mut Vec<u32>, &mut Vec<u32>),
    ) {
        let look = self.look(board, reach);
        for &mv in moves {
            self.add_move(board, look.as_ref(), mv, rows);
            ends.push(rows.len() as u32);
        }
    }
}

impl<R: Ruleset<Position = Board<R>>> SparseEncoder<R> for SparseBoardEncoder<R> {
    fn shape(&self) -> SparseShape {
        let (around, active) = match self.features {
            Features::Plain | Features::Threats => (0, 0),
            Features::Tactics => (around::row_count::<R>(), 2 * SLOTS),
        };
        SparseShape {
            features: self.around() + around + 1,
            active: self.men + 4 + active,
            moves: match self.moves {
                PolicyMoves::Plain => Self::CHECKS,
                PolicyMoves::Exchange => Self::AROUND,
                PolicyMoves::Tactics => Self::ALL,
            },
        }
    }

    fn version(&self) -> u32 {
        1
    }

    fn features(&self, game: &Game<R>, rows: &mut Vec<u32>) {
        self.add_features(game, self.reach(game.position()).as_ref(), rows);
    }

    fn move_rows(&self, board: &Board<R>, mv: Move<R>, rows: &mut Vec<u32>) {
        let reach = self.reach(board);
        let look = self.look(board, reach.as_ref());
        self.add_move(board, look.as_ref(), mv, rows);
    }

    fn rows_of_moves(
        &self,
        board: &Board<R>,
        moves: &[Move<R>],
        rows: &mut Vec<u32>,
        ends: &mut Vec<u32>,
    ) {
        let reach = self.reach(board);
        self.add_moves((board, reach.as_ref()), moves, (rows, ends));
    }

    fn show(&self, game: &Game<R>, moves: &[Move<R>], into: Shown<'_>) {
        let board = game.position();
        let reach = self.reach(board);
        self.add_features(game, reach.as_ref(), into.features);
        let ends = into.move_ends;
        self.add_moves((board, reach.as_ref()), moves, (into.moves, ends));
    }

    fn history(&self, game: &Game<R>) -> u64 {
        (occurrences_shown(game) * (QUIET_EIGHTHS.len() + 1) + quiet_steps(game)) as u64
    }

    fn mirror(&self) -> Option<&RowMirror> {
        Some(&self.mirror)
    }
}
