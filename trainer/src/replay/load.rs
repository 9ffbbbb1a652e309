//! Reading the newest games from disk into the window.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rayon::prelude::*;

use super::ReplayError;
use super::entry::{Entry, decode_frame};
use super::folder::Folder;
use super::segment::Scan;
use super::window::Window;
use crate::durable::DiskError;
use crate::notice::Notice;

/// Fills a window from the newest segments, several at a time. A segment found damaged is set aside first.
pub(crate) fn load(folder: &mut Folder, notices: &mut Vec<Notice>) -> Result<Window, ReplayError> {
    let size = folder.window_size();
    loop {
        let open = match &folder.open {
            Some(open) => {
                read(open.log.path(), size, &mut Vec::new(), |_| true)?.unwrap_or_default()
            }
            None => Vec::new(),
        };
        let wanted = wanted(folder, size.saturating_sub(positions(&open)));
        let first = folder.closed.len() - wanted.len();
        let read = (wanted.into_par_iter().enumerate())
            .map_init(Vec::new, |buffer, (index, need)| {
                read(
                    &folder.closed[first + index].path,
                    need,
                    buffer,
                    Scan::is_whole,
                )
            })
            .collect::<Result<Vec<_>, _>>()?;
        if read.iter().all(Option::is_some) {
            let mut window = Window::new(size);
            let closed = read.into_iter().flatten().flatten();
            closed.chain(open).for_each(|entry| window.push(entry));
            return Ok(window);
        }
        // What is left of the damaged ones has fewer positions, so that older segments may be needed too.
        for index in (0..read.len()).filter(|&index| read[index].is_none()) {
            let damaged = &folder.closed[first + index];
            folder.closed[first + index] = folder.rescue(damaged.number, &damaged.path, notices)?;
        }
    }
}

/// Returns how many positions are needed of each of the newest closed segments, oldest first, to have `size` in all.
fn wanted(folder: &Folder, size: u64) -> Vec<u64> {
    let mut needs = Vec::new();
    let mut need = size;
    for closed in folder.closed.iter().rev() {
        if need == 0 {
            break;
        }
        needs.push(need);
        need = need.saturating_sub(closed.held.positions);
    }
    needs.reverse();
    needs
}

/// Reads the newest games of a segment, whose bytes are in `buffer` meanwhile, that together have `need` positions, or all. `None` if the file is not as `is_good` wants it.
fn read(
    path: &Path,
    need: u64,
    buffer: &mut Vec<u8>,
    is_good: impl Fn(&Scan) -> bool,
) -> Result<Option<Vec<Entry>>, ReplayError> {
    buffer.clear();
    File::open(path)
        .and_then(|mut file| file.read_to_end(buffer))
        .map_err(DiskError::on("read", path))?;
    let scan = Scan::new(buffer);
    if !is_good(&scan) {
        return Ok(None);
    }
    let mut first = scan.frames.len();
    let mut held = 0;
    while first > 0 && held < need {
        first -= 1;
        held += u64::from(scan.frames[first].positions);
    }
    let mut entries = Vec::new();
    for frame in &scan.frames[first..] {
        let games = decode_frame(buffer, frame)
            .map_err(|reason| ReplayError::frame(path, frame.offset, &reason))?;
        entries.extend(games);
    }
    Ok(Some(entries))
}

fn positions(entries: &[Entry]) -> u64 {
    entries
        .iter()
        .map(|entry| u64::from(entry.positions()))
        .sum()
}
