//! Threads: as many as there are cores, and twice as many where the evaluator waits for a device.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use rules::variants::euroshogi::EuroShogi;
use rules::{Game, Variant};
use selfplay::random::{Purpose, stream};
use selfplay::{
    Evaluations, Evaluator, EvaluatorError, Leaf, RootKind, Search, Workers, search_all,
};

use super::evaluators::hashed;
use super::{config, plainly};

/// Takes its time over a batch, and knows how many of its kind did so at once.
#[derive(Clone)]
struct Device {
    waits: bool,
    waiting: Vec<(rules::Wdl, Vec<f32>)>,
    /// Batches under way, and the most there ever were.
    busy: Arc<[AtomicUsize; 2]>,
}

impl<V: Variant> Evaluator<V> for Device {
    fn ask(&mut self, leaf: &Leaf<'_, V>, _: &mut Evaluations) -> bool {
        self.waiting.push(hashed(leaf));
        false
    }

    fn evaluate(&mut self, out: &mut Evaluations) -> Result<(), EvaluatorError> {
        let now = self.busy[0].fetch_add(1, SeqCst) + 1;
        self.busy[1].fetch_max(now, SeqCst);
        std::thread::sleep(Duration::from_millis(2));
        self.busy[0].fetch_sub(1, SeqCst);
        out.clear();
        for (wdl, priors) in self.waiting.drain(..) {
            out.push(wdl, priors);
        }
        Ok(())
    }

    fn fork(&self) -> Box<dyn Evaluator<V>> {
        Box::new(self.clone())
    }

    fn waits(&self) -> bool {
        self.waits
    }
}

#[test]
fn halves_take_turns_where_a_device_evaluates() {
    let most_at_once = |waits| {
        let device = Device {
            waits,
            waiting: Vec::new(),
            busy: Arc::default(),
        };
        let rng = stream(3, Purpose::Search, 0, 0);
        let search = |_| {
            let game = Game::<EuroShogi>::new(EuroShogi::OPTIONS);
            let mut search = Search::new(config(RootKind::Puct, 40), game, rng.clone());
            search.begin(plainly(40), rng.clone());
            search
        };
        let mut searches: Vec<Search<EuroShogi>> = (0..64).map(search).collect();
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let workers = alone.unwrap().install(Workers::new);
        let reports = search_all(&mut searches, &mut device.clone(), &workers).unwrap();
        assert!(reports.iter().all(|report| report == &reports[0]));
        device.busy[1].load(SeqCst)
    };
    // One core: it evaluates one half after the other, or sees to one half while the device is busy with the other.
    assert_eq!(most_at_once(false), 1);
    assert_eq!(most_at_once(true), 2);
}
