//! A game as a frame and the window hold it: its record in postcard, and beside it which plies were searched, so that sampling and opening
//! need not decode the record.
//!
//! In a frame's payload a game is the bitmap of searched plies (bit `i % 8` of byte `i / 8` for ply `i`), then the record, each preceded by
//! its length as a postcard varint.

use selfplay::{GameRecord, PlyKind};
use serde::{Deserialize, Serialize};

use super::segment::{Frame, StoreMark};

/// Frames are cut at this many bytes before compression, so that reading one needs little memory.
const FRAME_RAW_BYTES: usize = 4 << 20;
const COMPRESSION_LEVEL: i32 = 3;

/// A game, encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    searched: Box<[u8]>,
    record: Box<[u8]>,
}

#[derive(Serialize, Deserialize)]
struct EntryBytes<'a> {
    #[serde(borrow)]
    searched: &'a [u8],
    #[serde(borrow)]
    record: &'a [u8],
}

impl Entry {
    pub(crate) fn new(record: &GameRecord) -> Result<Self, postcard::Error> {
        let mut searched = vec![0; record.plies.len().div_ceil(8)];
        for (ply, _) in
            (record.plies.iter().enumerate()).filter(|(_, played)| played.kind == PlyKind::Searched)
        {
            searched[ply / 8] |= 1 << (ply % 8);
        }
        Ok(Self {
            searched: searched.into(),
            record: postcard::to_stdvec(record)?.into(),
        })
    }

    pub(crate) fn record(&self) -> Result<GameRecord, postcard::Error> {
        postcard::from_bytes(&self.record)
    }

    /// Returns the number of searched plies.
    pub(crate) fn positions(&self) -> u32 {
        self.searched.iter().map(|byte| byte.count_ones()).sum()
    }

    /// Returns the ply of the searched ply number `nth`, from 0.
    pub(crate) fn searched_ply(&self, nth: u32) -> Option<usize> {
        let mut left = nth;
        for (index, &byte) in self.searched.iter().enumerate() {
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

    /// Returns the bytes of memory it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.searched.len() + self.record.len()
    }
}

/// Encodes games as frames that follow `start`.
pub(crate) fn encode_frames(
    entries: &[Entry],
    start: StoreMark,
) -> Result<(Vec<u8>, Vec<Frame>), std::io::Error> {
    let mut bytes = Vec::new();
    let mut frames = Vec::new();
    let mut start = start;
    let mut first = 0;
    while first < entries.len() {
        let mut raw = Vec::new();
        let mut next = first;
        while next < entries.len() && (next == first || raw.len() < FRAME_RAW_BYTES) {
            let entry = EntryBytes {
                searched: &entries[next].searched,
                record: &entries[next].record,
            };
            raw = postcard::to_extend(&entry, raw).map_err(std::io::Error::other)?;
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
pub(crate) fn decode_frame(file: &[u8], frame: &Frame) -> Result<Vec<Entry>, std::io::Error> {
    let raw = zstd::bulk::decompress(frame.payload(file), frame.raw)?;
    let mut rest = raw.as_slice();
    let mut entries = Vec::with_capacity(frame.games as usize);
    while !rest.is_empty() {
        let (entry, after) =
            postcard::take_from_bytes::<EntryBytes>(rest).map_err(std::io::Error::other)?;
        entries.push(Entry {
            searched: entry.searched.into(),
            record: entry.record.into(),
        });
        rest = after;
    }
    Ok(entries)
}
