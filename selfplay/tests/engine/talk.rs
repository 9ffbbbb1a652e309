//! A conversation with a session on a thread of its own.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rules::dialect::Dialect;
use rules::{Declaration, RuleOptions, Variant, VariantId};
use selfplay::protocol::{Ended, Event, Identity, Session, SessionError, Settings};
use selfplay::thinker::Thinker;

/// Long enough for any answer on a machine that does much else.
const PATIENCE: Duration = Duration::from_mins(2);

pub(crate) struct Talk {
    events: SyncSender<Event>,
    lines: Receiver<String>,
    thread: Option<JoinHandle<Result<Ended, SessionError>>>,
    /// Everything that was said so far.
    pub(crate) heard: Vec<String>,
}

impl Talk {
    /// Begins a conversation with a player that is offered for every game.
    pub(crate) fn with<V: Variant>(dialect: Dialect, thinker: Box<dyn Thinker<V>>) -> Self {
        Self::set_up(dialect, thinker, Settings::default())
    }

    pub(crate) fn set_up<V: Variant>(
        dialect: Dialect,
        thinker: Box<dyn Thinker<V>>,
        settings: Settings,
    ) -> Self {
        let (events, inbox) = sync_channel(64);
        let (outbox, lines) = channel();
        let bell = events.clone();
        let thread = std::thread::spawn(move || {
            let identity = Identity {
                name: "Senpu".to_owned(),
                author: "the Senpu authors".to_owned(),
                variants: VariantId::ALL.to_vec(),
                options: RuleOptions {
                    declaration: Declaration::Csa27,
                    ..V::OPTIONS
                },
            };
            let mut session = Session::<V>::new(dialect, identity, settings, (thinker, bell))?;
            session.run(&inbox, &mut |line| outbox.send(line.to_owned()).is_ok())
        });
        Self {
            events,
            lines,
            thread: Some(thread),
            heard: Vec::new(),
        }
    }

    pub(crate) fn send(&self, event: Event) {
        self.events.send(event).unwrap();
    }

    /// Says a line; several at once are separated by line ends.
    pub(crate) fn say(&self, text: &str) {
        for line in text.split('\n') {
            self.send(Event::Line {
                text: line.to_owned(),
                at: Instant::now(),
            });
        }
    }

    /// Returns the next line that begins with one of `words`, and what was said before it.
    pub(crate) fn wait_for_one(&mut self, words: &[&str]) -> (String, Vec<String>) {
        let mut before = Vec::new();
        loop {
            let line = match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => panic!("no {words:?} after {before:?}"),
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("it ended instead of saying {words:?}, after {before:?}")
                }
            };
            self.heard.push(line.clone());
            let first = line.split_whitespace().next().unwrap_or("");
            if words.contains(&first) {
                return (line, before);
            }
            before.push(line);
        }
    }

    /// Returns the next line that begins with `word`.
    pub(crate) fn wait_for(&mut self, word: &str) -> String {
        self.wait_for_one(&[word]).0
    }

    /// Says a line and returns the answer that begins with `word`.
    pub(crate) fn ask(&mut self, text: &str, word: &str) -> String {
        self.say(text);
        self.wait_for(word)
    }

    /// Tells whether nothing but `info` has been said.
    pub(crate) fn is_quiet(&mut self) -> bool {
        self.settle().iter().all(|line| line.starts_with("info"))
    }

    /// Waits until everything that was said to it has been answered, as far as it is at once; returns what was said meanwhile.
    pub(crate) fn settle(&mut self) -> Vec<String> {
        let mark = format!("settled-{}", self.heard.len());
        self.say(&mark);
        let mut all = Vec::new();
        loop {
            let (line, before) = self.wait_for_one(&["info"]);
            all.extend(before);
            if line.contains(&mark) {
                return all;
            }
            all.push(line);
        }
    }

    /// Stops listening.
    pub(crate) fn hang_up(&mut self) {
        let (_, deaf) = channel();
        self.lines = deaf;
    }

    /// Waits for the end, and returns it with what was said meanwhile.
    pub(crate) fn end(mut self) -> (Result<Ended, SessionError>, Vec<String>) {
        let ended = self.thread.take().unwrap().join().unwrap();
        (ended, self.lines.try_iter().collect())
    }
}

/// Leaves out what a clock decides.
pub(crate) fn timeless(line: &str) -> String {
    let mut kept = Vec::new();
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        if matches!(word, "time" | "nps") {
            words.next();
        } else {
            kept.push(word);
        }
    }
    kept.join(" ")
}
