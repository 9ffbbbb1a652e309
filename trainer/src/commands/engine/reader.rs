//! Reads lines on a thread of its own.

use std::io::{BufRead, ErrorKind};
use std::sync::mpsc::SyncSender;
use std::time::Instant;

use anyhow::{Context, Result};
use selfplay::protocol::Event;

/// The longest line that is taken for one: a game of ten thousand moves is a tenth of it.
const LONGEST: usize = 1 << 20;

/// Starts to send the lines of standard input.
///
/// # Errors
/// If no thread can be started.
pub(super) fn start(events: SyncSender<Event>) -> Result<()> {
    std::thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || read(std::io::stdin().lock(), &events))
        .context("cannot start a thread")?;
    Ok(())
}

/// Sends every line, then that there are no more. Bytes that are no UTF-8 are replaced, and what stands behind the last line end is a line.
fn read(mut input: impl BufRead, events: &SyncSender<Event>) {
    let mut line = Vec::new();
    let mut length = 0;
    loop {
        let (used, ends) = match input.fill_buf() {
            Ok([]) => break,
            Ok(buffer) => {
                let end = buffer.iter().position(|&byte| byte == b'\n');
                let part = &buffer[..end.unwrap_or(buffer.len())];
                length += part.len();
                if length <= LONGEST {
                    line.extend_from_slice(part);
                }
                (part.len() + usize::from(end.is_some()), end.is_some())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // What cannot be read is over.
            Err(_) => break,
        };
        input.consume(used);
        if ends {
            if events.send(event(&line, length)).is_err() {
                return;
            }
            line.clear();
            length = 0;
        }
    }
    if length > 0 && events.send(event(&line, length)).is_err() {
        return;
    }
    // A session that is over needs not be told.
    let _ = events.send(Event::Closed);
}

fn event(line: &[u8], length: usize) -> Event {
    if length > LONGEST {
        return Event::TooLong(length);
    }
    Event::Line {
        text: String::from_utf8_lossy(line).into_owned(),
        at: Instant::now(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;
    use std::sync::mpsc::sync_channel;

    use super::*;

    #[test]
    fn every_line_arrives_whole_and_none_too_long() {
        let mut input = b"usi\r\n\nhalf".to_vec();
        input.push(0xff);
        input.push(b'\n');
        input.extend(std::iter::repeat_n(b'x', LONGEST + 7));
        input.extend(b"\nquit");
        let (sender, events) = sync_channel(16);
        read(BufReader::with_capacity(5, &input[..]), &sender);
        let said: Vec<String> = events
            .try_iter()
            .map(|event| match event {
                Event::Line { text, .. } => text,
                Event::TooLong(length) => format!("too long by {}", length - LONGEST),
                Event::Closed => "closed".to_owned(),
                Event::News => "news".to_owned(),
            })
            .collect();
        let wanted = [
            "usi\r",
            "",
            "half\u{fffd}",
            "too long by 7",
            "quit",
            "closed",
        ];
        assert_eq!(said, wanted);
    }
}
