//! Nothing is allocated a move: not to generate, play or take back, not to judge how a game ends.
//!
//! In debug builds every move played is first looked for among the legal ones, which takes a list; hence these tests are of the others.
#![cfg(not(debug_assertions))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use rules::notation::parse_game;
use rules::perft::perft;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Declaration, Game, MoveOf, Outcome, Position, Reason, RuleOptions, Variant};

thread_local! {
    /// Allocations of this thread: tests run beside each other.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting.
struct Counting;

#[allow(
    unsafe_code,
    reason = "an allocator is unsafe by its trait; this one hands every call on as it came"
)]
// SAFETY: the system's allocator keeps the contract, and counting in a thread-local `Cell` without a destructor allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is the one that is asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count() {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
}

/// Returns how often `work` allocates.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

/// A small generator of random numbers (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end
    }
}

/// More than any position has.
const MOST_MOVES: usize = 1024;

/// A game and buffers that have grown to what they will ever need.
struct Warm<V: Variant> {
    game: Game<V>,
    legal: Vec<MoveOf<V>>,
    replies: Vec<MoveOf<V>>,
    random: Random,
}

impl<V: Variant> Warm<V> {
    /// Plays at random up to the ply cap, whatever ends before, and takes everything back.
    fn new(options: RuleOptions) -> Self {
        let mut warm = Self {
            game: Game::new(options),
            legal: Vec::with_capacity(MOST_MOVES),
            replies: Vec::with_capacity(MOST_MOVES),
            random: Random(0x5851_f42d_4c95_7f2d),
        };
        while warm.game.ply() < options.ply_cap as usize {
            if !warm.step() {
                warm.game.undo_to(warm.game.ply() / 2);
            }
        }
        warm.game.undo_to(0);
        warm
    }

    /// Plays a random move, if there is one.
    fn step(&mut self) -> bool {
        self.game.legal_moves(&mut self.legal);
        if self.legal.is_empty() {
            return false;
        }
        self.game
            .play(self.legal[self.random.below(self.legal.len())]);
        true
    }

    /// Plays a game at random to its end by the rules, asking on the way all that a search asks, and takes it back.
    fn playout(&mut self) -> Outcome {
        loop {
            self.game.legal_moves(&mut self.legal);
            if let Some(outcome) = self.game.outcome(&self.legal) {
                self.game.undo_to(0);
                return outcome;
            }
            let position = self.game.position();
            assert_eq!(position.count_moves(&mut self.replies), self.legal.len());
            let mate = position.mate_in_one(&self.legal, &mut self.replies);
            assert!(mate.is_none_or(|mv| self.legal.contains(&mv)));
            let cycle = self.game.cycle();
            assert_eq!(cycle.is_some(), self.game.occurrences() > 1);
            let ply = self.game.ply();
            let place = self.random.below(self.legal.len());
            for mv in [self.legal[0], self.legal[place]] {
                self.game.undo_to(ply);
                self.game.play(mv);
            }
        }
    }
}

fn whole_games<V: Variant>(options: RuleOptions) {
    let mut warm = Warm::<V>::new(options);
    let mut ends = [0; Reason::ALL.len()];
    let allocated = allocations(|| {
        for _ in 0..60 {
            let outcome = warm.playout();
            ends[outcome.reason as usize] += 1;
        }
    });
    assert_eq!(allocated, 0, "{}, with these ends: {ends:?}", V::ID);
    assert!(ends.iter().sum::<i32>() == 60);
}

#[test]
fn whole_games_allocate_nothing() {
    whole_games::<Gufu>(Gufu::OPTIONS);
    whole_games::<Showgit>(RuleOptions {
        declaration: Declaration::Csa27,
        ..Showgit::OPTIONS
    });
    whole_games::<EuroShogi>(EuroShogi::OPTIONS);
    whole_games::<Xiangqi>(Xiangqi::OPTIONS);
}

/// Returns the game of a line, up to its end if the line goes on after it; `None` for the texts of the corpus that are to be refused.
fn up_to_its_end<V: Variant>(line: &str) -> Option<Game<V>> {
    let (start, moves) = line.split_once(" moves ").unwrap_or((line, ""));
    let mut game = parse_game::<V>(start, V::OPTIONS).ok()?;
    let mut legal = Vec::new();
    for word in moves.split_whitespace() {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            break;
        }
        game.play(game.position().parse_move(word).ok()?);
    }
    Some(game)
}

/// Lines of play are taken back, played again and judged at every ply; what can be asked of a position is asked at their ends. Returns how
/// the lines end.
fn known_lines<V: Variant>(corpus: &str) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let games = corpus.lines().filter_map(up_to_its_end::<V>);
    let (mut legal, mut replies) = (
        Vec::with_capacity(MOST_MOVES),
        Vec::with_capacity(MOST_MOVES),
    );
    for mut game in games {
        let moves = game.moves().to_vec();
        let mut outcome = None;
        let allocated = allocations(|| {
            game.undo_to(0);
            for &mv in &moves {
                game.legal_moves(&mut legal);
                assert_eq!(game.outcome(&legal), None);
                game.cycle();
                game.play(mv);
            }
            game.legal_moves(&mut legal);
            game.position().mate_in_one(&legal, &mut replies);
            outcome = game.outcome(&legal);
        });
        assert_eq!(allocated, 0, "{} after {moves:?}", game.start());
        reasons.extend(outcome.map(|outcome| outcome.reason));
    }
    reasons
}

#[test]
fn known_lines_allocate_nothing() {
    known_lines::<Gufu>(include_str!("corpus/gufu.txt"));
    let shogi = known_lines::<Showgit>(include_str!("corpus/showgit.txt"));
    let euroshogi = known_lines::<EuroShogi>(include_str!("corpus/euroshogi.txt"));
    let xiangqi = known_lines::<Xiangqi>(include_str!("corpus/xiangqi.txt"));
    for reason in [
        Reason::Checkmate,
        Reason::Repetition,
        Reason::PerpetualCheck,
    ] {
        assert!(
            shogi.contains(&reason) && euroshogi.contains(&reason),
            "{reason:?}"
        );
    }
    for reason in [
        Reason::Repetition,
        Reason::PerpetualCheck,
        Reason::PerpetualChase,
    ] {
        assert!(xiangqi.contains(&reason), "{reason:?}");
    }
}

/// A list for each ply, made before the walk, is all that a count of leaves needs.
#[test]
fn counting_leaves_allocates_one_list_a_ply() {
    fn lists<V: Variant>() -> u64 {
        let start = V::Position::initial();
        let lists = |depth| allocations(|| assert!(perft(&start, depth) > 0));
        // However many moves more there are at the last ply, no list is added but its own, which grows as it fills.
        lists(4) - lists(3)
    }
    for lists in [
        lists::<Gufu>(),
        lists::<Showgit>(),
        lists::<EuroShogi>(),
        lists::<Xiangqi>(),
    ] {
        assert!(lists <= 16, "{lists}");
    }
}
