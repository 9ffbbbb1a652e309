//! Threads that each play a share of the games.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Threads for searches: each is a rayon pool of its own with one thread, so that what an evaluator does inside stays on the thread that
/// asked for it, and no thread takes up another's work while its own waits.
#[derive(Clone, Debug)]
pub struct Workers {
    pools: Arc<Vec<ThreadPool>>,
}

/// How many threads work at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crew {
    /// As many as there are cores to use.
    Cores,
    /// Twice as many, since half of them wait: one half of the games is searched while the other is evaluated elsewhere.
    Halves,
}

impl Workers {
    /// Makes threads for as many cores as the caller's rayon pool has threads, and as many more for evaluators that wait.
    ///
    /// # Panics
    /// If the system cannot start a thread.
    pub fn new() -> Self {
        Self::of(2 * rayon::current_num_threads())
    }

    /// Makes so many threads.
    ///
    /// # Panics
    /// If the system cannot start a thread.
    pub(crate) fn of(threads: usize) -> Self {
        let pool = |_| {
            let pool = ThreadPoolBuilder::new().num_threads(1).build();
            pool.expect("the system starts threads")
        };
        Self {
            pools: Arc::new((0..threads).map(pool).collect()),
        }
    }

    /// Returns the number of cores to use.
    pub(crate) fn cores(&self) -> usize {
        self.pools.len() / 2
    }

    /// Returns how many of `items` a part has: an even share for two parts a core, in eights, since nets work in eights, or for one part a core
    /// where there are too few.
    fn part(&self, items: usize) -> usize {
        const EIGHT: usize = 8;
        let half = items.div_ceil(self.pools.len());
        if half >= EIGHT {
            half.next_multiple_of(EIGHT)
        } else {
            items.div_ceil(self.cores()).clamp(1, EIGHT)
        }
    }

    /// Cuts `items` into even parts, has `work` done on each with what `tool` made for it, and returns the results in order.
    pub(crate) fn share<T: Send, U: Send, R: Send>(
        &self,
        crew: Crew,
        items: &mut [T],
        mut tool: impl FnMut() -> U,
        work: impl Fn(&mut [T], U) -> R + Sync,
    ) -> Vec<R> {
        let parts = items.chunks_mut(self.part(items.len()));
        let parts: Vec<_> = parts.map(|part| (part, tool())).collect();
        let count = parts.len();
        let queue = Mutex::new(parts.into_iter().enumerate());
        let next = || {
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.next()
        };
        let work_on = || {
            let mut done = Vec::new();
            while let Some((number, (part, tool))) = next() {
                done.push((number, work(part, tool)));
            }
            done
        };
        let threads = match crew {
            Crew::Cores => self.cores(),
            Crew::Halves => self.pools.len(),
        };
        let mut done = thread::scope(|scope| {
            let running: Vec<_> = self.pools[..threads.min(count)]
                .iter()
                .map(|pool| scope.spawn(|| pool.install(work_on)))
                .collect();
            let joined = running.into_iter().map(|thread| match thread.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.flatten().collect::<Vec<_>>()
        });
        done.sort_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// Runs `work` on the first thread.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pools[0].install(work)
    }

    /// Has `work` done with each of `tools` at the same time, at most as many as there are threads: with the first one here, which is to be
    /// the first thread, and with the others on threads of their own.
    pub(crate) fn side_by_side<T: Send>(&self, tools: &mut [T], work: impl Fn(&mut T) + Sync) {
        let Some((first, others)) = tools.split_first_mut() else {
            return;
        };
        assert!(others.len() < self.pools.len(), "a thread for each tool");
        spread(&self.pools[1..], others, &work, || work(first));
    }

    /// Has `work` done with each of `tools`, at most as many as there are threads, while `meanwhile` runs on the caller's thread.
    pub(crate) fn crew<T: Send>(
        &self,
        tools: Vec<T>,
        work: impl Fn(T) + Sync,
        meanwhile: impl FnOnce(),
    ) {
        let work = &work;
        thread::scope(|scope| {
            for (tool, pool) in tools.into_iter().zip(self.pools.iter()) {
                scope.spawn(move || pool.install(|| work(tool)));
            }
            meanwhile();
        });
    }
}

/// Has `work` done with each of `tools` on a thread of its own while `meanwhile` runs here.
fn spread<T: Send>(
    pools: &[ThreadPool],
    tools: &mut [T],
    work: &(impl Fn(&mut T) + Sync),
    meanwhile: impl FnOnce(),
) {
    let (Some((pool, pools)), Some((tool, tools))) = (pools.split_first(), tools.split_first_mut())
    else {
        return meanwhile();
    };
    // A scope inside a scope for each thread: no thread is started for it, which would cost more than many a batch.
    pool.in_place_scope(|scope| {
        scope.spawn(|_| work(tool));
        spread(pools, tools, work, meanwhile);
    });
}

impl Default for Workers {
    fn default() -> Self {
        Self::new()
    }
}
