//! What the cache knows and what it does not.

use rules::variants::showgit::Showgit;
use rules::{Game, Position as _, Variant};
use selfplay::{
    CachedEvaluator, EvaluationCache, Evaluations, Evaluator, EvaluatorError, Leaf, RootKind,
    SearchTask,
};

use super::evaluators::{Hashing, hashed};
use super::{config, run};

fn after(moves: &[&str]) -> Game<Showgit> {
    let mut game = Game::<Showgit>::new(Showgit::OPTIONS);
    for text in moves {
        game.play(game.position().parse_move(text).unwrap());
    }
    game
}

fn ask(
    evaluator: &mut dyn Evaluator<Showgit>,
    game: &Game<Showgit>,
) -> (bool, rules::Wdl, Vec<f32>) {
    let (mut moves, mut out) = (Vec::new(), Evaluations::default());
    game.legal_moves(&mut moves);
    let leaf = Leaf {
        game,
        moves: &moves,
    };
    let known = evaluator.ask(&leaf, &mut out);
    if !known {
        evaluator.evaluate(&mut out).unwrap();
    }
    let evaluation = out.get(0);
    (known, evaluation.wdl, evaluation.priors.to_vec())
}

#[test]
fn two_orders_of_moves_share_an_entry() {
    let cache = EvaluationCache::new(1 << 20);
    let mut evaluator = CachedEvaluator::new(Box::new(Hashing::default()), cache.clone());
    let first = ask(&mut evaluator, &after(&["7g7f", "3c3d", "2g2f"]));
    let second = ask(&mut evaluator, &after(&["2g2f", "3c3d", "7g7f"]));
    assert_eq!((first.0, second.0), (false, true));
    assert_eq!((first.1, first.2), (second.1, second.2));
    let other = ask(&mut evaluator, &after(&["2g2f", "3c3d", "7g7f", "4c4d"]));
    assert!(!other.0);
    assert_eq!((cache.counts().asked, cache.counts().found), (3, 1));
    // Another thread's evaluator knows it too.
    assert!(ask(evaluator.fork().as_mut(), &after(&["7g7f", "3c3d", "2g2f"])).0);
}

/// Answers at once what [`Hashing`] answers later, and takes it down where it is asked to put it off.
#[derive(Default)]
struct Quick {
    later: Hashing,
    answered: u64,
}

impl Evaluator<Showgit> for Quick {
    fn ask(&mut self, leaf: &Leaf<'_, Showgit>, answer: &mut Evaluations) -> bool {
        let (wdl, priors) = hashed(leaf);
        answer.push(wdl, priors);
        self.answered += 1;
        true
    }

    fn defer(&mut self, leaf: &Leaf<'_, Showgit>, answer: &mut Evaluations) -> bool {
        self.later.ask(leaf, answer)
    }

    fn evaluate(&mut self, out: &mut Evaluations) -> Result<(), EvaluatorError> {
        Evaluator::<Showgit>::evaluate(&mut self.later, out)
    }

    fn fork(&self) -> Box<dyn Evaluator<Showgit>> {
        Box::new(Self::default())
    }

    fn evaluated_at_once(&self) -> u64 {
        self.answered
    }

    fn key(&self, leaf: &Leaf<'_, Showgit>) -> Option<u128> {
        self.later.key(leaf)
    }
}

#[test]
fn what_is_answered_at_once_is_known_afterwards() {
    let cache = EvaluationCache::new(1 << 20);
    let mut evaluator = CachedEvaluator::new(Box::new(Quick::default()), cache.clone());
    let game = after(&["7g7f", "3c3d"]);
    let first = ask(&mut evaluator, &game);
    assert_eq!(first, ask(&mut evaluator, &game));
    assert_eq!((cache.counts().asked, cache.counts().found), (2, 1));
    assert_eq!(evaluator.evaluated_at_once(), 1);

    // Put off, a leaf is answered from the cache if it can be, else later.
    let (mut moves, mut out) = (Vec::new(), Evaluations::default());
    for (game, known) in [(game, true), (after(&["2g2f"]), false)] {
        game.legal_moves(&mut moves);
        let leaf = Leaf {
            game: &game,
            moves: &moves,
        };
        assert_eq!(evaluator.defer(&leaf, &mut out), known);
    }
    evaluator.evaluate(&mut out).unwrap();
    assert_eq!((out.len(), evaluator.evaluated_at_once()), (1, 1));
    let third = ask(&mut evaluator, &after(&["2g2f"]));
    assert_eq!((third.0, cache.counts().found), (true, 3));
}

#[test]
fn it_stays_within_its_bounds() {
    let cache = EvaluationCache::new(100_000);
    let mut evaluator = CachedEvaluator::new(Box::new(Hashing::default()), cache.clone());
    for from in [
        "1g1f", "2g2f", "3g3f", "4g4f", "5g5f", "6g6f", "7g7f", "8g8f", "9g9f",
    ] {
        for reply in [
            "1c1d", "2c2d", "3c3d", "4c4d", "5c5d", "6c6d", "7c7d", "8c8d", "9c9d",
        ] {
            for third in ["1i1h", "9i9h", "3i3h", "5i5h", "5i4h", "5i6h"] {
                ask(&mut evaluator, &after(&[from, reply, third]));
            }
        }
    }
    assert!(
        cache.bytes() <= 100_000 && cache.bytes() > 50_000,
        "{}",
        cache.bytes()
    );
}

#[test]
fn searches_are_the_same_with_and_without() {
    let task = SearchTask {
        simulations: 300,
        temperature: 1.0,
        explore: true,
    };
    for root in [RootKind::Gumbel, RootKind::Puct] {
        let without = run(after(&[]), config(root, 300), task, &mut Hashing::default());
        let cache = EvaluationCache::new(10 << 20);
        let mut evaluator = CachedEvaluator::new(Box::new(Hashing::default()), cache.clone());
        for _ in 0..2 {
            assert_eq!(
                run(after(&[]), config(root, 300), task, &mut evaluator),
                without
            );
        }
        assert!(cache.counts().found > 300, "{:?}", cache.counts());
    }
}
