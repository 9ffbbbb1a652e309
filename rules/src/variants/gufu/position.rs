//! A gufu position and its rules: generation, check, setup.

use super::moves::{Actor, Move, MoveKind};
use super::picture;
use super::piece::{Facing, Piece, Square, squares};
use crate::diagram::{Diagram, Step};
use crate::notation::NotationError;
use crate::outcome::{Outcome, Reason, Side};
use crate::position::Position as _;

/// A piece's square and facing.
pub(super) type Place = (Square, Facing);

/// The number of plies of the setup.
pub(super) const SETUP_PLIES: u16 = 4;

/// The last ply number that a text can have.
pub(super) const LAST_PLY: u16 = u16::MAX - 1;

/// A position of gufu.
///
/// The ply number (from 1) is part of its text and of equality, since it alone tells a setup position from one with both shared pieces
/// captured; [`key`](crate::Position::key) leaves it out past the setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub(super) places: [Option<Place>; 4],
    pub(super) ply: u16,
}

impl Position {
    /// Returns the square and facing of a piece, or `None` while it is in hand.
    pub fn place(&self, piece: Piece) -> Option<(Square, Facing)> {
        self.places[piece.index()]
    }

    /// Returns the ply number, from 1.
    pub fn ply(&self) -> u16 {
        self.ply
    }

    /// Tells whether the setup, the first four plies, is still going on.
    pub fn in_setup(&self) -> bool {
        self.ply <= SETUP_PLIES
    }

    /// Returns the piece that the setup drops next, or `None` past the setup.
    pub fn setup_piece(&self) -> Option<Actor> {
        match self.ply {
            1 | 2 => Some(Actor::King),
            3 => Some(Actor::Kaze),
            4 => Some(Actor::Arashi),
            _ => None,
        }
    }

    /// Returns the shared pieces that give check to the side to move, as a set of [`Piece`] numbers.
    pub fn checkers(&self) -> impl Iterator<Item = Piece> {
        let position = *self;
        Piece::SHARED
            .into_iter()
            .filter(move |&piece| position.gives_check(piece))
    }

    /// Returns the pieces on the board in whose reach a square lies, the piece on it apart.
    pub fn attackers(&self, square: Square) -> impl Iterator<Item = Piece> {
        let position = *self;
        Piece::ALL.into_iter().filter(move |&piece| {
            position
                .attacks(piece)
                .is_some_and(|reach| reach & square.bit() != 0)
        })
    }

    /// Returns the position with the board turned by 180 degrees, facings included: the same game.
    #[must_use]
    pub fn rotated(&self) -> Self {
        let turn = |(square, facing): Place| (square.rotated(), facing.opposite());
        Self {
            places: self.places.map(|place| place.map(turn)),
            ply: self.ply,
        }
    }

    /// A shared piece gives check when both kings stand in its attack set.
    fn gives_check(&self, piece: Piece) -> bool {
        let Some(attacks) = self.attacks(piece) else {
            return false;
        };
        [Piece::FirstKing, Piece::SecondKing]
            .into_iter()
            .all(|king| {
                self.places[king.index()].is_some_and(|(square, _)| attacks & square.bit() != 0)
            })
    }

    fn attacks(&self, piece: Piece) -> Option<u8> {
        self.places[piece.index()].map(|(square, facing)| piece.attacks(square, facing))
    }

    fn occupied(&self) -> u8 {
        self.places
            .iter()
            .flatten()
            .fold(0, |set, (square, _)| set | square.bit())
    }

    fn piece_on(&self, square: Square) -> Option<Piece> {
        Piece::ALL
            .into_iter()
            .find(|piece| self.places[piece.index()].is_some_and(|(at, _)| at == square))
    }

    /// Kings on orthogonally adjacent squares, each facing the other, are illegal after any action.
    pub(super) fn face_to_face(&self) -> bool {
        match (self.places[0], self.places[1]) {
            (Some((first, first_facing)), Some((second, second_facing))) => {
                first_facing.ahead(first) == Some(second)
                    && second_facing.ahead(second) == Some(first)
            }
            _ => false,
        }
    }

    /// Adds the move unless it brings the kings face to face.
    fn push(&self, moves: &mut Vec<Move>, mv: Move) {
        if mv.actor != Actor::King || !self.after(mv).face_to_face() {
            moves.push(mv);
        }
    }

    /// Adds drops of `actor` with every facing on every empty square, unless they check.
    fn push_drops(&self, moves: &mut Vec<Move>, actor: Actor) {
        for to in squares(!self.occupied() & ALL_SQUARES) {
            for facing in Facing::ALL {
                let mv = Move {
                    actor,
                    kind: MoveKind::Drop,
                    to,
                    facing,
                };
                if actor == Actor::King || !self.after(mv).gives_check(actor.piece(Side::First)) {
                    self.push(moves, mv);
                }
            }
        }
    }

    /// Adds the steps and captures of `actor` that end on `targets`.
    fn push_steps(&self, moves: &mut Vec<Move>, actor: Actor, targets: u8) {
        let piece = actor.piece(self.side_to_move());
        let Some((square, facing)) = self.places[piece.index()] else {
            return;
        };
        for to in squares(piece.attacks(square, facing) & targets) {
            let kind = match self.piece_on(to) {
                None => MoveKind::Step,
                Some(Piece::Kaze | Piece::Arashi) => MoveKind::Capture,
                // No piece ever steps onto a king.
                Some(Piece::FirstKing | Piece::SecondKing) => continue,
            };
            self.push(
                moves,
                Move {
                    actor,
                    kind,
                    to,
                    facing: facing.clockwise(),
                },
            );
        }
    }

    fn free_moves(&self, moves: &mut Vec<Move>) {
        for actor in Actor::ALL {
            match self.places[actor.piece(self.side_to_move()).index()] {
                None => self.push_drops(moves, actor),
                Some((to, facing)) => {
                    self.push_steps(moves, actor, ALL_SQUARES);
                    self.push(
                        moves,
                        Move {
                            actor,
                            kind: MoveKind::Turn,
                            to,
                            facing: facing.clockwise(),
                        },
                    );
                }
            }
        }
    }

    /// In check: the king steps out of every checking piece's reach and captures none of them, or the other shared piece captures the only
    /// checking one.
    fn evasions(&self, moves: &mut Vec<Move>, kaze_checks: bool, arashi_checks: bool) {
        let mut barred = 0;
        for (checks, piece) in [(kaze_checks, Piece::Kaze), (arashi_checks, Piece::Arashi)] {
            if let (true, Some((square, facing))) = (checks, self.places[piece.index()]) {
                barred |= piece.attacks(square, facing) | square.bit();
            }
        }
        self.push_steps(moves, Actor::King, !barred & ALL_SQUARES);
        let (defender, checker) = match (kaze_checks, arashi_checks) {
            (true, false) => (Actor::Arashi, Piece::Kaze),
            (false, true) => (Actor::Kaze, Piece::Arashi),
            _ => return,
        };
        if let Some((square, _)) = self.places[checker.index()] {
            self.push_steps(moves, defender, square.bit());
        }
    }

    /// Says why such a move is not legal, for people.
    pub(super) fn why_illegal(&self, mv: Move) -> &'static str {
        let piece = mv.actor.piece(self.side_to_move());
        let place = self.places[piece.index()];
        let drops = mv.kind == MoveKind::Drop;
        match (self.setup_piece(), place) {
            (Some(due), _) if !drops || due != mv.actor => {
                return "the setup drops a king each, then the Kaze, then the Arashi";
            }
            (_, Some(_)) if drops => return "the piece is on the board already",
            (_, None) if !drops => return "the piece is in hand, and can only be dropped",
            _ => {}
        }
        let standing = self.piece_on(mv.to);
        match mv.kind {
            MoveKind::Turn if place.is_none_or(|(square, _)| square != mv.to) => {
                return "the piece does not stand there";
            }
            MoveKind::Drop | MoveKind::Step if standing.is_some() => {
                return "its square is occupied";
            }
            MoveKind::Capture if standing.is_none() => return "there is nothing to capture",
            MoveKind::Capture if standing.is_some_and(|piece| !Piece::SHARED.contains(&piece)) => {
                return "kings cannot be captured";
            }
            _ => {}
        }
        let reach = place.map_or(0, |(square, facing)| piece.attacks(square, facing));
        if matches!(mv.kind, MoveKind::Step | MoveKind::Capture) && reach & mv.to.bit() == 0 {
            return "the piece does not reach that square";
        }
        if place.is_some_and(|(_, facing)| facing.clockwise() != mv.facing) {
            return "the piece faces a quarter clockwise further after it moves";
        }
        let next = self.after(mv);
        if next.face_to_face() {
            return "the kings would stand face to face";
        }
        if drops && next.in_check() {
            return "a drop may not give check";
        }
        "it does not end the check as the rules allow: the king steps away, or the other piece captures the only checking one"
    }

    /// Returns the position after `mv`, whose legality is the caller's affair.
    fn after(&self, mv: Move) -> Self {
        let mut next = *self;
        if mv.kind == MoveKind::Capture
            && let Some(captured) = self.piece_on(mv.to)
        {
            next.places[captured.index()] = None;
        }
        next.places[mv.actor.piece(self.side_to_move()).index()] = Some((mv.to, mv.facing));
        // A number at its end goes back by one: it still tells whose turn it is.
        next.ply = if self.ply < LAST_PLY {
            self.ply + 1
        } else {
            self.ply - 1
        };
        next
    }
}

/// The set of all six squares.
const ALL_SQUARES: u8 = (1 << Square::COUNT) - 1;

/// Both sides share the men, so nothing is worth more to one than to the other: only mates count.
impl crate::Heuristics for Position {}

impl crate::Position for Position {
    type Move = Move;

    fn initial() -> Self {
        Self {
            places: [None; 4],
            ply: 1,
        }
    }

    fn side_to_move(&self) -> Side {
        if self.ply % 2 == 1 {
            Side::First
        } else {
            Side::Second
        }
    }

    fn legal_moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        if let Some(actor) = self.setup_piece() {
            return self.push_drops(moves, actor);
        }
        match (
            self.gives_check(Piece::Kaze),
            self.gives_check(Piece::Arashi),
        ) {
            (false, false) => self.free_moves(moves),
            (kaze, arashi) => self.evasions(moves, kaze, arashi),
        }
    }

    fn play(&mut self, mv: Move) {
        debug_assert!(
            {
                let mut legal = Vec::new();
                self.legal_moves(&mut legal);
                legal.contains(&mv)
            },
            "{mv} is not legal in {self}"
        );
        *self = self.after(mv);
    }

    fn fingerprint(&self) -> u64 {
        rapidhash::v3::rapidhash_v3(&self.key().to_le_bytes())
    }

    /// Packs side, setup phase and 5 bits a piece: no two positions share a key.
    fn key(&self) -> u64 {
        let pieces = self.places.iter().fold(0, |key, place| {
            key << 5
                | place.map_or(31, |(square, facing)| {
                    (square.index() * 4 + facing.index()) as u64
                })
        });
        let phase = if self.in_setup() {
            u64::from(self.ply)
        } else {
            0
        };
        pieces << 4 | phase << 1 | self.side_to_move().index() as u64
    }

    fn in_check(&self) -> bool {
        self.checkers().next().is_some()
    }

    /// Always a mate: no position without check and without a move exists.
    fn no_move_outcome(&self) -> Outcome {
        debug_assert!(
            self.in_check(),
            "no gufu position is without a move but for mate: {self}"
        );
        Outcome::win(self.side_to_move().other(), Reason::Checkmate)
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        super::text::parse_move(self, text)
    }

    fn diagram(&self) -> Diagram {
        picture::diagram(self)
    }

    fn step(&self, mv: Move) -> Step {
        picture::step(self, mv)
    }
}
