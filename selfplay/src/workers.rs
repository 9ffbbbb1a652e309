//! Threads that each play a share of the games.

use std::sync::Arc;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Threads for searches: each is a rayon pool of its own with one thread, so that what an evaluator does inside stays on the thread that
/// asked for it, and no thread takes up another's work while its own waits.
#[derive(Clone, Debug)]
pub struct Workers {
    pools: Arc<Vec<ThreadPool>>,
}

impl Workers {
    /// Starts twice as many threads as the caller's rayon pool has: while one half of the games is evaluated, by a device or by a core, the
    /// other half is searched.
    ///
    /// # Panics
    /// If the system cannot start a thread.
    pub fn new() -> Self {
        let pool = |_| {
            let pool = ThreadPoolBuilder::new().num_threads(1).build();
            pool.expect("the system starts threads")
        };
        Self {
            pools: Arc::new((0..2 * rayon::current_num_threads()).map(pool).collect()),
        }
    }

    /// Returns the number of threads.
    pub fn len(&self) -> usize {
        self.pools.len()
    }

    /// Tells whether there are no threads: never.
    pub fn is_empty(&self) -> bool {
        self.pools.is_empty()
    }

    /// Returns how many of `items` a thread gets: an even share, in eights where it is larger, since nets work in eights.
    fn part(&self, items: usize) -> usize {
        let even = items.div_ceil(self.pools.len()).max(1);
        if even > 8 {
            even.next_multiple_of(8)
        } else {
            even
        }
    }

    /// Cuts `items` into even parts, one a thread, has `work` done on each with what `tool` made for it, and returns the results in order.
    pub(crate) fn share<T: Send, U: Send, R: Send>(
        &self,
        items: &mut [T],
        mut tool: impl FnMut() -> U,
        work: impl Fn(&mut [T], U) -> R + Sync,
    ) -> Vec<R> {
        let each = self.part(items.len());
        let work = &work;
        thread::scope(|scope| {
            let parts = items.chunks_mut(each).zip(self.pools.iter());
            let running: Vec<_> = parts
                .map(|(part, pool)| {
                    let tool = tool();
                    scope.spawn(move || pool.install(|| work(part, tool)))
                })
                .collect();
            let joined = running.into_iter().map(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect()
        })
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

impl Default for Workers {
    fn default() -> Self {
        Self::new()
    }
}
