//! `senpu solve`.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use rules::notation::parse_game;
use rules::solver::{Exact, Solution};
use rules::{Game, Position, Variant};
use serde_json::json;

use crate::cli::SolveArgs;
use crate::dispatch::{Parts, Task, dispatch};
use crate::output;

/// Solves a game and prints its statistics, or one position's value and moves.
///
/// # Errors
/// If the game is too large to solve or the position is wrong.
pub fn run(args: &SolveArgs) -> Result<()> {
    dispatch(args.variant, Solve(args))
}

struct Solve<'a>(&'a SolveArgs);

impl Task for Solve<'_> {
    type Output = ();

    fn run<V: Variant>(self, parts: Parts<V>) -> Result<()> {
        let Some(yardstick) = parts.yardstick else {
            bail!("{} is too large to be solved; `gufu` can be", V::ID);
        };
        let begun = Instant::now();
        let solution = (yardstick.solve)();
        let seconds = begun.elapsed().as_secs_f64();
        match &self.0.position {
            None => print_statistics(&solution, yardstick.in_play, seconds, self.0.json),
            Some(text) => return print_position(&solution, text, self.0.json),
        }
        Ok(())
    }
}

fn print_statistics<V: Variant>(
    solution: &Solution<V>,
    in_play: fn(&V::Position) -> bool,
    seconds: f64,
    as_json: bool,
) {
    let start = solution
        .value(&V::Position::initial())
        .unwrap_or(Exact::Draw);
    let play = solution.statistics(in_play);
    let reachable = solution.positions().len();
    if as_json {
        return output::json(&json!({
            "reachable": reachable, "play": play.positions, "wins": play.wins, "losses": play.losses, "draws": play.draws,
            "mates": play.mates, "start": start.sign(), "longest": play.longest_win, "most_moves": play.most_moves,
            "mistake_possible": play.mistake_possible, "seconds": seconds,
        }));
    }
    output::line(format!(
        "{}: {reachable} reachable positions, solved in {seconds:.2} s",
        V::ID
    ));
    output::line(format!(
        "past the setup: {} positions, for the side to move",
        play.positions
    ));
    output::line(format!(
        "  {} won, {} lost ({} of them mates on the board), {} drawn",
        play.wins, play.losses, play.mates, play.draws
    ));
    output::line(format!(
        "  the longest forced win takes {} plies; at most {} moves in a position",
        play.longest_win, play.most_moves
    ));
    output::line(format!(
        "  in {} a mistake is possible: their moves differ in value",
        play.mistake_possible
    ));
    output::line(format!("the start is {}", describe(start)));
}

fn print_position<V: Variant>(solution: &Solution<V>, text: &str, as_json: bool) -> Result<()> {
    let game: Game<V> = parse_game(text, V::OPTIONS)?;
    let position = game.position();
    let value = solution
        .value(position)
        .with_context(|| format!("`{position}` cannot be reached from the start of {}", V::ID))?;
    let best: Vec<String> = solution
        .best_moves(position)
        .iter()
        .map(ToString::to_string)
        .collect();
    let (mut moves, mut values) = (Vec::new(), Vec::new());
    position.legal_moves(&mut moves);
    solution.move_values(position, &mut values);
    if as_json {
        let moves: Vec<_> = moves
            .iter()
            .zip(&values)
            .map(|(mv, value)| json!({"move": mv.to_string(), "value": value.sign(), "plies": value.plies()}))
            .collect();
        output::json(&json!({
            "position": position.to_string(), "value": value.sign(), "plies": value.plies(), "best": best, "moves": moves,
        }));
        return Ok(());
    }
    output::line(format!("{position}: {}", describe(value)));
    output::line(format!(
        "best: {}",
        if best.is_empty() {
            "-".to_owned()
        } else {
            best.join(" ")
        }
    ));
    for (mv, value) in moves.iter().zip(&values) {
        output::line(format!("  {mv}: {}", describe(*value)));
    }
    Ok(())
}

fn describe(value: Exact) -> String {
    match value {
        Exact::Win(plies) => format!("won in {plies} plies"),
        Exact::Draw => "drawn".to_owned(),
        Exact::Loss(0) => "lost: mate".to_owned(),
        Exact::Loss(plies) => format!("lost in {plies} plies"),
    }
}
