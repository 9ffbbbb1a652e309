//! Making batches while others are learned from.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use anyhow::Result;
use rules::Variant;

use super::{Drawn, Sampler};

/// Hands the batches of a sampler to `work`: the next one is made while one is worked on, and waits until it is taken.
pub(crate) fn ahead<V: Variant, T>(
    sampler: Sampler<'_, V>,
    work: impl FnOnce(Receiver<Result<Drawn>>) -> T,
) -> T {
    thread::scope(|scope| {
        let (send, batches) = sync_channel(0);
        scope.spawn(move || {
            for drawn in sampler {
                if send.send(drawn).is_err() {
                    // Whoever worked on them has stopped.
                    return;
                }
            }
        });
        work(batches)
    })
}
