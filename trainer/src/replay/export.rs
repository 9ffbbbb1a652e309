//! Reading every game of a store, for other programs. Changes nothing and needs no lock.

use std::fs;
use std::path::Path;

use selfplay::GameRecord;

use super::ReplayError;
use super::entry::decode_frame;
use super::rescue::{self, Found};
use super::segment::{Header, HeaderFault, Scan};
use crate::durable::DiskError;

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
        let file = fs::read(&path).map_err(DiskError::on("read", &path))?;
        refuse_other_format(&path, &file)?;
        for frame in &Scan::new(&file).frames {
            let damaged = |reason: &dyn ToString| {
                ReplayError::frame(&path, frame.offset, &reason.to_string())
            };
            for entry in decode_frame(&file, frame).map_err(|reason| damaged(&reason))? {
                take(entry.record().map_err(|reason| damaged(&reason))?);
            }
        }
    }
    Ok(())
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
