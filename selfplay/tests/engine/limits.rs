//! How far thinking goes: clocks, pondering, `infinite` and `stop`.

use std::time::{Duration, Instant};

use rules::dialect::Dialect;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use selfplay::thinker::Thinker;

use super::games::random_game;
use super::talk::Talk;
use super::{baseline, rollouts, tree};

fn thinkers() -> [Box<dyn Thinker<Xiangqi>>; 3] {
    [Box::new(tree()), rollouts(), baseline()]
}

/// Far beyond what an answer takes, even on a machine that does much else, and far below what was allowed.
const SOON: Duration = Duration::from_mins(1);

#[test]
fn infinite_waits_for_stop() {
    for thinker in thinkers() {
        let mut talk = Talk::with(Dialect::Uci, thinker);
        talk.say("go infinite");
        talk.wait_for("info");
        assert!(talk.is_quiet());
        talk.ask("stop", "bestmove");
        // A second one has nothing to stop.
        talk.say("stop\nponderhit");
        assert!(talk.is_quiet());
    }
}

/// Where nothing is left to think about, the answer is still held until `stop`.
#[test]
fn infinite_waits_for_stop_even_if_all_is_known() {
    let thinkers: [Box<dyn Thinker<Showgit>>; 2] = [Box::new(tree()), baseline()];
    for thinker in thinkers {
        let mut talk = Talk::with(Dialect::Usi, thinker);
        talk.say("position sfen 8k/9/8P/9/9/9/9/9/4K4 b G 1\ngo infinite");
        assert!(talk.wait_for("info").contains(" score mate 1 "));
        std::thread::sleep(Duration::from_millis(100));
        assert!(talk.is_quiet());
        assert_eq!(talk.ask("stop", "bestmove"), "bestmove G*1b");
    }
}

#[test]
fn pondering_waits_and_then_counts() {
    for thinker in thinkers() {
        let mut talk = Talk::with(Dialect::Uci, thinker);
        talk.say("position startpos moves h3e3");
        talk.say("go ponder wtime 400 btime 400");
        std::thread::sleep(Duration::from_millis(600));
        assert!(talk.is_quiet());
        talk.ask("ponderhit", "bestmove");
        talk.say("go ponder wtime 3600000 btime 3600000");
        assert!(talk.is_quiet());
        let begun = Instant::now();
        talk.ask("stop", "bestmove");
        assert!(begun.elapsed() < SOON);
    }
}

#[test]
fn a_second_go_answers_the_first() {
    let mut talk = Talk::with::<Xiangqi>(Dialect::Uci, rollouts());
    talk.say("go infinite\ngo infinite\nposition startpos moves h3e3\ngo nodes 20\nucinewgame");
    for _ in 0..3 {
        talk.wait_for("bestmove");
    }
    assert!(talk.is_quiet());
}

#[test]
fn clocks_are_kept() {
    for thinker in thinkers() {
        let mut talk = Talk::with(Dialect::Uci, thinker);
        for go in [
            "movetime 200",
            "wtime 2000 btime 1",
            "wtime 2000 btime 1 winc 100",
            "wtime 5000 movestogo 30",
            "wtime 0 btime 0",
            "wtime -3 btime 100",
        ] {
            let begun = Instant::now();
            talk.ask(&format!("go {go}"), "bestmove");
            assert!(begun.elapsed() < SOON, "{go}");
        }
    }
    let mut talk = Talk::with::<Showgit>(Dialect::Usi, Box::new(tree()));
    talk.ask("go btime 0 wtime 0 byoyomi 300", "bestmove");
    let mut talk = Talk::with::<Xiangqi>(Dialect::Ucci, Box::new(tree()));
    talk.ask("go time 300 increment 10 opptime 5", "bestmove");
}

/// The time that is allowed is used, unless the choice is clear.
#[test]
fn a_fixed_time_is_used() {
    for thinker in thinkers() {
        let mut talk = Talk::with(Dialect::Uci, thinker);
        talk.say("setoption name Move Overhead value 0");
        let begun = Instant::now();
        talk.ask("go movetime 400", "bestmove");
        assert!(begun.elapsed() > Duration::from_millis(300));
    }
}

#[test]
fn an_only_move_is_answered_at_once() {
    let only = random_game::<Showgit>(|game, legal| legal == 1 && game.ply() > 0);
    let only = format!("position {}", Dialect::Usi.game_text(&only));
    let thinkers: [Box<dyn Thinker<Showgit>>; 2] = [Box::new(tree()), baseline()];
    for thinker in thinkers {
        let mut talk = Talk::with(Dialect::Usi, thinker);
        talk.say(&only);
        let begun = Instant::now();
        let answer = talk.ask("go btime 36000000 wtime 36000000", "bestmove");
        assert!(begun.elapsed() < SOON, "{answer}");
        assert_ne!(answer, "bestmove resign");
    }
}

#[test]
fn the_players_own_limit_holds_beside_the_clock() {
    let mut talk = Talk::with::<Gufu>(Dialect::Uci, Box::new(tree()));
    talk.say("setoption name NodesPerMove value 40");
    let begun = Instant::now();
    talk.ask("go wtime 36000000 btime 36000000", "bestmove");
    assert!(begun.elapsed() < SOON);
    let nodes = talk
        .heard
        .iter()
        .rev()
        .find(|line| line.starts_with("info"))
        .unwrap();
    let words: Vec<&str> = nodes.split_whitespace().collect();
    let at = words.iter().position(|&word| word == "nodes").unwrap();
    assert_eq!(words[at + 1], "40");
}
