//! What a search costs beside its evaluations.

use anyhow::Result;
use model::Encoder;
use rules::{Game, Variant};
use selfplay::random::{Purpose, stream};
use selfplay::{
    Evaluations, Evaluator, EvaluatorError, Leaf, RootKind, Search, SearchTask, UniformEvaluator,
    Workers, search_all,
};
use std::sync::Arc;

use super::{Figure, measure, some_games};
use crate::cli::BenchArgs;
use crate::dispatch::Parts;
use crate::player_spec::match_search;

/// Knows nothing, like [`UniformEvaluator`], but encodes every leaf and puts it off, as a net does.
struct EncodingEvaluator<V: Variant> {
    encoder: Arc<dyn Encoder<V>>,
    planes: Vec<f32>,
    actions: Vec<u32>,
    moves: Vec<usize>,
}

impl<V: Variant> EncodingEvaluator<V> {
    fn new(encoder: &Arc<dyn Encoder<V>>) -> Self {
        Self {
            planes: vec![0.0; encoder.shape().plane_len()],
            encoder: Arc::clone(encoder),
            actions: Vec::new(),
            moves: Vec::new(),
        }
    }
}

impl<V: Variant> Evaluator<V> for EncodingEvaluator<V> {
    fn ask(&mut self, leaf: &Leaf<'_, V>, _: &mut Evaluations) -> bool {
        self.encoder.encode(leaf.game, &mut self.planes);
        let position = leaf.game.position();
        let action = |&mv: &_| self.encoder.action(position, mv) as u32;
        self.actions.clear();
        self.actions.extend(leaf.moves.iter().map(action));
        std::hint::black_box((&self.planes, &self.actions));
        self.moves.push(leaf.moves.len());
        false
    }

    fn evaluate(&mut self, out: &mut Evaluations) -> Result<(), EvaluatorError> {
        out.clear();
        for moves in self.moves.drain(..) {
            let prior = 1.0 / moves as f32;
            out.push(rules::Wdl::DRAW, std::iter::repeat_n(prior, moves));
        }
        Ok(())
    }

    fn fork(&self) -> Box<dyn Evaluator<V>> {
        Box::new(Self::new(&self.encoder))
    }
}

/// Measures simulations a second with uniform priors and drawn values: under both kinds of root, and with every leaf encoded.
pub(super) fn bench_search<V: Variant>(args: &BenchArgs, parts: &Parts<V>) -> Result<()> {
    let mut uniform = UniformEvaluator;
    let mut encoding = EncodingEvaluator::new(&parts.encoder);
    let runs: [(&str, RootKind, &mut dyn Evaluator<V>); 3] = [
        ("uniform", RootKind::Puct, &mut uniform),
        ("uniform-gumbel", RootKind::Gumbel, &mut UniformEvaluator),
        ("encoding", RootKind::Gumbel, &mut encoding),
    ];
    for (name, root, evaluator) in runs {
        bench_kind(args, name, root, evaluator)?;
    }
    Ok(())
}

fn bench_kind<V: Variant>(
    args: &BenchArgs,
    name: &str,
    root: RootKind,
    evaluator: &mut dyn Evaluator<V>,
) -> Result<()> {
    let games = some_games::<V>(args.batch);
    let workers = Workers::new();
    let config = match_search(root, args.simulations);
    let config = selfplay::SearchConfig {
        mate_plies: 0,
        ..config
    };
    let rng = stream(0, Purpose::Search, 0, 0);
    let search = |game: &Game<V>| Search::new(config, game.clone(), rng.clone());
    let mut searches: Vec<Search<V>> = games.iter().map(search).collect();
    let mut failed = None;
    let figure = Figure {
        bench: "search",
        name,
        threads: rayon::current_num_threads(),
        batch: args.batch,
        unit: "simulations/s",
    };
    let task = SearchTask {
        simulations: args.simulations,
        temperature: 1.0,
        explore: false,
    };
    measure(args, &figure, || {
        for search in &mut searches {
            search.forget();
            search.begin(task, rng.clone());
        }
        match search_all(&mut searches, evaluator, &workers) {
            Ok(reports) => reports
                .iter()
                .map(|report| u64::from(report.simulations))
                .sum(),
            Err(error) => {
                failed = Some(error);
                0
            }
        }
    });
    Ok(failed.map_or(Ok(()), Err)?)
}
