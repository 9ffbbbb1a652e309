//! Asks rules libraries that others made, each in a process of its own.
//!
//! They are Python packages under the GPL: run as separate programs they are oracles, and nothing of them is linked or copied.
//!
//! * `SENPU_ORACLE_PYTHON`: the Python that has the packages, by default `python3`.
//! * `SENPU_REQUIRE_ORACLES=1`: a library that is missing fails the test, which skips itself otherwise.
//! * `SENPU_ORACLE_SEED`: the seed, by default the number of days since 1970 (UTC), so that every day asks about other positions.
//! * `SENPU_ORACLE_POSITIONS`: positions a game, by default 2,000.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

/// A library that answers questions, one JSON object a line; see `outside.py`.
pub(crate) struct Oracle {
    child: Child,
    answers: BufReader<ChildStdout>,
    /// The library and its version.
    pub(crate) name: String,
}

impl Oracle {
    /// Starts a library, or says why it is not there and returns `None`.
    ///
    /// # Panics
    /// If the library is missing and `SENPU_REQUIRE_ORACLES` is set.
    pub(crate) fn start(arguments: &[&str]) -> Option<Self> {
        let python = std::env::var("SENPU_ORACLE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/outside.py");
        Self::spawn(&python, &script, arguments)
            .map_err(|reason| {
                let message = format!("no comparison with {}: {reason}", arguments.join(" "));
                let required = std::env::var_os("SENPU_REQUIRE_ORACLES").is_some();
                assert!(!required, "{message}");
                say(&format!("SKIPPED: {message}; see scripts/oracles.sh"));
            })
            .ok()
    }

    fn spawn(python: &str, script: &Path, arguments: &[&str]) -> Result<Self, String> {
        let mut child = Command::new(python)
            .arg(script)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{python}: {error}"))?;
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut oracle = Self {
            child,
            answers,
            name: String::new(),
        };
        let hello = oracle.read()?;
        let word = |key: &str| hello[key].as_str().unwrap_or("?").to_owned();
        oracle.name = format!("{} {}", word("library"), word("version"));
        Ok(oracle)
    }

    /// Asks all questions and returns the answers in their order.
    ///
    /// # Panics
    /// If the library fails to answer: that is a difference too.
    pub(crate) fn ask(&mut self, questions: &[Value]) -> Vec<Value> {
        let mut input = self.child.stdin.take().unwrap();
        let answers: Vec<Result<Value, String>> = std::thread::scope(|scope| {
            // Writing waits when the pipe is full, so reading must go on meanwhile, even after a wrong answer.
            let writer = scope.spawn(|| {
                for question in questions {
                    // That the process is gone is seen where its answer is missing.
                    let _ = writeln!(input, "{question}");
                }
                input
            });
            let answers = questions.iter().map(|_| self.read()).collect();
            self.child.stdin = writer.join().ok();
            answers
        });
        let checked = answers
            .into_iter()
            .zip(questions)
            .map(|(answer, question)| {
                let answer = answer.unwrap_or_else(|error| panic!("{error} to {question}"));
                assert!(answer["error"].is_null(), "{answer} to {question}");
                answer
            });
        checked.collect()
    }

    /// Reads one answer, or what the process said instead.
    fn read(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        self.answers
            .read_line(&mut line)
            .map_err(|error| error.to_string())?;
        serde_json::from_str(&line).map_err(|_| {
            let mut said = String::new();
            if let Some(mut errors) = self.child.stderr.take() {
                // Nothing can be done about an unreadable complaint.
                let _ = errors.read_to_string(&mut said);
            }
            said.lines().last().unwrap_or("no answer").to_owned()
        })
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // It ends by itself when nothing more can be asked.
        let _ = self.child.wait();
    }
}

/// Writes a line past the test harness, which keeps what passing tests print.
#[allow(
    clippy::explicit_write,
    reason = "the harness captures what the macros print"
)]
pub(crate) fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").unwrap();
}

/// Returns the seed of the day, or the one asked for.
pub(crate) fn seed() -> u64 {
    number("SENPU_ORACLE_SEED").unwrap_or_else(|| {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        elapsed.as_secs() / (24 * 60 * 60)
    })
}

/// Returns how many positions a game are asked about.
pub(crate) fn positions() -> usize {
    number("SENPU_ORACLE_POSITIONS").unwrap_or(2000) as usize
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{variable}={text} is not a number"))
    })
}
