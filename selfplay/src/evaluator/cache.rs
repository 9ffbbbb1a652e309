//! A bounded cache of evaluations, shared by threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use rules::{Variant, Wdl};

use super::{Evaluation, Evaluations, Evaluator, EvaluatorError, Leaf};

/// Evaluations by the identity of what the evaluator saw, 128 bits of it: among 10^12 positions two share one with a chance of 10^-15.
///
/// It holds nothing that depends on a path: no outcome, no proof, no count of visits. It is made for one net and goes with it.
#[derive(Clone, Debug)]
pub struct EvaluationCache {
    held: Arc<Held>,
}

#[derive(Debug)]
struct Held {
    entries: Cache<u128, Entry, Bytes>,
    asked: AtomicU64,
    found: AtomicU64,
}

type Entry = Arc<(Wdl, Box<[f32]>)>;

#[derive(Clone, Debug)]
struct Bytes;

impl Bytes {
    /// What an entry takes beside its priors: key, value and place in the cache's tables, estimated.
    const ENTRY: u64 = 96;
}

impl Weighter<u128, Entry> for Bytes {
    fn weight(&self, _: &u128, entry: &Entry) -> u64 {
        Self::ENTRY + 4 * entry.1.len() as u64
    }
}

/// How often a cache was asked and knew the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Leaves looked up.
    pub asked: u64,
    /// Of these, found.
    pub found: u64,
}

impl EvaluationCache {
    /// Makes an empty cache that holds at most about so many bytes.
    pub fn new(bytes: u64) -> Self {
        /// What an entry with forty moves takes: only the first size of the tables depends on it.
        const TYPICAL: u64 = Bytes::ENTRY + 160;
        Self {
            held: Arc::new(Held {
                entries: Cache::with_weighter((bytes / TYPICAL) as usize, bytes, Bytes),
                asked: AtomicU64::new(0),
                found: AtomicU64::new(0),
            }),
        }
    }

    /// Returns how often it was asked and knew the answer.
    pub fn counts(&self) -> CacheCounts {
        CacheCounts {
            asked: self.held.asked.load(Ordering::Relaxed),
            found: self.held.found.load(Ordering::Relaxed),
        }
    }

    /// Returns the bytes that its entries take.
    pub fn bytes(&self) -> u64 {
        self.held.entries.weight()
    }
}

/// Answers from a cache what it knows, and asks another evaluator the rest.
pub struct CachedEvaluator<V: Variant> {
    inner: Box<dyn Evaluator<V>>,
    cache: EvaluationCache,
    /// The keys of the leaves that the inner evaluator took down.
    waiting: Vec<Option<u128>>,
}

impl<V: Variant> CachedEvaluator<V> {
    /// Puts `cache` before `inner`; the cache must hold no evaluations of another net.
    pub fn new(inner: Box<dyn Evaluator<V>>, cache: EvaluationCache) -> Self {
        Self {
            inner,
            cache,
            waiting: Vec::new(),
        }
    }
}

impl<V: Variant> std::fmt::Debug for CachedEvaluator<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CachedEvaluator")
            .field("cache", &self.cache.counts())
            .finish_non_exhaustive()
    }
}

impl<V: Variant> CachedEvaluator<V> {
    /// Answers a leaf from the cache, or has `ask` ask the inner evaluator.
    fn look_up(
        &mut self,
        leaf: &Leaf<'_, V>,
        answer: &mut Evaluations,
        ask: impl FnOnce(&mut dyn Evaluator<V>, &mut Evaluations) -> bool,
    ) -> bool {
        let key = self.inner.key(leaf);
        if let Some(key) = key {
            self.cache.held.asked.fetch_add(1, Ordering::Relaxed);
            if let Some(entry) = self.cache.held.entries.get(&key) {
                debug_assert_eq!(entry.1.len(), leaf.moves.len(), "two positions share a key");
                self.cache.held.found.fetch_add(1, Ordering::Relaxed);
                answer.push(entry.0, entry.1.iter().copied());
                return true;
            }
        }
        let answered = ask(self.inner.as_mut(), answer);
        match key {
            Some(key) if answered => self.keep(key, answer.get(answer.len() - 1)),
            _ if answered => {}
            key => self.waiting.push(key),
        }
        answered
    }

    fn keep(&self, key: u128, evaluation: Evaluation<'_>) {
        let entry = Arc::new((evaluation.wdl, evaluation.priors.into()));
        self.cache.held.entries.insert(key, entry);
    }
}

impl<V: Variant> Evaluator<V> for CachedEvaluator<V> {
    fn ask(&mut self, leaf: &Leaf<'_, V>, answer: &mut Evaluations) -> bool {
        self.look_up(leaf, answer, |inner, answer| inner.ask(leaf, answer))
    }

    fn defer(&mut self, leaf: &Leaf<'_, V>, answer: &mut Evaluations) -> bool {
        self.look_up(leaf, answer, |inner, answer| inner.defer(leaf, answer))
    }

    fn evaluate(&mut self, out: &mut Evaluations) -> Result<(), EvaluatorError> {
        let evaluated = self.inner.evaluate(out);
        let mut waiting = std::mem::take(&mut self.waiting);
        for (at, key) in waiting.drain(..).enumerate() {
            if evaluated.is_ok()
                && let Some(key) = key
            {
                self.keep(key, out.get(at));
            }
        }
        self.waiting = waiting;
        evaluated
    }

    fn fork(&self) -> Box<dyn Evaluator<V>> {
        Box::new(Self::new(self.inner.fork(), self.cache.clone()))
    }

    fn waits(&self) -> bool {
        self.inner.waits()
    }

    fn evaluated_at_once(&self) -> u64 {
        self.inner.evaluated_at_once()
    }

    fn key(&self, leaf: &Leaf<'_, V>) -> Option<u128> {
        self.inner.key(leaf)
    }
}
