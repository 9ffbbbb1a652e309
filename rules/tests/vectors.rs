//! The grid games held against positions, counts and endings made by independent programs.
//!
//! `senpu verify` judges the same files line by line; this is its core, so that the crate can be tested alone.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Read;
use std::path::Path;

use rules::perft::perft;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::{self, Showgit};
use rules::variants::xiangqi::{self, Xiangqi};
use rules::{Declaration, Game, Outcome, Position, Reason, RuleOptions, Side, Variant, ZoneStart};
use serde_json::Value;

fn lines(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(name);
    let bytes = std::fs::read(path).unwrap();
    let mut text = String::new();
    if Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "gz")
    {
        flate2::read::GzDecoder::new(&bytes[..])
            .read_to_string(&mut text)
            .unwrap();
    } else {
        text = String::from_utf8(bytes).unwrap();
    }
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn texts(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect()
}

fn outcome(value: &Value) -> Option<Outcome> {
    let name = value["reason"].as_str()?;
    let reason = Reason::ALL
        .into_iter()
        .find(|reason| reason.name() == name)
        .unwrap();
    let winner = match value["winner"].as_str().unwrap() {
        "first" => Some(Side::First),
        "second" => Some(Side::Second),
        _ => None,
    };
    Some(Outcome { winner, reason })
}

fn game<V: Variant>(line: &Value, options: RuleOptions) -> Game<V> {
    let text = ["sfen_or_fen", "sfen", "fen"]
        .into_iter()
        .find_map(|key| line[key].as_str())
        .unwrap();
    Game::from_position(
        text.parse().unwrap_or_else(|error| panic!("{error}")),
        options,
    )
}

/// Plays moves given as texts.
fn play<V: Variant>(game: &mut Game<V>, moves: &[&str]) {
    for text in moves {
        let mv = game
            .position()
            .parse_move(text)
            .unwrap_or_else(|error| panic!("{error}"));
        game.play(mv);
    }
}

fn move_texts<V: Variant>(game: &Game<V>) -> Vec<String> {
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    assert_eq!(game.position().count_moves(&mut Vec::new()), legal.len());
    let mut names: Vec<String> = legal.iter().map(ToString::to_string).collect();
    names.sort();
    names
}

/// A text without what may differ: the counter that a game ignores and the order of men in brackets.
fn comparable(text: &str, fields: usize) -> Vec<String> {
    let mut fields: Vec<String> = text.split(' ').take(fields).map(str::to_owned).collect();
    if let Some((men, hands)) = fields[0].split_once('[') {
        let mut hands: Vec<char> = hands.chars().collect();
        hands.sort_unstable();
        fields[0] = format!("{men}[{}", hands.into_iter().collect::<String>());
    }
    fields
}

fn check_positions<V: Variant>(name: &str, fields: usize) {
    let all = lines(name);
    assert_eq!(all.len(), 2000);
    for line in &all {
        let mut game = game::<V>(line, V::OPTIONS);
        play(&mut game, &texts(&line["moves_from_start"]));
        let text = line["fen"].as_str().unwrap();
        let position = *game.position();
        assert_eq!(
            comparable(&position.to_string(), fields),
            comparable(text, fields)
        );
        assert_eq!(
            position.to_string().parse::<V::Position>().unwrap(),
            position
        );
        assert_eq!(
            text.parse::<V::Position>().unwrap().key(),
            position.key(),
            "{text}"
        );
        assert_eq!(move_texts(&game), texts(&line["legal"]), "{text}");
        assert_eq!(
            position.in_check(),
            line["in_check"].as_bool().unwrap(),
            "{text}"
        );
        let expected = if line["result_seed"].is_null() {
            &line["result"]
        } else {
            &line["result_seed"]
        };
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        assert_eq!(game.outcome(&legal), outcome(expected), "{line}");
    }
}

#[test]
fn shogi_positions() {
    check_positions::<Showgit>("positions-shogi.jsonl.gz", 3);
}

#[test]
fn euroshogi_positions() {
    check_positions::<EuroShogi>("positions-euroshogi.jsonl.gz", 2);
}

#[test]
fn xiangqi_positions() {
    check_positions::<Xiangqi>("positions-xiangqi.jsonl.gz", 6);
}

#[test]
fn euroshogi_positions_with_optional_promotion() {
    let options = RuleOptions {
        zone_start_promotion: ZoneStart::Optional,
        ..EuroShogi::OPTIONS
    };
    for line in lines("positions-euroshogi.jsonl.gz") {
        let start: Game<EuroShogi> = game(&line, EuroShogi::OPTIONS);
        let mut game = Game::<EuroShogi>::from_position(*start.position(), options);
        play(&mut game, &texts(&line["moves_from_start"]));
        let mut expected = texts(&line["legal"]);
        expected.extend(texts(&line["extra_optional_promotion"]));
        expected.sort_unstable();
        assert_eq!(move_texts(&game), expected, "{line}");
    }
}

/// Plays a line and returns what disagrees.
fn judge_ending<V: Variant>(line: &Value, options: RuleOptions) -> Result<(), String> {
    let expected = if line.get("expected_seed").is_some() {
        &line["expected_seed"]
    } else {
        &line["expected"]
    };
    let end = expected["ply"].as_u64();
    let moves = texts(&line["moves"]);
    let mut game = game::<V>(line, options);
    let mut legal = Vec::new();
    for ply in 0..=moves.len() {
        game.legal_moves(&mut legal);
        let wanted = outcome(expected).filter(|_| end == Some(ply as u64));
        let found = game.outcome(&legal);
        if found != wanted {
            return Err(format!("ply {ply}: {found:?}, expected {wanted:?}"));
        }
        if wanted.is_some() {
            break;
        }
        if let Some(text) = moves.get(ply) {
            play(&mut game, &[text]);
        }
    }
    match line["illegal_move"].as_str() {
        Some(text) if game.position().parse_move(text).is_ok() => Err(format!("{text} is legal")),
        _ => Ok(()),
    }
}

fn check_endings<V: Variant>(name: &str) {
    let mut failed = Vec::new();
    for (number, line) in (1..).zip(lines(name)) {
        let options = if line["category"] == "declaration_27" {
            RuleOptions {
                declaration: Declaration::Csa27,
                ..V::OPTIONS
            }
        } else {
            V::OPTIONS
        };
        if let Err(problem) = judge_ending::<V>(&line, options) {
            failed.push(format!("{name}:{number}: {}: {problem}", line["category"]));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn shogi_endings() {
    check_endings::<Showgit>("gameend-shogi.jsonl");
}

#[test]
fn euroshogi_endings() {
    check_endings::<EuroShogi>("gameend-euroshogi.jsonl");
}

#[test]
fn xiangqi_endings() {
    check_endings::<Xiangqi>("gameend-xiangqi.jsonl");
}

/// Random lines to and fro whose verdict by Fairy-Stockfish (pyffish 0.0.90) ours agrees with, or differs from for the reason that the line
/// gives: see `outside_oracles.rs`.
#[test]
fn xiangqi_chases() {
    check_endings::<Xiangqi>("chases-xiangqi.jsonl");
}

#[test]
fn shogi_declarations_count_as_the_vectors_do() {
    for line in lines("gameend-shogi.jsonl")
        .iter()
        .filter(|line| line["category"] == "declaration_27")
    {
        let position = *game::<Showgit>(line, Showgit::OPTIONS).position();
        let count = showgit::Count::of(&position);
        assert_eq!(
            Some(u64::from(count.points)),
            line["points"].as_u64(),
            "{line}"
        );
        assert_eq!(
            Some(u64::from(count.men_in_zone)),
            line["pieces_in_zone"].as_u64(),
            "{line}"
        );
        assert_eq!(
            Some(count.king_in_zone),
            line["king_in_zone"].as_bool(),
            "{line}"
        );
        let declares = count.can_declare(position.side_to_move()) && !position.in_check();
        assert_eq!(Some(declares), line["can_declare"].as_bool(), "{line}");
    }
}

#[test]
fn xiangqi_sides_that_cannot_mate() {
    for line in lines("gameend-xiangqi.jsonl")
        .iter()
        .filter(|line| line["insufficient"].is_object())
    {
        let position = *game::<Xiangqi>(line, Xiangqi::OPTIONS).position();
        for side in [Side::First, Side::Second] {
            let expected = line["insufficient"][side.name()].as_bool();
            assert_eq!(
                Some(xiangqi::cannot_mate(&position, side)),
                expected,
                "{line}"
            );
        }
    }
}

/// The most leaves of a count that is checked without `SENPU_PERFT_FULL=1`.
const QUICK: u64 = 30_000_000;

fn check_perft<V: Variant>(line: &Value) {
    let most = if std::env::var_os("SENPU_PERFT_FULL").is_some() {
        u64::MAX
    } else {
        QUICK
    };
    for (key, zone_start_promotion) in [
        ("nodes", ZoneStart::Mandatory),
        ("nodes_optional_promotion", ZoneStart::Optional),
    ] {
        let options = RuleOptions {
            zone_start_promotion,
            ..V::OPTIONS
        };
        let game = game::<V>(line, options);
        let counts = line[key].as_array().map_or(&[][..], Vec::as_slice);
        for (depth, leaves) in (1..).zip(counts) {
            let leaves = leaves.as_u64().unwrap();
            if leaves <= most {
                assert_eq!(
                    perft(game.position(), depth),
                    leaves,
                    "{key} {depth} of {line}"
                );
            }
        }
    }
}

#[test]
fn perft_counts() {
    for line in lines("perft.jsonl") {
        match line["variant"].as_str().unwrap() {
            "shogi" => check_perft::<Showgit>(&line),
            "euroshogi" => check_perft::<EuroShogi>(&line),
            "xiangqi" => check_perft::<Xiangqi>(&line),
            other => panic!("{other}"),
        }
    }
}
