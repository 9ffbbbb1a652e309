//! Grid games with men and hands: rows derived from the tables of a [`Ruleset`], the same code for every game.
//!
//! The board is turned by 180 degrees when the second player moves. `S` squares, `K` kinds, `H` kinds that can be in hand.
//!
//! | rows of a position | one is active |
//! |---|---|
//! | 2 K S, or four times as many | for each man: the mover's, then the opponent's, by kind and square; with threats by 1 if the side that does not own it attacks its square, plus 2 if its own side does |
//! | for each hand (the mover's first) and kind as many as the game has men of it | for each kind of which the hand holds men: by how many |
//! | 1 | in check |
//! | repetitions - 2 of the game's own options | from the second occurrence of the position on: by which it is |
//! | 4 in games with a no-progress rule | from 1/4, 1/2, 3/4 and 7/8 of the plies without progress on: by the last that is reached |
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
//!
//! An exchange takes with whichever of two men of equal worth comes first on the board. Now and then that is another one in the mirror, and a
//! move that loses material there does not here.

use std::marker::PhantomData;

use rules::board::{Board, Move, Outlook, Piece, Ruleset, Square};
use rules::{Game, Position as _, Side};

use super::{Features, PolicyMoves, RowMirror, SparseEncoder, SparseShape};
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
    ruleset: PhantomData<R>,
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
            ruleset: PhantomData,
        };
        let shape = encoder.shape();
        let mirrored = |square: usize| Square::new(square as u8).mirrored(R::GRID).index();
        let of_men = |row: usize| row - row % Self::SQUARES + mirrored(row % Self::SQUARES);
        let split = encoder.split();
        let men = 2 * Self::MEN * split;
        encoder.mirror.features = (0..shape.features)
            .map(|row| match row {
                row if row < men => (of_men(row / split) * split + row % split) as u32,
                row => row as u32,
            })
            .collect();
        encoder.mirror.moves = (0..shape.moves)
            .map(|row| match row {
                row if row < Self::PROMOTES => of_men(row) as u32,
                row if (Self::DROPS..Self::DROPPED).contains(&row) => {
                    (Self::DROPS + of_men(row - Self::DROPS)) as u32
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
        }
    }

    fn hand_rows(&self) -> usize {
        self.hands[R::HAND_KINDS]
    }

    fn in_check(&self) -> usize {
        2 * (Self::MEN * self.split() + self.hand_rows())
    }

    fn men(&self, board: &Board<R>, rows: &mut Vec<u32>) {
        let mover = board.side_to_move();
        let split = self.split();
        let reach = match self.features {
            Features::Plain => None,
            Features::Threats => {
                Some([Side::First, Side::Second].map(|side| board.attacked_by(side)))
            }
        };
        for square in board.occupied() {
            let Some(Piece { kind, side }) = board.piece(square) else {
                continue;
            };
            let owner = usize::from(side != mover);
            let man = owner * Self::KINDS + usize::from(kind);
            let at = man * Self::SQUARES + square.seen_by(R::GRID, mover).index();
            let part = reach.map_or(0, |reach| {
                usize::from(reach[side.other().index()].contains(square))
                    + 2 * usize::from(reach[side.index()].contains(square))
            });
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

    /// Looks at what moves threaten and risk, where that is told of them.
    fn outlook<'a>(&self, board: &'a Board<R>) -> Option<Outlook<'a, R>> {
        (self.moves == PolicyMoves::Exchange).then(|| Outlook::new(board))
    }

    /// Adds the rows of a legal move.
    fn add_move(
        board: &Board<R>,
        outlook: Option<&Outlook<'_, R>>,
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
        let Some(outlook) = outlook else { return };
        if outlook.gives_check(mv) {
            rows.push((Self::CHECKS + after) as u32);
        }
        if outlook.loses_material(mv) {
            rows.push((Self::LOSES + kind) as u32);
        }
    }
}

impl<R: Ruleset<Position = Board<R>>> SparseEncoder<R> for SparseBoardEncoder<R> {
    fn shape(&self) -> SparseShape {
        let quiet = if R::OPTIONS.no_progress > 0 {
            QUIET_EIGHTHS.len()
        } else {
            0
        };
        SparseShape {
            features: self.in_check() + 1 + R::OPTIONS.repetitions as usize - 2 + quiet + 1,
            active: self.men + 4,
            moves: match self.moves {
                PolicyMoves::Plain => Self::CHECKS,
                PolicyMoves::Exchange => Self::LOSES + Self::KINDS,
            },
        }
    }

    fn version(&self) -> u32 {
        1
    }

    fn features(&self, game: &Game<R>, rows: &mut Vec<u32>) {
        let board = game.position();
        self.men(board, rows);
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
        if board.side_to_move() == Side::Second {
            rows.push((self.shape().features - 1) as u32);
        }
    }

    fn move_rows(&self, board: &Board<R>, mv: Move<R>, rows: &mut Vec<u32>) {
        Self::add_move(board, self.outlook(board).as_ref(), mv, rows);
    }

    fn rows_of_moves(
        &self,
        board: &Board<R>,
        moves: &[Move<R>],
        rows: &mut Vec<u32>,
        ends: &mut Vec<u32>,
    ) {
        let outlook = self.outlook(board);
        for &mv in moves {
            Self::add_move(board, outlook.as_ref(), mv, rows);
            ends.push(rows.len() as u32);
        }
    }

    fn history(&self, game: &Game<R>) -> u64 {
        (occurrences_shown(game) * (QUIET_EIGHTHS.len() + 1) + quiet_steps(game)) as u64
    }

    fn mirror(&self) -> Option<&RowMirror> {
        Some(&self.mirror)
    }
}
