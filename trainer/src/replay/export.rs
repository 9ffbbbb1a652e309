//! Reading every game of a store or of a segment, for other programs, and segments that stand alone. Needs no lock.

use std::fs;
use std::path::Path;

use selfplay::GameRecord;

use super::entry::{Entry, decode_frame, encode_frames};
use super::rescue::{self, Found};
use super::segment::{Footer, Header, HeaderFault, Held, Scan, StoreMark};
use super::{ReplayError, StoreOptions};
use crate::durable::{self, Disk, DiskError};

/// Reads the games of the store in `dir` and gives them to `take` in the order in which they were stored. What does not pass its checksum is
/// left out; [`super::inspect()`] finds that.
///
/// # Errors
/// If the directory cannot be listed, a file cannot be read, or it is of another format.
pub fn read_games(dir: &Path, take: &mut dyn FnMut(GameRecord)) -> Result<(), ReplayError> {
    for found in rescue::list(dir)? {
        let path = match found {
            Found::Closed(_, path) | Found::Open(_, path) | Found::Aside(_, path) => path,
            // Its games are in the closed segment that is still there.
            Found::Superseded(_) => continue,
        };
        read_segment(&path, take)?;
    }
    Ok(())
}

/// Reads the games of one segment file, as [`read_games`] does.
///
/// # Errors
/// If the file cannot be read or is of another format.
pub fn read_segment(path: &Path, take: &mut dyn FnMut(GameRecord)) -> Result<(), ReplayError> {
    let file = fs::read(path).map_err(DiskError::on("read", path))?;
    refuse_other_format(path, &file)?;
    for frame in &Scan::new(&file).frames {
        let damaged =
            |reason: &dyn ToString| ReplayError::frame(path, frame.offset, &reason.to_string());
        for entry in decode_frame(&file, frame).map_err(|reason| damaged(&reason))? {
            take(entry.record().map_err(|reason| damaged(&reason))?);
        }
    }
    Ok(())
}

/// Returns the name of the game that a segment file is of, or `None` if it is no segment.
///
/// # Errors
/// If the file cannot be read or is of another format.
pub fn segment_variant(path: &Path) -> Result<Option<String>, ReplayError> {
    let file = fs::read(path).map_err(DiskError::on("read", path))?;
    refuse_other_format(path, &file)?;
    Ok(Header::parse(&file).ok().map(|header| header.variant))
}

/// Writes games as a closed segment that stands alone, in place of the file that has its name.
///
/// # Errors
/// If a game cannot be encoded or the file not be written.
pub fn write_segment(
    disk: &dyn Disk,
    path: &Path,
    options: &StoreOptions,
    records: &[GameRecord],
) -> Result<(), ReplayError> {
    let entries = records
        .iter()
        .map(Entry::new)
        .collect::<Result<Vec<_>, _>>();
    let entries = entries.map_err(ReplayError::encode)?;
    let start = StoreMark::default();
    let (frames, marks) = encode_frames(&entries, start).map_err(ReplayError::encode)?;
    let mut bytes = options.header(0, start).to_bytes();
    bytes.extend_from_slice(&frames);
    let mut footer = Footer {
        end: start,
        held: Held::default(),
        offset: bytes.len() as u64,
    };
    for frame in &marks {
        footer.held.add(frame);
        footer.end = frame.end();
    }
    bytes.extend(footer.to_bytes());
    Ok(durable::write_atomic(disk, path, &bytes)?)
}

fn refuse_other_format(path: &Path, file: &[u8]) -> Result<(), ReplayError> {
    match Header::parse(file) {
        Err(HeaderFault::Format(found)) => Err(ReplayError::Format {
            path: path.to_owned(),
            found,
        }),
        _ => Ok(()),
    }
}
