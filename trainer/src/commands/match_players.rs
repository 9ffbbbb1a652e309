//! `senpu match`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use rules::{MoveOf, RuleOptions, Variant, VariantId};
use selfplay::{MatchConfig, MatchGame, MatchResult, elo_of_pairs, play_match};
use serde_json::json;

use crate::cli::MatchArgs;
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
    dispatch(
        variant,
        Match {
            args,
            a,
            b,
            options,
        },
    )
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
}

impl Task for Match<'_> {
    type Output = ();

    fn run<V: Variant>(self, parts: Parts<V>) -> Result<()> {
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
        let mut on_game = |_: &MatchGame| {
            played += 1;
            bar.set(played);
            !interrupt.requested()
        };
        let result = play_match(a.as_mut(), b.as_mut(), &config, &mut on_game)?;
        bar.finish();
        if let Some(path) = &args.save {
            save_games::<V>(path, args, &result)?;
        }
        print(args, &result);
        Ok(())
    }
}

fn print(args: &MatchArgs, result: &MatchResult) {
    let counts = result.pair_counts();
    let elo = elo_of_pairs(&counts);
    let pairs: u64 = counts.iter().sum();
    let finite = |value: f64| {
        if value.is_finite() {
            json!(value)
        } else {
            json!(null)
        }
    };
    if !args.json {
        let [wins, draws, losses] = result.wdl();
        let games = result.games.len();
        output::line(format!(
            "{} against {}: {games} games, +{wins} ={draws} -{losses}",
            args.a, args.b
        ));
        let (distinct, openings) = (result.distinct_games(), result.distinct_openings());
        output::line(format!(
            "{distinct} distinct games from {openings} openings; pairs by half points {counts:?}"
        ));
        if distinct * 2 < games {
            output::line(
                "most games repeat others: use --opening-plies or a temperature for a meaningful result",
            );
        }
        output::line(format!(
            "score {:.4}, Elo {:+.1}, 95 % interval {:+.1} to {:+.1}",
            elo.score, elo.elo, elo.low, elo.high
        ));
    }
    output::json(&json!({
        "pairs": pairs, "score": elo.score, "elo": finite(elo.elo), "elo_lo": finite(elo.low), "elo_hi": finite(elo.high),
        "distinct_games": result.distinct_games(), "wdl": result.wdl(), "pair_counts": counts,
    }));
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
