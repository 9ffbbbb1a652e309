//! A program in a process of its own. Threads read what it says, so that waiting for it always has a limit; it ends with its owner.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::EngineLog;

/// Longer lines are read in parts.
const LONGEST_LINE: u64 = 1 << 16;
/// Lines that may wait to be read; a program that says more has to wait itself.
const WAITING_LINES: usize = 4096;
/// Lines of its standard error that are remembered.
const LAST_WORDS: usize = 10;
/// How long a program that was asked to quit may take.
const GRACE: Duration = Duration::from_secs(1);
/// How long a program that has closed its output may take to end.
const DYING: Duration = Duration::from_millis(300);
const TICK: Duration = Duration::from_millis(2);

/// A running program.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// `None` once it has been closed.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Arc<Mutex<VecDeque<String>>>,
    listener: JoinHandle<()>,
}

/// Why no line came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// The time is over.
    TooLate,
    /// The program has closed its output.
    Ended,
}

impl Process {
    /// Starts a program.
    pub(super) fn start(command: &[String], log: Option<&EngineLog>) -> io::Result<Self> {
        let [program, arguments @ ..] = command else {
            let problem = "the command is empty";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // An interrupt from the keyboard is for us: the match ends with its games in order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (sender, lines) = sync_channel(WAITING_LINES);
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || pass_on(output, &sender));
        }
        let errors = Arc::new(Mutex::new(VecDeque::new()));
        let (remembered, log, output) = (Arc::clone(&errors), log.cloned(), child.stderr.take());
        let listener = thread::spawn(move || {
            if let Some(output) = output {
                remember(output, &remembered, log.as_ref());
            }
        });
        Ok(Self {
            input: child.stdin.take(),
            child,
            lines,
            errors,
            listener,
        })
    }

    /// Sends a line. A program that is gone shows it by its silence.
    ///
    /// What waits to be read by the program is never more than a pipe holds, since each question waits for the answer to the one before.
    pub(super) fn send(&mut self, line: &str) {
        if let Some(input) = &mut self.input {
            let _ = input
                .write_all(format!("{line}\n").as_bytes())
                .and_then(|()| input.flush());
        }
    }

    /// Returns the next line that comes until `deadline`.
    pub(super) fn next_line(&self, deadline: Instant) -> Result<String, Silence> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => Silence::TooLate,
            RecvTimeoutError::Disconnected => Silence::Ended,
        })
    }

    /// Returns the last lines of the program's standard error, and waits for them if it has ended.
    pub(super) fn last_words(&self, ended: bool) -> Vec<String> {
        let waited = Instant::now();
        while ended && !self.listener.is_finished() && waited.elapsed() < DYING {
            thread::sleep(TICK);
        }
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        errors.iter().cloned().collect()
    }

    /// Returns how the program ended, if it ends soon.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.wait(DYING)
    }

    /// Asks the program to end, and returns how it ended if it does.
    pub(super) fn quit(&mut self, patience: Duration) -> Option<ExitStatus> {
        self.send("quit");
        self.input = None;
        self.wait(patience)
    }

    /// Ends the program at once.
    pub(super) fn kill(&mut self) {
        // It may be gone already; then there is nothing to stop.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        let waited = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if waited.elapsed() >= patience {
                return None;
            }
            // A program that waits to be heard would never come to its end.
            while self.lines.try_recv().is_ok() {}
            thread::sleep(TICK);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if thread::panicking() || self.quit(GRACE).is_none() {
            self.kill();
        }
    }
}

/// Sends on every line of `output` until it ends or nobody listens.
fn pass_on(output: impl Read, to: &SyncSender<String>) {
    each_line(output, |line| to.send(line).is_ok());
}

/// Remembers the last lines of `output`.
fn remember(output: impl Read, remembered: &Mutex<VecDeque<String>>, log: Option<&EngineLog>) {
    each_line(output, |line| {
        if let Some(log) = log {
            log.line(&line);
        }
        let mut last = remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() == LAST_WORDS {
            last.pop_front();
        }
        last.push_back(line);
        true
    });
}

fn each_line(output: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut output = BufReader::new(output);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = (&mut output)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes);
        if !matches!(read, Ok(1..)) {
            return;
        }
        let line = String::from_utf8_lossy(&bytes);
        if !take(line.trim_end().to_owned()) {
            return;
        }
    }
}
