//! A game as a frame and the window hold it: its record in postcard, and beside it which plies were searched, so that sampling and opening
//! need not decode the record. The bytes are described in [`super::segment`].

use std::io;
use std::ops::Range;
use std::sync::Arc;

use selfplay::{GameRecord, PlyKind};

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
        let mut searched = vec![0; record.plies.len().div_ceil(8)];
        for (ply, played) in record.plies.iter().enumerate() {
            if played.kind == PlyKind::Searched {
                searched[ply / 8] |= 1 << (ply % 8);
            }
        }
        let record = postcard::to_stdvec(record)?;
        let mut bytes = Vec::with_capacity(LENGTH_BYTES + searched.len() + record.len());
        put_u32(&mut bytes, searched.len() as u32);
        put_u32(&mut bytes, record.len() as u32);
        bytes.extend_from_slice(&searched);
        bytes.extend_from_slice(&record);
        Ok(Self {
            range: 0..bytes.len(),
            shared: Arc::new(bytes),
        })
    }

    pub(crate) fn record(&self) -> Result<GameRecord, postcard::Error> {
        let start = LENGTH_BYTES + self.searched().len();
        postcard::from_bytes(&self.bytes()[start..])
    }

    /// Returns the number of searched plies.
    pub(crate) fn positions(&self) -> u32 {
        self.searched().iter().map(|byte| byte.count_ones()).sum()
    }

    /// Returns the ply of the searched ply number `nth`, from 0.
    pub(crate) fn searched_ply(&self, nth: u32) -> Option<usize> {
        let mut left = nth;
        for (index, &byte) in self.searched().iter().enumerate() {
            let ones = byte.count_ones();
            if left < ones {
                let mut rest = byte;
                for _ in 0..left {
                    rest &= rest - 1;
                }
                return Some(index * 8 + rest.trailing_zeros() as usize);
            }
            left -= ones;
        }
        None
    }

    /// Returns the bytes of memory that its encoding takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.range.len()
    }

    fn bytes(&self) -> &[u8] {
        &self.shared[self.range.clone()]
    }

    fn searched(&self) -> &[u8] {
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
