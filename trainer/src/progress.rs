//! What the binary says while it works: bars on a terminal, plain lines elsewhere.
//!
//! Progress goes to standard error; results go to standard output, by `output`. A closed pipe ends no work: what cannot be written is not.

use std::fmt::{self, Display};
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// The time between two lines about the same work where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
const BAR_TEMPLATE: &str = "{prefix:>12} {bar:30} {pos}/{len} {elapsed}<{eta} {msg}";

/// How much to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// Bars or lines about what goes on.
    #[default]
    Normal,
    /// Warnings only.
    Quiet,
}

/// Where progress is shown. Clones share the place.
#[derive(Clone, Debug)]
pub struct Progress {
    sink: Sink,
    interval: Duration,
}

#[derive(Clone)]
enum Sink {
    Terminal(MultiProgress),
    Lines(Arc<Mutex<dyn Write + Send>>),
    Quiet(Arc<Mutex<dyn Write + Send>>),
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Terminal(_) => "Terminal",
            Self::Lines(_) => "Lines",
            Self::Quiet(_) => "Quiet",
        })
    }
}

impl Progress {
    /// Shows progress on standard error: bars if that is a terminal.
    pub fn new(verbosity: Verbosity) -> Self {
        if verbosity == Verbosity::Normal && io::stderr().is_terminal() {
            return Self {
                sink: Sink::Terminal(MultiProgress::new()),
                interval: LINE_INTERVAL,
            };
        }
        Self::to_writer(verbosity, io::stderr(), LINE_INTERVAL)
    }

    /// Writes lines, at most one in `interval` about the same work.
    pub fn to_writer(
        verbosity: Verbosity,
        writer: impl Write + Send + 'static,
        interval: Duration,
    ) -> Self {
        let writer = Arc::new(Mutex::new(writer));
        Self {
            sink: match verbosity {
                Verbosity::Normal => Sink::Lines(writer),
                Verbosity::Quiet => Sink::Quiet(writer),
            },
            interval,
        }
    }

    /// Begins work of `total` steps.
    pub fn bar(&self, label: &str, total: u64) -> Bar {
        let shown = match &self.sink {
            Sink::Terminal(bars) => {
                let bar = bars.add(ProgressBar::new(total));
                if let Ok(style) = ProgressStyle::with_template(BAR_TEMPLATE) {
                    bar.set_style(style);
                }
                bar.set_prefix(label.to_owned());
                Shown::Terminal(bar)
            }
            Sink::Lines(_) => Shown::Lines(Mutex::new(Lines {
                label: label.to_owned(),
                total,
                done: 0,
                message: String::new(),
                last: Instant::now(),
            })),
            Sink::Quiet(_) => Shown::Nothing,
        };
        Bar {
            shown,
            progress: self.clone(),
        }
    }

    /// Says something about the work as a whole.
    pub fn line(&self, text: impl Display) {
        match &self.sink {
            Sink::Terminal(bars) => drop(bars.println(text.to_string())),
            Sink::Lines(writer) => write_line(writer, &text),
            Sink::Quiet(_) => {}
        }
    }

    /// Says that something is wrong, even when quiet.
    pub fn warn(&self, text: impl Display) {
        match &self.sink {
            Sink::Terminal(bars) => drop(bars.println(format!("warning: {text}"))),
            Sink::Lines(writer) | Sink::Quiet(writer) => {
                write_line(writer, &format_args!("warning: {text}"));
            }
        }
    }
}

/// Work that goes on. Dropping it without [`Bar::finish`] removes a bar from the terminal.
#[derive(Debug)]
pub struct Bar {
    shown: Shown,
    progress: Progress,
}

#[derive(Debug)]
enum Shown {
    Terminal(ProgressBar),
    Lines(Mutex<Lines>),
    Nothing,
}

#[derive(Debug)]
struct Lines {
    label: String,
    total: u64,
    done: u64,
    message: String,
    last: Instant,
}

impl Bar {
    /// Says how many steps are done.
    pub fn set(&self, done: u64) {
        match &self.shown {
            Shown::Terminal(bar) => bar.set_position(done),
            Shown::Lines(lines) => {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                lines.done = done;
                if lines.last.elapsed() >= self.progress.interval {
                    lines.last = Instant::now();
                    self.progress.line(&*lines);
                }
            }
            Shown::Nothing => {}
        }
    }

    /// Says something about the work, beside the steps.
    pub fn message(&self, text: impl Display) {
        match &self.shown {
            Shown::Terminal(bar) => bar.set_message(text.to_string()),
            Shown::Lines(lines) => {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                lines.message = text.to_string();
            }
            Shown::Nothing => {}
        }
    }

    /// Ends the work. Where there is no terminal, a last line says how far it came.
    pub fn finish(self) {
        match &self.shown {
            Shown::Terminal(bar) => bar.finish_and_clear(),
            Shown::Lines(lines) => {
                let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                self.progress.line(&*lines);
            }
            Shown::Nothing => {}
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Shown::Terminal(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

impl Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}/{}", self.label, self.done, self.total)?;
        if !self.message.is_empty() {
            write!(f, " {}", self.message)?;
        }
        Ok(())
    }
}

fn write_line(writer: &Mutex<dyn Write + Send>, text: &dyn Display) {
    let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
    // One call, so that lines of several processes into one log do not mix. Nobody is left to tell if it fails.
    drop(writer.write_all(format!("{text}\n").as_bytes()));
    drop(writer.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct ClosedPipe;

    impl Write for ClosedPipe {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }

    fn work(progress: &Progress) {
        progress.line("begin");
        let bar = progress.bar("selfplay", 100);
        for done in 0..=100 {
            bar.message(format_args!("{done} games"));
            bar.set(done);
        }
        bar.finish();
        progress.warn("odd");
    }

    fn written(verbosity: Verbosity, interval: Duration) -> String {
        let page = Page::default();
        work(&Progress::to_writer(verbosity, page.clone(), interval));
        let bytes = page.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn lines_are_rare_and_the_last_one_is_whole() {
        let text = written(Verbosity::Normal, Duration::from_hours(1));
        assert_eq!(text, "begin\nselfplay: 100/100 100 games\nwarning: odd\n");
        let text = written(Verbosity::Normal, Duration::ZERO);
        assert_eq!(text.lines().count(), 104);
    }

    #[test]
    fn quiet_leaves_warnings_only() {
        let text = written(Verbosity::Quiet, Duration::ZERO);
        assert_eq!(text, "warning: odd\n");
    }

    #[test]
    fn a_closed_pipe_ends_no_work() {
        let progress = Progress::to_writer(Verbosity::Normal, ClosedPipe, Duration::ZERO);
        work(&progress);
    }
}
