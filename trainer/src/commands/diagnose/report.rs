//! A diagnosis as text.

use std::path::Path;

use model::CheckpointMeta;

use super::Known;
use crate::diagnosis::{Diagnosis, Reliability};
use crate::output;

/// Prints all that was found on positions of games.
pub(super) fn print(path: &Path, meta: &CheckpointMeta, diagnosis: &Diagnosis) {
    output::line(format!(
        "{}: {}, generation {}, {} positions learned from",
        path.display(),
        meta.variant,
        meta.generation,
        meta.positions
    ));
    output::line(format!(
        "on {} positions of {} games: {}",
        diagnosis.positions,
        diagnosis.distinct_games,
        diagnosis.games.describe()
    ));
    print_calibration(diagnosis);
    print_policy(diagnosis);
    if let Some(gain) = &diagnosis.search_gain {
        let [wins, draws, losses] = gain.wdl;
        output::line(format!(
            "the search gains Elo {} over the net alone: {} pairs, +{wins} ={draws} -{losses}, {} distinct games",
            gain.estimate(),
            gain.pairs,
            gain.distinct_games
        ));
    }
    if let Some(blunders) = &diagnosis.blunders {
        output::line(format!(
            "blunders: moves that lose more than {:.2} pawns, as alpha-beta sees it with {} nodes",
            f64::from(blunders.margin) / 100.0,
            blunders.nodes
        ));
        for (who, share, loss) in [
            ("net alone", blunders.policy, blunders.policy_loss),
            ("search", blunders.search, blunders.search_loss),
        ] {
            output::line(format!(
                "  {who}: {share}; a move loses {:.2} pawns on average",
                loss / 100.0
            ));
        }
    }
}

/// Prints what a net knows of a solved game.
pub(super) fn print_known(known: Option<&Known>, simulations: u32) {
    let Some(known) = known else { return };
    output::line(format!(
        "exact value kept by the net alone: {:.3} % of the positions in which a mistake is possible; win, draw or loss told right: {:.3} %",
        100.0 * known.net.policy,
        100.0 * known.net.wdl
    ));
    output::line(format!(
        "exact value kept by {simulations} simulations: {:.3} % of {} positions",
        100.0 * known.search,
        known.sample
    ));
}

fn print_calibration(diagnosis: &Diagnosis) {
    let calibration = &diagnosis.calibration;
    output::line("value: the score that the net expects against that of the games");
    output::line(format!(
        "  {:<28} {:>9} {:>9} {:>7} {:>12} {:>14}",
        "", "positions", "expected", "scored", "calibration", "squared error"
    ));
    print_row(&calibration.all);
    for (what, rows) in [
        ("by expected score", &calibration.bins),
        ("by ply", &calibration.by_ply),
        ("by material", &calibration.by_material),
    ] {
        if rows.len() > 1 {
            output::line(format!("  {what}"));
            rows.iter().for_each(print_row);
        }
    }
}

fn print_row(row: &Reliability) {
    output::line(format!(
        "  {:<28} {:>9} {:>9.3} {:>7.3} {:>12.3} {:>14.3}",
        row.which,
        row.positions,
        row.predicted,
        row.scored,
        row.calibration_error,
        row.squared_error
    ));
}

fn print_policy(diagnosis: &Diagnosis) {
    let gap = &diagnosis.policy;
    output::line(format!(
        "policy: a search of {} simulations moves it by {:.3} nats on average",
        gap.simulations, gap.divergence
    ));
    for part in &gap.by_ply {
        output::line(format!(
            "  plies {:<22} {:>9} {:>9.3}",
            part.plies, part.positions, part.nats
        ));
    }
    output::line(format!(
        "  the search plays the net's first choice in {}",
        gap.agreement
    ));
}
