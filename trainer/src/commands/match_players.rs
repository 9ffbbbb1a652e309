//! `senpu match`.

mod report;
mod setup;

use std::path::PathBuf;

use anyhow::{Result, bail};
use rules::{RuleOptions, Variant, VariantId};
use selfplay::arena::{Adjudication, SequentialMatch, Sprt, SprtModel, SprtVerdict};
use selfplay::{Arena, MatchConfig, MatchGame};
use serde_json::{Value, json};

use crate::cli::{EloScale, MatchArgs};
use crate::dispatch::{Parts, Task, dispatch};
use crate::interrupt::Interrupt;
use crate::match_file::MatchFile;
use crate::player_spec::PlayerSpec;
use crate::progress::{Progress, Verbosity};
use crate::records::Records;
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
        let rules = with_rules(self.options.unwrap_or(V::OPTIONS), &args.rules)?;
        let adjudication = setup::adjudication(args)?;
        let opened = setup::openings(args, &parts, &self.a, rules)?;
        let head = self.head::<V>(rules, &adjudication, &opened.identity)?;
        let (mut file, mut played) = self.saved::<V>(&head, rules)?;
        let mut records = self.records::<V>(rules, &played)?;
        // Each player draws from a stream of its own, also against itself.
        let a = self.a.build(&parts, args.seed)?;
        let b = self.b.build(&parts, args.seed ^ u64::MAX)?;
        let config = MatchConfig {
            pairs: args.games.div_ceil(2),
            opening_plies: args.opening_plies,
            concurrent: CONCURRENT,
            seed: args.seed,
            options: rules,
        };
        played.retain(|game| game.number < u64::from(config.pairs) * 2);
        let verbosity = if args.json {
            Verbosity::Quiet
        } else {
            Verbosity::Normal
        };
        let (interrupt, progress) = (Interrupt::install()?, Progress::new(verbosity));
        if !played.is_empty() {
            progress.line(format!("going on after {} games", played.len()));
        }
        let bar = progress.bar("games", u64::from(config.pairs) * 2);
        let mut count = played.len() as u64;
        let decided = played.iter().fold(false, |_, game| self.decides(game));
        let config = MatchConfig {
            pairs: if decided { 0 } else { config.pairs },
            ..config
        };
        let mut saving = Ok(());
        let mut on_game = |game: &MatchGame| {
            count += 1;
            bar.set(count);
            // The match file first: what it holds can be written as records again.
            saving = file
                .as_mut()
                .map_or(Ok(()), |file| file.append::<V>(game))
                .and_then(|()| records.as_mut().map_or(Ok(()), |to| to.append::<V>(game)));
            !self.decides(game) && saving.is_ok() && !interrupt.requested()
        };
        let result = Arena::new(config)
            .with_openings(opened.openings)
            .with_adjudication(adjudication)
            .with_played(played)
            .play([a.as_ref(), b.as_ref()], &mut on_game)?;
        bar.finish();
        saving?;
        if let Some(records) = records.filter(|_| !interrupt.requested()) {
            records.finish::<V>(&result.games)?;
        }
        match file {
            Some(file) if !interrupt.requested() => file.finish::<V>(&result.games)?,
            Some(_) => progress.line("stopped; the same command goes on from here"),
            None => {}
        }
        report::print(args, &opened.text, &result, self.test.as_ref());
        Ok(())
    }
}

impl Match<'_> {
    /// Tells whether the sequential test, if there is one, is over with this game.
    fn decides(&mut self, game: &MatchGame) -> bool {
        let verdict = self.test.as_mut().map(|test| test.add(game));
        verdict.is_some_and(|verdict| verdict != SprtVerdict::Undecided)
    }

    /// Returns what a saved match must agree in. How many games are played and when the match stops may change.
    fn head<V: Variant>(
        &self,
        rules: RuleOptions,
        adjudication: &Adjudication,
        openings: &Value,
    ) -> Result<Value> {
        let args = self.args;
        Ok(json!({
            "match_format": 1, "variant": V::ID, "rules_version": V::RULES_VERSION, "rules": rules,
            "players": [args.a, args.b], "checkpoints": [self.a.checkpoint_id()?, self.b.checkpoint_id()?],
            "seed": args.seed, "openings": openings, "adjudication": adjudication,
        }))
    }

    /// Opens the records of the match, if it is to leave some.
    fn records<V: Variant>(
        &self,
        rules: RuleOptions,
        played: &[MatchGame],
    ) -> Result<Option<Records>> {
        let players = [self.args.a.clone(), self.args.b.clone()];
        let open = |path: &PathBuf| Records::open::<V>(path, players, rules, played);
        self.args.records.as_ref().map(open).transpose()
    }

    /// Opens the file of the match, if it is to be saved, with the games that are in it.
    fn saved<V: Variant>(
        &self,
        head: &Value,
        rules: RuleOptions,
    ) -> Result<(Option<MatchFile>, Vec<MatchGame>)> {
        let Some(path) = &self.args.save else {
            return Ok((None, Vec::new()));
        };
        let players = [self.args.a.clone(), self.args.b.clone()];
        let (file, games) = MatchFile::open::<V>(path, head, players, rules)?;
        Ok((Some(file), games))
    }
}
