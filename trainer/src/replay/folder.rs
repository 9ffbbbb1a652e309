//! The segments of a store on disk: which there are, appending, closing, rewinding.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use selfplay::GameRecord;

use super::entry::{Entry, encode_frames};
use super::rescue::{self, Found};
use super::segment::{Footer, Frame, HEADER_BYTES, Header, Held, Scan, StoreMark};
use super::{ReplayError, StoreOptions};
use crate::durable::{self, Disk, DiskError, Log};
use crate::notice::Notice;

/// The segments of a store on disk.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) dir: PathBuf,
    pub(crate) options: StoreOptions,
    /// In the order of their numbers.
    pub(crate) closed: Vec<Closed>,
    pub(crate) open: Option<Open>,
    /// The point after the newest game.
    end: StoreMark,
}

/// A closed segment, as its header and footer describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Closed {
    pub(crate) number: u32,
    pub(crate) path: PathBuf,
    pub(crate) start: StoreMark,
    pub(crate) end: StoreMark,
    pub(crate) held: Held,
    pub(crate) bytes: u64,
}

/// The segment that grows.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) number: u32,
    pub(crate) start: StoreMark,
    pub(crate) end: StoreMark,
    pub(crate) held: Held,
    pub(crate) log: Log,
}

impl Folder {
    /// Lists the segments and mends what a crash left behind; the content of closed ones is not read.
    pub(crate) fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        options: StoreOptions,
    ) -> Result<(Self, Vec<Notice>), ReplayError> {
        if !dir.is_dir() {
            disk.create_dir(dir).map_err(DiskError::on("create", dir))?;
            durable::sync_parent(&*disk, dir)?;
        }
        durable::remove_temporary_files(&*disk, dir)?;
        let mut folder = Self {
            disk,
            dir: dir.to_owned(),
            options,
            closed: Vec::new(),
            open: None,
            end: StoreMark::default(),
        };
        let mut notices = Vec::new();
        for found in rescue::list(dir)? {
            folder.admit(found, &mut notices)?;
        }
        folder.end = folder.last_end();
        Ok((folder, notices))
    }

    pub(crate) fn end(&self) -> StoreMark {
        self.end
    }

    /// Returns the positions that the window is to hold.
    pub(crate) fn window_size(&self) -> u64 {
        self.options.window.at(self.end.positions)
    }

    pub(crate) fn bytes(&self) -> u64 {
        let closed: u64 = self.closed.iter().map(|closed| closed.bytes).sum();
        closed + self.open.as_ref().map_or(0, |open| open.log.len())
    }

    /// Refuses a game of another kind than the store's.
    pub(crate) fn check(&self, record: &GameRecord) -> Result<(), ReplayError> {
        let name = format!("the record of game {}", record.number);
        self.options
            .accept(&name, record.variant.name(), record.rules_version)
    }

    /// Appends games in one synced write.
    pub(crate) fn append(&mut self, entries: &[Entry]) -> Result<(), ReplayError> {
        if entries.is_empty() {
            return Ok(());
        }
        if (self.open.as_ref()).is_some_and(|open| open.log.len() >= self.options.segment_bytes) {
            self.close()?;
        }
        let (bytes, frames) = encode_frames(entries, self.end).map_err(ReplayError::encode)?;
        if self.open.is_none() {
            self.open = Some(self.start_segment()?);
        }
        if let Some(open) = &mut self.open {
            open.log.append(&*self.disk, &bytes)?;
            open.add(&frames);
            self.end = open.end;
        }
        Ok(())
    }

    /// Gives the open segment its footer and its final name.
    pub(crate) fn close(&mut self) -> Result<(), ReplayError> {
        let Some(open) = self.open.as_mut().filter(|open| open.held.frames > 0) else {
            return Ok(());
        };
        let footer = open.footer().to_bytes();
        let closed = Closed {
            number: open.number,
            path: rescue::closed_path(&self.dir, open.number),
            start: open.start,
            end: open.end,
            held: open.held,
            bytes: open.log.len() + footer.len() as u64,
        };
        let (path, games_end) = (open.log.path().to_owned(), open.log.len());
        open.log.append(&*self.disk, &footer)?;
        // Should the rename fail, the next append goes where the footer is.
        open.log = Log::resume(&path, games_end);
        self.disk
            .rename(&path, &closed.path)
            .map_err(DiskError::on("rename to", &closed.path))?;
        self.open = None;
        self.closed.push(closed);
        Ok(durable::sync_parent(&*self.disk, &path)?)
    }

    /// Drops the games after `mark`, from the newest segment on, so that being killed on the way leaves a store that merely has to be
    /// rewound again.
    pub(crate) fn rewind(&mut self, mark: StoreMark) -> Result<Vec<Notice>, ReplayError> {
        let mut notices = Vec::new();
        let dropped = self.end.games.saturating_sub(mark.games);
        if dropped > 0 {
            self.drop_segments(mark)?;
            self.cut_segment(mark)?;
            notices.push(Notice::Rewound {
                path: self.dir.clone(),
                dropped: format!("{dropped} games"),
            });
        }
        let missing = mark.games.saturating_sub(self.last_end().games);
        if missing > 0 {
            notices.push(Notice::MissingGames {
                path: self.dir.clone(),
                games: missing,
            });
        }
        // Games that are missing keep their numbers: those to come are counted as if nothing had happened.
        self.end = mark;
        Ok(notices)
    }

    /// Removes closed segments that lie wholly before the newest `positions` positions; if `sparse` is not 0, every segment whose number is a
    /// multiple of it is kept all the same.
    pub(crate) fn thin_out(&mut self, positions: u64, sparse: u32) -> Result<(), ReplayError> {
        let first = self.end.positions.saturating_sub(positions);
        // The newest closed segment stays, whatever its age: it carries the count of games on.
        let old = self
            .closed
            .iter()
            .take(self.closed.len().saturating_sub(1))
            .filter(|segment| segment.end.positions <= first);
        let kept = |number: u32| sparse > 0 && number.is_multiple_of(sparse);
        let removed: Vec<Closed> = old
            .filter(|segment| !kept(segment.number))
            .cloned()
            .collect();
        for segment in &removed {
            (self.disk.remove(&segment.path)).map_err(DiskError::on("remove", &segment.path))?;
            self.closed.retain(|closed| closed.number != segment.number);
        }
        if removed.is_empty() {
            Ok(())
        } else {
            self.sync_names()
        }
    }

    fn last_end(&self) -> StoreMark {
        let closed = self.closed.iter().map(|closed| closed.end);
        let open = self.open.iter().map(|open| open.end);
        closed.chain(open).max().unwrap_or_default()
    }

    /// Takes one segment in, in whatever state it was found.
    fn admit(&mut self, found: Found, notices: &mut Vec<Notice>) -> Result<(), ReplayError> {
        let closed = match found {
            Found::Closed(number, path) => match rescue::peek(number, &path, &self.options)? {
                Some(closed) => closed,
                None => self.rescue(number, &path, notices)?,
            },
            Found::Aside(number, path) => self.rescue(number, &path, notices)?,
            Found::Superseded(path) => {
                (self.disk.remove(&path)).map_err(DiskError::on("remove", &path))?;
                return Ok(());
            }
            Found::Open(number, path) => {
                let file = fs::read(&path).map_err(DiskError::on("read", &path))?;
                let scan = Scan::new(&file);
                rescue::accept(&scan.header, &path, &self.options)?;
                match self.resume(number, &path, &scan, notices)? {
                    Resumed::Yes => return Ok(()),
                    Resumed::Damaged => self.rescue(number, &path, notices)?,
                }
            }
        };
        self.closed.push(closed);
        Ok(())
    }

    pub(crate) fn rescue(
        &self,
        number: u32,
        path: &Path,
        notices: &mut Vec<Notice>,
    ) -> Result<Closed, ReplayError> {
        let (closed, notice) = rescue::rescue(self, number, path)?;
        notices.push(notice);
        Ok(closed)
    }

    /// Goes on with the open segment of an earlier process, without what its last write left unfinished.
    fn resume(
        &mut self,
        number: u32,
        path: &Path,
        scan: &Scan,
        notices: &mut Vec<Notice>,
    ) -> Result<Resumed, ReplayError> {
        let end = scan.frames_end().min(scan.bytes);
        let torn_header = scan.header.is_err() && scan.frames.is_empty();
        let torn = match scan.bad.as_slice() {
            [] => None,
            [tail] if tail.end == scan.bytes => Some(tail.clone()),
            _ => return Ok(Resumed::Damaged),
        };
        if let Some(tail) = torn.filter(|tail| !tail.is_empty()) {
            notices.push(Notice::TornTail {
                path: path.to_owned(),
                offset: tail.start as u64,
                bytes: tail.len() as u64,
            });
        }
        if torn_header {
            (self.disk.remove(path)).map_err(DiskError::on("remove", path))?;
            return Ok(Resumed::Yes);
        }
        let mut log = Log::resume(path, end as u64);
        if scan.bytes > end {
            log.cut(&*self.disk, end as u64)?;
        }
        let start = scan.start().unwrap_or_default();
        let mut open = Open::empty(number, start, log);
        open.add(&scan.frames);
        self.open = Some(open);
        Ok(Resumed::Yes)
    }

    fn start_segment(&self) -> Result<Open, ReplayError> {
        let number = self.closed.last().map_or(0, |closed| closed.number + 1);
        let header = self.options.header(number, self.end).to_bytes();
        let path = rescue::open_path(&self.dir, number);
        let log = Log::create(&*self.disk, &path, &header)?;
        Ok(Open::empty(number, self.end, log))
    }

    fn drop_segments(&mut self, mark: StoreMark) -> Result<(), ReplayError> {
        let is_later = |start: StoreMark| start.games >= mark.games;
        let remove = |path: &Path| {
            self.disk
                .remove(path)
                .map_err(DiskError::on("remove", path))
        };
        if let Some(open) = self.open.as_ref().filter(|open| is_later(open.start)) {
            remove(open.log.path())?;
            self.open = None;
        }
        while let Some(last) = self.closed.last().filter(|last| is_later(last.start)) {
            remove(&last.path)?;
            self.closed.pop();
        }
        self.sync_names()
    }

    fn sync_names(&self) -> Result<(), ReplayError> {
        let synced = self.disk.sync_dir(&self.dir);
        Ok(synced.map_err(DiskError::on("sync", &self.dir))?)
    }

    /// Cuts the segment in whose middle `mark` lies, which becomes the open one.
    fn cut_segment(&mut self, mark: StoreMark) -> Result<(), ReplayError> {
        let (number, start, path) = match (&self.open, self.closed.last()) {
            (Some(open), _) => (open.number, open.start, open.log.path().to_owned()),
            (None, Some(last)) if last.end.games > mark.games => {
                (last.number, last.start, last.path.clone())
            }
            _ => return Ok(()),
        };
        let file = fs::read(&path).map_err(DiskError::on("read", &path))?;
        let mut kept = Scan::new(&file).frames;
        kept.retain(|frame| frame.end().games <= mark.games);
        let log = if self.open.is_some() {
            let end = kept.last().map_or(HEADER_BYTES, |frame| frame.range().end) as u64;
            let mut log = Log::resume(&path, end);
            log.cut(&*self.disk, end)?;
            log
        } else {
            self.reopen(number, start, &file, &kept)?
        };
        let mut open = Open::empty(number, start, log);
        open.add(&kept);
        self.open = Some(open);
        // Were the closed segment to come back after a loss of power, it would stand for what is appended from now on.
        self.sync_names()
    }

    /// Turns the last closed segment into an open one that has only the frames in `kept`. Closed segments never change, so it is a new file.
    fn reopen(
        &mut self,
        number: u32,
        start: StoreMark,
        file: &[u8],
        kept: &[Frame],
    ) -> Result<Log, ReplayError> {
        let mut bytes = self.options.header(number, start).to_bytes();
        for frame in kept {
            bytes.extend_from_slice(&file[frame.range()]);
        }
        let open = rescue::open_path(&self.dir, number);
        durable::write_atomic(&*self.disk, &open, &bytes)?;
        let closed = rescue::closed_path(&self.dir, number);
        (self.disk.remove(&closed)).map_err(DiskError::on("remove", &closed))?;
        self.closed.pop();
        Ok(Log::resume(&open, bytes.len() as u64))
    }
}

enum Resumed {
    Yes,
    Damaged,
}

impl Open {
    fn empty(number: u32, start: StoreMark, log: Log) -> Self {
        Self {
            number,
            start,
            end: start,
            held: Held::default(),
            log,
        }
    }

    fn add(&mut self, frames: &[Frame]) {
        for frame in frames {
            self.held.add(frame);
            self.end = frame.end();
        }
    }

    fn footer(&self) -> Footer {
        Footer {
            end: self.end,
            held: self.held,
            offset: self.log.len(),
        }
    }
}

impl StoreOptions {
    pub(crate) fn header(&self, number: u32, start: StoreMark) -> Header {
        Header {
            variant: self.variant.name().to_owned(),
            rules_version: self.rules_version,
            number,
            start,
        }
    }

    /// Refuses games of another kind.
    pub(crate) fn accept(&self, name: &str, variant: &str, rules: u32) -> Result<(), ReplayError> {
        if variant != self.variant.name() {
            return Err(ReplayError::Foreign {
                source_name: name.to_owned(),
                found: variant.to_owned(),
                expected: self.variant.name().to_owned(),
            });
        }
        if rules != self.rules_version {
            return Err(ReplayError::Rules {
                source_name: name.to_owned(),
                found: rules,
                expected: self.rules_version,
            });
        }
        Ok(())
    }
}
