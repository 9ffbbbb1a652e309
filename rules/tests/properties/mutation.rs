//! Good texts made bad: bytes changed, left out, repeated and put in.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// What is put in: what a reader may stumble over.
const PIECES: [&str; 24] = [
    "0",
    "1",
    "9",
    "10",
    "-1",
    "80",
    "161",
    "255",
    "256",
    "65535",
    "1000000",
    "4294967295",
    "99999999999999999999",
    " ",
    "  ",
    "/",
    "+",
    "-",
    "[",
    "]",
    "K",
    " moves ",
    "王",
    "\0",
];

#[derive(Clone, Copy, Debug)]
pub(crate) enum Edit {
    /// Turns over one bit of a byte.
    Flip(Index, u8),
    /// Leaves out some bytes.
    Remove(Index, usize),
    /// Writes some bytes once more, or very often.
    Repeat(Index, usize, usize),
    /// Puts in one of [`PIECES`].
    Insert(Index, Index),
    /// Writes a digit or a letter over a byte.
    Write(Index, u8),
    /// Changes two bytes with each other.
    Swap(Index, Index),
}

/// A few edits.
pub(crate) fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let letters = prop_oneof![b'0'..=b'9', b'A'..=b'Z', b'a'..=b'z'];
    let times = prop_oneof![9 => 1..=3_usize, 1 => 50..=5_000_usize];
    let edit = prop_oneof![
        (any::<Index>(), 0..8_u8).prop_map(|(at, bit)| Edit::Flip(at, bit)),
        (any::<Index>(), 1..=6_usize).prop_map(|(at, count)| Edit::Remove(at, count)),
        (any::<Index>(), 1..=6_usize, times)
            .prop_map(|(at, count, times)| Edit::Repeat(at, count, times)),
        (any::<Index>(), any::<Index>()).prop_map(|(at, which)| Edit::Insert(at, which)),
        (any::<Index>(), letters).prop_map(|(at, letter)| Edit::Write(at, letter)),
        (any::<Index>(), any::<Index>()).prop_map(|(one, other)| Edit::Swap(one, other)),
    ];
    vec(edit, 0..=4)
}

/// Returns the text after the edits; bytes that are no UTF-8 any more are replaced.
pub(crate) fn edited(text: &str, edits: &[Edit]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for edit in edits {
        apply(*edit, &mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn apply(edit: Edit, bytes: &mut Vec<u8>) {
    let (at, count) = match edit {
        Edit::Insert(at, which) => {
            let at = at.index(bytes.len() + 1);
            bytes.splice(at..at, PIECES[which.index(PIECES.len())].bytes());
            return;
        }
        _ if bytes.is_empty() => return,
        Edit::Remove(at, count) | Edit::Repeat(at, count, _) => (at.index(bytes.len()), count),
        Edit::Flip(at, _) | Edit::Write(at, _) | Edit::Swap(at, _) => (at.index(bytes.len()), 1),
    };
    let part = at..(at + count).min(bytes.len());
    match edit {
        Edit::Flip(_, bit) => bytes[at] ^= 1 << bit,
        Edit::Write(_, letter) => bytes[at] = letter,
        Edit::Swap(_, other) => {
            let other = other.index(bytes.len());
            bytes.swap(at, other);
        }
        Edit::Repeat(_, _, times) => {
            let more = bytes[part].repeat(times);
            bytes.splice(at..at, more);
        }
        _ => drop(bytes.drain(part)),
    }
}
