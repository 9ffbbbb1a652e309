//! What the alpha-beta player thinks.

use rules::{MoveOf, Variant, Wdl};
use selfplay::players::AlphaBetaConfig;
use selfplay::players::alphabeta::{MATE, MATE_BOUND, Searcher};

use super::{Analysis, KnownMove, Question, Worth, shown, texts};

/// Searches once for each move to be shown, each time without those that were found to be better.
pub(super) fn analyse<V: Variant>(
    config: &AlphaBetaConfig,
    question: &Question<'_, V>,
    legal: &[MoveOf<V>],
) -> Analysis {
    let mut searcher = Searcher::<V>::new(config.table_bits);
    let mut left = legal.to_vec();
    let mut analysis = Analysis {
        value: Worth::default(),
        unsearched: None,
        simulations: None,
        depth: None,
        nodes: None,
        legal: legal.len(),
        moves: Vec::new(),
    };
    let mut nodes = 0;
    for number in 0..shown(question.lines, legal.len()) {
        let found = searcher.search(question.game, &left, config.limits);
        let best = found.line[0];
        left.retain(|&mv| mv != best);
        nodes += found.nodes;
        let worth = worth(found.value);
        if number == 0 {
            analysis.value = worth;
            analysis.depth = Some(found.depth);
        }
        analysis.moves.push(KnownMove {
            mv: best.to_string(),
            value: Some(worth),
            prior: None,
            visits: None,
            target: None,
            line: texts(&found.line),
        });
    }
    analysis.nodes = Some(nodes);
    analysis
}

/// Returns what a value in hundredths of a pawn says; only a mate says something about chances.
fn worth(value: i32) -> Worth {
    let plies = MATE - value.abs();
    let mut worth = match value {
        MATE_BOUND.. => Worth::of_wdl(Wdl::WIN).with_mate(Some(plies)),
        ..=0 if value <= -MATE_BOUND => Worth::of_wdl(Wdl::LOSS).with_mate(Some(-plies)),
        _ => Worth::default(),
    };
    worth.hundredths = Some(value);
    worth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mates_are_chances() {
        assert_eq!(
            worth(-120),
            Worth {
                hundredths: Some(-120),
                ..Worth::default()
            }
        );
        let won = worth(MATE - 3);
        assert_eq!((won.mate, won.score), (Some(3), Some(1.0)));
        let lost = worth(4 - MATE);
        assert_eq!((lost.mate, lost.score), (Some(-4), Some(0.0)));
    }
}
