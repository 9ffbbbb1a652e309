//! Every end by rules, from the lines that the rules are checked with: written, read, and judged alike.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Declaration, Game, Position as _, Reason, RuleOptions, Variant};
use selfplay::Transcript;
use selfplay::notation::Format;
use selfplay::transcript::{Cause, Heading};
use serde_json::Value;

use super::{formats, moves, read_one, start_key};

/// Plays a line to the end of its game; `None` if it does not end.
fn ended<V: Variant>(line: &Value, options: RuleOptions) -> Option<Game<V>> {
    let start = ["sfen", "fen"].iter().find_map(|key| line[key].as_str());
    let mut game = Game::<V>::from_position(start.unwrap().parse().ok()?, options);
    let mut legal = Vec::new();
    let mut moves = line["moves"].as_array().unwrap().iter();
    loop {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            return Some(game);
        }
        let mv = moves.next()?.as_str().unwrap();
        game.play(game.position().parse_move(mv).ok()?);
    }
}

fn endings<V: Variant>(file: &str, options: RuleOptions) -> BTreeSet<Reason> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/tests/vectors");
    let text = fs::read_to_string(folder.join(file)).unwrap();
    let mut reasons = BTreeSet::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let Some(game) = ended::<V>(&line, options) else {
            continue;
        };
        let transcript = Transcript::new(Heading::default(), game, Vec::new(), None);
        let Some(Cause::Rules(reason)) = transcript.ending.map(|ending| ending.cause) else {
            panic!("{line}");
        };
        reasons.insert(reason);
        for format in formats::<V>() {
            let text = format.write(&transcript).unwrap();
            let read = if format == Format::Usi {
                format.read(&text, options).unwrap().remove(0)
            } else {
                read_one::<V>(format, &text)
            };
            assert_eq!(read.ending, transcript.ending, "{text}");
            assert_eq!(moves(&read), moves(&transcript), "{text}");
            assert_eq!(start_key(&read), start_key(&transcript), "{text}");
        }
    }
    reasons
}

#[test]
fn of_shogi() {
    let options = RuleOptions {
        declaration: Declaration::Csa27,
        ..Showgit::OPTIONS
    };
    let reasons = endings::<Showgit>("gameend-shogi.jsonl", options);
    let expected = [
        Reason::Checkmate,
        Reason::Stalemate,
        Reason::Repetition,
        Reason::PerpetualCheck,
        Reason::Declaration,
    ];
    assert!(
        reasons.is_superset(&BTreeSet::from(expected)),
        "{reasons:?}"
    );
}

#[test]
fn of_euroshogi() {
    let reasons = endings::<EuroShogi>("gameend-euroshogi.jsonl", EuroShogi::OPTIONS);
    let expected = [
        Reason::Checkmate,
        Reason::Stalemate,
        Reason::Repetition,
        Reason::PerpetualCheck,
    ];
    assert!(
        reasons.is_superset(&BTreeSet::from(expected)),
        "{reasons:?}"
    );
}

#[test]
fn of_xiangqi() {
    let reasons = endings::<Xiangqi>("gameend-xiangqi.jsonl", Xiangqi::OPTIONS);
    let expected = [
        Reason::Checkmate,
        Reason::Stalemate,
        Reason::Repetition,
        Reason::PerpetualCheck,
        Reason::PerpetualChase,
        Reason::InsufficientMaterial,
        Reason::MoveLimit,
    ];
    assert!(
        reasons.is_superset(&BTreeSet::from(expected)),
        "{reasons:?}"
    );
}
