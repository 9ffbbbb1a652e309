//! `senpu match`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use rules::{MoveOf, RuleOptions, Variant, VariantId};
use selfplay::arena::{FastchessReport, SequentialMatch, Sprt, SprtModel, SprtVerdict, strength};
use selfplay::{MatchConfig, MatchGame, MatchResult, play_match};
use serde_json::json;

use crate::cli::{EloScale, MatchArgs};
use crate::dispatch::{Parts, Task, dispatch};
use crate::interrupt::Interrupt;
use crate::output;
use crate::player_spec::PlayerSpec;
use crate::progress::{Progress, Verbosity};
use crate::rule_options::with_rules;

/// Games that go on at the same time and share their evaluations.
const CONCURRENT: usize = 256;

/// Plays a match and prints its result.
///
/// # Errors
/// If a player is wrong or fails.
pub fn run(args: &MatchArgs) -> Result<()> {
    let (a, b): (PlayerSpec, PlayerSpec) = (args.a.parse()?, args.b.parse()?);
    let nets: Vec<(VariantId, RuleOptions)> = a.game()?.into_iter().chain(b.game()?).collect();
    let variant = variant_of(args, &nets)?;
    let options = nets.first().map(|(_, options)| *options);
    let test = sprt_of(args)?.map(SequentialMatch::new);
    dispatch(
        variant,
        Match {
            args,
            a,
            b,
            options,
            test,
        },
    )
}

fn sprt_of(args: &MatchArgs) -> Result<Option<Sprt>> {
    let Some(&[elo0, elo1]) = args.sprt.as_deref() else {
        return Ok(None);
    };
    let model = match args.elo_scale {
        EloScale::Normalized => SprtModel::Normalized,
        EloScale::Logistic => SprtModel::Logistic,
    };
    Ok(Some(Sprt::new([elo0, elo1], args.alpha, args.beta, model)?))
}

/// The game is the one given, or that of a net; all that is known must agree.
fn variant_of(args: &MatchArgs, nets: &[(VariantId, RuleOptions)]) -> Result<VariantId> {
    let mut known = args
        .variant
        .into_iter()
        .chain(nets.iter().map(|(variant, _)| *variant));
    let Some(variant) = known.next() else {
        bail!("neither player is a net, so the game must be given: --variant gufu");
    };
    match known.find(|other| *other != variant) {
        Some(other) => bail!("the players are of different games, {variant} and {other}"),
        None => Ok(variant),
    }
}

struct Match<'a> {
    args: &'a MatchArgs,
    a: PlayerSpec,
    b: PlayerSpec,
    /// The rules of the first net.
    options: Option<RuleOptions>,
    /// The sequential test that may end the match early.
    test: Option<SequentialMatch>,
}

impl Task for Match<'_> {
    type Output = ();

    fn run<V: Variant>(mut self, parts: Parts<V>) -> Result<()> {
        let args = self.args;
        // Each player draws from a stream of its own, also against itself.
        let mut a = self.a.build(&parts, args.seed)?;
        let mut b = self.b.build(&parts, args.seed ^ u64::MAX)?;
        let pairs = args.games.div_ceil(2);
        let config = MatchConfig {
            pairs,
            opening_plies: args.opening_plies,
            concurrent: CONCURRENT,
            seed: args.seed,
            options: with_rules(self.options.unwrap_or(V::OPTIONS), &args.rules)?,
        };
        let interrupt = Interrupt::install()?;
        let progress = Progress::new(if args.json {
            Verbosity::Quiet
        } else {
            Verbosity::Normal
        });
        let bar = progress.bar("games", u64::from(pairs) * 2);
        let mut played = 0;
        let mut on_game = |game: &MatchGame| {
            played += 1;
            bar.set(played);
            let verdict = self.test.as_mut().map(|test| test.add(game));
            !interrupt.requested()
                && verdict.is_none_or(|verdict| verdict == SprtVerdict::Undecided)
        };
        let result = play_match(a.as_mut(), b.as_mut(), &config, &mut on_game)?;
        bar.finish();
        if let Some(path) = &args.save {
            save_games::<V>(path, args, &result)?;
        }
        print(args, &result, self.test.as_ref());
        Ok(())
    }
}

fn print(args: &MatchArgs, result: &MatchResult, test: Option<&SequentialMatch>) {
    let tally = result.tally();
    let strength = strength(&tally.pairs);
    if !args.json {
        print_text(args, result, test);
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
        "distinct_games": result.distinct_games(), "wdl": result.wdl(), "pair_counts": tally.pairs,
        "drawn_games": tally.drawn_games_share(), "even_pairs": tally.even_pairs_share(), "sprt": sprt,
    }));
}

fn print_text(args: &MatchArgs, result: &MatchResult, test: Option<&SequentialMatch>) {
    let tally = result.tally();
    let strength = strength(&tally.pairs);
    let [wins, draws, losses] = result.wdl();
    let games = result.games.len();
    output::line(format!(
        "{} against {}: {games} games, +{wins} ={draws} -{losses}",
        args.a, args.b
    ));
    let (distinct, openings) = (result.distinct_games(), result.distinct_openings());
    output::line(format!(
        "{distinct} distinct games from {openings} openings"
    ));
    if distinct * 2 < games {
        output::line(
            "most games repeat others: use --opening-plies or a temperature for a meaningful result",
        );
    }
    output::line(format!(
        "Elo {}, normalised Elo {}",
        strength.elo, strength.normalized_elo
    ));
    let conditions = format!("{} random plies, seed {}", args.opening_plies, args.seed);
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

/// Writes each game as a line of JSON, moves in the game's own notation.
fn save_games<V: Variant>(path: &Path, args: &MatchArgs, result: &MatchResult) -> Result<()> {
    let failed = || format!("cannot write `{}`", path.display());
    let mut file = BufWriter::new(File::create(path).with_context(failed)?);
    for game in &result.games {
        let name = |&bits: &u16| MoveOf::<V>::try_from(bits).map(|mv| mv.to_string());
        let moves: Vec<String> = game.moves.iter().map(name).collect::<Result<_, _>>()?;
        let (first, second) = if game.number % 2 == 0 {
            (&args.a, &args.b)
        } else {
            (&args.b, &args.a)
        };
        let winner = game.outcome.winner.map_or("draw", rules::Side::name);
        let line = json!({
            "variant": V::ID, "number": game.number, "first": first, "second": second, "opening_plies": game.opening_plies,
            "moves": moves, "winner": winner, "reason": game.outcome.reason.name(),
        });
        writeln!(file, "{line}").with_context(failed)?;
    }
    file.flush().with_context(failed)
}
