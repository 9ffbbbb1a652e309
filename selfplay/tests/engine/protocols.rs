//! Scripted conversations.

use rules::dialect::Dialect;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Variant, VariantId};
use selfplay::RootKind;
use selfplay::protocol::{Ended, Event, SessionError, Settings};
use selfplay::thinker::TreeThinker;

use super::talk::{Talk, timeless};
use super::{Judging, baseline, config, random, rollouts, tree};

/// Returns what is said to `lines` up to and including the line that begins with `word`, without times.
fn said(talk: &mut Talk, lines: &str, word: &str) -> Vec<String> {
    talk.say(lines);
    let (last, mut before) = talk.wait_for_one(&[word]);
    before.push(last);
    before.iter().map(|line| timeless(line)).collect()
}

#[test]
fn usi_introduces_itself_and_plays() {
    let mut talk = Talk::with::<Showgit>(Dialect::Usi, baseline());
    assert_eq!(
        said(&mut talk, "usi", "usiok"),
        [
            "id name Senpu",
            "id author the Senpu authors",
            "option name USI_Variant type combo default shogi var gufu var shogi var euroshogi var xiangqi",
            "option name USI_Hash type spin default 256 min 1 max 1048576",
            "option name USI_Ponder type check default false",
            "option name MultiPV type spin default 1 min 1 max 500",
            "option name NodesPerMove type spin default 0 min 0 max 1000000000",
            "option name MoveOverhead type spin default 100 min 0 max 10000",
            "option name ResignScore type spin default 0 min 0 max 50",
            "option name UCI_ShowWDL type check default false",
            "usiok",
        ]
    );
    talk.say("setoption name USI_Hash value 1\nsetoption name USI_Ponder value true");
    assert_eq!(said(&mut talk, "isready", "readyok"), ["readyok"]);
    talk.say("usinewgame\nposition startpos moves 7g7f 3c3d");
    assert_eq!(
        said(&mut talk, "go depth 2", "bestmove"),
        [
            "info depth 1 score cp 20 nodes 47 pv 8h2b+",
            "info depth 2 score cp 20 nodes 213 pv 8h2b+ 8b2b",
            "info depth 2 score cp 20 nodes 213 pv 8h2b+ 8b2b",
            "bestmove 8h2b+ ponder 8b2b",
        ]
    );
    talk.say("quit");
    assert!(matches!(talk.end().0, Ok(Ended::Quit)));
}

#[test]
fn uci_and_ucci_write_squares_and_scores_their_own_way() {
    let mut uci = Talk::with::<Xiangqi>(Dialect::Uci, baseline());
    uci.say("position startpos moves h3e3");
    let answer = uci.ask("go depth 1", "bestmove");
    let mut ucci = Talk::with::<Xiangqi>(Dialect::Ucci, baseline());
    let hello = said(&mut ucci, "ucci", "ucciok");
    assert!(hello.contains(&"option usemillisec type check default true".to_owned()));
    assert!(hello.contains(&"option hashsize type spin default 256 min 1 max 1048576".to_owned()));
    ucci.say("position startpos moves h2e2");
    let lines = said(&mut ucci, "go depth 1", "bestmove");
    let score = lines[0].split_whitespace().nth(4).unwrap();
    assert_eq!(
        &lines[0].split_whitespace().collect::<Vec<_>>()[..4],
        ["info", "depth", "1", "score"]
    );
    assert!(score.parse::<i32>().is_ok(), "{lines:?}");
    // The same move, a rank lower.
    let lower = |word: &str| {
        let file = |at: usize| word.chars().nth(at).unwrap();
        let ranks: Vec<u32> = word
            .split(|letter: char| letter.is_ascii_lowercase())
            .filter_map(|rank| rank.parse().ok())
            .collect();
        let second = word
            .rfind(|letter: char| letter.is_ascii_lowercase())
            .unwrap();
        format!(
            "{}{}{}{}",
            file(0),
            ranks[0] - 1,
            file(second),
            ranks[1] - 1
        )
    };
    let word = |line: &str| line.split_whitespace().nth(1).unwrap().to_owned();
    assert_eq!(lower(&word(&answer)), word(lines.last().unwrap()));
    ucci.say("quit");
    assert_eq!(ucci.end().1.last().unwrap(), "bye");
}

#[test]
fn a_seat_that_cannot_move_says_so_in_each_protocol() {
    let mated = "8/8/8/8/8/6r1/2k3+pp/6K1[] w - - 0 1";
    for (dialect, word, answer) in [
        (Dialect::Uci, "bestmove", "bestmove (none)"),
        (Dialect::Ucci, "nobestmove", "nobestmove"),
    ] {
        let mut talk = Talk::with::<EuroShogi>(dialect, baseline());
        talk.say(&format!("position fen {mated}"));
        assert_eq!(talk.ask("go depth 2", word), answer);
    }
    let mut talk = Talk::with::<Showgit>(Dialect::Usi, baseline());
    talk.say("position sfen 8k/8G/8P/9/9/9/9/9/4K4 w - 1");
    assert_eq!(talk.ask("go depth 2", "bestmove"), "bestmove resign");
    assert_eq!(talk.ask("go mate 1000", "checkmate"), "checkmate nomate");
    talk.say("position sfen 6+P+L1/1+P+B2+P+P2/+S2+RG1+BK1/9/9/9/k8/9/9 b GS2NLP2p 1");
    assert_eq!(talk.ask("go btime 1000", "bestmove"), "bestmove win");
}

#[test]
fn an_unreadable_position_is_answered_without_a_move() {
    let mut talk = Talk::with::<Showgit>(Dialect::Usi, baseline());
    talk.say("position startpos moves 7g7f 7g7f");
    assert!(talk.wait_for("info").contains("move `7g7f`"));
    assert_eq!(talk.ask("go depth 1", "bestmove"), "bestmove resign");
    talk.say("position startpos");
    assert_ne!(talk.ask("go depth 1", "bestmove"), "bestmove resign");
    // Another game's position.
    talk.say("position sfen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b - 1");
    assert!(talk.wait_for("info").contains("position"));
}

/// Four times the same position ends a game by our rules; who asks may count otherwise.
#[test]
fn a_game_that_is_over_by_its_history_can_be_played_on() {
    let back = " 2h3h 8b7b 3h2h 7b8b".repeat(3);
    let mut talk = Talk::with::<Showgit>(Dialect::Usi, baseline());
    for more in ["", " 7g7f"] {
        talk.say(&format!("position startpos moves{back}{more}"));
        let answer = talk.ask("go depth 1", "bestmove");
        assert_ne!(answer, "bestmove resign", "{more}");
    }
}

#[test]
fn the_game_can_be_changed_if_the_player_plays_it() {
    let mut talk = Talk::with::<Showgit>(Dialect::Uci, baseline());
    talk.say("setoption name UCI_Variant value chess");
    assert!(
        talk.wait_for("info")
            .contains("this player plays gufu, shogi, euroshogi, xiangqi")
    );
    talk.say("setoption name UCI_Variant value shogi");
    assert!(talk.is_quiet());
    talk.say("setoption name UCI_Variant value xiangqi");
    let wanted = Ended::Variant(VariantId::Xiangqi);
    assert!(matches!(talk.end().0, Ok(ended) if ended == wanted));
}

#[test]
fn moves_can_be_asked_for_and_ruled_out() {
    let mut talk = Talk::with::<Xiangqi>(Dialect::Ucci, Box::new(tree()));
    talk.say("position startpos");
    let answer = talk.ask("go nodes 50 searchmoves a0a1", "bestmove");
    assert!(answer.starts_with("bestmove a0a1"), "{answer}");
    let first = talk.ask("go nodes 50", "bestmove");
    let word = first.split_whitespace().nth(1).unwrap();
    talk.say(&format!("banmoves {word}"));
    let second = talk.ask("go nodes 50", "bestmove");
    assert_ne!(second.split_whitespace().nth(1), Some(word));
    // A new position takes the ban away.
    talk.say("position startpos");
    let third = talk.ask("go nodes 50", "bestmove");
    assert_eq!(third.split_whitespace().nth(1), Some(word));
}

#[test]
fn several_lines_and_chances_are_shown() {
    let mut talk = Talk::with::<Gufu>(Dialect::Uci, rollouts());
    talk.say("setoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true");
    let lines = said(&mut talk, "go nodes 200", "bestmove");
    let shown = &lines[lines.len() - 4..lines.len() - 1];
    for (number, line) in (1..).zip(shown) {
        assert!(
            line.contains(&format!(" multipv {number} score ")),
            "{line}"
        );
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|&word| word == "wdl").unwrap();
        let sum: i32 = words[at + 1..at + 4]
            .iter()
            .map(|word| word.parse::<i32>().unwrap())
            .sum();
        assert_eq!(sum, 1000, "{line}");
    }
    let best = lines.last().unwrap().split_whitespace().nth(1).unwrap();
    assert!(shown[0].contains(&format!(" pv {best}")), "{lines:?}");
}

#[test]
fn a_player_that_only_plays_says_no_more() {
    let mut talk = Talk::with::<Showgit>(Dialect::Usi, random());
    let hello = said(&mut talk, "usi", "usiok");
    assert!(
        !hello
            .iter()
            .any(|line| line.contains("MultiPV") || line.contains("Threads"))
    );
    let lines = said(&mut talk, "go btime 1000 wtime 1000", "bestmove");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(
        talk.ask("go mate 1000", "checkmate"),
        "checkmate notimplemented"
    );
}

#[test]
fn a_lost_position_is_given_up_if_that_is_wanted() {
    // A bare king against a rook and a gold in hand.
    let lost = "position sfen 4k4/9/9/r8/9/9/9/9/4K4 b 2g 1";
    let settings = || Settings {
        resign: 10,
        ..Settings::default()
    };
    let mut talk = Talk::set_up::<Showgit>(Dialect::Usi, baseline(), settings());
    talk.say(lost);
    assert_eq!(talk.ask("go depth 3", "bestmove"), "bestmove resign");
    talk.say("setoption name ResignScore value 0");
    assert_ne!(talk.ask("go depth 3", "bestmove"), "bestmove resign");
}

#[test]
fn a_broken_player_ends_the_session_with_its_reason() {
    let evaluator = Judging {
        fails_after: Some(3),
        ..Judging::default()
    };
    let thinker = TreeThinker::new(Box::new(evaluator), config(RootKind::Puct), 0);
    let talk = Talk::with::<Gufu>(Dialect::Uci, Box::new(thinker));
    talk.say("go infinite");
    let (ended, _) = talk.end();
    let Err(SessionError::Evaluator(error)) = ended else {
        panic!("{ended:?}")
    };
    assert!(format!("{error}").contains("the net is broken"));
}

#[test]
fn the_end_of_input_and_a_deaf_listener_end_the_session() {
    for event in [Event::Closed, Event::TooLong(1 << 24)] {
        let mut talk = Talk::with::<Xiangqi>(Dialect::Uci, rollouts());
        talk.say("go infinite");
        if event != Event::Closed {
            talk.hang_up();
        }
        talk.send(event);
        assert!(
            matches!(talk.end().0, Ok(Ended::Quit)),
            "of {}",
            Xiangqi::ID
        );
    }
}
