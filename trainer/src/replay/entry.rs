//! A game as a frame and the window hold it: its record in postcard, and beside it how often each ply is learned from, so that sampling and
//! opening need not decode the record. The bytes are described in [`super::segment`].

use std::io;
use std::ops::Range;
use std::sync::Arc;

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
    let mut bytes = Vec::new();
    let mut frames = Vec::new();
    let mut start = start;
    let mut first = 0;
    while first < entries.len() {
        let mut raw = Vec::new();
        let mut next = first;
        while next < entries.len() && (next == first || raw.len() < FRAME_RAW_BYTES) {
            raw.extend_from_slice(entries[next].bytes());
            next += 1;
        }
        let payload = zstd::bulk::compress(&raw, COMPRESSION_LEVEL)?;
        let frame = Frame {
            offset: bytes.len(),
            payload: payload.len(),
            start,
            games: (next - first) as u32,
            positions: entries[first..next].iter().map(Entry::positions).sum(),
            raw: raw.len(),
        };
        frame.put(&mut bytes, &payload);
        start = frame.end();
        frames.push(frame);
        first = next;
    }
    Ok((bytes, frames))
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
