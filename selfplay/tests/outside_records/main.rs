//! Records held against other people's readers and writers, on games that nobody has seen before: the same moves, the same last position, the
//! same winner.
//!
//! * cshogi (Python, GPL, run as a program of its own): KIF and CSA, both ways. It reads no drawn boards in KIF.
//! * tsshogi (npm, MIT): KIF, CSA and USI lines, both ways.
//! * pyffish (Python, GPL, likewise): judges the moves of PGN of shogi, `EuroShogi` and xiangqi.
//!
//! `scripts/records.sh` installs them and runs this; without them it skips itself and says so.
//!
//! * `SENPU_ORACLE_PYTHON`: the Python that has the packages, by default `python3`.
//! * `SENPU_ORACLE_NODE_PATH`: the `node_modules` that has tsshogi.
//! * `SENPU_REQUIRE_ORACLES=1`: a library that is missing fails the test.
//! * `SENPU_ORACLE_SEED`: the seed, by default the number of days since 1970 (UTC).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod games;
mod library;

use games::{Case, cases, shogi_position};
use library::Library;
use rules::board::Board;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Dialect, Position as _, Side, Variant};
use selfplay::Transcript;
use selfplay::notation::Format;
use selfplay::transcript::{Claim, Ending};
use serde_json::{Value, json};

/// Returns what a library should find in a game.
fn winner(ending: Option<Ending>) -> Value {
    match ending {
        None => Value::Null,
        Some(ending) => json!(ending.winner.map_or("draw", Side::name)),
    }
}

fn usi<V: Variant>(transcript: &Transcript<V>) -> Vec<String> {
    let moves = transcript.game.moves();
    moves.iter().map(ToString::to_string).collect()
}

/// Compares board, side and hands, which libraries write in orders of their own.
fn same_sfen(answer: &Value, expected: &str, context: &str) {
    let key = |text: &str| text.parse::<Board<Showgit>>().unwrap().key();
    let found = answer.as_str().unwrap_or_default();
    assert_eq!(key(found), key(expected), "{found}, {expected}: {context}");
}

/// Asks a library to read games of shogi in a format. `knows` tells whether it finds the winner of a game in that format at all.
fn read_by(
    library: &mut Library,
    format: Format,
    cases: &[Case<Showgit>],
    knows: impl Fn(&Transcript<Showgit>) -> bool,
) {
    let texts = cases
        .iter()
        .map(|case| format.write(&case.transcript).unwrap());
    let questions: Vec<Value> = texts
        .map(|text| json!({"do": "read", "format": format.name(), "text": text}))
        .collect();
    let mut winners = 0;
    for (case, (answer, question)) in cases
        .iter()
        .zip(library.ask(&questions).iter().zip(&questions))
    {
        let transcript = &case.transcript;
        let context = format!("{answer}\nof\n{}", question["text"].as_str().unwrap());
        assert_eq!(answer["moves"], json!(usi(transcript)), "{context}");
        same_sfen(
            &answer["start"],
            &transcript.game.start().to_string(),
            &context,
        );
        same_sfen(
            &answer["final"],
            &transcript.game.position().to_string(),
            &context,
        );
        if format != Format::Usi {
            assert_eq!(
                answer["names"],
                json!(transcript.heading.players),
                "{context}"
            );
        }
        if knows(transcript) {
            assert_eq!(answer["winner"], winner(transcript.ending), "{context}");
            winners += 1;
        }
    }
    library.say(&format!(
        "read {} games in {format}, with {winners} winners",
        cases.len()
    ));
}

/// Asks a library to write games, and reads them.
fn written_by(library: &mut Library, format: Format, cases: &[Case<Showgit>], ends: &[End]) {
    let end = |number: usize| ends[number % ends.len()];
    let question = |(number, case): (usize, &Case<Showgit>)| {
        let start = case.transcript.game.start().to_string();
        json!({"do": "write", "format": format.name(), "start": start, "moves": usi(&case.transcript), "end": end(number).0})
    };
    let questions: Vec<Value> = cases.iter().enumerate().map(question).collect();
    for (number, answer) in library.ask(&questions).iter().enumerate() {
        let given = &cases[number].transcript;
        let text = answer["text"].as_str().unwrap();
        let read = format.read::<Showgit>(text, *given.game.options());
        let read = read.unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(read.len(), 1, "{text}");
        assert_eq!(usi(&read[0]), usi(given), "{text}");
        same_sfen(&answer["final"], &read[0].game.position().to_string(), text);
        let mover = read[0].game.position().side_to_move();
        let ending = read[0].ending.unwrap_or_else(|| panic!("{text}"));
        if matches!(
            given.ending,
            Some(Ending {
                cause: selfplay::transcript::Cause::Rules(_),
                ..
            })
        ) {
            continue;
        }
        assert_eq!(ending.winner, end(number).1(mover), "{text}");
        for ply in 0..given.game.ply() {
            assert!(read[0].note(ply).seconds.is_some(), "ply {ply} of {text}");
        }
    }
    library.say(&format!(
        "wrote {} games in {format} that were read alike",
        cases.len()
    ));
}

/// A library's word for an end, and who wins then, given who is to move.
type End = (&'static str, fn(Side) -> Option<Side>);

const LOSE: fn(Side) -> Option<Side> = |mover| Some(mover.other());
const WIN: fn(Side) -> Option<Side> = |mover| Some(mover);
const DRAW: fn(Side) -> Option<Side> = |_| None;

/// The formats have no word for a win of the side to move that is no declaration and no foul.
fn has_word(transcript: &Transcript<Showgit>) -> bool {
    let mover = transcript.game.position().side_to_move();
    let foul_or_declared = |ending: &Ending| {
        use rules::Reason::{Declaration, Forfeit, PerpetualCheck};
        let claim = ending.claim();
        [Declaration, Forfeit, PerpetualCheck]
            .map(Claim::Reason)
            .contains(&claim)
    };
    (transcript.ending.as_ref())
        .is_none_or(|ending| ending.winner != Some(mover) || foul_or_declared(ending))
}

#[test]
fn cshogi_reads_and_writes_alike() {
    let Some(mut library) = Library::python() else {
        return;
    };
    let cases = cases::<Showgit>(1);
    read_by(&mut library, Format::Csa, &cases, |transcript| {
        use rules::Reason::{Checkmate, Stalemate};
        let unknown = [Checkmate, Stalemate].map(|reason| Some(Claim::Reason(reason)));
        // It takes no winner from `%TSUMI`, and calls unfinished games drawn.
        let claim = transcript.ending.map(Ending::claim);
        claim.is_some() && !unknown.contains(&claim) && has_word(transcript)
    });
    let (named, drawn): (Vec<_>, Vec<_>) = cases.into_iter().partition(Case::has_named_start);
    read_by(&mut library, Format::Kif, &named, |transcript| {
        // It knows no line `まで` of a game lost on time.
        let time = transcript
            .ending
            .is_some_and(|ending| ending.claim() == Claim::Time);
        !time
    });
    let ends: [End; 4] = [
        ("resign", LOSE),
        ("sennichite", DRAW),
        ("draw", DRAW),
        ("illegal_lose", LOSE),
    ];
    written_by(&mut library, Format::Kif, &named, &ends);
    written_by(&mut library, Format::Kif, &drawn, &ends);
    written_by(&mut library, Format::Csa, &drawn, &ends);
}

#[test]
fn tsshogi_reads_and_writes_alike() {
    let Some(mut library) = Library::node() else {
        return;
    };
    let cases = cases::<Showgit>(2);
    read_by(&mut library, Format::Kif, &cases, has_word);
    // It takes the sign of `%+ILLEGAL_ACTION` for that of the winner, where the format's page means who did wrong.
    read_by(&mut library, Format::Csa, &cases, |transcript| {
        let mover = transcript.game.position().side_to_move();
        let foul = transcript.ending.is_some_and(|ending| {
            use rules::Reason::{Forfeit, PerpetualCheck};
            let fouls = [Forfeit, PerpetualCheck].map(Claim::Reason);
            fouls.contains(&ending.claim()) && ending.winner == Some(mover)
        });
        has_word(transcript) && !foul
    });
    read_by(&mut library, Format::Usi, &cases, |_| false);
    let ends: [End; 8] = [
        ("foulWin", WIN),
        ("resign", LOSE),
        ("mate", LOSE),
        ("timeout", LOSE),
        ("foulLose", LOSE),
        ("enteringOfKing", WIN),
        ("repetitionDraw", DRAW),
        ("impass", DRAW),
    ];
    written_by(&mut library, Format::Kif, &cases, &ends);
    written_by(&mut library, Format::Csa, &cases, &ends[1..]);
}

fn pgn<V: Variant>(library: &mut Library, seed: u64) {
    let cases = cases::<V>(seed);
    let question = |case: &Case<V>| json!({"do": "read", "format": "pgn", "text": Format::Pgn.write(&case.transcript).unwrap()});
    let questions: Vec<Value> = cases.iter().map(question).collect();
    for (case, (answer, question)) in cases
        .iter()
        .zip(library.ask(&questions).iter().zip(&questions))
    {
        let game = &case.transcript.game;
        let context = format!("{answer}\nof\n{}", question["text"].as_str().unwrap());
        let moves: Vec<String> = (game.moves().iter())
            .map(|&mv| Dialect::Uci.move_text::<V>(game.start(), mv))
            .collect();
        assert_eq!(answer["moves"], json!(moves), "{context}");
        let expected = Dialect::Uci.position_text::<V>(game.position());
        let found = answer["final"].as_str().unwrap();
        // Men in hand come in any order.
        assert_eq!(
            shogi_position(found),
            shogi_position(&expected),
            "{context}"
        );
        assert_eq!(
            answer["winner"],
            winner(case.transcript.ending),
            "{context}"
        );
        if game.ply() > 0 {
            let dots = answer["first_number"].as_str().unwrap();
            let second = game.start().side_to_move() == Side::Second;
            assert_eq!(dots.ends_with("..."), second, "{context}");
        }
    }
    library.say(&format!(
        "replayed {} games of {} in pgn",
        cases.len(),
        V::ID
    ));
}

#[test]
fn pyffish_replays_pgn() {
    let Some(mut library) = Library::python() else {
        return;
    };
    pgn::<EuroShogi>(&mut library, 3);
    pgn::<Xiangqi>(&mut library, 4);
    pgn::<Showgit>(&mut library, 5);
}
