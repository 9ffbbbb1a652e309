//! What `senpu replay stats` and `senpu replay check` say of a store. Changes nothing and needs no lock.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rules::{Reason, Side};
use selfplay::{BranchKind, GameRecord, PlyKind};
use serde::Serialize;

use super::ReplayError;
use super::entry::decode_frame;
use super::rescue::{self, Found};
use super::segment::{HeaderFault, Scan};
use crate::durable::DiskError;

/// What state a segment is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentState {
    /// Closed and whole.
    Closed,
    /// Open; its tail may be torn if no process has the store open.
    Open,
    /// It does not pass its checks; the next training start sets it aside.
    Damaged,
    /// Set aside earlier.
    Aside,
}

/// What is in one segment.
#[derive(Clone, Debug, Serialize)]
pub struct SegmentReport {
    /// The file.
    pub path: PathBuf,
    /// Its state.
    pub state: SegmentState,
    /// Its games that can be read.
    pub games: u64,
    /// Their positions: plies of full searches, each as often as it is learned from.
    pub positions: u64,
    /// The length of the file, in bytes.
    pub bytes: u64,
    /// What is wrong with it, with offsets in bytes.
    pub problems: Vec<String>,
    #[serde(skip)]
    tally: Tally,
}

/// What is in a store.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StoreReport {
    /// Its segments, in order; those set aside come last.
    pub segments: Vec<SegmentReport>,
    /// The games that can be read.
    pub games: u64,
    /// Their positions: plies of full searches, each as often as it is learned from.
    pub positions: u64,
    /// The length of all files, in bytes.
    pub bytes: u64,
    /// The games' endings.
    #[serde(flatten)]
    pub tally: Tally,
}

/// How games started, went and ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Plies of all games.
    pub plies: u64,
    /// Games won by the player who moves first.
    pub first_wins: u64,
    /// Games won by the player who moves second.
    pub second_wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games by the reason why they ended.
    pub endings: BTreeMap<Reason, u64>,
    /// Plies by how their moves came about.
    pub kinds: BTreeMap<PlyKind, u64>,
    /// Simulations of all searches.
    pub simulations: u64,
    /// Games that were played on after a resignation was noted.
    pub played_on: u64,
    /// Those of them that the player who would have resigned did not lose.
    pub false_resignations: u64,
    /// Games that started in an earlier one, by why.
    pub branched: BTreeMap<BranchKind, u64>,
}

/// Says what is wrong with a game, beyond what its bytes tell.
pub type Judge<'a> = &'a (dyn Fn(&GameRecord) -> Result<(), String> + Sync);

impl StoreReport {
    /// Returns the mean length of a game in plies, 0 without games.
    pub fn mean_plies(&self) -> f64 {
        self.tally.plies as f64 / self.games.max(1) as f64
    }

    /// Returns what is wrong, a line a problem, each naming its file.
    pub fn problems(&self) -> impl Iterator<Item = String> + '_ {
        (self.segments.iter()).flat_map(|segment| {
            let name = segment.path.display();
            (segment.problems.iter()).map(move |problem| format!("`{name}`: {problem}"))
        })
    }
}

/// Reads every byte of the store in `dir`, decodes every game, checks every checksum, and puts every game to `judge`, which says what is
/// wrong with it.
///
/// # Errors
/// If the directory cannot be listed or a file cannot be read. Damage is no error; it is in the report.
pub fn inspect(dir: &Path, judge: Judge<'_>) -> Result<StoreReport, ReplayError> {
    let mut files = Vec::new();
    for found in rescue::list(dir)? {
        match found {
            Found::Closed(_, path) => files.push((path, SegmentState::Closed)),
            Found::Open(_, path) | Found::Superseded(path) => {
                files.push((path, SegmentState::Open));
            }
            // With the others set aside.
            Found::Aside(..) => {}
        }
    }
    let aside = rescue::list_aside(dir)?;
    files.extend(aside.into_iter().map(|path| (path, SegmentState::Aside)));
    let segments = files
        .into_par_iter()
        .map(|(path, state)| inspect_segment(path, state, judge))
        .collect::<Result<Vec<_>, _>>()?;
    let mut report = StoreReport::default();
    for segment in &segments {
        report.bytes += segment.bytes;
        // The good games of a segment set aside are in the one that replaced it.
        if segment.state != SegmentState::Aside {
            report.games += segment.games;
            report.positions += segment.positions;
            report.tally.merge(&segment.tally);
        }
    }
    report.segments = segments;
    Ok(report)
}

fn inspect_segment(
    path: PathBuf,
    state: SegmentState,
    judge: Judge<'_>,
) -> Result<SegmentReport, ReplayError> {
    let file = fs::read(&path).map_err(DiskError::on("read", &path))?;
    let scan = Scan::new(&file);
    let mut report = SegmentReport {
        path,
        state,
        games: 0,
        positions: 0,
        bytes: file.len() as u64,
        problems: problems(&scan, state),
        tally: Tally::default(),
    };
    for frame in &scan.frames {
        match decode_frame(&file, frame) {
            Ok(entries) => {
                for entry in entries {
                    match entry.record() {
                        Ok(record) => {
                            report.games += 1;
                            report.positions += u64::from(entry.positions());
                            report.tally.add(&record);
                            report.problems.extend(judge(&record).err());
                        }
                        Err(reason) => report.undecodable(frame.offset, &reason),
                    }
                }
            }
            Err(reason) => report.undecodable(frame.offset, &reason),
        }
    }
    if state == SegmentState::Closed && !report.problems.is_empty() {
        report.state = SegmentState::Damaged;
    }
    Ok(report)
}

impl SegmentReport {
    fn undecodable(&mut self, offset: usize, reason: &impl ToString) {
        self.problems.push(format!(
            "a game of the frame at offset {offset} does not decode: {}",
            reason.to_string()
        ));
    }
}

fn problems(scan: &Scan, state: SegmentState) -> Vec<String> {
    let mut problems = Vec::new();
    if let Err(HeaderFault::Format(found)) = scan.header {
        problems.push(format!("format {found} is not one that this program knows"));
    }
    for bad in &scan.bad {
        problems.push(format!(
            "{} bytes at offset {} do not pass their checksum",
            bad.len(),
            bad.start
        ));
    }
    let closed = state == SegmentState::Closed;
    if closed && scan.footer.is_none() {
        problems.push(format!("no footer at its end, offset {}", scan.bytes));
    } else if closed && scan.bad.is_empty() && !scan.is_whole() {
        problems.push("its footer does not count what is in it".to_owned());
    }
    problems
}

impl Tally {
    fn add(&mut self, record: &GameRecord) {
        self.plies += record.moves.len() as u64;
        for ply in &record.plies {
            *self.kinds.entry(ply.kind).or_default() += 1;
            self.simulations += u64::from(ply.simulations);
        }
        if let Some(is_false) = record.false_resignation() {
            self.played_on += 1;
            self.false_resignations += u64::from(is_false);
        }
        if let Some(origin) = record.origin {
            *self.branched.entry(origin.kind).or_default() += 1;
        }
        let outcome = record.outcome;
        match outcome.winner {
            Some(Side::First) => self.first_wins += 1,
            Some(Side::Second) => self.second_wins += 1,
            None => self.draws += 1,
        }
        *self.endings.entry(outcome.reason).or_default() += 1;
    }

    fn merge(&mut self, other: &Self) {
        self.plies += other.plies;
        self.first_wins += other.first_wins;
        self.second_wins += other.second_wins;
        self.draws += other.draws;
        self.simulations += other.simulations;
        self.played_on += other.played_on;
        self.false_resignations += other.false_resignations;
        add_all(&mut self.endings, &other.endings);
        add_all(&mut self.kinds, &other.kinds);
        add_all(&mut self.branched, &other.branched);
    }
}

fn add_all<K: Copy + Ord>(sums: &mut BTreeMap<K, u64>, others: &BTreeMap<K, u64>) {
    for (&key, count) in others {
        *sums.entry(key).or_default() += count;
    }
}
