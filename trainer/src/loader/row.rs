//! Rows of batches: made of a game's record, kept small while they wait, and laid out in a batch's arrays.

use anyhow::{Context, Result};
use model::{Batch, RowLists, Shape, Sights, Sizes, View};
use rayon::prelude::*;
use rules::{Game, MoveOf, Position, Variant, Wdl};
use selfplay::GameRecord;

use super::{Targets, moves_left_target, value_target};

/// A ply of a game to learn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pick {
    /// The ply.
    pub(crate) ply: usize,
    /// Whether it is shown mirrored, where the encoder knows how.
    pub(crate) mirrored: bool,
}

/// One row of a batch, without its place in it.
///
/// Planes are mostly long runs of one value, so that a row of shogi takes about a kilobyte where its planes alone would take 17.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The number of its game, and its ply.
    pub(crate) origin: (u64, usize),
    shown: Shown,
    wdl: Wdl,
    /// Plies to the end, or `None` where that says nothing.
    moves_left: Option<f32>,
}

/// What a net is shown of a row, by its family, and the policy that it is to learn.
#[derive(Clone, Debug)]
enum Shown {
    Planes {
        /// The planes as runs of equal values: where each run ends, and its value.
        runs: Box<[(u32, f32)]>,
        /// Each legal action with its target probability.
        policy: Box<[(u32, f32)]>,
    },
    Rows {
        /// Of one position.
        lists: RowLists,
        /// The target probability of each legal move.
        targets: Box<[f32]>,
    },
}

impl Row {
    /// Returns the bytes of memory that it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + match &self.shown {
                Shown::Planes { runs, policy } => size_of_val(&**runs) + size_of_val(&**policy),
                Shown::Rows { lists, targets } => lists.memory_bytes() + size_of_val(&**targets),
            }
    }
}

/// Makes rows of one game's records; keeps its buffers from one record to the next.
pub(crate) struct Maker<V: Variant> {
    view: View<V>,
    targets: Targets,
    legal: Vec<MoveOf<V>>,
    sights: Sights,
    runs: Vec<(u32, f32)>,
    /// The target probability of each legal move.
    policy: Vec<f32>,
}

impl<V: Variant> Maker<V> {
    pub(crate) fn new(view: View<V>, targets: Targets) -> Self {
        Self {
            view,
            targets,
            legal: Vec::new(),
            sights: Sights::default(),
            runs: Vec::new(),
            policy: Vec::new(),
        }
    }

    /// Makes a row of each of the given plies, which are in rising order, in one pass through the game.
    ///
    /// Records are checked in full when they are read for `replay check`; here debug builds check.
    ///
    /// # Errors
    /// If the record does not fit the game.
    pub(crate) fn rows(&mut self, record: &GameRecord, picks: &[Pick]) -> Result<Vec<Row>> {
        let name = || format!("game {} of the replay store", record.number);
        let mut game = record.start_game::<V>().with_context(name)?;
        let mut rows = Vec::with_capacity(picks.len());
        for &pick in picks {
            for &bits in &record.moves[game.ply()..pick.ply] {
                game.play(MoveOf::<V>::try_from(bits).with_context(name)?);
            }
            rows.push(self.row(record, &game, pick)?);
        }
        Ok(rows)
    }

    fn row(&mut self, record: &GameRecord, game: &Game<V>, pick: Pick) -> Result<Row> {
        let Pick { ply, mirrored } = pick;
        let position = game.position();
        self.policy(record, game, ply)?;
        self.sights.clear();
        self.view
            .show(game, &self.legal, mirrored, &mut self.sights);
        let share = self.targets.share(record.outcome.reason);
        Ok(Row {
            origin: (record.number, ply),
            shown: self.shown(),
            wdl: value_target(record, ply, position.side_to_move(), share),
            moves_left: moves_left_target(record, ply),
        })
    }

    /// Returns what is shown, as small as it gets.
    fn shown(&mut self) -> Shown {
        if self.sights.rows().is_empty() {
            shorten(self.sights.planes(), &mut self.runs);
            let actions = self.sights.actions().iter().copied();
            return Shown::Planes {
                runs: self.runs.as_slice().into(),
                policy: actions.zip(self.policy.iter().copied()).collect(),
            };
        }
        let mut lists = self.sights.rows().clone();
        lists.shrink_to_fit();
        Shown::Rows {
            lists,
            targets: self.policy.as_slice().into(),
        }
    }

    /// Lists the legal moves, and what the search made of each.
    fn policy(&mut self, record: &GameRecord, game: &Game<V>, ply: usize) -> Result<()> {
        game.legal_moves(&mut self.legal);
        self.policy.clear();
        self.policy.resize(self.legal.len(), 0.0);
        for edge in &record.plies[ply].edges {
            let entry = self.policy.get_mut(edge.index as usize);
            let entry = entry.with_context(|| {
                format!(
                    "game {}, ply {ply}: edge {} of {}",
                    record.number,
                    edge.index,
                    self.legal.len()
                )
            })?;
            *entry = edge.target;
        }
        Ok(())
    }
}

/// Lays rows out side by side, in their order.
pub(crate) fn make_batch(sizes: Sizes, rows: &[Row]) -> Batch {
    let mut batch = Batch::new(sizes, rows.len());
    match sizes {
        Sizes::Planes(shape) => lay_planes(shape, rows, &mut batch),
        Sizes::Rows(_) => lay_rows(rows, &mut batch),
    }
    for (at, row) in rows.iter().enumerate() {
        batch.wdl[at * 3..at * 3 + 3].copy_from_slice(&row.wdl.to_array());
        batch.moves_left[at] = row.moves_left.unwrap_or(0.0);
        batch.moves_left_weight[at] = f32::from(row.moves_left.is_some());
    }
    batch
}

fn lay_rows(rows: &[Row], batch: &mut Batch) {
    batch.rows.clear();
    for row in rows {
        if let Shown::Rows { lists, targets } = &row.shown {
            batch.rows.append(lists);
            batch.targets.extend_from_slice(targets);
        }
    }
}

fn lay_planes(shape: Shape, rows: &[Row], batch: &mut Batch) {
    let planes = batch.planes.par_chunks_exact_mut(shape.plane_len());
    let policies = batch.policy.par_chunks_exact_mut(shape.actions);
    let legals = batch.legal.par_chunks_exact_mut(shape.actions);
    let arrays = planes.zip(policies.zip(legals));
    rows.par_iter()
        .zip(arrays)
        .for_each(|(row, (planes, (policy, legal)))| {
            let Shown::Planes {
                runs,
                policy: moves,
            } = &row.shown
            else {
                return;
            };
            lengthen(runs, planes);
            for &(action, target) in moves {
                legal[action as usize] = 1.0;
                policy[action as usize] = target;
            }
        });
}

/// Replaces `runs` with the runs of equal values of `planes`.
fn shorten(planes: &[f32], runs: &mut Vec<(u32, f32)>) {
    runs.clear();
    let mut end = 0;
    // By bits, so that what is no number is kept as it is.
    for run in planes.chunk_by(|a, b| a.to_bits() == b.to_bits()) {
        end += run.len() as u32;
        runs.push((end, run[0]));
    }
}

/// Overwrites `planes` with what was shortened to `runs`.
fn lengthen(runs: &[(u32, f32)], planes: &mut [f32]) {
    let mut start = 0;
    for &(end, value) in runs {
        planes[start..end as usize].fill(value);
        start = end as usize;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::{BoardEncoder, Encoder, Features, PolicyMoves, SparseBoardEncoder, SparseEncoder};
    use rules::variants::showgit::Showgit;

    use super::*;
    use crate::commands::bench::loader::random_record;

    /// Several plies of a game at once, some of them mirrored, give the rows that each gives alone.
    #[test]
    fn one_pass_through_a_game_is_as_good_as_one_for_each_ply() {
        let encoder = BoardEncoder::<Showgit>::new();
        let shape = Encoder::<Showgit>::shape(&encoder);
        let targets = Targets {
            root_value_share: 0.25,
            capped_root_value_share: 0.5,
            mirror: true,
        };
        let view = View::Planes(Arc::new(encoder.clone()));
        let mut maker = Maker::<Showgit>::new(view, targets);
        for number in 0..3 {
            let record = random_record::<Showgit>(number, 90);
            let plies = (0..record.plies.len()).step_by(7);
            let picks: Vec<Pick> = plies
                .map(|ply| Pick {
                    ply,
                    mirrored: ply % 2 == 1,
                })
                .collect();
            let together = maker.rows(&record, &picks).unwrap();
            assert_eq!(together.len(), picks.len());
            let batch = make_batch(shape.into(), &together);
            for (at, pick) in picks.into_iter().enumerate() {
                let alone = maker.rows(&record, &[pick]).unwrap();
                assert_eq!(alone[0].origin, (number, pick.ply));
                // The encoder's own planes, without the detour through runs.
                let mut game = record.start_game::<Showgit>().unwrap();
                for &bits in &record.moves[..pick.ply] {
                    game.play(bits.try_into().unwrap());
                }
                let mut planes = vec![0.0; shape.plane_len()];
                encoder.encode(&game, &mut planes);
                if pick.mirrored {
                    shape.mirror_planes(&mut planes);
                }
                let alone = make_batch(shape.into(), &alone);
                assert!(alone.planes == planes, "ply {}", pick.ply);
                let row = |array: &[f32], width: usize| array[at * width..][..width].to_vec();
                assert!(row(&batch.planes, shape.plane_len()) == planes);
                assert!(row(&batch.policy, shape.actions) == alone.policy);
                assert!(row(&batch.legal, shape.actions) == alone.legal);
                assert_eq!(row(&batch.wdl, 3), alone.wdl);
                assert_eq!(
                    batch.moves_left[at].to_bits(),
                    alone.moves_left[0].to_bits()
                );
            }
        }
    }

    /// Rows of features go the same way, mirrored ones too.
    #[test]
    fn rows_of_features_are_those_of_the_encoder() {
        let encoder = SparseBoardEncoder::<Showgit>::new(Features::Threats, PolicyMoves::Exchange);
        let sizes = Sizes::Rows(encoder.shape());
        let targets = Targets {
            root_value_share: 0.25,
            capped_root_value_share: 0.5,
            mirror: true,
        };
        let view = View::Rows(Arc::new(encoder.clone()));
        let mut maker = Maker::<Showgit>::new(view, targets);
        let record = random_record::<Showgit>(1, 90);
        let picks =
            [(3, false), (40, true), (41, false)].map(|(ply, mirrored)| Pick { ply, mirrored });
        let rows = maker.rows(&record, &picks).unwrap();
        assert!(rows[0].memory_bytes() > size_of::<Row>() + 300);
        let batch = make_batch(sizes, &rows);
        assert_eq!((batch.rows.len(), batch.planes.len()), (3, 0));
        let mirror = encoder.mirror().unwrap();
        for (at, pick) in picks.into_iter().enumerate() {
            let mut game = record.start_game::<Showgit>().unwrap();
            for &bits in &record.moves[..pick.ply] {
                game.play(bits.try_into().unwrap());
            }
            let image = |rows: &mut Vec<u32>, map: &[u32]| {
                for row in rows.iter_mut().filter(|_| pick.mirrored) {
                    *row = map[*row as usize];
                }
            };
            let mut features = Vec::new();
            encoder.features(&game, &mut features);
            image(&mut features, &mirror.features);
            assert_eq!(batch.rows.features_of(at), features);
            let mut legal = Vec::new();
            game.legal_moves(&mut legal);
            assert_eq!(batch.rows.moves_of(at).len(), legal.len());
            for (number, mv) in batch.rows.moves_of(at).zip(&legal) {
                let mut moves = Vec::new();
                encoder.move_rows(game.position(), *mv, &mut moves);
                image(&mut moves, &mirror.moves);
                assert_eq!(batch.rows.rows_of(number), moves);
            }
            let sum: f32 = batch.targets[batch.rows.moves_of(at)].iter().sum();
            assert!((sum - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn planes_come_back_as_they_were() {
        let mut runs = Vec::new();
        for planes in [
            vec![],
            vec![0.25],
            vec![0.0, 0.0, -0.0, 1.0, 1.0, 0.0],
            vec![f32::NAN, f32::NAN, f32::INFINITY, 0.5],
        ] {
            shorten(&planes, &mut runs);
            let mut back = vec![9.0; planes.len()];
            lengthen(&runs, &mut back);
            let bits = |planes: &[f32]| planes.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&back), bits(&planes));
        }
        shorten(&[1.0; 100], &mut runs);
        assert_eq!(runs, [(100, 1.0)]);
    }
}
