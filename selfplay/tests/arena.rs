//! Matches: openings, adjudication, matches that go on, and threads that change nothing.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use rules::solver::Solution;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::{Game, MoveOf, Reason, Variant, Wdl};
use selfplay::arena::{Adjudication, Balance, Openings, Threshold};
use selfplay::players::{AlphaBeta, AlphaBetaConfig, ExactPlayer, Limits, RandomPlayer};
use selfplay::{
    Act, Arena, Choice, EvaluatorError, Fault, Forfeit, MatchConfig, MatchGame, MatchResult,
    Player, Turn, UniformEvaluator,
};

fn config<V: Variant>(pairs: u32, opening_plies: u32) -> MatchConfig {
    MatchConfig {
        pairs,
        opening_plies,
        concurrent: 16,
        seed: 11,
        options: V::OPTIONS,
    }
}

/// Plays between two random players.
fn random<V: Variant>(arena: Arena<V>) -> MatchResult {
    let players: [&dyn Player<V>; 2] = [&RandomPlayer::new(1), &RandomPlayer::new(2)];
    arena.play(players, &mut |_| true).unwrap()
}

/// Plays an opening again.
fn opening<V: Variant>(game: &MatchGame) -> Game<V> {
    let start = game.start.parse::<V::Position>().ok().unwrap();
    let mut opened = Game::<V>::from_position(start, V::OPTIONS);
    for &bits in &game.moves[..game.opening_plies] {
        opened.play(MoveOf::<V>::try_from(bits).ok().unwrap());
    }
    opened
}

#[test]
fn a_match_that_goes_on_ends_as_one_that_was_never_stopped() {
    let whole = random(Arena::<EuroShogi>::new(config::<EuroShogi>(20, 4)));
    assert_eq!(whole.games.len(), 40);
    // Stopped after some games; those under way are lost.
    let players: [&dyn Player<EuroShogi>; 2] = [&RandomPlayer::new(1), &RandomPlayer::new(2)];
    let mut seen = Vec::new();
    let mut stop = |game: &MatchGame| {
        seen.push(game.clone());
        seen.len() < 13
    };
    let arena = Arena::new(config::<EuroShogi>(20, 4));
    let part = arena.play(players, &mut stop).unwrap();
    assert_eq!((part.games.len(), seen.len()), (13, 13));
    let mut told = 0;
    let arena = Arena::new(config::<EuroShogi>(20, 4)).with_played(seen);
    let rest = arena.play(players, &mut |_| {
        told += 1;
        true
    });
    assert!(rest.unwrap() == whole);
    assert_eq!(told, 27);
    // With everything played there is nothing to do.
    let arena = Arena::new(config::<EuroShogi>(20, 4)).with_played(whole.games.clone());
    let again = arena.play(players, &mut |_| panic!("a game was played twice"));
    assert!(again.unwrap() == whole);
}

#[test]
fn matches_do_not_depend_on_threads() {
    let play = |threads, concurrent| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let config = MatchConfig {
            concurrent,
            ..config::<EuroShogi>(9, 3)
        };
        let play = || random(Arena::<EuroShogi>::new(config));
        pool.build().unwrap().install(play)
    };
    let alone = play(1, 2);
    assert!(play(3, 18) == alone && play(2, 5) == alone);
}

#[test]
fn openings_from_a_list_are_all_played_before_any_comes_again() {
    let mut games = Vec::new();
    let mut legal = Vec::new();
    for first in 0..5 {
        let mut game = Game::<EuroShogi>::new(EuroShogi::OPTIONS);
        game.legal_moves(&mut legal);
        game.play(legal[first]);
        games.push(game);
    }
    let arena = Arena::new(config::<EuroShogi>(15, 0));
    let result = random(arena.with_openings(Openings::Given(Arc::from(games))));
    assert_eq!(result.distinct_openings(), 5);
    let firsts: Vec<u16> = result.games.iter().map(|game| game.moves[0]).collect();
    for round in firsts.chunks(10) {
        let mut round = round.to_vec();
        assert!(round.chunks(2).all(|pair| pair[0] == pair[1]));
        round.sort_unstable();
        round.dedup();
        assert_eq!(round.len(), 5);
    }
    // The order is drawn anew for each round.
    assert!(firsts[..10] != firsts[10..20] || firsts[10..20] != firsts[20..]);
}

#[test]
fn openings_from_a_policy_are_shared_by_a_pair() {
    let openings = |temperature| Openings::Policy {
        plies: 6,
        temperature,
        evaluator: Box::new(UniformEvaluator),
    };
    let play = |temperature| {
        let arena = Arena::<EuroShogi>::new(config::<EuroShogi>(20, 0));
        random(arena.with_openings(openings(temperature)))
    };
    let result = play(1.0);
    for pair in result.games.chunks_exact(2) {
        assert_eq!(pair[0].opening_plies, 6);
        assert_eq!(pair[0].moves[..6], pair[1].moves[..6]);
    }
    assert!(result.distinct_openings() > 15);
    // The first choice is always the same.
    assert_eq!(play(0.0).distinct_openings(), 1);
}

fn legal<V: Variant>(game: &Game<V>) -> Vec<MoveOf<V>> {
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    legal
}

/// Finds every position even in which there is an even number of moves, and says nothing of others.
struct Terse;

impl<V: Variant> Player<V> for Terse {
    fn choose(&mut self, turns: &[Turn<'_, V>]) -> Result<Vec<Choice<MoveOf<V>>>, EvaluatorError> {
        let choose = |turn: &Turn<'_, V>| {
            let moves = legal(turn.game);
            Choice::of(moves[0], moves.len().is_multiple_of(2).then_some(Wdl::DRAW))
        };
        Ok(turns.iter().map(choose).collect())
    }

    fn fork(&self) -> Box<dyn Player<V>> {
        Box::new(Self)
    }
}

#[test]
fn balanced_openings_are_even_for_their_judge() {
    let solution = Arc::new(Solution::<Gufu>::new());
    let even = |result: &MatchResult| {
        let is_even = |game: &&MatchGame| {
            let position = *opening::<Gufu>(game).position();
            solution.value(&position).unwrap().sign() == 0
        };
        result.games.iter().filter(is_even).count()
    };
    let unjudged = random(Arena::<Gufu>::new(config::<Gufu>(40, 12)));
    assert!(even(&unjudged) < 70, "{} of 80", even(&unjudged));
    let openings = |judge| Openings::Random {
        plies: 12,
        balance: Some(Balance { judge, bound: 0.5 }),
    };
    let exact = Box::new(ExactPlayer::new(Arc::clone(&solution), 3));
    let judged = Arena::<Gufu>::new(config::<Gufu>(40, 12)).with_openings(openings(exact));
    let judged = random(judged);
    assert_eq!(even(&judged), 80);
    assert!(judged.distinct_openings() > 30);
    // Where the judge says nothing, as of a move that has to be played, another opening is drawn.
    let judged =
        Arena::<Gufu>::new(config::<Gufu>(40, 12)).with_openings(openings(Box::new(Terse)));
    let judged = random(judged);
    assert!(judged.distinct_openings() > 30);
    for game in &judged.games {
        assert_eq!(legal::<Gufu>(&opening(game)).len() % 2, 0);
    }
    // A player that thinks nothing can judge nothing.
    let arena = Arena::<Gufu>::new(config::<Gufu>(2, 4));
    let arena = arena.with_openings(openings(Box::new(RandomPlayer::new(3))));
    let players: [&dyn Player<Gufu>; 2] = [&RandomPlayer::new(1), &RandomPlayer::new(2)];
    let said = arena.play(players, &mut |_| true).unwrap_err().to_string();
    assert!(said.contains("gives no value"), "{said}");
}

#[test]
fn games_are_adjudicated_by_what_both_players_think() {
    let solution = Arc::new(Solution::<Gufu>::new());
    let exact = ExactPlayer::new(Arc::clone(&solution), 1);
    let other = ExactPlayer::new(solution, 2);
    let rules = Adjudication {
        win: Some(Threshold {
            value: 0.9,
            plies: 2,
        }),
        draw: Some(Threshold {
            value: 0.1,
            plies: 4,
        }),
        draw_from: 8,
        most_plies: None,
    };
    let arena = || Arena::<Gufu>::new(config::<Gufu>(30, 10));
    let whole = arena().play([&exact, &other], &mut |_| true).unwrap();
    let short = arena()
        .with_adjudication(rules)
        .play([&exact, &other], &mut |_| true)
        .unwrap();
    // Perfect players know how a game ends: the result is the same, and comes earlier.
    assert_eq!(short.wdl(), whole.wdl());
    let adjudicated = short.endings()[Reason::Adjudication.name()];
    assert!(adjudicated > 30, "{adjudicated}");
    assert!(!whole.endings().contains_key(Reason::Adjudication.name()));
    for game in &short.games {
        if game.outcome.reason == Reason::Adjudication && game.outcome.winner.is_none() {
            assert_eq!(game.moves.len(), 14);
        }
    }
    // Random players think nothing, so only the length ends their games.
    let most = Adjudication {
        most_plies: Some(12),
        ..rules
    };
    let result = random(arena().with_adjudication(most));
    let ended = |game: &MatchGame| game.outcome.reason == Reason::Adjudication;
    let long = result.games.iter().filter(|game| ended(game));
    assert!(long.clone().count() > 0);
    assert!(long.clone().all(|game| game.moves.len() == 12));
}

#[test]
fn alpha_beta_thinks_that_it_wins_where_it_mates() {
    let mut player = AlphaBeta::<Gufu>::new(AlphaBetaConfig::new(Limits::depth(3)), 1);
    let result = random(Arena::<Gufu>::new(config::<Gufu>(20, 0)));
    let mut seen = 0;
    for game in &result.games {
        if game.outcome.reason != Reason::Checkmate {
            continue;
        }
        let before = MatchGame {
            opening_plies: game.moves.len() - 1,
            ..game.clone()
        };
        let game = opening::<Gufu>(&before);
        let turn = Turn {
            game: &game,
            number: 0,
        };
        let wdl = player.choose(&[turn]).unwrap()[0].wdl.unwrap();
        assert!((wdl.value() - 1.0).abs() < 1e-6, "{wdl:?}");
        seen += 1;
    }
    assert!(seen > 10);
}

/// Fails at its first move.
struct Broken;

impl<V: Variant> Player<V> for Broken {
    fn choose(&mut self, _: &[Turn<'_, V>]) -> Result<Vec<Choice<MoveOf<V>>>, EvaluatorError> {
        Err(EvaluatorError("it is broken".into()))
    }

    fn fork(&self) -> Box<dyn Player<V>> {
        Box::new(Self)
    }
}

/// Goes away at its first move.
struct Gone;

impl<V: Variant> Player<V> for Gone {
    fn choose(&mut self, turns: &[Turn<'_, V>]) -> Result<Vec<Choice<MoveOf<V>>>, EvaluatorError> {
        let gone = Choice {
            act: Act::Forfeit(Forfeit {
                fault: Fault::Crash,
                said: "it went away".into(),
            }),
            wdl: None,
        };
        Ok(turns.iter().map(|_| gone.clone()).collect())
    }

    fn fork(&self) -> Box<dyn Player<V>> {
        Box::new(Self)
    }
}

#[test]
fn a_judge_that_goes_away_ends_the_match() {
    let balance = Some(Balance {
        judge: Box::new(Gone),
        bound: 0.5,
    });
    let openings = Openings::Random { plies: 4, balance };
    let arena = Arena::<Gufu>::new(config::<Gufu>(2, 4)).with_openings(openings);
    let players: [&dyn Player<Gufu>; 2] = [&RandomPlayer::new(1), &RandomPlayer::new(2)];
    let said = arena.play(players, &mut |_| true).unwrap_err().to_string();
    assert!(said.contains("it went away"), "{said}");
}

#[test]
fn a_player_that_fails_ends_the_match() {
    let players: [&dyn Player<Gufu>; 2] = [&RandomPlayer::new(1), &Broken];
    let arena = Arena::<Gufu>::new(config::<Gufu>(50, 2));
    let said = arena.play(players, &mut |_| true).unwrap_err().to_string();
    assert!(said.contains("it is broken"), "{said}");
}
