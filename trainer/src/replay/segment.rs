//! The bytes of a segment file: a header, frames of compressed games, and, once closed, a footer.
//!
//! All numbers are little-endian.
//!
//! | Header, 64 bytes | |
//! |---|---|
//! | 0 | `SENPUSGM` |
//! | 8 | format number, u32; a later format keeps the first 12 and the last 4 bytes of the header in place |
//! | 12 | rules version, u32 |
//! | 16 | segment number, u32, then u32 zero |
//! | 24 | number of the first game, u64 |
//! | 32 | number of the first position, u64 |
//! | 40 | name of the variant, 20 bytes, filled up with zeros |
//! | 60 | CRC-32 of bytes 0 to 59 |
//!
//! | Frame, 40 bytes and the payload | |
//! |---|---|
//! | 0 | `FRME` |
//! | 4 | length of the payload, u32 |
//! | 8 | number of the first game, u64 |
//! | 16 | number of the first position, u64 |
//! | 24 | games, u32 |
//! | 28 | positions, u32 |
//! | 32 | length of the payload when decompressed, u32 |
//! | 36 | CRC-32 of bytes 0 to 35 and the payload |
//! | 40 | payload: zstd of the games, one after the other |
//!
//! | Game in a payload | |
//! |---|---|
//! | 0 | plies, u32 |
//! | 4 | length of the record, u32 |
//! | 8 | copies of each ply among the positions to learn from, u8 each |
//! | | the record ([`selfplay::GameRecord`]) in postcard |
//!
//! | Footer, 56 bytes | |
//! |---|---|
//! | 0 | `SGMEND\r\n` |
//! | 8 | number of the game after the last, u64 |
//! | 16 | number of the position after the last, u64 |
//! | 24 | games in the segment, u64 (fewer than the numbers say if some were lost) |
//! | 32 | positions in the segment, u64 |
//! | 40 | where the footer starts, u64 |
//! | 48 | frames, u32 |
//! | 52 | CRC-32 of bytes 0 to 51 |

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The format that this program writes, and the only one it reads.
pub(crate) const FORMAT: u32 = 2;
pub(crate) const HEADER_BYTES: usize = 64;
pub(crate) const FRAME_BYTES: usize = 40;
pub(crate) const FOOTER_BYTES: usize = 56;
const HEADER_MAGIC: &[u8] = b"SENPUSGM";
const FRAME_MAGIC: &[u8] = b"FRME";
const FOOTER_MAGIC: &[u8] = b"SGMEND\r\n";
const VARIANT_BYTES: Range<usize> = 40..60;

/// A point in the sequence of all games ever stored, between two games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreMark {
    /// The games before it.
    pub games: u64,
    /// The positions before it: plies of full searches, each as often as it is learned from.
    pub positions: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) variant: String,
    pub(crate) rules_version: u32,
    pub(crate) number: u32,
    pub(crate) start: StoreMark,
}

/// Why the first bytes of a file are no header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderFault {
    /// Whole, but of a format that this program does not know.
    Format(u32),
    Damaged,
}

impl Header {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = HEADER_MAGIC.to_vec();
        put_u32(&mut bytes, FORMAT);
        put_u32(&mut bytes, self.rules_version);
        put_u32(&mut bytes, self.number);
        put_u32(&mut bytes, 0);
        put_mark(&mut bytes, self.start);
        bytes.extend_from_slice(self.variant.as_bytes());
        debug_assert!(bytes.len() <= VARIANT_BYTES.end);
        bytes.resize(VARIANT_BYTES.end, 0);
        put_crc(&mut bytes);
        bytes
    }

    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, HeaderFault> {
        let bytes = bytes.get(..HEADER_BYTES).ok_or(HeaderFault::Damaged)?;
        if !bytes.starts_with(HEADER_MAGIC) || !crc_matches(bytes) {
            return Err(HeaderFault::Damaged);
        }
        if u32_at(bytes, 8) != FORMAT {
            return Err(HeaderFault::Format(u32_at(bytes, 8)));
        }
        let name = String::from_utf8_lossy(&bytes[VARIANT_BYTES]);
        Ok(Self {
            variant: name.trim_end_matches('\0').to_owned(),
            rules_version: u32_at(bytes, 12),
            number: u32_at(bytes, 16),
            start: mark_at(bytes, 24),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Footer {
    pub(crate) end: StoreMark,
    pub(crate) held: Held,
    pub(crate) offset: u64,
}

/// What a segment holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) games: u64,
    pub(crate) positions: u64,
    pub(crate) frames: u32,
}

impl Held {
    pub(crate) fn add(&mut self, frame: &Frame) {
        self.games += u64::from(frame.games);
        self.positions += u64::from(frame.positions);
        self.frames += 1;
    }
}

impl Footer {
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = FOOTER_MAGIC.to_vec();
        put_mark(&mut bytes, self.end);
        put_u64(&mut bytes, self.held.games);
        put_u64(&mut bytes, self.held.positions);
        put_u64(&mut bytes, self.offset);
        put_u32(&mut bytes, self.held.frames);
        put_crc(&mut bytes);
        bytes
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let whole = bytes.len() == FOOTER_BYTES && bytes.starts_with(FOOTER_MAGIC);
        (whole && crc_matches(bytes)).then(|| Self {
            end: mark_at(bytes, 8),
            held: Held {
                games: u64_at(bytes, 24),
                positions: u64_at(bytes, 32),
                frames: u32_at(bytes, 48),
            },
            offset: u64_at(bytes, 40),
        })
    }
}

/// A frame's header, and where in its file the frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) offset: usize,
    pub(crate) payload: usize,
    pub(crate) start: StoreMark,
    pub(crate) games: u32,
    pub(crate) positions: u32,
    pub(crate) raw: usize,
}

impl Frame {
    pub(crate) fn end(&self) -> StoreMark {
        StoreMark {
            games: self.start.games + u64::from(self.games),
            positions: self.start.positions + u64::from(self.positions),
        }
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.offset..self.offset + FRAME_BYTES + self.payload
    }

    pub(crate) fn payload<'a>(&self, file: &'a [u8]) -> &'a [u8] {
        &file[self.range()][FRAME_BYTES..]
    }

    /// Appends the frame with this payload to `bytes`; the offset is of no account.
    pub(crate) fn put(&self, bytes: &mut Vec<u8>, payload: &[u8]) {
        let start = bytes.len();
        bytes.extend_from_slice(FRAME_MAGIC);
        put_u32(bytes, payload.len() as u32);
        put_mark(bytes, self.start);
        put_u32(bytes, self.games);
        put_u32(bytes, self.positions);
        put_u32(bytes, self.raw as u32);
        let crc = frame_crc(&bytes[start..], payload);
        put_u32(bytes, crc);
        bytes.extend_from_slice(payload);
    }

    /// Reads the frame at `offset`, if a whole one with a right checksum is there.
    fn parse(file: &[u8], offset: usize) -> Option<Self> {
        let bytes = file.get(offset..)?;
        let header = bytes.get(..FRAME_BYTES)?;
        if !header.starts_with(FRAME_MAGIC) {
            return None;
        }
        let payload = u32_at(header, 4) as usize;
        let body = bytes.get(FRAME_BYTES..FRAME_BYTES.checked_add(payload)?)?;
        (u32_at(header, 36) == frame_crc(&header[..36], body)).then(|| Self {
            offset,
            payload,
            start: mark_at(header, 8),
            games: u32_at(header, 24),
            positions: u32_at(header, 28),
            raw: u32_at(header, 32) as usize,
        })
    }
}

/// What a whole segment file holds, good and bad.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) header: Result<Header, HeaderFault>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) footer: Option<Footer>,
    /// The byte ranges that are neither header, frame nor footer.
    pub(crate) bad: Vec<Range<usize>>,
    pub(crate) bytes: usize,
}

impl Scan {
    /// Reads every byte of a segment file and checks every checksum.
    pub(crate) fn new(file: &[u8]) -> Self {
        let mut scan = Self {
            header: Header::parse(file),
            frames: Vec::new(),
            footer: None,
            bad: Vec::new(),
            bytes: file.len(),
        };
        if scan.header == Err(HeaderFault::Damaged) {
            scan.bad.push(0..file.len().min(HEADER_BYTES));
        }
        let mut offset = HEADER_BYTES;
        while offset < file.len() {
            if let Some(frame) = Frame::parse(file, offset) {
                offset = frame.range().end;
                scan.frames.push(frame);
            } else if let Some(footer) = Footer::parse(&file[offset..]) {
                offset = file.len();
                scan.footer = Some(footer);
            } else {
                let end = next_good(file, offset + 1);
                scan.bad.push(offset..end);
                offset = end;
            }
        }
        scan
    }

    pub(crate) fn held(&self) -> Held {
        let mut held = Held::default();
        for frame in &self.frames {
            held.add(frame);
        }
        held
    }

    /// Returns where the segment starts in the sequence of games, as far as its bytes tell.
    pub(crate) fn start(&self) -> Option<StoreMark> {
        let header = self.header.as_ref().ok();
        header
            .map(|header| header.start)
            .or(self.frames.first().map(|frame| frame.start))
            .or(self.footer.map(|footer| footer.end))
    }

    /// Returns where the segment ends in the sequence of games, as far as its bytes tell.
    pub(crate) fn end(&self) -> Option<StoreMark> {
        self.footer
            .map(|footer| footer.end)
            .or(self.frames.last().map(Frame::end))
            .or(self.start())
    }

    /// Returns where the last good frame ends, in bytes.
    pub(crate) fn frames_end(&self) -> usize {
        self.frames
            .last()
            .map_or(HEADER_BYTES, |frame| frame.range().end)
    }

    /// Returns whether a closed segment is as it was when it was closed.
    pub(crate) fn is_whole(&self) -> bool {
        self.bad.is_empty()
            && self.footer.is_some_and(|footer| {
                footer.held == self.held() && footer.offset == self.frames_end() as u64
            })
    }
}

fn next_good(file: &[u8], from: usize) -> usize {
    (from..file.len())
        .find(|&at| {
            Frame::parse(file, at).is_some()
                || (at + FOOTER_BYTES == file.len() && Footer::parse(&file[at..]).is_some())
        })
        .unwrap_or(file.len())
}

pub(crate) fn put_u32(bytes: &mut Vec<u8>, value: u32) {
    bytes.extend_from_slice(&value.to_le_bytes());
}

fn put_u64(bytes: &mut Vec<u8>, value: u64) {
    bytes.extend_from_slice(&value.to_le_bytes());
}

fn put_mark(bytes: &mut Vec<u8>, mark: StoreMark) {
    put_u64(bytes, mark.games);
    put_u64(bytes, mark.positions);
}

fn put_crc(bytes: &mut Vec<u8>) {
    let crc = crc32fast::hash(bytes);
    put_u32(bytes, crc);
}

fn crc_matches(bytes: &[u8]) -> bool {
    let at = bytes.len() - 4;
    crc32fast::hash(&bytes[..at]) == u32_at(bytes, at)
}

fn frame_crc(header: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(payload);
    hasher.finalize()
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[at..at + N]);
    array
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array_at(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array_at(bytes, at))
}

fn mark_at(bytes: &[u8], at: usize) -> StoreMark {
    StoreMark {
        games: u64_at(bytes, at),
        positions: u64_at(bytes, at + 8),
    }
}
