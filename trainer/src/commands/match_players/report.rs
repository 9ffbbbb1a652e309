//! What `senpu match` prints.

use rules::Reason;
use selfplay::MatchResult;
use selfplay::arena::{FastchessReport, Faults, SequentialMatch, strength};
use serde_json::json;

use crate::cli::MatchArgs;
use crate::output;

/// Prints the result: for people unless JSON alone is wanted, and as a last line of JSON.
pub(super) fn print(
    args: &MatchArgs,
    openings: &str,
    result: &MatchResult,
    test: Option<&SequentialMatch>,
) {
    let tally = result.tally();
    let strength = strength(&tally.pairs);
    if !args.json {
        print_text(args, openings, result, test);
    }
    let sprt = test.map(|test| {
        json!({
            "llr": test.llr(), "bounds": test.sprt().bounds(), "elo": test.sprt().hypotheses(), "verdict": test.verdict(),
            "pair_counts": test.tally().pairs,
        })
    });
    let (elo, normalized) = (strength.elo, strength.normalized_elo);
    output::json(&json!({
        "pairs": strength.pairs, "score": strength.score, "elo": elo.value, "elo_lo": elo.low, "elo_hi": elo.high,
        "nelo": normalized.value, "nelo_lo": normalized.low, "nelo_hi": normalized.high, "los": strength.los,
        "distinct_games": result.distinct_games(), "distinct_openings": result.distinct_openings(), "wdl": result.wdl(),
        "pair_counts": tally.pairs, "drawn_games": tally.drawn_games_share(), "even_pairs": tally.even_pairs_share(),
        "endings": result.endings(), "faults": json!({"a": result.faults()[0], "b": result.faults()[1]}), "sprt": sprt,
    }));
}

fn print_text(
    args: &MatchArgs,
    openings: &str,
    result: &MatchResult,
    test: Option<&SequentialMatch>,
) {
    let tally = result.tally();
    let strength = strength(&tally.pairs);
    let [wins, draws, losses] = result.wdl();
    let games = result.games.len();
    output::line(format!(
        "{} against {}: {games} games, +{wins} ={draws} -{losses}",
        args.a, args.b
    ));
    let (distinct, different) = (result.distinct_games(), result.distinct_openings());
    output::line(format!(
        "{distinct} distinct games from {different} openings"
    ));
    if distinct * 2 < games {
        output::line(
            "most games repeat others: use --opening-plies or a temperature for a meaningful result",
        );
    }
    let endings = result.endings();
    let said: Vec<String> = (endings.iter())
        .map(|(reason, count)| format!("{count} {}", reason.replace('_', " ")))
        .collect();
    output::line(format!("games ended by: {}", said.join(", ")));
    if let Some(adjudicated) = endings.get(Reason::Adjudication.name()) {
        output::line(format!(
            "{adjudicated} of {games} games were ended by the match's own thresholds"
        ));
    }
    print_faults(args, result);
    output::line(format!(
        "Elo {}, normalised Elo {}",
        strength.elo, strength.normalized_elo
    ));
    let conditions = format!("{openings}, seed {}", args.seed);
    let report = FastchessReport {
        first: &args.a,
        second: &args.b,
        conditions: &conditions,
        // A test does not look at pairs that ended ahead of others.
        tally: test.map_or(&tally, SequentialMatch::tally),
        sprt: test.map(SequentialMatch::sprt),
    };
    output::line(report);
    if let Some(completion) = report.completion() {
        output::line(completion);
    }
}

/// Says what players did wrong, and shows the first of it.
fn print_faults(args: &MatchArgs, result: &MatchResult) {
    for (name, faults) in [&args.a, &args.b].into_iter().zip(result.faults()) {
        let Faults {
            crashes,
            timeouts,
            illegal_moves,
            resignations,
        } = faults;
        let kinds = [
            (crashes, "crashes"),
            (timeouts, "timeouts"),
            (illegal_moves, "illegal moves"),
            (resignations, "resignations"),
        ];
        let said: Vec<String> = (kinds.iter().filter(|(count, _)| *count > 0))
            .map(|(count, kind)| format!("{count} {kind}"))
            .collect();
        if !said.is_empty() {
            output::line(format!("lost by {name}: {}", said.join(", ")));
        }
    }
    let forfeits = (result.games.iter()).filter_map(|game| Some((game, game.forfeit.as_ref()?)));
    for (game, forfeit) in forfeits.take(3) {
        output::line(format!("game {}: {}", game.number, forfeit.said));
    }
}
