//! What stops a run before it does harm: a full disk, and numbers that are none; and from when on the way games end is a reason to warn.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use schemars::JsonSchema;
use selfplay::{GameRecord, PlyKind};
use serde::{Deserialize, Serialize};

/// When a run warns or stops by itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuardConfig {
    /// Seconds without a step of play, learning or evaluation after which a warning names what is stuck.
    pub(crate) stall_seconds: f64,
    /// Megabytes that must be free on the run directory's disk for a generation to begin; 0 never stops.
    pub(crate) min_free_megabytes: u64,
    /// The newest games, at most those of the replay window, whose endings are held against the limits below; a limit that is crossed is warned of
    /// once, until it is kept again.
    pub(crate) alarm_games: usize,
    /// The share of these games, in `[0, 1]`, that may be drawn; 1: never warns.
    pub(crate) most_draws: f64,
    /// The share of these games, in `[0, 1]`, that may end at the ply cap; 1: never warns.
    pub(crate) most_capped: f64,
    /// The share of those of these games that were played on after a resignation, in `[0, 1]`, in which the player who would have resigned may not
    /// lose; 1: never warns.
    pub(crate) most_false_resignations: f64,
}

impl GuardConfig {
    /// Checks that every value is in its range.
    ///
    /// # Errors
    /// Names the field, its value and what would be right.
    pub(crate) fn validate(&self) -> Result<(), String> {
        if !(0.1..=1e6).contains(&self.stall_seconds) {
            return Err(format!(
                "stall_seconds = {}: must be from 0.1 to 1000000",
                self.stall_seconds
            ));
        }
        if !(1..=1_000_000).contains(&self.alarm_games) {
            return Err(format!(
                "alarm_games = {}: must be from 1 to 1000000",
                self.alarm_games
            ));
        }
        let shares = [
            ("most_draws", self.most_draws),
            ("most_capped", self.most_capped),
            ("most_false_resignations", self.most_false_resignations),
        ];
        match shares
            .into_iter()
            .find(|(_, share)| !(0.0..=1.0).contains(share))
        {
            Some((name, share)) => Err(format!("{name} = {share}: must be from 0 to 1")),
            None => Ok(()),
        }
    }
}

/// Refuses to begin a generation on a disk that is nearly full.
///
/// # Errors
/// If less is free than the config asks for. Nothing is lost: run again when there is room.
pub(crate) fn check_free_space(config: GuardConfig, dir: &Path) -> Result<()> {
    let free = free_bytes(dir)? / 1_000_000;
    ensure!(
        free >= config.min_free_megabytes,
        "only {free} MB are free where `{}` is, and guard.min_free_megabytes = {}: make room, let [retention] keep less, or lower the \
         limit, and run the same command again; nothing was lost",
        dir.display(),
        config.min_free_megabytes
    );
    Ok(())
}

/// Returns the bytes that a program may still write to the disk that `dir` is on.
pub(crate) fn free_bytes(dir: &Path) -> Result<u64> {
    let disk = rustix::fs::statvfs(dir)
        .with_context(|| format!("cannot ask how much is free where `{}` is", dir.display()))?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Refuses games that hold a number which is none, before they are stored.
///
/// # Errors
/// Names the game and the ply.
pub(crate) fn check_records(records: &[GameRecord]) -> Result<()> {
    for record in records {
        for (ply, searched) in record
            .plies
            .iter()
            .enumerate()
            .filter(|(_, ply)| ply.kind.is_search() || ply.kind == PlyKind::Policy)
        {
            let values = [searched.root, searched.raw]
                .map(rules::Wdl::to_array)
                .concat();
            let finite = values
                .iter()
                .chain(searched.edges.iter().map(|edge| &edge.target))
                .chain([&searched.surprise])
                .all(|value| value.is_finite());
            ensure!(
                finite,
                "game {}, ply {ply}: the search gave a value or policy that is not finite ({:?}); the generation was not stored",
                record.number,
                searched.root
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rules::variants::gufu::Gufu;
    use rules::{Outcome, Reason, Variant, VariantId, Wdl};
    use selfplay::{EdgeRecord, PlyRecord};

    use super::*;

    #[test]
    fn a_game_with_a_number_that_is_none_is_named() {
        let ply = |target| PlyRecord {
            simulations: 1,
            copies: 1,
            edges: vec![EdgeRecord {
                index: 0,
                visits: 1,
                target,
            }],
            ..PlyRecord::unsearched(PlyKind::Searched)
        };
        let mut record = GameRecord {
            variant: VariantId::Gufu,
            rules_version: 1,
            options: Gufu::OPTIONS,
            seed: 0,
            number: 42,
            start: String::new(),
            moves: vec![0; 3],
            plies: vec![PlyRecord::unsearched(PlyKind::Random), ply(1.0), ply(1.0)],
            outcome: Outcome::draw(Reason::PlyCap),
            checkpoints: Vec::new(),
            resigned: None,
            origin: None,
        };
        check_records(std::slice::from_ref(&record)).unwrap();
        record.plies[2].edges[0].target = f32::NAN;
        let said = check_records(&[record.clone()]).unwrap_err().to_string();
        assert!(said.contains("game 42, ply 2"), "{said}");
        record.plies[2].edges[0].target = 1.0;
        record.plies[1].root.win = f32::INFINITY;
        assert!(check_records(std::slice::from_ref(&record)).is_err());
        record.plies[1].root = Wdl::DRAW;
        check_records(std::slice::from_ref(&record)).unwrap();
        record.plies[1].surprise = f32::NAN;
        assert!(check_records(&[record]).is_err());
    }
}
