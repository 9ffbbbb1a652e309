//! Our texts sent to Fairy-Stockfish, which runs as a program of its own and is skipped where it is missing: it must show the same position and
//! list the same moves.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Dialect, Game, Variant, VariantId};

use crate::games::{random, vectors};

/// Where Debian puts the engine, and the variable that names another place.
const PROGRAM: &str = "/usr/games/fairy-stockfish";
const PROGRAM_KEY: &str = "SENPU_FAIRY_STOCKFISH";
/// With this variable set to 1, a missing engine is a failure.
const REQUIRE_KEY: &str = "SENPU_REQUIRE_ENGINES";

#[allow(
    clippy::explicit_write,
    reason = "the harness captures what the macros print"
)]
fn program() -> Option<PathBuf> {
    let path = std::env::var_os(PROGRAM_KEY).map_or_else(|| PROGRAM.into(), PathBuf::from);
    if path.exists() {
        return Some(path);
    }
    let required = std::env::var(REQUIRE_KEY).is_ok_and(|value| value == "1");
    assert!(!required, "{} is required but missing", path.display());
    let skipped = format!("SKIPPED: {} is missing", path.display());
    writeln!(
        std::io::stderr(),
        "{skipped} ({PROGRAM_KEY} names another place)"
    )
    .unwrap();
    None
}

/// Runs the engine on commands, to the end.
fn answers(program: &PathBuf, commands: String) -> String {
    let mut process = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(commands.as_bytes()));
    let output = process.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// What the engine shows of a position.
struct Shown {
    sfen: String,
    fen: String,
    moves: BTreeSet<String>,
}

/// The engine searches while it shows the next position, so what it says of the two comes in two orders.
fn shown(output: &str) -> Vec<Shown> {
    let starting = |word: &str| -> Vec<String> {
        (output.lines().filter_map(|line| line.strip_prefix(word)))
            .map(str::to_owned)
            .collect()
    };
    let (fens, sfens) = (starting("Fen: "), starting("Sfen: "));
    let mut lists = vec![BTreeSet::new()];
    for line in output.lines() {
        if line.starts_with("Nodes searched") {
            lists.push(BTreeSet::new());
        } else if let (Some(list), Some(mv)) = (lists.last_mut(), line.strip_suffix(": 1")) {
            list.insert(mv.to_owned());
        }
    }
    lists.pop();
    assert_eq!((fens.len(), sfens.len()), (lists.len(), lists.len()));
    (fens.into_iter().zip(sfens).zip(lists))
        .map(|((fen, sfen), moves)| Shown { sfen, fen, moves })
        .collect()
}

/// Returns the fields of a position that both must agree in. The engine lists men in hand in an order of its own, and counts plies without
/// progress by rules of its own.
fn fields(text: &str) -> Vec<String> {
    let mut fields: Vec<String> = (text.replace(['[', ']'], " ").split(' '))
        .map(str::to_owned)
        .collect();
    // Of a FEN with hands: men, hands, nothing, side, two times nothing, plies, moves. Of a SFEN: men, side, hands, ply.
    let hands = match fields.len() {
        4 => Some(2),
        8 => Some(1),
        _ => None,
    };
    if let Some(hands) = hands {
        let mut men: Vec<&str> = fields[hands].split_inclusive(char::is_alphabetic).collect();
        men.sort_unstable();
        fields[hands] = men.concat();
    }
    if fields.len() > 4 {
        let plies = fields.len() - 2;
        fields.remove(plies);
    }
    fields
}

/// Holds positions and lists of moves against the engine's in one protocol; every game is sent as a position and as moves from its start.
fn compare<V: Variant>(program: &PathBuf, dialect: Dialect, games: &[Game<V>]) {
    let game = match V::ID.name() {
        "showgit" => "shogi",
        name => name,
    };
    let name = if dialect == Dialect::Ucci {
        ""
    } else {
        "name "
    };
    let value = if dialect == Dialect::Ucci {
        ""
    } else {
        "value "
    };
    let mut commands = format!("{dialect}\nsetoption {name}UCI_Variant {value}{game}\n");
    for game in games {
        let (word, text) = (
            dialect.position_word(),
            dialect.position_text::<V>(game.position()),
        );
        writeln!(commands, "position {word} {text}\nd\ngo perft 1").unwrap();
        let text = dialect.game_text(game);
        writeln!(commands, "position {text}\nd\ngo perft 1").unwrap();
    }
    commands += "quit\n";
    let shown = shown(&answers(program, commands));
    assert_eq!(shown.len(), 2 * games.len());
    for (pair, game) in shown.chunks(2).zip(games) {
        let position = game.position();
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        let ours: BTreeSet<String> = (legal.iter())
            .map(|&mv| dialect.move_text::<V>(position, mv))
            .collect();
        let text = fields(&dialect.position_text::<V>(position));
        for (number, shown) in pair.iter().enumerate() {
            // The engine lists drops of pawns that mate too, which it then doesn't play.
            let differ = shown.moves.symmetric_difference(&ours);
            let differ: Vec<&String> = differ
                .filter(|mv| !(V::ID == VariantId::Showgit && is_pawn_drop_beside(mv, &ours)))
                .collect();
            assert!(
                differ.is_empty(),
                "{dialect} {position} ({number}): {differ:?}"
            );
            let theirs = match dialect {
                Dialect::Usi => &shown.sfen,
                Dialect::Uci | Dialect::Ucci => &shown.fen,
            };
            let (mut theirs, mut ours) = (fields(theirs), text.clone());
            if number == 1 {
                // A start whose number does not fit its side counts otherwise.
                let _ = (theirs.pop(), ours.pop());
            }
            assert_eq!(theirs, ours, "{dialect} {position} ({number})");
        }
    }
}

fn is_pawn_drop_beside(mv: &str, ours: &BTreeSet<String>) -> bool {
    !ours.contains(mv) && (mv.starts_with("P*") || mv.starts_with("P@"))
}

fn agree<V: Variant>(name: &str) {
    let Some(program) = program() else { return };
    let mut games = vectors::<V>(name, 23);
    games.extend((0..20).map(|seed| random::<V>(seed, 10 * seed as usize + 3)));
    assert!(games.len() > 60);
    for dialect in Dialect::ALL {
        compare(&program, dialect, &games);
    }
}

#[test]
fn shogi_is_written_as_fairy_stockfish_reads_it() {
    agree::<Showgit>("shogi");
}

#[test]
fn euroshogi_is_written_as_fairy_stockfish_reads_it() {
    agree::<EuroShogi>("euroshogi");
}

#[test]
fn xiangqi_is_written_as_fairy_stockfish_reads_it() {
    agree::<Xiangqi>("xiangqi");
}
