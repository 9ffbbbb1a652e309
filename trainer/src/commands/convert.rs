//! `senpu convert`.

mod sink;
mod source;

use anyhow::{Context, Result};
use rules::{RuleOptions, Variant};
use selfplay::Transcript;

use crate::cli::ConvertArgs;
use crate::dispatch::{Parts, Task, dispatch};
use crate::replay::{ReplayError, read_games, read_segment};
use crate::rule_options::with_rules;
use sink::{Sink, Target};
use source::Source;

/// Converts games from one format to another.
///
/// # Errors
/// If a name does not say its format, the input is wrong, or the output cannot hold it or not be written.
pub fn run(args: &ConvertArgs) -> Result<()> {
    let target = Target::of(args)?;
    let source = Source::of(args)?;
    let variant = source.variant(args.variant)?;
    dispatch(
        variant,
        Convert {
            args,
            source,
            target,
        },
    )
}

struct Convert<'a> {
    args: &'a ConvertArgs,
    source: Source,
    target: Target,
}

impl Task for Convert<'_> {
    type Output = ();

    fn run<V: Variant>(self, _: Parts<V>) -> Result<()> {
        let rules = with_rules(V::OPTIONS, &self.args.rules)?;
        let name = self.source.name();
        let mut sink = Sink::new(self.target);
        self.source.each::<V>(rules, &mut |transcript| {
            let number = sink.games() + 1;
            sink.take(&transcript)
                .with_context(|| format!("`{name}`, game {number}"))
        })?;
        sink.finish::<V>(&name)
    }
}

impl Source {
    /// Gives every game to `take`, until it fails.
    fn each<V: Variant>(
        &self,
        rules: RuleOptions,
        take: &mut dyn FnMut(Transcript<V>) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Text { name, format, text } => {
                let games = format.read::<V>(text, rules);
                let games = games.with_context(|| format!("`{name}`"))?;
                games.into_iter().try_for_each(take)
            }
            Self::Store { dir, .. } => stored(|each| read_games(dir, each), take),
            Self::Segment { path, .. } => stored(|each| read_segment(path, each), take),
        }
    }
}

/// Gives the games of a store to `take`, until it fails.
fn stored<V: Variant>(
    read: impl Fn(&mut dyn FnMut(selfplay::GameRecord)) -> Result<(), ReplayError>,
    take: &mut dyn FnMut(Transcript<V>) -> Result<()>,
) -> Result<()> {
    let mut taken = Ok(());
    read(&mut |record| {
        if taken.is_ok() {
            taken = Transcript::<V>::of_record(&record)
                .map_err(anyhow::Error::from)
                .and_then(&mut *take);
        }
    })?;
    taken
}
