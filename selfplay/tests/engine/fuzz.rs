//! Sessions of nonsense, half of it close to sense: the engine answers what its protocol asks for, goes on, and never plays an illegal move.

use std::io::Write as _;

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rules::dialect::Dialect;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Game, MoveOf, Variant};
use selfplay::protocol::{Ended, Event};
use selfplay::random::{Purpose, stream};
use selfplay::thinker::Thinker;

use super::talk::Talk;
use super::{Maker, baseline, random, rollouts, tree};

/// Lines of a session.
const LINES: usize = 400;

/// What happened in a session.
#[derive(Debug, Default)]
struct Counts {
    lines: usize,
    answers: usize,
    moves: usize,
    remarks: usize,
}

const WORDS: [&str; 44] = [
    "usi",
    "uci",
    "ucci",
    "go",
    "stop",
    "position",
    "startpos",
    "moves",
    "sfen",
    "fen",
    "ponder",
    "ponderhit",
    "infinite",
    "btime",
    "wtime",
    "byoyomi",
    "movetime",
    "nodes",
    "depth",
    "mate",
    "searchmoves",
    "setoption",
    "name",
    "value",
    "Threads",
    "MultiPV",
    "USI_Hash",
    "7g7f",
    "h2e2",
    "P*5e",
    "0",
    "1",
    "-1",
    "99999999999999999999",
    "9/9/9/9 b - 1",
    "[]",
    "isready",
    "gameover",
    "win",
    "debug",
    "banmoves",
    "NaN",
    "\u{fffd}\u{0}\u{7}",
    "８六歩",
];

fn garbage(rng: &mut ChaCha8Rng) -> String {
    let count = rng.random_range(0..12);
    let word = |rng: &mut ChaCha8Rng| {
        if rng.random_bool(0.8) {
            return (*WORDS.choose(rng).unwrap()).to_owned();
        }
        let bytes: Vec<u8> = (0..rng.random_range(1..30)).map(|_| rng.random()).collect();
        String::from_utf8_lossy(&bytes).replace(['\n', '\r'], " ")
    };
    let words: Vec<String> = (0..count).map(|_| word(rng)).collect();
    words.join(" ")
}

/// Returns a position line, now and then with something wrong in it, and the game if it is right.
fn position<V: Variant>(rng: &mut ChaCha8Rng, dialect: Dialect) -> (String, Option<Game<V>>) {
    let mut game = Game::<V>::new(V::OPTIONS);
    let mut legal = Vec::<MoveOf<V>>::new();
    // Beyond the end of a game too, as long as there are moves.
    for _ in 0..rng.random_range(0..60) {
        game.legal_moves(&mut legal);
        let Some(&mv) = legal.choose(rng) else { break };
        game.play(mv);
    }
    if rng.random_bool(0.3) {
        game = Game::from_position(*game.position(), V::OPTIONS);
    }
    let mut text = format!("position {}", dialect.game_text(&game));
    if rng.random_bool(0.3) {
        // One character is another, or missing, or the end is.
        let at = rng.random_range(9..=text.chars().count());
        let mut letters: Vec<char> = text.chars().collect();
        match rng.random_range(0..3) {
            0 => letters.truncate(at),
            1 if at < letters.len() => {
                letters[at] = *['1', 'k', '/', ' ', '*'].choose(rng).unwrap();
            }
            _ => letters.insert(at, *['9', 'K', '+', '-'].choose(rng).unwrap()),
        }
        text = letters.into_iter().collect();
        return (text, None);
    }
    (text, Some(game))
}

/// What an answer to `go` begins with.
const ANSWERS: [&str; 3] = ["bestmove", "nobestmove", "checkmate"];

/// Lets one session go through nonsense and counts.
fn survives<V: Variant>(dialect: Dialect, thinker: Box<dyn Thinker<V>>, seed: u64) -> Counts {
    let mut rng = stream(seed, Purpose::Sample, V::ID as u64, 0);
    let mut talk = Talk::with(dialect, thinker);
    let mut counts = Counts::default();
    let goes = [
        "nodes 30",
        "movetime 5",
        "depth 1",
        "infinite",
        "ponder",
        "",
        "btime 90 wtime 90",
    ];
    while counts.lines < LINES {
        match rng.random_range(0..10) {
            0..4 => {
                let line = garbage(&mut rng);
                // Those end a session, and a word of the wrong game would change it.
                if !line.contains("quit") && !line.contains("ariant") {
                    talk.say(&line);
                }
            }
            4 => talk.send(Event::TooLong(10 << 20)),
            5 => {
                for _ in 0..rng.random_range(1..5) {
                    talk.say(&format!("go {}\nstop", goes.choose(&mut rng).unwrap()));
                }
            }
            _ => check_a_move::<V>(&mut talk, &mut rng, dialect, &goes),
        }
        counts.lines += 1;
    }
    talk.say("stop\nposition startpos");
    talk.settle();
    let starts = |line: &&String, words: &[&str]| {
        words.contains(&line.split_whitespace().next().unwrap_or(""))
    };
    counts.answers = talk
        .heard
        .iter()
        .filter(|line| starts(line, &ANSWERS))
        .count();
    let is_move = |line: &&String| {
        let word = line.split_whitespace().nth(1);
        line.starts_with("bestmove") && !matches!(word, Some("resign" | "win" | "(none)"))
    };
    counts.moves = talk.heard.iter().filter(is_move).count();
    let remark =
        |line: &&String| line.starts_with("info string") || line.starts_with("info message");
    counts.remarks = talk.heard.iter().filter(remark).count();
    talk.say("quit");
    assert!(matches!(talk.end().0, Ok(Ended::Quit)));
    counts
}

/// Gives a position that is right, or nearly, and holds the answer against it.
fn check_a_move<V: Variant>(
    talk: &mut Talk,
    rng: &mut ChaCha8Rng,
    dialect: Dialect,
    goes: &[&str],
) {
    let (text, game) = position::<V>(rng, dialect);
    talk.say(&text);
    talk.settle();
    talk.say(&format!("go {}", goes.choose(rng).unwrap()));
    talk.say("stop");
    let (answer, _) = talk.wait_for_one(&ANSWERS);
    let Some(game) = game else { return };
    let word = answer.split_whitespace().nth(1).unwrap_or("");
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    if legal.is_empty() {
        assert!(
            matches!(word, "resign" | "(none)" | ""),
            "{answer} to {text}"
        );
    } else if word != "win" {
        let read = dialect.parse_move::<V>(game.position(), word);
        assert!(read.is_ok(), "{answer} to {text}: {read:?}");
    }
}

fn all_survive<V: Variant>(dialects: [Dialect; 2]) {
    let makers: [Maker<V>; 4] = [baseline, random, rollouts, || Box::new(tree())];
    let mut counts = Counts::default();
    for (seed, maker) in (0..).zip(makers) {
        for dialect in dialects {
            let more = survives::<V>(dialect, maker(), seed);
            assert!(more.moves > 50 && more.remarks > 20, "{more:?}");
            counts.lines += more.lines;
            counts.answers += more.answers;
            counts.moves += more.moves;
            counts.remarks += more.remarks;
        }
    }
    // To be seen although the test passes.
    let said = format!("nonsense in {}: {counts:?}\n", V::ID);
    std::io::stderr().write_all(said.as_bytes()).unwrap();
}

#[test]
fn in_showgit() {
    all_survive::<Showgit>([Dialect::Usi, Dialect::Uci]);
}

#[test]
fn in_euroshogi() {
    all_survive::<EuroShogi>([Dialect::Usi, Dialect::Uci]);
}

#[test]
fn in_xiangqi() {
    all_survive::<Xiangqi>([Dialect::Uci, Dialect::Ucci]);
}

#[test]
fn in_gufu() {
    all_survive::<Gufu>([Dialect::Uci, Dialect::Usi]);
}
