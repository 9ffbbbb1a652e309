//! Lines of play that shrink: numbers that pick among the legal moves, some among captures, checks or ways back.

use proptest::collection::vec;
use proptest::prelude::*;
use rules::{Game, MoveOf, Position as _, RuleOptions};

use crate::corpus::{Tested, starts};

/// Numbers that pick moves.
pub(crate) fn picks(most: usize) -> impl Strategy<Value = Vec<u16>> {
    vec(any::<u16>(), 0..=most)
}

/// A position of the corpus or the start, and numbers that pick moves from there.
pub(crate) fn walks<V: Tested>(most: usize) -> impl Strategy<Value = (V::Position, Vec<u16>)> {
    (prop::sample::select(starts::<V>()), picks(most))
}

/// What moves a walk likes, in eighths of its picks, where there are such moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habit {
    /// Moves that check.
    pub(crate) checks: u16,
    /// Moves that take back the mover's last one, or turn on in the same direction.
    pub(crate) back: u16,
}

/// Anything goes, and checks are seen often enough.
pub(crate) const WANDERING: Habit = Habit { checks: 1, back: 0 };
/// Positions repeat.
pub(crate) const SHUTTLING: Habit = Habit { checks: 1, back: 5 };

/// Plays as many moves as there are numbers and legal moves, past the end of the game by limits or repetition.
pub(crate) fn walk<V: Tested>(
    start: &V::Position,
    (options, habit): (RuleOptions, Habit),
    picks: &[u16],
) -> Game<V> {
    let mut game = Game::<V>::from_position(*start, options);
    let mut legal = Vec::new();
    for &number in picks {
        game.legal_moves(&mut legal);
        let Some(mv) = pick(&game, &legal, (habit, number)) else {
            break;
        };
        game.play(mv);
    }
    game
}

/// Returns the move that a number picks, if any is legal.
pub(crate) fn pick<V: Tested>(
    game: &Game<V>,
    legal: &[MoveOf<V>],
    (habit, number): (Habit, u16),
) -> Option<MoveOf<V>> {
    let eighth = number >> 13;
    if eighth < habit.back {
        let before = game.ply().checked_sub(2).map(|ply| game.moves()[ply]);
        let back = before.and_then(V::back);
        if back.is_some_and(|back| legal.contains(&back)) {
            return back;
        }
    }
    let checks: Vec<MoveOf<V>> = if 7 - eighth < habit.checks {
        let checks = |mv: &&MoveOf<V>| {
            let mut next = *game.position();
            next.play(**mv);
            next.in_check()
        };
        legal.iter().filter(checks).copied().collect()
    } else {
        Vec::new()
    };
    let from = if checks.is_empty() { legal } else { &checks };
    from.get((usize::from(number & 0x1fff) * from.len()) >> 13)
        .copied()
}
