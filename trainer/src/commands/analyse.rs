//! `senpu analyse`.

use anyhow::Result;
use rules::notation::parse_game;
use rules::{Game, Position, RuleOptions, Variant};
use serde_json::{Value, json};

use crate::analysis::{Analysis, KnownMove, Question, Worth, analyse};
use crate::cli::AnalyseArgs;
use crate::dispatch::{Parts, Task, dispatch};
use crate::output;
use crate::player_spec::PlayerSpec;
use crate::rule_options::with_rules;

/// Prints what a player thinks of a position.
///
/// # Errors
/// If the player, the position or a rule option is wrong, the game has ended there, or the player does not search.
pub fn run(args: &AnalyseArgs) -> Result<()> {
    let player: PlayerSpec = args.player.parse()?;
    let (variant, options) = player.game_or(args.variant, &args.player)?;
    dispatch(
        variant,
        Analyse {
            args,
            player,
            options,
        },
    )
}

struct Analyse<'a> {
    args: &'a AnalyseArgs,
    player: PlayerSpec,
    /// The rules of the net.
    options: Option<RuleOptions>,
}

impl Task for Analyse<'_> {
    type Output = ();

    fn run<V: Variant>(self, parts: Parts<V>) -> Result<()> {
        let args = self.args;
        let options = with_rules(self.options.unwrap_or(V::OPTIONS), &args.rules)?;
        let game: Game<V> = parse_game(&args.position, options)?;
        let question = Question {
            game: &game,
            simulations: args.simulations,
            lines: args.lines,
            seed: args.seed,
        };
        let analysis = analyse(&self.player, &question, &parts)?;
        if args.json {
            output::json(&as_json(args, &game, &analysis)?);
        } else {
            print(args, &game, &analysis);
        }
        Ok(())
    }
}

fn as_json<V: Variant>(args: &AnalyseArgs, game: &Game<V>, analysis: &Analysis) -> Result<Value> {
    let mut value = json!({
        "variant": V::ID, "player": args.player, "position": game.position().to_string(), "ply": game.ply(),
        "side": game.position().side_to_move().name(), "best": analysis.moves.first().map(|known| &known.mv),
    });
    let found = serde_json::to_value(analysis)?;
    if let (Value::Object(value), Value::Object(found)) = (&mut value, found) {
        value.extend(found);
    }
    Ok(value)
}

fn print<V: Variant>(args: &AnalyseArgs, game: &Game<V>, analysis: &Analysis) {
    let position = game.position();
    output::line(format!(
        "{}, the {} player to move: {position}",
        V::ID,
        position.side_to_move().name()
    ));
    let mut searched = Vec::new();
    searched.extend(
        analysis
            .simulations
            .map(|count| format!("{count} simulations")),
    );
    searched.extend(analysis.depth.map(|depth| format!("depth {depth}")));
    searched.extend(analysis.nodes.map(|nodes| format!("{nodes} nodes")));
    let searched = if searched.is_empty() {
        String::new()
    } else {
        format!(" ({})", searched.join(", "))
    };
    output::line(format!(
        "{}{searched}: {}",
        args.player,
        describe(&analysis.value)
    ));
    if let Some(unsearched) = &analysis.unsearched {
        output::line(format!("without the search: {}", describe(unsearched)));
    }
    output::line(format!(
        "the best {} of {} legal moves:",
        analysis.moves.len(),
        analysis.legal
    ));
    for (number, known) in analysis.moves.iter().enumerate() {
        output::line(format!("{:>3}. {}", number + 1, describe_move(known)));
    }
}

/// Says what is known of a move, its line first.
pub(super) fn describe_move(known: &KnownMove) -> String {
    let mut parts = vec![
        known
            .value
            .as_ref()
            .map_or("not visited".to_owned(), describe),
    ];
    let percent = |name: &str, share: f32| format!("{name} {:.1} %", 100.0 * share);
    parts.extend(known.prior.map(|share| percent("prior", share)));
    parts.extend(known.visits.map(|visits| format!("visits {visits}")));
    parts.extend(known.target.map(|share| percent("target", share)));
    format!("{}: {}", known.line.join(" "), parts.join(", "))
}

/// Says what something is worth to the player to move.
pub(super) fn describe(worth: &Worth) -> String {
    let mut parts = Vec::new();
    match worth.mate {
        Some(plies) if plies > 0 => parts.push(format!("won in {plies} plies")),
        Some(plies) => parts.push(format!("lost in {} plies", -plies)),
        None => {}
    }
    if let (Some(score), None) = (worth.score, worth.mate) {
        parts.push(format!("expected score {:.1} %", 100.0 * score));
    }
    if let (Some([win, draw, loss]), None) = (worth.wdl, worth.mate) {
        let [win, draw, loss] = [win, draw, loss].map(|share| 100.0 * share);
        parts.push(format!("win {win:.1} draw {draw:.1} loss {loss:.1}"));
    }
    if let (Some(hundredths), None) = (worth.hundredths, worth.mate) {
        parts.push(format!("{:+.2} pawns", f64::from(hundredths) / 100.0));
    }
    parts.join(", ")
}
