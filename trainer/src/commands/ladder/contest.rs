//! Who takes part in a ladder, and the matches between them.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use model::Checkpoint;
use rules::{RuleOptions, Variant};
use selfplay::arena::next_pairing;
use selfplay::{MatchConfig, MatchGame, Player, play_match};

use crate::cli::LadderArgs;
use crate::dispatch::Parts;
use crate::interrupt::Interrupt;
use crate::ladder;
use crate::player_spec::PlayerSpec;
use crate::progress::Progress;
use crate::rated_matches::{Contestant, RatedMatch, RatedMatches};
use crate::run_dir::CheckpointFile;

/// A player that takes part.
pub(super) struct Entrant {
    pub(super) contestant: Contestant,
    /// What a person calls it: `rung:3`, or the name.
    pub(super) label: String,
    spec: PlayerSpec,
}

/// Returns the rungs that were asked for and the checkpoints.
pub(super) fn entrants<V: Variant>(
    args: &LadderArgs,
    checkpoints: &[CheckpointFile],
) -> Result<Vec<Entrant>> {
    let rungs = ladder::rungs(V::ID);
    let mut entrants = Vec::new();
    for number in numbers(&args.rungs, rungs.len())? {
        let text = rungs[number - 1];
        entrants.push(Entrant {
            contestant: Contestant {
                name: text.to_owned(),
                weights: None,
            },
            label: format!("rung:{number}"),
            spec: text.parse()?,
        });
    }
    for CheckpointFile { generation, path } in checkpoints {
        let name = format!("@{generation}?sims={}", args.sims);
        let spec = format!("net:{}?sims={}", path.display(), args.sims);
        entrants.push(Entrant {
            contestant: Contestant {
                name: name.clone(),
                weights: Some(format!("{:016x}", Checkpoint::load(path)?.id())),
            },
            label: name,
            spec: spec.parse()?,
        });
    }
    ensure!(
        entrants.len() > 1,
        "a ladder needs two players: choose more with --rungs, --checkpoints or --generations"
    );
    Ok(entrants)
}

/// Reads `all`, `none` or numbers from 1 to `most`.
fn numbers(text: &str, most: usize) -> Result<Vec<usize>> {
    if text == "none" {
        return Ok(Vec::new());
    }
    if text == "all" {
        return Ok((1..=most).collect());
    }
    let number = |part: &str| match part.trim().parse() {
        Ok(number) if (1..=most).contains(&number) => Ok(number),
        _ => bail!(
            "--rungs {text}: `{part}` is no rung; write all, none, or numbers from 1 to {most}, such as 1,3"
        ),
    };
    text.split(',').map(number).collect()
}

/// Returns the key of the player whose rating is fixed: the one named, or the first.
pub(super) fn anchor(args: &LadderArgs, entrants: &[Entrant]) -> Result<String> {
    let Some(wanted) = &args.anchor else {
        return Ok(entrants[0].contestant.key());
    };
    let is_it = |entrant: &&Entrant| entrant.label == *wanted || entrant.contestant.name == *wanted;
    let found = entrants.iter().find(is_it);
    found
        .map(|entrant| entrant.contestant.key())
        .with_context(|| {
            let labels: Vec<&str> = entrants.iter().map(|entrant| &*entrant.label).collect();
            format!(
                "--anchor {wanted}: no such player; there are {}",
                labels.join(", ")
            )
        })
}

/// Matches under way.
pub(super) struct Contest<'a, V: Variant> {
    pub(super) args: &'a LadderArgs,
    pub(super) parts: &'a Parts<V>,
    pub(super) options: RuleOptions,
    pub(super) entrants: &'a [Entrant],
    pub(super) anchor: &'a str,
    pub(super) matches: RatedMatches,
    /// Players made so far, by the numbers of their entrants.
    pub(super) built: Vec<(usize, Box<dyn Player<V>>)>,
}

impl<V: Variant> Contest<'_, V> {
    /// Plays one match after the other, each where it tells most, up to the limits of games and time. A match under way when the work is
    /// interrupted does not count, since its short games alone would.
    pub(super) fn play(
        &mut self,
        limit: Duration,
        progress: &Progress,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let begun = Instant::now();
        let bar = progress.bar("games", self.args.games.into());
        let mut games = 0;
        while games < self.args.games
            && (limit.is_zero() || begun.elapsed() < limit)
            && !interrupt.requested()
        {
            let pairs = (self.args.games - games)
                .div_ceil(2)
                .min(self.args.pairs)
                .max(1);
            let [first, second] = self.next(pairs)?;
            let labels = [first, second].map(|number| &*self.entrants[number].label);
            bar.message(labels.join(" against "));
            if let Some(played) = self.meet([first, second], pairs, interrupt)? {
                self.matches.append(played)?;
            }
            games += 2 * pairs;
            bar.set(games.into());
        }
        bar.finish();
        Ok(())
    }

    /// Returns the entrants whose games tell most.
    fn next(&self, pairs: u32) -> Result<[usize; 2]> {
        let keys: Vec<String> = (self.entrants.iter())
            .map(|entrant| entrant.contestant.key())
            .collect();
        let mut all = keys.clone();
        // The anchor may only have played earlier.
        all.push(self.anchor.to_owned());
        all.sort();
        all.dedup();
        let pairing = next_pairing(&all, &self.matches.encounters(), self.anchor, pairs)?
            .context("a ladder needs two players")?;
        let number = |key: &str| keys.iter().position(|other| other == key);
        match (number(&pairing.first), number(&pairing.second)) {
            (Some(first), Some(second)) => Ok([first, second]),
            _ => bail!("the anchor takes no part"),
        }
    }

    fn meet(
        &mut self,
        entrants: [usize; 2],
        pairs: u32,
        interrupt: &Interrupt,
    ) -> Result<Option<RatedMatch>> {
        // Every match has openings of its own, also between players who met before.
        let seed = self.args.seed.wrapping_add(self.matches.count() << 32);
        let config = MatchConfig {
            pairs,
            opening_plies: self.args.opening_plies,
            concurrent: usize::MAX,
            seed,
            options: self.options,
        };
        let [mut first, mut second] = [self.player(entrants[0])?, self.player(entrants[1])?];
        let mut on_game = |_: &MatchGame| !interrupt.requested();
        let result = play_match(first.as_mut(), second.as_mut(), &config, &mut on_game)?;
        let counts = result.tally().pairs;
        let of = |number: usize| self.entrants[number].contestant.clone();
        Ok((counts.pairs() == u64::from(pairs)).then(|| RatedMatch {
            first: of(entrants[0]),
            second: of(entrants[1]),
            counts,
            seed,
            conditions: self.matches.conditions().clone(),
        }))
    }

    /// Returns a copy of an entrant's player, made once: some take long to make.
    fn player(&mut self, number: usize) -> Result<Box<dyn Player<V>>> {
        if let Some((_, player)) = self.built.iter().find(|(other, _)| *other == number) {
            return Ok(player.fork());
        }
        let entrant = &self.entrants[number];
        let name = entrant.contestant.name.as_bytes();
        let seed = self.args.seed ^ u64::from(crc32fast::hash(name));
        let player = entrant.spec.build(self.parts, seed)?;
        let copy = player.fork();
        self.built.push((number, player));
        Ok(copy)
    }
}
