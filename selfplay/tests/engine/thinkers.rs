//! What thinkers do with a task.

use std::time::{Duration, Instant};

use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Game, MoveOf, Variant};
use selfplay::RootKind;
use selfplay::players::alphabeta::{Limits, Searcher};
use selfplay::thinker::{
    Budget, Control, Resources, Score, Task, ThinkLimits, Thinker, Thought, TreeThinker,
};

use super::{Judging, baseline, config, rollouts, tree};

fn task<V: Variant>(game: Game<V>, limits: ThinkLimits) -> Task<V> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    Task {
        game,
        moves,
        limits,
        lines: 1,
        temperature: 0.0,
        number: 0,
    }
}

fn nodes(nodes: u64) -> ThinkLimits {
    ThinkLimits {
        nodes: Some(nodes),
        ..ThinkLimits::default()
    }
}

fn think<V: Variant>(thinker: &mut dyn Thinker<V>, task: &Task<V>) -> Thought<MoveOf<V>> {
    let control = Control::new(Instant::now());
    thinker.think(task, &control, &mut |_| {}).unwrap()
}

fn start<V: Variant>() -> Game<V> {
    Game::new(V::OPTIONS)
}

fn simulations_are_counted<V: Variant>() {
    for threads in [1, 3] {
        let mut thinker = tree::<V>();
        thinker.set_up(Resources {
            threads,
            bytes: usize::MAX,
        });
        for wanted in [0, 1, 2, 77, 300] {
            thinker.forget();
            let thought = think(&mut thinker, &task(start::<V>(), nodes(wanted)));
            assert_eq!(thought.nodes, wanted, "{threads} threads, {}", V::ID);
        }
        // The same again is the same again.
        thinker.forget();
        let first = think(&mut thinker, &task(start::<V>(), nodes(200)));
        thinker.forget();
        let again = think(&mut thinker, &task(start::<V>(), nodes(200)));
        assert_eq!(first.lines, again.lines);
    }
}

#[test]
fn a_tree_has_the_simulations_asked_for_on_any_number_of_threads() {
    simulations_are_counted::<Gufu>();
    simulations_are_counted::<Showgit>();
    simulations_are_counted::<Xiangqi>();
}

#[test]
fn a_tree_is_kept_as_the_game_goes_on() {
    let mut thinker = tree::<Xiangqi>();
    let mut game = start::<Xiangqi>();
    let thought = think(&mut thinker, &task(game.clone(), nodes(2000)));
    for &mv in &thought.lines[0].moves[..2] {
        game.play(mv);
    }
    let after = think(&mut thinker, &task(game.clone(), nodes(1)));
    assert!(after.nodes > 1, "{}", after.nodes);
    assert_eq!(after.lines[0].moves[0], thought.lines[0].moves[2]);
    // Another game, or the same after it was forgotten, begins afresh.
    let other = think(&mut thinker, &task(start(), nodes(1)));
    assert_eq!(other.nodes, 1);
    think(&mut thinker, &task(game.clone(), nodes(500)));
    thinker.forget();
    assert_eq!(think(&mut thinker, &task(game, nodes(1))).nodes, 1);
}

/// A search kept to some moves plays one of them, knows their mates alone, and leaves nothing of that to the next.
fn only_some_moves<V: Variant>() {
    let mut legal = Vec::new();
    start::<V>().legal_moves(&mut legal);
    let wanted = legal[legal.len() - 1];
    let thinkers: [Box<dyn Thinker<V>>; 3] = [Box::new(tree()), rollouts(), baseline()];
    for mut thinker in thinkers {
        let free = task(start::<V>(), nodes(100));
        let before = think(thinker.as_mut(), &free);
        let some = Task {
            moves: vec![wanted],
            ..free.clone()
        };
        assert_eq!(think(thinker.as_mut(), &some).choice(), wanted);
        let two = Task {
            moves: legal[..2].to_vec(),
            lines: 5,
            ..free.clone()
        };
        let thought = think(thinker.as_mut(), &two);
        assert!(legal[..2].contains(&thought.choice()));
        assert_eq!(thought.lines.len(), 2);
        thinker.forget();
        assert_eq!(think(thinker.as_mut(), &free).choice(), before.choice());
    }
}

#[test]
fn some_moves_alone_can_be_searched() {
    only_some_moves::<Gufu>();
    only_some_moves::<Showgit>();
    only_some_moves::<EuroShogi>();
    only_some_moves::<Xiangqi>();
}

#[test]
fn a_mate_that_may_not_be_played_is_no_proof() {
    let position = "8k/9/8P/9/9/9/9/9/4K4 b G 1".parse().unwrap();
    let game = Game::<Showgit>::from_position(position, Showgit::OPTIONS);
    let mut all = task(game, nodes(60));
    let mut thinker = tree::<Showgit>();
    let mated = think(&mut thinker, &all);
    assert_eq!(mated.lines[0].score, Some(Score::Certain(1)));
    let mate = mated.choice();
    all.moves.retain(|&mv| mv != mate);
    let other = think(&mut thinker, &all);
    assert_ne!(other.choice(), mate);
    assert_eq!(other.nodes, 60);
}

#[test]
fn several_lines_are_in_order_and_begin_with_different_moves() {
    let thinkers: [Box<dyn Thinker<Xiangqi>>; 2] = [Box::new(tree()), baseline()];
    for mut thinker in thinkers {
        let limits = ThinkLimits {
            depth: Some(3),
            ..ThinkLimits::default()
        };
        let several = Task {
            lines: 4,
            ..task(start::<Xiangqi>(), limits)
        };
        let thought = think(thinker.as_mut(), &several);
        assert!(thought.depth >= 3);
        let mut scores = thought.lines.iter().map(|line| line.score);
        let Some(Score::Hundredths(best)) = thought.lines[0].score else {
            panic!("{thought:?}")
        };
        if !thinker.abilities().threads {
            // A tree puts the most visited move first.
            let worse = |score| matches!(score, Some(Score::Hundredths(value)) if value <= best);
            assert!(scores.all(worse), "{thought:?}");
        }
        let mut firsts: Vec<_> = thought.lines.iter().map(|line| line.moves[0]).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 4);
    }
}

#[test]
fn a_watched_alpha_beta_search_finds_what_an_unwatched_one_does() {
    let mut legal = Vec::new();
    let game = start::<Showgit>();
    game.legal_moves(&mut legal);
    let found = Searcher::new(12).search(&game, &legal, Limits::nodes(20_000));
    let mut thinker = baseline::<Showgit>();
    let mut told = Vec::new();
    let control = Control::new(Instant::now());
    let thought = thinker
        .think(&task(game, nodes(20_000)), &control, &mut |thought| {
            told.push(thought);
        })
        .unwrap();
    assert_eq!(thought.lines[0].moves, found.line);
    assert_eq!((thought.nodes, thought.depth), (found.nodes, found.depth));
    assert_eq!(thought.lines[0].score, Some(Score::Hundredths(found.value)));
    let depths: Vec<u32> = told.iter().map(|thought| thought.depth).collect();
    assert_eq!(depths, (1..=found.depth).collect::<Vec<_>>());
}

#[test]
fn who_thinks_without_end_can_be_stopped_from_another_thread() {
    let thinkers: [Box<dyn Thinker<Showgit>>; 3] = [Box::new(tree()), rollouts(), baseline()];
    for mut thinker in thinkers {
        let control = Control::new(Instant::now());
        let thought = std::thread::scope(|scope| {
            let endless = task(start::<Showgit>(), ThinkLimits::default());
            let control = &control;
            let (sender, told) = std::sync::mpsc::channel();
            let thinking = scope.spawn(move || {
                let mut tell = |_: Thought<MoveOf<Showgit>>| {
                    let _ = sender.send(());
                };
                thinker.think(&endless, control, &mut tell).unwrap()
            });
            told.recv_timeout(Duration::from_mins(2)).unwrap();
            control.stop();
            thinking.join().unwrap()
        });
        assert!(thought.nodes > 0);
    }
}

#[test]
fn time_does_not_count_before_the_clock_starts() {
    let mut thinker = tree::<Gufu>();
    let limits = ThinkLimits {
        time: Some(Budget::exactly(Duration::from_millis(1), Duration::ZERO)),
        ..ThinkLimits::default()
    };
    let mut task = task(start::<Gufu>(), limits);
    task.lines = 2;
    let control = Control::pondering(Instant::now());
    let mut told = 0;
    let thought = thinker.think(&task, &control, &mut |_| {
        told += 1;
        control.start_clock(Instant::now());
    });
    // It told of its thoughts, long after the time that would have counted.
    assert!(thought.unwrap().time > Duration::from_millis(100));
    assert_eq!(told, 1);
}

#[test]
fn a_full_memory_ends_a_search() {
    let mut thinker = tree::<Showgit>();
    thinker.set_up(Resources {
        threads: 1,
        bytes: 1 << 20,
    });
    let thought = think(&mut thinker, &task(start(), ThinkLimits::default()));
    assert!((100..10_000).contains(&thought.nodes), "{}", thought.nodes);
}

#[test]
fn warm_choices_differ_from_game_to_game_and_repeat_with_it() {
    let mut thinker = tree::<Gufu>();
    let mut chosen = Vec::new();
    for number in (0..12).chain(0..12) {
        thinker.forget();
        let warm = Task {
            temperature: 1.0,
            number,
            ..task(start::<Gufu>(), nodes(100))
        };
        chosen.push(think(&mut thinker, &warm).choice());
    }
    assert_eq!(chosen[..12], chosen[12..]);
    chosen.sort_unstable();
    chosen.dedup();
    assert!(chosen.len() > 2, "{chosen:?}");
}

/// A Gumbel root serves a known number of simulations; without one, PUCT does.
#[test]
fn a_gumbel_root_spends_what_it_was_given() {
    let evaluator = Box::new(Judging::default());
    let mut thinker = TreeThinker::<Gufu>::new(evaluator, config(RootKind::Gumbel), 0);
    let thought = think(&mut thinker, &task(start(), nodes(64)));
    assert_eq!(thought.nodes, 64);
    let limits = ThinkLimits {
        time: Some(Budget::exactly(Duration::from_millis(50), Duration::ZERO)),
        ..ThinkLimits::default()
    };
    assert!(think(&mut thinker, &task(start(), limits)).nodes > 0);
}
