//! `senpu usi`, `senpu uci` and `senpu ucci`: a player as an engine for other programs.

mod player;
mod reader;

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use anyhow::{Result, bail};
use rules::dialect::Dialect;
use rules::{RuleOptions, Variant, VariantId};
use selfplay::protocol::{Ended, Event, Identity, Session, Settings};

use crate::cli::EngineArgs;
use crate::dispatch::{Parts, Task, dispatch};
use crate::output;
use crate::player_spec::PlayerSpec;
use crate::rule_options::with_rules;

/// Lines that wait to be answered at most; then the reader waits.
const WAITING: usize = 64;

/// Answers the lines of standard input until it ends, `quit` is read, or standard output is closed.
///
/// # Errors
/// If the player, the game or a rule option is wrong, or the player fails.
pub fn run(args: &EngineArgs, dialect: Dialect) -> Result<()> {
    let player: PlayerSpec = args.player.parse()?;
    let of_net = player.game()?;
    let variants = player::variants(&player, of_net.map(|(variant, _)| variant));
    let mut variant = match args.variant {
        Some(given) if !variants.contains(&given) => {
            let names: Vec<&str> = variants.iter().map(|id| id.name()).collect();
            bail!(
                "player `{}` does not play {given}: it plays {}",
                args.player,
                names.join(", ")
            )
        }
        Some(given) => given,
        None => usual(dialect, &variants),
    };
    let (bell, events) = sync_channel(WAITING);
    reader::start(bell.clone())?;
    let mut settings = None;
    loop {
        let engine = Engine {
            args,
            dialect,
            player: &player,
            variants: &variants,
            options: of_net.map(|(_, options)| options),
            settings: settings.take(),
            channel: (&bell, &events),
        };
        let (ended, left) = dispatch(variant, engine)?;
        settings = Some(left);
        match ended {
            Ended::Quit => return Ok(()),
            Ended::Variant(next) => variant = next,
        }
    }
}

/// Returns the game that a protocol is about unless something else is said.
fn usual(dialect: Dialect, variants: &[VariantId]) -> VariantId {
    let wanted = match dialect {
        Dialect::Usi | Dialect::Uci => VariantId::Showgit,
        Dialect::Ucci => VariantId::Xiangqi,
    };
    if variants.contains(&wanted) {
        wanted
    } else {
        variants[0]
    }
}

struct Engine<'a> {
    args: &'a EngineArgs,
    dialect: Dialect,
    player: &'a PlayerSpec,
    variants: &'a [VariantId],
    /// The rules of the net.
    options: Option<RuleOptions>,
    /// What the conversation has set so far.
    settings: Option<Settings>,
    channel: (&'a SyncSender<Event>, &'a Receiver<Event>),
}

impl Task for Engine<'_> {
    type Output = (Ended, Settings);

    fn run<V: Variant>(self, parts: Parts<V>) -> Result<Self::Output> {
        let args = self.args;
        let options = with_rules(self.options.unwrap_or(V::OPTIONS), &args.rules)?;
        let built = player::build(self.player, &args.player, &parts, args.seed)?;
        let settings = match self.settings {
            Some(kept) => Settings {
                own: built.settings.own,
                unasked: built.settings.unasked,
                ..kept
            },
            None => built.settings,
        };
        let identity = Identity {
            name: format!("Senpu {} {}", env!("CARGO_PKG_VERSION"), args.player),
            author: "the Senpu authors".to_owned(),
            variants: self.variants.to_vec(),
            options,
        };
        let (bell, events) = self.channel;
        let thinker = (built.thinker, bell.clone());
        let mut session = Session::new(self.dialect, identity, settings, thinker)?;
        let ended = session.run(events, &mut |line| output::heard(line))?;
        Ok((ended, session.into_settings()))
    }
}
