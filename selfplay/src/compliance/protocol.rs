//! The checks apart from searches: handshake, options, what must be ignored, and the end.

use std::time::Instant;

use rules::Variant;

use super::{Checker, Problem, Seen, Verdict, after, name_of, shown};
use crate::players::outside::{OptionKind, Session};

impl<V: Variant> Checker<'_, V> {
    /// Checks everything before the first search.
    pub(super) fn protocol(&mut self) {
        if self.check("handshake", Self::handshake) == Verdict::Fail {
            self.hopeless = Some("the engine does not answer");
        }
        self.check("id name", |checker| {
            let name = checker.session()?.name().map(shown);
            name.ok_or_else(|| Problem::Wrong("the engine does not say its name".to_owned()))
        });
        self.check("options are well-formed", Self::options);
        if self.check("the game is offered", Self::game) == Verdict::Fail {
            self.hopeless = Some("the engine does not play this game");
        }
        self.check("isready", |checker| checker.survives(&[]));
        self.check("an unknown command is ignored", |checker| {
            checker.survives(&["this is no command"])
        });
        self.check("empty lines are ignored", |checker| {
            checker.survives(&["", "   "])
        });
        self.check("every option takes its default", Self::defaults);
        self.check("a new game", |checker| {
            checker.session()?.prepare()?;
            Ok("readyok".to_owned())
        });
    }

    /// Checks that the engine ends when it is told to.
    pub(super) fn end(&mut self) {
        self.check("quit ends the process", |checker| {
            let patience = checker.config.patience;
            checker.ready()?;
            let begun = Instant::now();
            match checker.session()?.quit(patience) {
                Some(status) => Ok(format!("{status} after {}", since(begun))),
                None => Err(Problem::Wrong(format!(
                    "still there after {}",
                    since(begun)
                ))),
            }
        });
        self.session = None;
    }

    fn handshake(&mut self) -> Seen {
        let begun = Instant::now();
        self.session = Some(Session::open(self.config)?);
        Ok(format!("{}ok after {}", self.config.dialect, since(begun)))
    }

    fn options(&mut self) -> Seen {
        let session = self.session()?;
        if let Some((line, problem)) = session.wrong_options().first() {
            return Err(Problem::Wrong(format!("`{}`: {problem}", shown(line))));
        }
        match session.options().len() {
            0 => Err(Problem::Skipped("it offers no options".to_owned())),
            count => Ok(format!("{count} options")),
        }
    }

    fn game(&mut self) -> Seen {
        let session = self.session()?;
        let offers = |name| session.options().iter().any(|option| option.is_named(name));
        if !offers("UCI_Variant") {
            let why = "there is no option UCI_Variant, so it is taken at its word";
            return Err(Problem::Skipped(why.to_owned()));
        }
        session.choose_game(V::ID)?;
        for (name, value) in &self.config.options {
            self.session()?.set(name, value)?;
        }
        Ok(format!("UCI_Variant {}", name_of(V::ID)))
    }

    /// Sends lines that must not be the engine's end.
    fn survives(&mut self, lines: &[&str]) -> Seen {
        let begun = Instant::now();
        for line in lines {
            self.session()?.say(line);
        }
        self.ready()?;
        Ok(format!("readyok after {}", since(begun)))
    }

    /// Sets every option to what it is anyway, one by one, and presses every button. A text that is empty stays as it is: there is no way to
    /// write it that every engine understands, and some would write to a file of that name.
    fn defaults(&mut self) -> Seen {
        let session = self.session()?;
        let offered = session.options().to_vec();
        let (mut set, mut left) = (0, 0);
        for option in offered {
            let value = match (&option.default, &option.kind) {
                (_, OptionKind::Button) => "",
                (_, OptionKind::Label) | (None, _) => continue,
                (Some(text), OptionKind::Text) if ["", "<empty>"].contains(&text.as_str()) => {
                    left += 1;
                    continue;
                }
                (Some(default), _) => default,
            };
            let line = self.session()?.setting(&option, value);
            self.session()?.say(&line);
            // One by one, so that it is known which one the engine did not survive.
            self.ready().map_err(|error| after(error, &line))?;
            set += 1;
        }
        if set == 0 {
            return Err(Problem::Skipped("no option has a default".to_owned()));
        }
        self.session()?.choose_game(V::ID)?;
        for (name, value) in &self.config.options {
            self.session()?.set(name, value)?;
        }
        self.ready()?;
        let note = if left == 0 {
            String::new()
        } else {
            format!(", {left} empty texts left as they are")
        };
        Ok(format!("{set} options set{note}"))
    }
}

/// Returns how long ago something was, for people.
pub(super) fn since(begun: Instant) -> String {
    format!("{:.0?}", begun.elapsed())
}
