//! The matches between the players of a run's ladder: a file that only grows, one match a line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use selfplay::arena::{Encounter, PairCounts};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::durable::{DiskError, Log, RealDisk};

/// A player of a ladder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Contestant {
    /// How it is written: a player of the command line, or `@GENERATION?sims=N` for a net of the run.
    pub(crate) name: String,
    /// The identity of its weights: nets of one name can differ, if a run was begun anew.
    pub(crate) weights: Option<String>,
}

/// A match as a line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RatedMatch {
    /// A player.
    pub(crate) first: Contestant,
    /// Its opponent.
    pub(crate) second: Contestant,
    /// The results of the first one in pairs.
    pub(crate) counts: PairCounts,
    /// What openings and random choices were drawn from.
    pub(crate) seed: u64,
    /// Rules and openings: matches under different conditions are not compared.
    pub(crate) conditions: Value,
}

/// The file of a ladder's matches.
pub(crate) struct RatedMatches {
    log: Log,
    conditions: Value,
    matches: Vec<RatedMatch>,
    /// Matches in the file, those under other conditions included.
    count: u64,
}

impl Contestant {
    /// Returns what tells it from all others.
    pub(crate) fn key(&self) -> String {
        match &self.weights {
            None => self.name.clone(),
            Some(weights) => format!("{} of weights {weights}", self.name),
        }
    }
}

impl RatedMatches {
    /// Opens the file, or makes it, and reads the matches under these conditions. A last line without its end is cut off with the next match;
    /// returns the numbers of other lines that are no matches, which stay and count for nothing.
    ///
    /// # Errors
    /// If the file cannot be read or made.
    pub(crate) fn open(path: &Path, conditions: Value) -> Result<(Self, Vec<usize>)> {
        if !path.exists() {
            let log = Log::create(&RealDisk, path, b"")?;
            return Ok((Self::new(log, conditions), Vec::new()));
        }
        let bytes = fs::read(path).map_err(DiskError::on("read", path))?;
        let end = bytes.iter().rposition(|&byte| byte == b'\n');
        let whole = &bytes[..end.map_or(0, |end| end + 1)];
        let log = Log::resume(path, whole.len() as u64);
        let mut file = Self::new(log, conditions);
        let mut wrong = Vec::new();
        for (at, line) in whole.split_inclusive(|&byte| byte == b'\n').enumerate() {
            match serde_json::from_slice::<RatedMatch>(line) {
                Ok(played) => file.take(played),
                Err(_) => wrong.push(at + 1),
            }
        }
        Ok((file, wrong))
    }

    const fn new(log: Log, conditions: Value) -> Self {
        Self {
            log,
            conditions,
            matches: Vec::new(),
            count: 0,
        }
    }

    fn take(&mut self, played: RatedMatch) {
        self.count += 1;
        if played.conditions == self.conditions {
            self.matches.push(played);
        }
    }

    /// Appends a match under the file's conditions: all of it counts or nothing.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn append(&mut self, played: RatedMatch) -> Result<()> {
        let line = serde_json::to_string(&played)? + "\n";
        self.log.append(&RealDisk, line.as_bytes())?;
        self.take(played);
        Ok(())
    }

    /// Returns the number of matches in the file.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the conditions that its new matches are played under.
    pub(crate) const fn conditions(&self) -> &Value {
        &self.conditions
    }

    /// Returns the number of matches under other conditions.
    pub(crate) const fn left_out(&self) -> u64 {
        self.count - self.matches.len() as u64
    }

    /// Returns the matches by the keys of their players.
    pub(crate) fn encounters(&self) -> Vec<Encounter> {
        let encounter = |played: &RatedMatch| Encounter {
            first: played.first.key(),
            second: played.second.key(),
            counts: played.counts,
        };
        self.matches.iter().map(encounter).collect()
    }

    /// Returns all that played, by their keys.
    pub(crate) fn contestants(&self) -> BTreeMap<String, Contestant> {
        self.matches
            .iter()
            .flat_map(|played| [&played.first, &played.second])
            .map(|contestant| (contestant.key(), contestant.clone()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn contestant(name: &str, weights: Option<&str>) -> Contestant {
        Contestant {
            name: name.to_owned(),
            weights: weights.map(str::to_owned),
        }
    }

    fn played(first: Contestant, plies: u32) -> RatedMatch {
        RatedMatch {
            first,
            second: contestant("random", None),
            counts: PairCounts([0, 1, 2, 3, 4]),
            seed: 7,
            conditions: json!({"opening_plies": plies}),
        }
    }

    #[test]
    fn matches_are_found_again_and_torn_lines_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ladder.jsonl");
        let open = || RatedMatches::open(&path, json!({"opening_plies": 6})).unwrap();
        let (mut file, _) = open();
        file.append(played(contestant("@3?sims=8", Some("aa")), 6))
            .unwrap();
        drop(file);
        let whole = fs::read_to_string(&path).unwrap();
        // A line that is no match, one under other conditions, and one whose writer was killed.
        let other = serde_json::to_string(&played(contestant("@4?sims=8", Some("bb")), 2)).unwrap();
        fs::write(&path, format!("{whole}nonsense\n{other}\n{}", &whole[..40])).unwrap();
        let (mut file, wrong) = open();
        assert_eq!((wrong, file.count(), file.left_out()), (vec![2], 2, 1));
        file.append(played(contestant("@3?sims=8", Some("cc")), 6))
            .unwrap();
        let (file, wrong) = open();
        assert_eq!((wrong, file.count(), file.left_out()), (vec![2], 3, 1));
        // Nets of one name and other weights are two players.
        let names: Vec<String> = file.contestants().into_keys().collect();
        assert_eq!(
            names,
            [
                "@3?sims=8 of weights aa",
                "@3?sims=8 of weights cc",
                "random"
            ]
        );
        assert_eq!(file.encounters()[0].counts, PairCounts([0, 1, 2, 3, 4]));
    }
}
