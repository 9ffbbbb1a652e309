//! A game as a frame and the window hold it: its record in postcard, and beside it how often each ply is learned from, so that sampling and
//! opening need not decode the record. The bytes are described in [`super::segment`].

use std::io;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use selfplay::GameRecord;

use super::segment::{Frame, StoreMark, put_u32, u32_at};

/// Frames are cut at this many bytes before compression, so that reading one needs little memory.
const FRAME_RAW_BYTES: usize = 4 << 20;
const COMPRESSION_LEVEL: i32 = 3;
const LENGTH_BYTES: usize = 8;

/// A game, encoded. Games that were read together share their memory.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    shared: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Entry {
    pub(crate) fn new(record: &GameRecord) -> Result<Self, postcard::Error> {
        let copies: Vec<u8> = record.plies.iter().map(|ply| ply.copies).collect();
        let record = postcard::to_stdvec(record)?;
        let mut bytes = Vec::with_capacity(LENGTH_BYTES + copies.len() + record.len());
        put_u32(&mut bytes, copies.len() as u32);
        put_u32(&mut bytes, record.len() as u32);
        bytes.extend_from_slice(&copies);
        bytes.extend_from_slice(&record);
        Ok(Self {
            range: 0..bytes.len(),
            shared: Arc::new(bytes),
        })
    }

    pub(crate) fn record(&self) -> Result<GameRecord, postcard::Error> {
        let start = LENGTH_BYTES + self.copies().len();
        postcard::from_bytes(&self.bytes()[start..])
    }

    /// Returns the number of positions: the copies of all plies.
    pub(crate) fn positions(&self) -> u32 {
        self.copies().iter().map(|&copies| u32::from(copies)).sum()
    }

    /// Returns the ply of position number `nth`, from 0, each ply standing there as often as it has copies.
    pub(crate) fn ply_of(&self, nth: u32) -> Option<usize> {
        let mut end = 0;
        self.copies().iter().position(|&copies| {
            end += u32::from(copies);
            nth < end
        })
    }

    /// Returns the bytes of memory that its encoding takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.range.len()
    }

    fn bytes(&self) -> &[u8] {
        &self.shared[self.range.clone()]
    }

    /// Returns how often each ply is learned from.
    fn copies(&self) -> &[u8] {
        let bytes = self.bytes();
        &bytes[LENGTH_BYTES..][..u32_at(bytes, 0) as usize]
    }
}

/// Encodes games as frames that follow `start`.
pub(crate) fn encode_frames(
    entries: &[Entry],
    start: StoreMark,
) -> io::Result<(Vec<u8>, Vec<Frame>)> {
    let parts = parts(entries);
    // Compressing takes longest, and nothing else waits for it: on all threads.
    let payloads: io::Result<Vec<_>> = parts
        .par_iter()
        .map(|part| compress(&entries[part.clone()]))
        .collect();
    let mut bytes = Vec::new();
    let mut frames = Vec::new();
    let mut start = start;
    for (part, (raw, payload)) in parts.into_iter().zip(payloads?) {
        let frame = Frame {
            offset: bytes.len(),
            payload: payload.len(),
            start,
            games: part.len() as u32,
            positions: entries[part].iter().map(Entry::positions).sum(),
            raw,
        };
        frame.put(&mut bytes, &payload);
        start = frame.end();
        frames.push(frame);
    }
    Ok((bytes, frames))
}

/// Cuts games into frames.
fn parts(entries: &[Entry]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut first, mut raw) = (0, 0);
    for (at, entry) in entries.iter().enumerate() {
        raw += entry.range.len();
        if raw >= FRAME_RAW_BYTES || at + 1 == entries.len() {
            parts.push(first..at + 1);
            (first, raw) = (at + 1, 0);
        }
    }
    parts
}

/// Compresses games; returns how many bytes they had before, too.
fn compress(entries: &[Entry]) -> io::Result<(usize, Vec<u8>)> {
    let raw: Vec<u8> = entries.iter().flat_map(Entry::bytes).copied().collect();
    Ok((raw.len(), zstd::bulk::compress(&raw, COMPRESSION_LEVEL)?))
}

/// Decodes the games of a frame whose checksum is right.
pub(crate) fn decode_frame(file: &[u8], frame: &Frame) -> io::Result<Vec<Entry>> {
    let shared = Arc::new(zstd::bulk::decompress(frame.payload(file), frame.raw)?);
    let mut entries = Vec::with_capacity(frame.games as usize);
    let mut start = 0;
    while start < shared.len() {
        let len = entry_len(&shared[start..])
            .ok_or_else(|| io::Error::other("a game ends past the frame"))?;
        entries.push(Entry {
            shared: Arc::clone(&shared),
            range: start..start + len,
        });
        start += len;
    }
    Ok(entries)
}

/// Returns the length of the entry at the beginning of `bytes`, if all of it is there.
fn entry_len(bytes: &[u8]) -> Option<usize> {
    let lengths = bytes.get(..LENGTH_BYTES)?;
    let len = LENGTH_BYTES + u32_at(lengths, 0) as usize + u32_at(lengths, 4) as usize;
    (len <= bytes.len()).then_some(len)
}
