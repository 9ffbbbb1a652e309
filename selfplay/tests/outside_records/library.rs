//! A library in a process of its own, which answers a line of JSON with a line of JSON.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

pub(crate) struct Library {
    child: Child,
    answers: BufReader<ChildStdout>,
    name: String,
}

impl Library {
    /// Starts the Python libraries, or says why they are not there.
    pub(crate) fn python() -> Option<Self> {
        let python = std::env::var("SENPU_ORACLE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        Self::start(Command::new(&python), "reader.py", "cshogi and pyffish")
    }

    /// Starts the library of Node, or says why it is not there.
    pub(crate) fn node() -> Option<Self> {
        let mut command = Command::new("node");
        if let Some(path) = std::env::var_os("SENPU_ORACLE_NODE_PATH") {
            command.env("NODE_PATH", path);
        }
        Self::start(command, "reader.cjs", "tsshogi")
    }

    fn start(mut command: Command, script: &str, wanted: &str) -> Option<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outside_records");
        Self::spawn(command.arg(folder.join(script)))
            .map_err(|reason| {
                let message = format!("no comparison of records with {wanted}: {reason}");
                let required = std::env::var_os("SENPU_REQUIRE_ORACLES").is_some();
                assert!(!required, "{message}");
                say(&format!("SKIPPED: {message}; see scripts/records.sh"));
            })
            .ok()
    }

    fn spawn(command: &mut Command) -> Result<Self, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut library = Self {
            child,
            answers,
            name: String::new(),
        };
        let hello = library.read()?;
        hello["library"]
            .as_str()
            .unwrap_or("?")
            .clone_into(&mut library.name);
        Ok(library)
    }

    /// Asks all questions and returns the answers in their order. That a library fails to answer is a difference too.
    pub(crate) fn ask(&mut self, questions: &[Value]) -> Vec<Value> {
        let input = self.child.stdin.as_mut().unwrap();
        let answers = &mut self.answers;
        std::thread::scope(|scope| {
            // Writing waits when the pipe is full, so reading must go on meanwhile.
            scope.spawn(|| {
                for question in questions {
                    // That the process is gone is seen where its answer is missing.
                    let _ = writeln!(input, "{question}");
                }
            });
            let read = questions.iter().map(|question| {
                let mut line = String::new();
                answers.read_line(&mut line).unwrap();
                let answer: Value = serde_json::from_str(&line)
                    .unwrap_or_else(|_| panic!("no answer to {question}"));
                let text = question["text"].as_str().unwrap_or_default();
                assert!(answer["error"].is_null(), "{answer} to {question}\n{text}");
                answer
            });
            read.collect()
        })
    }

    pub(crate) fn say(&self, what: &str) {
        say(&format!("{} {what}", self.name));
    }

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
            let told = said.lines().find(|line| line.contains("Error"));
            told.or(said.lines().last())
                .unwrap_or("no answer")
                .to_owned()
        })
    }
}

impl Drop for Library {
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
fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").unwrap();
}
