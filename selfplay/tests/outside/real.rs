//! Engines of others, which are skipped where they are missing.

use std::time::Duration;

use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Dialect, Variant};
use selfplay::arena::{Adjudication, Faults, MatchConfig, MatchResult};
use selfplay::players::{EngineLimit, OutsideConfig, OutsidePlayer, RandomPlayer};
use selfplay::{Arena, Player};

use crate::engines::{program, script};

/// By then the engine has mostly mated.
const PLIES: u32 = 60;

pub(crate) fn fairy(dialect: Dialect, limit: EngineLimit) -> Option<OutsideConfig> {
    let path = program("/usr/games/fairy-stockfish", "SENPU_FAIRY_STOCKFISH")?;
    Some(OutsideConfig {
        command: vec![path.into_os_string().into_string().unwrap()],
        dialect,
        limit,
        ..script("")
    })
}

/// Plays two pairs against random moves, each game to the end or for so many plies.
fn play<V: Variant>(config: OutsideConfig, concurrent: usize, plies: u32) -> MatchResult {
    let engine = OutsidePlayer::start::<V>(config).unwrap();
    let players: [&dyn Player<V>; 2] = [&engine, &RandomPlayer::new(1)];
    let arena = Arena::<V>::new(MatchConfig {
        pairs: 2,
        opening_plies: 5,
        concurrent,
        seed: 5,
        options: V::OPTIONS,
    })
    .with_adjudication(Adjudication {
        most_plies: Some(plies),
        ..Adjudication::default()
    });
    let result = arena.play(players, &mut |_| true).unwrap();
    assert_eq!(result.games.len(), 4);
    result
}

/// The engine beats random moves without a fault, by each protocol alike.
fn is_played<V: Variant>(dialects: &[Dialect]) {
    let mut games = Vec::new();
    for &dialect in dialects {
        let Some(config) = fairy(dialect, EngineLimit::Nodes(200)) else {
            return;
        };
        let result = play::<V>(config, 8, PLIES);
        assert_eq!(result.faults(), [Faults::default(); 2], "{dialect}");
        assert!(result.wdl()[0] >= 3, "{dialect}: {:?}", result.wdl());
        games.push(result.games);
    }
    assert!(games.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn fairy_stockfish_plays_shogi_by_each_protocol() {
    is_played::<Showgit>(&[Dialect::Usi, Dialect::Uci]);
}

#[test]
fn fairy_stockfish_plays_euroshogi_by_each_protocol() {
    is_played::<EuroShogi>(&[Dialect::Uci, Dialect::Usi]);
}

#[test]
fn fairy_stockfish_plays_xiangqi_by_each_protocol() {
    is_played::<Xiangqi>(&[Dialect::Uci, Dialect::Ucci, Dialect::Usi]);
}

#[test]
fn games_do_not_depend_on_which_go_on_together() {
    let play = |concurrent| {
        let config = fairy(Dialect::Uci, EngineLimit::Nodes(300))?;
        Some(play::<EuroShogi>(config, concurrent, PLIES).games)
    };
    assert_eq!(play(1), play(8));
}

#[test]
fn every_limit_is_understood() {
    let clock = EngineLimit::Clock {
        base: Duration::from_secs(10),
        increment: Duration::from_millis(10),
    };
    let limits = [
        EngineLimit::Depth(2),
        EngineLimit::MoveTime(Duration::from_millis(5)),
        clock,
    ];
    for limit in limits {
        for (dialect, hash) in [(Dialect::Usi, "Hash"), (Dialect::Uci, "hash")] {
            let Some(mut config) = fairy(dialect, limit) else {
                return;
            };
            config.options = vec![
                (hash.to_owned(), "1".to_owned()),
                ("Minimum Thinking Time".to_owned(), "0".to_owned()),
                ("Clear Hash".to_owned(), String::new()),
            ];
            let result = play::<Showgit>(config, 4, 12);
            assert_eq!(result.faults(), [Faults::default(); 2], "{limit:?}");
        }
        let Some(config) = fairy(Dialect::Ucci, limit) else {
            return;
        };
        let result = play::<Xiangqi>(config, 4, 12);
        assert_eq!(result.faults(), [Faults::default(); 2], "{limit:?}");
    }
}

pub(crate) fn gps(limit: EngineLimit) -> Option<OutsideConfig> {
    let path = program("/usr/games/gpsusi", "SENPU_GPSUSI")?;
    let options = [("LimitDepth", "4"), ("Thread", "1")];
    Some(OutsideConfig {
        command: vec![path.into_os_string().into_string().unwrap()],
        limit,
        options: options
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        ..script("")
    })
}

#[test]
fn gpsshogi_plays_at_its_lowest_depth() {
    let limit = EngineLimit::MoveTime(Duration::from_millis(100));
    let Some(config) = gps(limit) else { return };
    let result = play::<Showgit>(config, 4, PLIES);
    assert_eq!(result.faults(), [Faults::default(); 2]);
    assert!(result.wdl()[0] >= 3, "{:?}", result.wdl());
}

#[test]
fn an_engine_that_cannot_do_what_it_is_asked_loses_by_crashing() {
    // It ends itself at a limit that it doesn't know.
    let Some(config) = gps(EngineLimit::Nodes(100)) else {
        return;
    };
    let result = play::<Showgit>(config, 4, PLIES);
    assert_eq!(result.faults()[0].crashes, 4);
    let said = &result.games[0].forfeit.as_ref().unwrap().said;
    assert!(said.contains("unknown option in go nodes"), "{said}");
}
