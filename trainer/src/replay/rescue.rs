//! Finding the segments of a directory, and saving the good part of a damaged one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::folder::{Closed, Folder};
use super::segment::{FOOTER_BYTES, Footer, HEADER_BYTES, Header, HeaderFault, Scan};
use super::{ReplayError, StoreOptions};
use crate::durable::{self, DiskError};
use crate::notice::Notice;

/// A segment file, by what its name says.
#[derive(Debug)]
pub(crate) enum Found {
    Closed(u32, PathBuf),
    Open(u32, PathBuf),
    /// Set aside as damaged, and the process died before its good part was saved.
    Aside(u32, PathBuf),
    /// An open segment made from a closed one that is still there: a rewind that was cut short.
    Superseded(PathBuf),
}

/// The files that have one segment number.
#[derive(Debug, Default)]
struct Files {
    closed: Option<PathBuf>,
    open: Option<PathBuf>,
    aside: Vec<PathBuf>,
}

pub(crate) fn closed_path(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("seg-{number:08}.sgm"))
}

pub(crate) fn open_path(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("seg-{number:08}.open"))
}

/// Returns the first free name for a damaged segment.
fn aside_path(dir: &Path, number: u32) -> PathBuf {
    (1..100)
        .map(|copy| dir.join(format!("seg-{number:08}.damaged-{copy:02}")))
        .find(|path| !path.exists())
        .unwrap_or_else(|| dir.join(format!("seg-{number:08}.damaged")))
}

/// Returns the segments of a directory in the order of their numbers. Files with other names are nobody's business here.
pub(crate) fn list(dir: &Path) -> Result<Vec<Found>, DiskError> {
    let mut segments = Vec::new();
    for (number, mut files) in files_by_number(dir)? {
        match (files.closed, files.open) {
            (Some(closed), open) => {
                segments.extend(open.map(Found::Superseded));
                segments.push(Found::Closed(number, closed));
            }
            (None, Some(open)) => segments.push(Found::Open(number, open)),
            (None, None) => {
                files.aside.sort();
                segments.extend(files.aside.pop().map(|path| Found::Aside(number, path)));
            }
        }
    }
    Ok(segments)
}

/// Returns the damaged segments that were set aside.
pub(crate) fn list_aside(dir: &Path) -> Result<Vec<PathBuf>, DiskError> {
    let files = files_by_number(dir)?;
    Ok(files.into_values().flat_map(|files| files.aside).collect())
}

fn files_by_number(dir: &Path) -> Result<BTreeMap<u32, Files>, DiskError> {
    let mut segments = BTreeMap::<u32, Files>::new();
    for entry in fs::read_dir(dir).map_err(DiskError::on("list", dir))? {
        let path = entry.map_err(DiskError::on("list", dir))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some((number, kind)) = name
            .strip_prefix("seg-")
            .and_then(|rest| rest.split_once('.'))
        else {
            continue;
        };
        let Ok(number) = number.parse() else { continue };
        let kind = kind.to_owned();
        let files = segments.entry(number).or_default();
        match kind.as_str() {
            "sgm" => files.closed = Some(path),
            "open" => files.open = Some(path),
            kind if kind.starts_with("damaged") => files.aside.push(path),
            _ => {}
        }
    }
    Ok(segments)
}

/// Reads the header and footer of a closed segment. `None` if either is damaged or the length is wrong.
pub(crate) fn peek(
    number: u32,
    path: &Path,
    options: &StoreOptions,
) -> Result<Option<Closed>, ReplayError> {
    let (head, tail, bytes) = read_ends(path).map_err(DiskError::on("read", path))?;
    let header = Header::parse(&head);
    accept(&header, path, options)?;
    let (Ok(header), Some(footer)) = (header, Footer::parse(&tail)) else {
        return Ok(None);
    };
    if footer.offset + FOOTER_BYTES as u64 != bytes {
        return Ok(None);
    }
    Ok(Some(Closed {
        number,
        path: path.to_owned(),
        start: header.start,
        end: footer.end,
        held: footer.held,
        bytes,
    }))
}

fn read_ends(path: &Path) -> io::Result<(Vec<u8>, Vec<u8>, u64)> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut head = Vec::new();
    (&mut file)
        .take(HEADER_BYTES as u64)
        .read_to_end(&mut head)?;
    let mut tail = Vec::new();
    if bytes >= (HEADER_BYTES + FOOTER_BYTES) as u64 {
        file.seek(SeekFrom::End(-(FOOTER_BYTES as i64)))?;
        file.read_to_end(&mut tail)?;
    }
    Ok((head, tail, bytes))
}

/// Refuses a segment of another format, of another game or of other rules; a damaged header is not its concern.
pub(crate) fn accept(
    header: &Result<Header, HeaderFault>,
    path: &Path,
    options: &StoreOptions,
) -> Result<(), ReplayError> {
    match header {
        Err(HeaderFault::Damaged) => Ok(()),
        Err(HeaderFault::Format(found)) => Err(ReplayError::Format {
            path: path.to_owned(),
            found: *found,
        }),
        Ok(header) => options.accept(
            &format!("`{}`", path.display()),
            &header.variant,
            header.rules_version,
        ),
    }
}

/// Sets a damaged segment aside and writes its good frames as the closed segment of the same number.
///
/// The good part is on the medium before the old name goes. Killed between the two renames, the next start finds only the file set aside
/// and begins again from it.
pub(crate) fn rescue(
    folder: &Folder,
    number: u32,
    from: &Path,
) -> Result<(Closed, Notice), ReplayError> {
    let disk = &*folder.disk;
    let file = fs::read(from).map_err(DiskError::on("read", from))?;
    let scan = Scan::new(&file);
    accept(&scan.header, from, &folder.options)?;
    let to = closed_path(&folder.dir, number);
    let (closed, bytes) = good_part(folder, number, &file, &scan);
    let unfinished = durable::temporary_path(&to);
    durable::write_atomic(disk, &unfinished, &bytes)?;
    let aside = if from == to || from == open_path(&folder.dir, number) {
        let aside = aside_path(&folder.dir, number);
        durable::rename_durably(disk, from, &aside)?;
        aside
    } else {
        from.to_owned()
    };
    durable::rename_durably(disk, &unfinished, &to)?;
    let notice = Notice::Damaged {
        path: from.to_owned(),
        aside,
        offset: scan.bad.first().map_or(file.len(), |bad| bad.start) as u64,
        games: (closed.end.games - closed.start.games).saturating_sub(closed.held.games),
    };
    Ok((closed, notice))
}

fn good_part(folder: &Folder, number: u32, file: &[u8], scan: &Scan) -> (Closed, Vec<u8>) {
    let start = scan.start().unwrap_or_default();
    let mut bytes = folder.options.header(number, start).to_bytes();
    for frame in &scan.frames {
        bytes.extend_from_slice(&file[frame.range()]);
    }
    let footer = Footer {
        end: scan.end().unwrap_or(start).max(start),
        held: scan.held(),
        offset: bytes.len() as u64,
    };
    bytes.extend_from_slice(&footer.to_bytes());
    let closed = Closed {
        number,
        path: closed_path(&folder.dir, number),
        start,
        end: footer.end,
        held: footer.held,
        bytes: bytes.len() as u64,
    };
    (closed, bytes)
}
