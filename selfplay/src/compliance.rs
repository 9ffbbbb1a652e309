//! A compliance list for any engine: what its protocol asks of it, one check after the other, on a running process.
//!
//! The engine is judged by our rules of the game, and by what the protocol says every engine does. A check that the engine does not survive is
//! a failure; the next one finds a new process.

mod protocol;
mod searches;

use rules::{Variant, VariantId};
use serde::Serialize;

use crate::players::OutsideConfig;
use crate::players::outside::{EngineError, Session};
use searches::Search;

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked.
    pub check: &'static str,
    /// Whether it holds.
    pub verdict: Verdict,
    /// What was seen.
    pub seen: String,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// It does not apply, or could not be tried.
    Skip,
}

/// Runs every check on an engine and tells each result as it comes. The config's limit is not used.
pub fn check_engine<V: Variant>(config: &OutsideConfig, tell: &mut dyn FnMut(&Check)) {
    let mut checker = Checker::<V> {
        config,
        tell,
        session: None,
        hopeless: None,
        limit: None,
        searches: Vec::new(),
    };
    checker.protocol();
    checker.searches();
    checker.infos();
    checker.end();
}

struct Checker<'a, V: Variant> {
    config: &'a OutsideConfig,
    tell: &'a mut dyn FnMut(&Check),
    session: Option<Session>,
    /// Why nothing more can be tried, if nothing can.
    hopeless: Option<&'static str>,
    /// The `go` that the engine has answered, as it was sent.
    limit: Option<String>,
    searches: Vec<Search<V>>,
}

/// Why a check does not hold.
enum Problem {
    Wrong(String),
    /// The process is of no more use.
    Broken(EngineError),
    Skipped(String),
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        Self::Broken(error)
    }
}

/// What was seen, or why the check does not hold.
type Seen = Result<String, Problem>;

impl<V: Variant> Checker<'_, V> {
    /// Runs a check and tells its result.
    fn check(&mut self, check: &'static str, run: impl FnOnce(&mut Self) -> Seen) -> Verdict {
        let seen = match self.hopeless {
            Some(why) => Err(Problem::Skipped(why.to_owned())),
            None => run(self),
        };
        let (verdict, seen) = match seen {
            Ok(seen) => (Verdict::Pass, seen),
            Err(Problem::Skipped(why)) => (Verdict::Skip, why),
            Err(Problem::Wrong(seen)) => (Verdict::Fail, seen),
            Err(Problem::Broken(error)) => {
                self.session = None;
                (Verdict::Fail, error.to_string())
            }
        };
        (self.tell)(&Check {
            check,
            verdict,
            seen,
        });
        verdict
    }

    /// Returns the session, a new one if the process has failed an earlier check.
    fn session(&mut self) -> Result<&mut Session, EngineError> {
        let session = match self.session.take() {
            Some(session) => session,
            None => Session::start(self.config, V::ID)?,
        };
        Ok(self.session.insert(session))
    }

    /// Waits until the engine is ready, which shows that it has survived what it was sent.
    fn ready(&mut self) -> Result<(), EngineError> {
        let session = self.session()?;
        session.say("isready");
        session.wait_for("readyok")
    }
}

/// Says what the engine was sent before it failed.
fn after(error: EngineError, sent: &str) -> EngineError {
    let wanted = format!("{} (after `{}`)", error.wanted, shown(sent));
    EngineError { wanted, ..error }
}

/// Returns the start of a long line.
fn shown(line: &str) -> String {
    const SHOWN: usize = 120;
    if line.chars().count() <= SHOWN {
        return line.to_owned();
    }
    let start: String = line.chars().take(SHOWN).collect();
    format!("{start} …")
}

/// Returns the game by the name that the engine knows.
const fn name_of(game: VariantId) -> &'static str {
    crate::players::outside::protocol_name(game)
}
