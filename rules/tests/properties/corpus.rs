//! The games under test, each with its seeds: lines of `startpos` or a position, either perhaps followed by `moves ...`.

use proptest::test_runner::TestCaseResult;
use rules::board::{Board, Move, Ruleset};
use rules::notation::parse_game;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::{Gufu, MoveKind};
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Game, MoveOf, Variant};

use crate::{generation, gufu, mailbox};

/// Texts that belong to no game or to several, most of them wrong.
pub(crate) const HOSTILE: &str = include_str!("../corpus/hostile.txt");

/// A game with its seeds.
pub(crate) trait Tested: Variant {
    /// The seeds, one a line.
    const CORPUS: &'static str;

    /// Holds a position against a slow generator.
    fn judge(position: &Self::Position) -> TestCaseResult;

    /// Returns what makes two positions the same to the rules: the text without its counters.
    fn name(position: &Self::Position) -> String {
        position
            .to_string()
            .split(' ')
            .take(3)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns the move that would take a move back two plies later, or lead on in a circle.
    fn back(mv: MoveOf<Self>) -> Option<MoveOf<Self>>;
}

/// A game on a grid, with the slow generator's name for it.
pub(crate) trait GridGame: Tested<Position = Board<Self>> + Ruleset {
    const ORACLE: mailbox::Game;
}

impl Tested for Gufu {
    const CORPUS: &'static str = include_str!("../corpus/gufu.txt");

    fn judge(position: &Self::Position) -> TestCaseResult {
        gufu::agrees(position)
    }

    /// In the setup, the ply number tells it from a position with both shared pieces captured.
    fn name(position: &Self::Position) -> String {
        let text = position.to_string();
        let fields = if position.in_setup() { 4 } else { 3 };
        text.split(' ').take(fields).collect::<Vec<_>>().join(" ")
    }

    fn back(mv: MoveOf<Self>) -> Option<MoveOf<Self>> {
        let facing = mv.facing.clockwise();
        Some(rules::variants::gufu::Move {
            kind: MoveKind::Turn,
            facing,
            ..mv
        })
    }
}

macro_rules! grid_game {
    ($game:ident $oracle:ident $file:literal) => {
        impl Tested for $game {
            const CORPUS: &'static str = include_str!($file);

            fn judge(position: &Self::Position) -> TestCaseResult {
                generation::agrees(position).map(drop)
            }

            fn back(mv: MoveOf<Self>) -> Option<MoveOf<Self>> {
                Some(Move::new(mv.to(), mv.from()?, false))
            }
        }

        impl GridGame for $game {
            const ORACLE: mailbox::Game = mailbox::Game::$oracle;
        }
    };
}

grid_game!(Showgit Shogi "../corpus/showgit.txt");
grid_game!(EuroShogi EuroShogi "../corpus/euroshogi.txt");
grid_game!(Xiangqi Xiangqi "../corpus/xiangqi.txt");

/// Returns the lines of a game's corpus, the hostile ones included.
pub(crate) fn lines<V: Tested>() -> Vec<String> {
    V::CORPUS
        .lines()
        .chain(HOSTILE.lines())
        .map(str::to_owned)
        .collect()
}

/// Returns the positions at which the lines of a game's corpus end, and before them the start position several times.
pub(crate) fn starts<V: Tested>() -> Vec<V::Position> {
    let read = V::CORPUS
        .lines()
        .filter_map(|line| parse_game::<V>(line, V::OPTIONS).ok())
        .map(|game| *game.position());
    let initial = *Game::<V>::new(V::OPTIONS).position();
    std::iter::repeat_n(initial, 10).chain(read).collect()
}
