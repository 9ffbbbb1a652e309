//! What a Monte Carlo tree search thinks.

use anyhow::Result;
use rules::{MoveOf, Variant};
use selfplay::random::{Purpose, stream};
use selfplay::{Evaluator, RootMove, Search, SearchConfig, SearchTask, Workers, search_all};

use super::{Analysis, KnownMove, Question, Worth, shown, texts};

/// Searches without noise and tells what was found.
pub(super) fn analyse<V: Variant>(
    mut evaluator: Box<dyn Evaluator<V>>,
    config: SearchConfig,
    question: &Question<'_, V>,
) -> Result<Analysis> {
    let config = SearchConfig {
        simulations: question.simulations.unwrap_or(config.simulations),
        ..config
    };
    // 0 simulations are a look without a search; what else a search refuses is refused here.
    let checked = SearchConfig {
        simulations: config.simulations.max(2),
        ..config
    };
    checked.validate().map_err(anyhow::Error::msg)?;
    let ply = question.game.ply() as u64;
    let rng = stream(question.seed, Purpose::Player, 0, ply);
    let mut search = Search::new(config, question.game.clone(), rng.clone());
    let task = SearchTask {
        simulations: config.simulations,
        temperature: 0.0,
        explore: false,
    };
    search.begin(task, rng);
    let mut searches = [search];
    let report = search_all(&mut searches, evaluator.as_mut(), &Workers::new())?.remove(0);
    let moves = searches[0].root_moves(&report);
    let proof = moves[0].mate.filter(|_| report.proven);
    Ok(Analysis {
        value: Worth::of_wdl(report.root).with_mate(proof),
        unsearched: Some(Worth::of_wdl(report.raw)),
        simulations: Some(report.simulations),
        depth: None,
        nodes: None,
        legal: moves.len(),
        moves: moves[..shown(question.lines, moves.len())]
            .iter()
            .map(known_move::<V>)
            .collect(),
    })
}

fn known_move<V: Variant>(known: &RootMove<MoveOf<V>>) -> KnownMove {
    KnownMove {
        mv: known.mv().to_string(),
        value: known
            .wdl
            .map(|wdl| Worth::of_wdl(wdl).with_mate(known.mate)),
        prior: Some(known.prior),
        visits: Some(known.visits),
        target: Some(known.target),
        line: texts(&known.line),
    }
}
