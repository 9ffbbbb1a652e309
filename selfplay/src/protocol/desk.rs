//! The thread that thinks, and how it is asked.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::JoinHandle;

use rules::{MoveOf, Variant};

use super::Event;
use crate::evaluator::EvaluatorError;
use crate::thinker::{Abilities, Control, Resources, Task, Thinker, Thought};

/// What a thinker is asked to do.
enum Job<V: Variant> {
    Think(Box<Task<V>>, Arc<Control>),
    SetUp(Resources),
    Forget,
}

/// What comes back.
pub(super) enum News<V: Variant> {
    /// How far it is.
    Progress(Thought<MoveOf<V>>),
    /// The answer.
    Answer(Result<Thought<MoveOf<V>>, EvaluatorError>),
}

/// A thinker on a thread of its own, which ends when this is dropped.
pub(super) struct Desk<V: Variant> {
    jobs: Option<Sender<Job<V>>>,
    news: Receiver<News<V>>,
    thread: Option<JoinHandle<()>>,
    abilities: Abilities,
    /// That of the last task, so that none outlives this.
    control: Option<Arc<Control>>,
}

impl<V: Variant> Desk<V> {
    /// Starts the thread. An [`Event::News`] is sent to `bell` whenever there is something to hear, unless that is full.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(super) fn open(
        thinker: Box<dyn Thinker<V>>,
        bell: SyncSender<Event>,
    ) -> std::io::Result<Self> {
        let (jobs, inbox) = mpsc::channel();
        let (outbox, news) = mpsc::channel();
        let abilities = thinker.abilities();
        let thread = std::thread::Builder::new()
            .name("thinker".to_owned())
            .spawn(move || work(thinker, &inbox, outbox, Bell(bell)))?;
        Ok(Self {
            jobs: Some(jobs),
            news,
            thread: Some(thread),
            abilities,
            control: None,
        })
    }

    pub(super) fn abilities(&self) -> Abilities {
        self.abilities
    }

    pub(super) fn think(&mut self, task: Task<V>, control: Arc<Control>) {
        self.control = Some(Arc::clone(&control));
        self.ask(Job::Think(Box::new(task), control));
    }

    pub(super) fn set_up(&self, resources: Resources) {
        self.ask(Job::SetUp(resources));
    }

    pub(super) fn forget(&self) {
        self.ask(Job::Forget);
    }

    /// Returns what came back, for as long as there is something; never waits.
    pub(super) fn hear(&self) -> Option<Result<News<V>, Gone>> {
        match self.news.try_recv() {
            Ok(news) => Some(Ok(news)),
            Err(mpsc::TryRecvError::Empty) => None,
            Err(mpsc::TryRecvError::Disconnected) => Some(Err(Gone)),
        }
    }

    /// Waits for what comes back next.
    pub(super) fn wait(&self) -> Result<News<V>, Gone> {
        self.news.recv().map_err(|_| Gone)
    }

    fn ask(&self, job: Job<V>) {
        // A thread that is gone is noticed where its news are heard.
        if let Some(jobs) = &self.jobs {
            let _ = jobs.send(job);
        }
    }
}

impl<V: Variant> Drop for Desk<V> {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(control) = &self.control {
            control.stop();
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread that thinks has ended.
#[derive(Debug)]
pub(super) struct Gone;

/// Rings when there are news, and when the thread ends.
struct Bell(SyncSender<Event>);

impl Bell {
    fn ring(&self) {
        // Whoever has a full queue of events looks for news after each of them.
        let _ = self.0.try_send(Event::News);
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        self.ring();
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "the thread owns both, and the outbox closes before the bell rings for the last time"
)]
fn work<V: Variant>(
    mut thinker: Box<dyn Thinker<V>>,
    inbox: &Receiver<Job<V>>,
    outbox: Sender<News<V>>,
    bell: Bell,
) {
    for job in inbox {
        match job {
            Job::SetUp(resources) => thinker.set_up(resources),
            Job::Forget => thinker.forget(),
            Job::Think(task, control) => {
                let answer = thinker.think(&task, &control, &mut |thought| {
                    let _ = outbox.send(News::Progress(thought));
                    bell.ring();
                });
                if outbox.send(News::Answer(answer)).is_err() {
                    return;
                }
                bell.ring();
            }
        }
    }
}
