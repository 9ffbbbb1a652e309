//! `senpu perft`.

use std::time::Instant;

use anyhow::Result;
use rules::notation::parse_game;
use rules::perft::{divide, perft};
use rules::{Game, Variant};

use crate::cli::PerftArgs;
use crate::dispatch::{Parts, Task, dispatch};
use crate::output;
use crate::rule_options::with_rules;

/// Counts leaves and prints them with the speed.
///
/// # Errors
/// If the position or a rule option is wrong.
pub fn run(args: &PerftArgs) -> Result<()> {
    dispatch(args.variant, Perft(args))
}

struct Perft<'a>(&'a PerftArgs);

impl Task for Perft<'_> {
    type Output = ();

    fn run<V: Variant>(self, _: Parts<V>) -> Result<()> {
        let args = self.0;
        let game: Game<V> = parse_game(&args.position, with_rules(V::OPTIONS, &args.rules)?)?;
        let begun = Instant::now();
        let leaves = if args.divide && args.depth > 0 {
            let divided = divide(game.position(), args.depth);
            for (mv, leaves) in &divided {
                output::line(format!("{mv}: {leaves}"));
            }
            divided.iter().map(|(_, leaves)| leaves).sum()
        } else {
            perft(game.position(), args.depth)
        };
        let seconds = begun.elapsed().as_secs_f64();
        output::line(format!(
            "perft {}: {leaves} leaves in {seconds:.3} s",
            args.depth
        ));
        Ok(())
    }
}
