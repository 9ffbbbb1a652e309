//! The file format, version 3. All numbers are little endian.
//!
//! | bytes | hold |
//! |---|---|
//! | 8 | `SENPUNET` |
//! | 4 | format version |
//! | 4 | length of the header in bytes |
//! | 4 | CRC-32 of the header |
//! | 4 | CRC-32 of the 20 bytes before; these 24 bytes are the same in every format |
//! | header | JSON: meta data, optimiser, and name, length and CRC-32 of each array |
//! | arrays | 32-bit floats in the header's order, nothing between or after them |
//!
//! Version 2 is the same without `arch` in the header's net, which is `residual` then, and version 1 also without `policy_planes` in its
//! shape, which is 0 then. Both are read, and no longer written.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Checkpoint, CheckpointMeta};
use crate::error::ModelError;
use crate::learner::Optimiser;
use crate::optimiser::Moments;

const MAGIC: &[u8; 8] = b"SENPUNET";
const FORMAT: u32 = 3;
const PREFIX: usize = 24;

/// The arrays of a checkpoint, in the order of the file.
const ARRAYS: [&str; 4] = ["weights", "average", "first_moments", "second_moments"];

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    meta: CheckpointMeta,
    optimiser: Optimiser,
    arrays: Vec<Array>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Array {
    name: String,
    /// The number of floats.
    len: u64,
    crc: u32,
}

pub(super) fn encode(checkpoint: &Checkpoint) -> Result<Vec<u8>, ModelError> {
    let Moments { first, second } = &checkpoint.moments;
    let arrays = [&checkpoint.weights, &checkpoint.average, first, second];
    let header = Header {
        meta: checkpoint.meta,
        optimiser: checkpoint.optimiser,
        arrays: ARRAYS
            .iter()
            .zip(arrays)
            .map(|(name, values)| Array {
                name: (*name).to_owned(),
                len: values.len() as u64,
                crc: crc_of(values),
            })
            .collect(),
    };
    let header = serde_json::to_vec(&header)
        .map_err(|error| ModelError::Mismatch(format!("its header cannot be written: {error}")))?;
    let floats: usize = arrays.iter().map(|values| values.len()).sum();
    let mut bytes = Vec::with_capacity(PREFIX + header.len() + floats * 4);
    bytes.extend(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(crc32fast::hash(&header).to_le_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes.extend(header);
    for value in arrays.into_iter().flatten() {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    Ok(bytes)
}

/// Returns the checksum of the bytes of an array.
fn crc_of(values: &[f32]) -> u32 {
    const FLOATS: usize = 1024;
    let mut hasher = crc32fast::Hasher::new();
    let mut bytes = [0; 4 * FLOATS];
    for values in values.chunks(FLOATS) {
        for (bytes, value) in bytes.chunks_exact_mut(4).zip(values) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
        hasher.update(&bytes[..values.len() * 4]);
    }
    hasher.finalize()
}

pub(super) fn load(path: &Path) -> Result<Checkpoint, ModelError> {
    let bytes = fs::read(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ModelError::Missing {
            path: path.to_path_buf(),
        },
        _ => ModelError::Io {
            path: path.to_path_buf(),
            action: "read",
            source,
        },
    })?;
    Reader {
        path,
        bytes: &bytes,
    }
    .checkpoint()
}

/// Reads a file's bytes and knows its name.
struct Reader<'a> {
    path: &'a Path,
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn checkpoint(&self) -> Result<Checkpoint, ModelError> {
        let header_len = self.prefix()?;
        let header = &self.part(PREFIX, header_len)?;
        if crc32fast::hash(header) != self.word(16) {
            return Err(self.damaged("header"));
        }
        let header: Header = serde_json::from_slice(header).map_err(|_| self.damaged("header"))?;
        let mut start = PREFIX + header_len;
        let floats: u64 = header.arrays.iter().map(|array| array.len).sum();
        self.whole_length(start as u64 + floats * 4)?;
        let mut arrays = Vec::new();
        for (array, name) in header.arrays.iter().zip(ARRAYS) {
            let bytes = self.part(start, array.len as usize * 4)?;
            if array.name != name || crc32fast::hash(bytes) != array.crc {
                return Err(self.damaged(name));
            }
            arrays.push(floats_of(bytes));
            start += bytes.len();
        }
        let Ok([weights, average, first, second]) = <[Vec<f32>; 4]>::try_from(arrays) else {
            return Err(self.damaged("header"));
        };
        Ok(Checkpoint {
            meta: header.meta,
            optimiser: header.optimiser,
            weights,
            average,
            moments: Moments { first, second },
        })
    }

    /// Checks the 24 bytes that every format starts with, and returns the length of the header.
    fn prefix(&self) -> Result<usize, ModelError> {
        let magic = self.bytes.get(..MAGIC.len());
        if magic.is_none_or(|magic| magic != MAGIC) {
            // A flipped bit in a checkpoint's first bytes is told from a foreign file by the checksum over what they should have been.
            return Err(if self.restored_prefix_is_sound() {
                self.damaged("signature")
            } else {
                ModelError::NotACheckpoint {
                    path: self.path.to_path_buf(),
                }
            });
        }
        if self.bytes.len() < PREFIX {
            self.whole_length(PREFIX as u64)?;
        }
        if crc32fast::hash(&self.bytes[..20]) != self.word(20) {
            return Err(self.damaged("prefix"));
        }
        match self.word(8) {
            1..=FORMAT => Ok(self.word(12) as usize),
            format => Err(ModelError::NewerFormat {
                path: self.path.to_path_buf(),
                format,
                known: FORMAT,
            }),
        }
    }

    fn restored_prefix_is_sound(&self) -> bool {
        let Some(rest) = self.bytes.get(MAGIC.len()..20) else {
            return false;
        };
        self.bytes.len() >= PREFIX
            && crc32fast::hash(&[MAGIC.as_slice(), rest].concat()) == self.word(20)
    }

    fn part(&self, start: usize, len: usize) -> Result<&[u8], ModelError> {
        let end = start.saturating_add(len);
        self.bytes
            .get(start..end)
            .ok_or_else(|| self.wrong_length(end as u64))
    }

    fn word(&self, at: usize) -> u32 {
        let mut word = [0; 4];
        word.copy_from_slice(&self.bytes[at..at + 4]);
        u32::from_le_bytes(word)
    }

    fn whole_length(&self, expected: u64) -> Result<(), ModelError> {
        if self.bytes.len() as u64 == expected {
            Ok(())
        } else {
            Err(self.wrong_length(expected))
        }
    }

    fn wrong_length(&self, expected: u64) -> ModelError {
        ModelError::WrongLength {
            path: self.path.to_path_buf(),
            expected,
            actual: self.bytes.len() as u64,
        }
    }

    fn damaged(&self, part: &str) -> ModelError {
        ModelError::Damaged {
            path: self.path.to_path_buf(),
            part: part.to_owned(),
        }
    }
}

fn floats_of(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}
