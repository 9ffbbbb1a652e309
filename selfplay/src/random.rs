//! Random streams that depend on the run's seed and on what they are for, never on threads, batches or slots.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// What a stream of random numbers is used for: streams of different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Whether and for how long a game starts with random plies.
    Opening = 1,
    /// The noise of one search and the choice of its move.
    Search = 2,
    /// A rollout from one position.
    Rollout = 3,
    /// The choices of a player in a match.
    Player = 4,
    /// Which positions of the replay buffer make up a batch.
    Batch = 5,
    /// Which positions are examined.
    Sample = 6,
    /// Which positions of a batch are mirrored.
    Mirror = 7,
    /// Whether a search is full or fast.
    Budget = 8,
    /// Whether and where a game starts within an earlier one.
    Branch = 9,
    /// Whether a game is played on after a resignation.
    Resign = 10,
    /// How often a surprising position is learned from.
    Surprise = 11,
    /// Which move an opening takes from the net's policy.
    Policy = 12,
    /// Which results of a match are drawn anew for an interval.
    Resample = 13,
    /// Which games are held out from learning, and which positions nets that learn are measured on.
    HeldOut = 14,
    /// Which positions show what limits a run.
    Limit = 15,
}

/// Returns the stream of `purpose` for the `number`-th game (or step) of the run `seed`, at `ply`.
///
/// `ChaCha8` with the four numbers as its key: portable, and no state needs to be saved to go on where a run stopped.
pub fn stream(seed: u64, purpose: Purpose, number: u64, ply: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (bytes, word) in key
        .chunks_exact_mut(8)
        .zip([seed, number, ply, purpose as u64])
    {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn every_part_of_the_key_makes_another_stream() {
        let first = |mut rng: ChaCha8Rng| rng.next_u64();
        let base = first(stream(1, Purpose::Search, 2, 3));
        assert_eq!(base, first(stream(1, Purpose::Search, 2, 3)));
        for other in [
            stream(0, Purpose::Search, 2, 3),
            stream(1, Purpose::Opening, 2, 3),
            stream(1, Purpose::Search, 3, 3),
            stream(1, Purpose::Search, 2, 4),
        ] {
            assert_ne!(base, first(other));
        }
    }
}
