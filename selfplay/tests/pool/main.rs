//! Self-play and matches on gufu.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod games;
mod setup;

use std::sync::Arc;

use rules::solver::Solution;
use rules::variants::gufu::Gufu;
use rules::{Game, Position as _, Variant};
use selfplay::arena::strength;
use selfplay::players::{
    AlphaBeta, AlphaBetaConfig, ExactPlayer, Limits, RandomPlayer, SearchPlayer,
};
use selfplay::{
    GameNotes, GameRecord, MatchConfig, PlyKind, Pool, Reservoir, RootKind, SlotState,
    UniformEvaluator, play_match,
};
use setup::{Collector, SELFPLAY, everything, generation, on_threads, pool, search};

#[test]
fn records_replay_and_carry_what_was_searched() {
    for root in [RootKind::Gumbel, RootKind::Puct] {
        let mut pool = pool(root);
        let (first, report) = generation(&mut pool, 1);
        assert_eq!(
            report.plies,
            24 * 40,
            "a fixed number of plies in every slot"
        );
        assert_eq!(report.games as usize, first.len());
        let (second, _) = generation(&mut pool, 2);
        for record in first.iter().chain(&second) {
            let end = record.replay::<Gufu>().unwrap();
            let mut legal = Vec::new();
            end.legal_moves(&mut legal);
            assert_eq!(end.outcome(&legal), Some(record.outcome));
            for ply in record
                .plies
                .iter()
                .filter(|ply| ply.kind == PlyKind::Searched)
            {
                let target: f32 = ply.edges.iter().map(|edge| edge.target).sum();
                assert!((target - 1.0).abs() < 1e-4, "{ply:?}");
                assert!(
                    (ply.root.win + ply.root.draw + ply.root.loss - 1.0).abs() < 1e-4,
                    "{ply:?}"
                );
            }
        }
        assert!(
            second.iter().any(|record| record.checkpoints.len() == 2),
            "some game spans both generations"
        );
        let random = |record: &GameRecord| {
            record
                .plies
                .iter()
                .take_while(|ply| ply.kind == PlyKind::Random)
                .count()
        };
        let opened = first
            .iter()
            .chain(&second)
            .filter(|record| random(record) > 0)
            .count();
        assert!(opened > 0 && opened < first.len() + second.len());
        assert!(
            first
                .iter()
                .chain(&second)
                .all(|record| random(record) <= 30)
        );
    }
}

#[test]
fn a_restored_pool_plays_on_alike() {
    for root in [RootKind::Gumbel, RootKind::Puct] {
        for config in [SELFPLAY, everything()] {
            let pool = || Pool::<Gufu>::new(Gufu::OPTIONS, config.clone(), search(root), 5);
            let mut whole = pool();
            generation(&mut whole, 1);
            let bytes = postcard::to_stdvec(&whole.state()).unwrap();
            let states: Vec<SlotState> = postcard::from_bytes(&bytes).unwrap();
            let mut restored = pool().restore(states).unwrap();
            assert_eq!(generation(&mut whole, 2), generation(&mut restored, 2));
            assert_eq!(whole.state(), restored.state());
        }
    }
}

#[test]
fn a_foreign_state_is_refused() {
    let mut states = pool(RootKind::Gumbel).state();
    states.pop();
    let error = pool(RootKind::Gumbel).restore(states.clone()).unwrap_err();
    assert!(error.contains("selfplay.games = 24"), "{error}");
    states.push(SlotState {
        options: Gufu::OPTIONS,
        start: <Gufu as Variant>::Position::initial().to_string(),
        moves: vec![0, 0],
        notes: GameNotes::default(),
        reservoir: Reservoir::default(),
    });
    let error = pool(RootKind::Gumbel).restore(states).unwrap_err();
    assert!(error.contains("not legal"), "{error}");
}

#[test]
fn games_do_not_depend_on_threads() {
    let play = || {
        let search = search(RootKind::Gumbel);
        let mut pool = Pool::<Gufu>::new(Gufu::OPTIONS, everything(), search, 5);
        (generation(&mut pool, 1), pool.state())
    };
    assert_eq!(on_threads(1, play), on_threads(2, play));
}

#[test]
fn games_under_way_keep_their_cap() {
    let short = rules::RuleOptions {
        ply_cap: 40,
        ..Gufu::OPTIONS
    };
    let mut pool = Pool::<Gufu>::new(short, SELFPLAY, search(RootKind::Gumbel), 5);
    pool.set_options(Gufu::OPTIONS);
    let mut restored = Pool::<Gufu>::new(Gufu::OPTIONS, SELFPLAY, search(RootKind::Gumbel), 5)
        .restore(pool.state())
        .unwrap();
    let (records, _) = generation(&mut pool, 1);
    let cap = |record: &GameRecord| record.options.ply_cap;
    assert!(
        records
            .iter()
            .all(|record| cap(record) == if record.number < 24 { 40 } else { 200 })
    );
    assert!(
        records
            .iter()
            .any(|record| cap(record) == 40 && record.moves.len() == 40)
    );
    assert_eq!(generation(&mut restored, 1).0, records);
}

#[test]
fn openings_longer_than_a_game_have_an_end() {
    let options = rules::RuleOptions {
        ply_cap: 6,
        ..Gufu::OPTIONS
    };
    let mut pool = Pool::<Gufu>::new(options, SELFPLAY, search(RootKind::Gumbel), 5);
    let (records, _) = generation(&mut pool, 1);
    assert!(records.iter().all(|record| record.moves.len() <= 6));
    let config = MatchConfig {
        options,
        ..match_config(3, 50)
    };
    let result = play_match::<Gufu>(
        &mut RandomPlayer::new(1),
        &mut RandomPlayer::new(2),
        &config,
        &mut |_| true,
    )
    .unwrap();
    assert_eq!(result.games.len(), 6);
}

#[test]
fn an_observer_can_abandon_a_generation() {
    let mut pool = pool(RootKind::Gumbel);
    let mut collector = Collector {
        stop_after: Some(3),
        ..Collector::default()
    };
    assert_eq!(
        pool.play(&mut UniformEvaluator, 1, &mut collector).unwrap(),
        None
    );
}

fn match_config(pairs: u32, opening_plies: u32) -> MatchConfig {
    MatchConfig {
        pairs,
        opening_plies,
        concurrent: 64,
        seed: 11,
        options: Gufu::OPTIONS,
    }
}

#[test]
fn the_exact_player_never_loses_and_beats_random() {
    let solution = Arc::new(Solution::<Gufu>::new());
    let mut exact = ExactPlayer::new(solution.clone(), 1);
    let mut random = RandomPlayer::new(2);
    let mut seen = 0;
    let mut count = |_: &selfplay::MatchGame| {
        seen += 1;
        true
    };
    let result = play_match(&mut exact, &mut random, &match_config(100, 0), &mut count).unwrap();
    let [wins, draws, losses] = result.wdl();
    assert_eq!((wins + draws + losses, losses), (200, 0));
    assert!(wins > 150, "{wins} wins");
    assert_eq!(seen, 200);
    assert_eq!(result.tally().pairs.pairs(), 100);
    assert!(result.distinct_games() > 190);
    assert_eq!(result.distinct_openings(), 1);
    // Two exact players always draw from the start, which is a draw.
    let mut other = ExactPlayer::new(solution, 3);
    let drawn = play_match(&mut exact, &mut other, &match_config(20, 0), &mut |_| true).unwrap();
    assert_eq!(drawn.wdl(), [0, 40, 0]);
}

#[test]
fn both_games_of_a_pair_share_their_opening_and_swap_colours() {
    let (mut a, mut b) = (RandomPlayer::new(1), RandomPlayer::new(2));
    let result = play_match::<Gufu>(&mut a, &mut b, &match_config(50, 6), &mut |_| true).unwrap();
    for pair in result.games.chunks_exact(2) {
        assert_eq!(pair[0].moves[..6], pair[1].moves[..6]);
        assert_eq!(pair[0].side_of_a(), pair[1].side_of_a().other());
    }
    assert!(result.distinct_openings() > 40);
}

#[test]
fn baselines_rank_as_they_should() {
    let solution = Arc::new(Solution::<Gufu>::new());
    let mut alphabeta = AlphaBeta::new(AlphaBetaConfig::new(Limits::depth(3)), 1);
    let result = play_match::<Gufu>(
        &mut alphabeta,
        &mut RandomPlayer::new(2),
        &match_config(50, 4),
        &mut |_| true,
    )
    .unwrap();
    assert!(
        strength(&result.tally().pairs).elo.low > Some(100.0),
        "{:?}",
        result.wdl()
    );
    // A depth of 3 sees every forced win of the game, the longest of which takes 3 plies.
    let mut exact = ExactPlayer::new(solution.clone(), 4);
    let mut search = SearchPlayer::new(Box::new(UniformEvaluator), search(RootKind::Puct), 0.0, 5);
    let weak = play_match(&mut search, &mut exact, &match_config(30, 4), &mut |_| true).unwrap();
    let strong = play_match(
        &mut alphabeta,
        &mut exact,
        &match_config(30, 4),
        &mut |_| true,
    )
    .unwrap();
    let score = |result: &selfplay::MatchResult| result.tally().pairs.score().unwrap();
    assert!(
        score(&strong) > score(&weak),
        "{:?} {:?}",
        strong.wdl(),
        weak.wdl()
    );
}

#[test]
fn matches_do_not_depend_on_how_many_games_go_on_at_once() {
    let play = |concurrent| {
        let mut a = SearchPlayer::new(Box::new(UniformEvaluator), search(RootKind::Gumbel), 1.0, 5);
        let mut b = AlphaBeta::new(AlphaBetaConfig::new(Limits::depth(2)), 6);
        let config = MatchConfig {
            concurrent,
            ..match_config(12, 2)
        };
        play_match::<Gufu>(&mut a, &mut b, &config, &mut |_| true).unwrap()
    };
    assert_eq!(play(1), play(64));
}

#[test]
fn a_game_starts_where_its_record_says() {
    let mut pool = pool(RootKind::Gumbel);
    let (records, _) = generation(&mut pool, 1);
    let record = &records[0];
    assert_eq!(
        record.start,
        <Gufu as Variant>::Position::initial().to_string()
    );
    let game: Game<Gufu> = record.start_game().unwrap();
    assert_eq!(game.ply(), 0);
    let mut broken = record.clone();
    broken.moves[0] = 0xffff;
    assert!(broken.replay::<Gufu>().is_err());
    broken = record.clone();
    broken.rules_version += 1;
    assert!(
        broken
            .replay::<Gufu>()
            .unwrap_err()
            .to_string()
            .contains("rules version")
    );
}
