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

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::Path;

use rayon::prelude::*;
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

/// Replaces `bytes` with the file of what is said of a learner and its arrays, in the order of [`ARRAYS`].
///
/// # Errors
/// A weight is not finite, or the header cannot be encoded.
pub(crate) fn encode(
    (meta, optimiser): (CheckpointMeta, Optimiser),
    arrays: [&[f32]; 4],
    bytes: &mut Vec<u8>,
) -> Result<(), ModelError> {
    for (name, array) in ARRAYS.iter().zip(&arrays[..2]) {
        if let Some(at) = array.iter().position(|value| !value.is_finite()) {
            return Err(ModelError::Mismatch(format!(
                "number {at} of its {name} is {}: must be finite",
                array[at]
            )));
        }
    }
    let arrays = arrays.map(bytes_of);
    let described = ARRAYS.par_iter().zip(&arrays).map(|(name, bytes)| Array {
        name: (*name).to_owned(),
        len: bytes.len() as u64 / 4,
        crc: crc32fast::hash(bytes),
    });
    let header = Header {
        meta,
        optimiser,
        arrays: described.collect(),
    };
    let header = serde_json::to_vec(&header)
        .map_err(|error| ModelError::Mismatch(format!("its header cannot be written: {error}")))?;
    bytes.clear();
    bytes.extend(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(crc32fast::hash(&header).to_le_bytes());
    bytes.extend(crc32fast::hash(bytes).to_le_bytes());
    bytes.extend(header);
    bytes.reserve_exact(arrays.iter().map(|array| array.len()).sum());
    for array in &arrays {
        bytes.extend_from_slice(array);
    }
    Ok(())
}

/// Returns floats as the bytes of the file.
fn bytes_of(values: &[f32]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(values));
    }
    Cow::Owned(
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect(),
    )
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
