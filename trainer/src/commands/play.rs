//! `senpu play`.

mod command;
mod screen;
mod session;

use std::io::{self, IsTerminal as _};

use anyhow::Result;
use rules::notation::parse_game;
use rules::{Game, RuleOptions, Side, Variant};

use crate::cli::{PlayArgs, Seat};
use crate::dispatch::{Parts, Task, dispatch};
use crate::output;
use crate::player_spec::PlayerSpec;
use crate::rule_options::with_rules;
use session::Session;

/// Lets a person play against a player, in the terminal or by lines of standard input.
///
/// # Errors
/// If the player, the position or a rule option is wrong, or the player fails. What is typed wrong is said, and the game goes on.
pub fn run(args: &PlayArgs) -> Result<()> {
    let player: PlayerSpec = args.player.parse()?;
    let (variant, options) = player.game_or(args.variant, &args.player)?;
    dispatch(
        variant,
        Play {
            args,
            player,
            options,
        },
    )
}

struct Play<'a> {
    args: &'a PlayArgs,
    player: PlayerSpec,
    /// The rules of the net.
    options: Option<RuleOptions>,
}

impl Task for Play<'_> {
    type Output = ();

    fn run<V: Variant>(self, parts: Parts<V>) -> Result<()> {
        let args = self.args;
        let options = with_rules(self.options.unwrap_or(V::OPTIONS), &args.rules)?;
        let start: Game<V> = parse_game(&args.position, options)?;
        let person = match args.side {
            Seat::First => Side::First,
            Seat::Second => Side::Second,
            Seat::Random => session::drawn_side(args.seed),
        };
        let mut session = Session::new(args, (self.player, parts), start, person)?;
        session.greet();
        let typed = io::stdin().is_terminal();
        let mut line = String::new();
        while session.goes_on()? {
            if typed {
                output::text(&session.prompt());
            }
            line.clear();
            if io::stdin().read_line(&mut line)? == 0 {
                break;
            }
            session.obey(line.trim());
        }
        Ok(())
    }
}
