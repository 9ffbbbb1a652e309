//! Limits, memory and repeatability.

use rand::RngExt;
use rules::variants::{euroshogi::EuroShogi, gufu::Gufu, showgit::Showgit, xiangqi::Xiangqi};
use rules::{Game, Variant};
use selfplay::players::alphabeta::{AlphaBeta, AlphaBetaConfig, Limits, Searcher};
use selfplay::random::{Purpose, stream};
use selfplay::{Player, Turn};

use crate::search;

/// A game after some random plies.
fn some_game<V: Variant>(number: u64, plies: usize) -> Game<V> {
    let mut rng = stream(1, Purpose::Opening, number, 0);
    let mut game = Game::new(V::OPTIONS);
    let mut legal = Vec::new();
    while game.ply() < plies {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game.undo_to(0);
        } else {
            game.play(legal[rng.random_range(0..legal.len())]);
        }
    }
    game
}

fn nodes_are_kept_exactly<V: Variant>() {
    let game = some_game::<V>(0, 6);
    for nodes in [1, 2, 7, 64, 1000, 4321] {
        let found = search(&game, Limits::nodes(nodes));
        assert_eq!(found.nodes, nodes, "{}", V::ID);
        assert!(!found.line.is_empty());
    }
    let both = Limits {
        depth: Some(2),
        ..Limits::nodes(1_000_000)
    };
    let found = search(&game, both);
    assert_eq!(found.depth, 2);
    assert!(found.nodes < 1_000_000);
}

#[test]
fn a_limit_of_nodes_is_kept_exactly_and_the_first_limit_counts() {
    nodes_are_kept_exactly::<Showgit>();
    nodes_are_kept_exactly::<EuroShogi>();
    nodes_are_kept_exactly::<Xiangqi>();
}

#[test]
fn a_limit_of_time_ends_a_search_that_nothing_else_would_end_soon() {
    let limits = Limits {
        time: Some(std::time::Duration::from_millis(5)),
        ..Limits::default()
    };
    let found = search(&Game::<Showgit>::new(Showgit::OPTIONS), limits);
    assert!(found.depth < Limits::MAX_DEPTH);
}

fn used_memory_changes_nothing<V: Variant>() {
    let mut used = Searcher::new(14);
    for number in 0..4 {
        let game = some_game::<V>(number, 12);
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        let fresh = search(&game, Limits::nodes(3000));
        assert_eq!(used.search(&game, &legal, Limits::nodes(3000)), fresh);
    }
}

#[test]
fn a_search_repeats_whatever_was_searched_before() {
    used_memory_changes_nothing::<Gufu>();
    used_memory_changes_nothing::<Showgit>();
    used_memory_changes_nothing::<EuroShogi>();
    used_memory_changes_nothing::<Xiangqi>();
}

fn a_table_saves_nodes<V: Variant>() {
    let game = Game::<V>::new(V::OPTIONS);
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    let search = |bits| Searcher::new(bits).search(&game, &legal, Limits::depth(6));
    let (without, tiny, large) = (search(0), search(4), search(18));
    for found in [&tiny, &large] {
        let apart = (found.value - without.value).abs();
        assert!(apart < 150, "{}: {found:?} {without:?}", V::ID);
    }
    assert!(large.nodes < without.nodes, "{}", V::ID);
}

#[test]
fn a_table_of_any_size_saves_nodes_and_keeps_values_alike() {
    a_table_saves_nodes::<Showgit>();
    a_table_saves_nodes::<EuroShogi>();
    a_table_saves_nodes::<Xiangqi>();
}

#[test]
fn choices_depend_on_the_seed_and_the_game_not_on_what_is_asked_together() {
    let games: Vec<Game<EuroShogi>> = (0..6).map(|number| some_game(number, 10)).collect();
    let turns: Vec<Turn<'_, EuroShogi>> = games
        .iter()
        .zip(0..)
        .map(|(game, number)| Turn { game, number })
        .collect();
    let config = AlphaBetaConfig {
        random: 0.5,
        ..AlphaBetaConfig::new(Limits::nodes(500))
    };
    let mut together = AlphaBeta::new(config, 3);
    let moves = together.choose(&turns).unwrap();
    for (turn, choice) in turns.iter().zip(&moves) {
        let alone = Turn {
            game: turn.game,
            number: turn.number,
        };
        let chosen = AlphaBeta::new(config, 3).choose(&[alone]).unwrap();
        assert_eq!(&chosen[0], choice);
    }
    let other = AlphaBeta::new(config, 4).choose(&turns).unwrap();
    assert_ne!(moves, other);
}
