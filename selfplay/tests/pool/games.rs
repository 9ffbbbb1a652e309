//! Which games a pool plays: how they start, how they are searched, how they end.

use std::collections::BTreeMap;

use rules::variants::gufu::{Gufu, Position};
use rules::{Game, Outcome, Position as _, Reason, Side, Variant};
use selfplay::{
    BranchKind, GameRecord, PlyKind, PlyRecord, Pool, ResignationNote, RolloutEvaluator, RootKind,
    SelfplayConfig,
};

use crate::setup::{Collector, SELFPLAY, caps, everything, generation, search};

fn pool(config: &SelfplayConfig) -> Pool<Gufu> {
    Pool::new(Gufu::OPTIONS, config.clone(), search(RootKind::Gumbel), 5)
}

/// Plays some generations with an evaluator that tells positions apart, and checks every game by the rules.
fn play(pool: &mut Pool<Gufu>, generations: u64) -> Vec<GameRecord> {
    let mut collector = Collector::default();
    for checkpoint in 0..generations {
        let mut evaluator = RolloutEvaluator::new(7);
        pool.play(&mut evaluator, checkpoint, &mut collector)
            .unwrap()
            .unwrap();
    }
    collector.records.sort_by_key(|record| record.number);
    for record in &collector.records {
        record.replay::<Gufu>().unwrap();
        assert_eq!(record.plies.len(), record.moves.len());
    }
    collector.records
}

fn plies(records: &[GameRecord], kind: PlyKind) -> Vec<&PlyRecord> {
    let all = records.iter().flat_map(|record| &record.plies);
    all.filter(|ply| ply.kind == kind).collect()
}

/// Returns the number of first plies of a kind.
fn leading(record: &GameRecord, kind: PlyKind) -> usize {
    let plies = record.plies.iter();
    plies.take_while(|ply| ply.kind == kind).count()
}

#[test]
fn a_share_of_searches_is_full_and_only_those_have_targets() {
    let mut config = SELFPLAY;
    config.caps.stages = vec![caps(10, 0.25)];
    let mut pool = pool(&config);
    let records = play(&mut pool, 8);
    let (full, fast) = (
        plies(&records, PlyKind::Searched),
        plies(&records, PlyKind::Fast),
    );
    let share = full.len() as f64 / (full.len() + fast.len()) as f64;
    assert!((share - 0.25).abs() < 0.03, "{share}");
    let most = |plies: &[&PlyRecord]| plies.iter().map(|ply| ply.simulations).max();
    assert_eq!((most(&full), most(&fast)), (Some(10), Some(4)));
    assert!(
        full.iter()
            .all(|ply| ply.copies == 1 && !ply.edges.is_empty())
    );
    assert!(
        fast.iter()
            .all(|ply| ply.copies == 0 && ply.edges.is_empty())
    );
    // Another stage holds for every search from then on.
    pool.set_stage(caps(30, 1.0));
    let (mut records, _) = generation(&mut pool, 100);
    records.retain(|record| record.checkpoints[0].1 == 100);
    assert_eq!(plies(&records, PlyKind::Fast).len(), 0);
    assert_eq!(most(&plies(&records, PlyKind::Searched)), Some(30));
}

#[test]
fn openings_follow_the_policy_of_the_net() {
    let mut config = SELFPLAY;
    config.openings.random_share = 0.0;
    config.openings.policy_share = 1.0;
    config.openings.policy_plies = 6;
    let records = play(&mut pool(&config), 4);
    let lengths: BTreeMap<usize, usize> =
        records.iter().fold(BTreeMap::new(), |mut all, record| {
            *all.entry(leading(record, PlyKind::Policy)).or_default() += 1;
            all
        });
    assert_eq!(
        lengths.keys().copied().collect::<Vec<_>>(),
        [0, 1, 2, 3, 4, 5, 6]
    );
    for record in &records {
        let opening = leading(record, PlyKind::Policy);
        assert!(
            record.plies[opening..]
                .iter()
                .all(|ply| ply.kind == PlyKind::Searched)
        );
        assert!(opening < record.plies.len(), "no opening ends a game");
        assert!(record.plies[..opening].iter().all(|ply| ply.copies == 0));
    }
    // With temperature 0 and an evaluator that knows nothing the same moves come first in every game.
    config.openings.policy_temperature = 0.0;
    let (cold, _) = generation(&mut pool(&config), 1);
    let first =
        |record: &GameRecord| (leading(record, PlyKind::Policy) > 0).then(|| record.moves[0]);
    let mut firsts: Vec<u16> = cold.iter().filter_map(first).collect();
    firsts.dedup();
    assert_eq!(firsts.len(), 1);
}

#[test]
fn the_first_games_are_staggered() {
    let mut config = SELFPLAY;
    config.openings.random_share = 0.0;
    config.openings.stagger_plies = 25;
    let states = pool(&config).state();
    let opened = states.iter().filter(|state| !state.moves.is_empty());
    assert!(opened.count() > 20);
    assert!(states.iter().all(|state| state.moves.len() <= 25));
    let records = play(&mut pool(&config), 2);
    let is_first = |record: &&GameRecord| record.number < 24;
    assert!(records.iter().filter(|record| !is_first(record)).count() > 10);
    for record in records.iter().filter(|record| !is_first(record)) {
        assert_eq!(leading(record, PlyKind::Random), 0);
    }
}

#[test]
fn a_share_of_games_starts_from_given_positions() {
    let mut game = Game::<Gufu>::new(Gufu::OPTIONS);
    let mut legal = Vec::new();
    let mut starts: Vec<Position> = Vec::new();
    for _ in 0..3 {
        game.legal_moves(&mut legal);
        game.play(legal[0]);
        starts.push(*game.position());
    }
    let mut config = SELFPLAY;
    config.openings.file_share = 0.4;
    let pool = || pool(&config).with_starts(starts.clone());
    let records = play(&mut pool(), 8);
    let texts: Vec<String> = starts.iter().map(ToString::to_string).collect();
    let from_file = records
        .iter()
        .filter(|record| texts.contains(&record.start));
    let share = from_file.count() as f64 / records.len() as f64;
    assert!((share - 0.4).abs() < 0.1, "{share} of {}", records.len());
    let initial = Position::initial().to_string();
    assert!(
        records
            .iter()
            .all(|record| record.start == initial || texts.contains(&record.start))
    );
    // They are stored with the unfinished games.
    let mut whole = pool();
    generation(&mut whole, 1);
    let mut restored = pool().restore(whole.state()).unwrap();
    assert_eq!(generation(&mut restored, 2), generation(&mut whole, 2));
}

fn disagreement(ply: &PlyRecord) -> f32 {
    ply.surprise + (ply.root.value() - ply.raw.value()).abs()
}

#[test]
fn forks_play_another_move_where_the_search_disagreed_most() {
    let mut config = SELFPLAY;
    config.openings.random_share = 0.0;
    config.forks.share = 0.5;
    let records = play(&mut pool(&config), 6);
    let by_number: BTreeMap<u64, &GameRecord> = records
        .iter()
        .map(|record| (record.number, record))
        .collect();
    let mut forks = 0;
    for record in &records {
        let Some(origin) = record.origin else {
            continue;
        };
        let (parent, ply) = (by_number[&origin.game], origin.ply as usize);
        assert_eq!(origin.kind, BranchKind::Fork);
        assert_eq!((record.number - parent.number) % 24, 0, "of the same slot");
        assert_eq!(record.start, parent.start);
        assert_eq!(record.moves[..ply], parent.moves[..ply]);
        assert_ne!(record.moves[ply], parent.moves[ply]);
        assert_eq!(leading(record, PlyKind::Forked), ply + 1);
        assert!(record.plies[..=ply].iter().all(|ply| ply.copies == 0));
        let searched = parent
            .plies
            .iter()
            .filter(|ply| ply.kind == PlyKind::Searched);
        let with_others =
            searched.filter(|ply| ply.edges.iter().filter(|edge| edge.target > 0.0).count() > 1);
        let most = with_others.map(disagreement).fold(0.0, f32::max);
        assert!((disagreement(&parent.plies[ply]) - most).abs() < 1e-6);
        forks += 1;
    }
    let share = f64::from(forks) / records.len() as f64;
    assert!((0.25..0.6).contains(&share), "{share} of {}", records.len());
}

#[test]
fn restarts_play_again_where_the_outcome_contradicted_the_search() {
    let mut config = SELFPLAY;
    config.openings.random_share = 0.0;
    config.exploratory_regret = 2.0;
    config.forks.restart_share = 0.5;
    let records = play(&mut pool(&config), 6);
    let by_number: BTreeMap<u64, &GameRecord> = records
        .iter()
        .map(|record| (record.number, record))
        .collect();
    let mut restarts = 0;
    for record in &records {
        let Some(origin) = record.origin else {
            continue;
        };
        let (parent, ply) = (by_number[&origin.game], origin.ply as usize);
        assert_eq!(origin.kind, BranchKind::Restart);
        assert_eq!(record.moves[..ply], parent.moves[..ply]);
        assert_eq!(leading(record, PlyKind::Forked), ply);
        let regret = |at: usize| {
            let mover = [Side::First, Side::Second][at % 2];
            (parent.outcome.wdl(mover).value() - parent.plies[at].root.value()).abs()
        };
        let first = leading(parent, PlyKind::Forked);
        let most = (first..parent.plies.len()).map(regret).fold(0.0, f32::max);
        assert!((regret(ply) - most).abs() < 1e-6 && most >= 0.5);
        restarts += 1;
    }
    assert!(restarts > 10, "{restarts} of {}", records.len());
}

#[test]
fn resignations_end_games_or_are_noted() {
    let mut config = SELFPLAY;
    config.resign.plies = 1;
    config.resign.threshold = -0.3;
    config.resign.play_on_share = 0.0;
    let records = play(&mut pool(&config), 4);
    let resigned = |record: &&GameRecord| record.outcome.reason == Reason::Resignation;
    assert!(records.iter().filter(resigned).count() > 20);
    for record in &records {
        let ended = record.outcome.reason == Reason::Resignation;
        assert_eq!(record.resigned.is_some(), ended, "{:?}", record.outcome);
        assert_eq!(record.false_resignation(), None);
        if let Some(note) = record.resigned {
            assert_eq!(record.outcome.winner, Some(note.side.other()));
            assert_eq!(note.ply as usize, record.moves.len());
        }
    }
    config.resign.play_on_share = 1.0;
    let played_on = play(&mut pool(&config), 4);
    assert_eq!(played_on.iter().filter(resigned).count(), 0);
    let noted: Vec<_> = played_on
        .iter()
        .filter(|record| record.resigned.is_some())
        .collect();
    assert!(noted.len() > 20);
    let wrong = noted
        .iter()
        .filter(|record| record.false_resignation() == Some(true));
    assert!(wrong.count() > 0, "rollouts are often wrong");
    for record in noted {
        let note = record.resigned.unwrap();
        assert!((note.ply as usize) < record.moves.len());
        assert!(record.false_resignation().is_some());
    }
}

#[test]
fn a_resignation_is_false_if_that_player_did_not_lose() {
    let mut record = play(&mut pool(&SELFPLAY), 1).remove(0);
    let mut judge = |side, outcome| {
        record.resigned = Some(ResignationNote { side, ply: 2 });
        record.outcome = outcome;
        record.false_resignation()
    };
    let lost = Outcome::win(Side::Second, Reason::Checkmate);
    assert_eq!(judge(Side::First, lost), Some(false));
    assert_eq!(judge(Side::Second, lost), Some(true));
    let drawn = Outcome::draw(Reason::Repetition);
    assert_eq!(judge(Side::First, drawn), Some(true));
    let resigned = Outcome::win(Side::Second, Reason::Resignation);
    assert_eq!(judge(Side::First, resigned), None);
    record.resigned = None;
    assert_eq!(record.false_resignation(), None);
}

#[test]
fn a_record_that_stops_early_needs_a_player_who_gave_up() {
    let mut record = play(&mut pool(&SELFPLAY), 1).remove(0);
    record.moves.pop();
    record.plies.pop();
    let said = record.replay::<Gufu>().unwrap_err().to_string();
    assert!(said.contains("does not end with its last move"), "{said}");
    record.outcome = Outcome::win(Side::First, Reason::Resignation);
    record.replay::<Gufu>().unwrap();
}

#[test]
fn surprising_positions_are_copied_and_the_sum_stays() {
    let mut config = SELFPLAY;
    config.surprise.policy = 0.5;
    config.surprise.value = 0.3;
    config.surprise.most_copies = 50;
    let records = play(&mut pool(&config), 6);
    let full = plies(&records, PlyKind::Searched);
    let copies: f64 = full.iter().map(|ply| f64::from(ply.copies)).sum();
    let mean = copies / full.len() as f64;
    assert!((mean - 1.0).abs() < 0.03, "{mean}");
    let surprise = |wanted: &dyn Fn(u8) -> bool| {
        let chosen = full.iter().filter(|ply| wanted(ply.copies));
        let surprises: Vec<f32> = chosen.map(|ply| ply.surprise).collect();
        surprises.iter().sum::<f32>() / surprises.len() as f32
    };
    assert!(surprise(&|copies| copies > 1) > surprise(&|copies| copies < 1));
}

#[test]
fn everything_together_leaves_right_games() {
    let records = play(&mut pool(&everything()), 6);
    for kind in PlyKind::ALL {
        assert!(!plies(&records, kind).is_empty(), "{}", kind.name());
    }
}
