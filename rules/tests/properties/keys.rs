//! Keys tell positions apart: equal for the same position, however it came about, and for no other.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use rules::Position as _;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;

use crate::budget::hold;
use crate::corpus::Tested;
use crate::generation::legal;
use crate::walk::{SHUTTLING, WANDERING, pick, walks};

/// The most positions remembered at a time.
const MOST: usize = 4_000_000;

/// What was seen: the name, hashed, of each key and the key of each name.
#[derive(Default)]
struct Known {
    names: HashMap<u64, u64>,
    keys: HashMap<u64, u64>,
}

impl Known {
    fn meets<V: Tested>(&mut self, position: &V::Position) -> TestCaseResult {
        let mut hasher = DefaultHasher::new();
        V::name(position).hash(&mut hasher);
        let (name, key) = (hasher.finish(), position.key());
        if self.names.len() >= MOST {
            *self = Self::default();
        }
        let known = *self.names.entry(key).or_insert(name);
        prop_assert_eq!(known, name, "another position has the key of {}", position);
        let known = *self.keys.entry(name).or_insert(key);
        prop_assert_eq!(known, key, "{} had another key before", position);
        Ok(())
    }
}

/// Every position of long walks, and every one that a move leads to from there.
fn keys<V: Tested>(cases: u32) {
    let known = RefCell::new(Known::default());
    hold(
        file!(),
        cases,
        &(walks::<V>(300), any::<bool>()),
        |((start, picks), free)| {
            let mut game = rules::Game::<V>::from_position(start, V::OPTIONS);
            for number in picks {
                let moves = legal(game.position());
                for &mv in &moves {
                    let mut next = *game.position();
                    next.play(mv);
                    known.borrow_mut().meets::<V>(&next)?;
                }
                let habit = if free { WANDERING } else { SHUTTLING };
                let Some(mv) = pick(&game, &moves, (habit, number)) else {
                    break;
                };
                game.play(mv);
            }
            Ok(())
        },
    );
}

#[test]
fn keys_tell_positions_apart() {
    keys::<Gufu>(30);
    keys::<Showgit>(20);
    keys::<EuroShogi>(20);
    keys::<Xiangqi>(25);
}
