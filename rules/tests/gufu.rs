//! Gufu held against numbers and positions made by independent programs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Read;
use std::path::Path;

use rules::notation::parse_game;
use rules::perft::{divide, perft};
use rules::solver::{Exact, Solution};
use rules::variants::gufu::{Gufu, Move, Piece, Position};
use rules::{Game, Outcome, Position as _, Reason, Side, Variant};
use serde_json::Value;

fn vectors() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/positions-gufu.jsonl.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn replay(line: &Value) -> Game<Gufu> {
    let moves: Vec<&str> = line["moves_from_start"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mv| mv.as_str().unwrap())
        .collect();
    let mut game = Game::<Gufu>::new(Gufu::OPTIONS);
    for mv in moves {
        game.play(game.position().parse_move(mv).unwrap());
    }
    game
}

#[test]
fn perft_from_the_start() {
    let counts: Vec<u64> = (0..=5)
        .map(|depth| perft(&Position::initial(), depth))
        .collect();
    assert_eq!(counts, [1, 24, 466, 7264, 65920, 526_032]);
    let divided: u64 = divide(&Position::initial(), 4)
        .iter()
        .map(|(_, leaves)| leaves)
        .sum();
    assert_eq!(divided, 65920);
}

#[test]
fn every_vector_position_agrees() {
    let lines = vectors();
    assert_eq!(lines.len(), 3000);
    for line in &lines {
        let game = replay(line);
        let position = *game.position();
        let text = line["fen"].as_str().unwrap();
        assert_eq!(position.to_string(), text);
        assert_eq!(text.parse::<Position>().unwrap(), position);
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        let mut names: Vec<String> = legal.iter().map(Move::to_string).collect();
        names.sort();
        let expected: Vec<&str> = line["legal"]
            .as_array()
            .unwrap()
            .iter()
            .map(|mv| mv.as_str().unwrap())
            .collect();
        assert_eq!(names, expected, "{text}");
        assert_eq!(
            position.in_check(),
            line["in_check"].as_bool().unwrap(),
            "{text}"
        );
        let checkers: String = position.checkers().map(Piece::letter).collect();
        let expected: String = line["checkers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|letter| letter.as_str().unwrap())
            .collect();
        assert_eq!(checkers, expected, "{text}");
        assert_eq!(legal.is_empty(), !line["result"].is_null(), "{text}");
        for &mv in &legal {
            assert_eq!(position.parse_move(&mv.to_string()), Ok(mv));
            assert_eq!(Move::try_from(u16::from(mv)), Ok(mv));
        }
    }
}

#[test]
fn the_solution_is_the_published_one() {
    let solution = Solution::<Gufu>::new();
    assert_eq!(solution.positions().len(), 212_807);
    let play = solution.statistics(|position| !position.in_setup());
    assert_eq!(
        (play.positions, play.wins, play.losses, play.mates),
        (205_052, 55_920, 24_348, 20_192)
    );
    assert_eq!(play.draws, 205_052 - 55_920 - 24_348);
    assert_eq!(
        (play.longest_win, play.most_moves, play.mistake_possible),
        (3, 33, 144_348)
    );
    assert_eq!(solution.value(&Position::initial()), Some(Exact::Draw));
    for line in vectors() {
        let perfect = &line["perfect"];
        let value = solution.value(replay(&line).position()).unwrap();
        assert_eq!(
            i64::from(value.sign()),
            perfect["value"].as_i64().unwrap(),
            "{line}"
        );
        assert_eq!(
            value.plies().map(u64::from),
            perfect["plies"].as_u64(),
            "{line}"
        );
    }
}

#[test]
fn best_moves_keep_value_and_distance() {
    let solution = Solution::<Gufu>::new();
    for position in solution.positions().iter().step_by(97) {
        let value = solution.value(position).unwrap();
        let best = solution.best_moves(position);
        assert_eq!(best.is_empty(), value == Exact::Loss(0));
        for mv in best {
            let mut next = *position;
            next.play(mv);
            assert_eq!(
                solution.value(&next).unwrap().before(),
                value,
                "{position} {mv}"
            );
        }
    }
}

/// The line of play on the rules page, with the number of legal moves before each ply.
const MATE_LINE: [(&str, usize); 15] = [
    ("K*1c>N", 24),
    ("K*2c>S", 19),
    ("W*1b>S", 16),
    ("S*2b>W", 10),
    ("Kx2b>E", 7),
    ("W-2a>W", 15),
    ("S*1a>E", 15),
    ("K:2c>W", 6),
    ("W-1b>N", 9),
    ("W:1b>E", 7),
    ("K-2a>S", 9),
    ("K-1c>N", 2),
    ("W:1b>S", 8),
    ("Sx1b>S", 3),
    ("K-2b>W", 18),
];

#[test]
fn the_game_on_the_rules_page_ends_in_mate() {
    let mut game = Game::<Gufu>::new(Gufu::OPTIONS);
    let mut legal = Vec::new();
    for (ply, (text, count)) in MATE_LINE.into_iter().enumerate() {
        game.legal_moves(&mut legal);
        assert_eq!(legal.len(), count, "ply {ply}");
        assert_eq!(game.outcome(&legal), None);
        game.play(game.position().parse_move(text).unwrap());
        assert_eq!(
            game.position().in_check(),
            matches!(ply, 10 | 12 | 14),
            "ply {ply}"
        );
    }
    game.legal_moves(&mut legal);
    assert_eq!(
        game.outcome(&legal),
        Some(Outcome::win(Side::First, Reason::Checkmate))
    );
}

#[test]
fn the_third_occurrence_is_a_draw_and_not_the_second() {
    let start = "startpos moves K*2a>N K*1c>N W*2b>W S*1b>N";
    let mut game: Game<Gufu> = parse_game(start, Gufu::OPTIONS).unwrap();
    let mut legal = Vec::new();
    let turns = [
        "K:2a>E", "K:1c>E", "K:2a>S", "K:1c>S", "K:2a>W", "K:1c>W", "K:2a>N", "K:1c>N",
    ];
    for (ply, text) in turns.iter().cycle().take(16).enumerate() {
        game.legal_moves(&mut legal);
        assert_eq!(game.outcome(&legal), None, "ply {ply}");
        game.play(game.position().parse_move(text).unwrap());
    }
    assert_eq!(game.occurrences(), 3);
    game.legal_moves(&mut legal);
    assert_eq!(
        game.outcome(&legal),
        Some(Outcome::draw(Reason::Repetition))
    );
    game.undo_to(12);
    assert_eq!(game.occurrences(), 2);
}

#[test]
fn the_ply_cap_is_a_draw_but_mate_comes_first() {
    let line: Vec<&str> = MATE_LINE.iter().map(|(text, _)| *text).collect();
    let text = format!("startpos moves {}", line.join(" "));
    let options = |ply_cap| rules::RuleOptions {
        ply_cap,
        ..Gufu::OPTIONS
    };
    let mut legal = Vec::new();
    let game: Game<Gufu> = parse_game(&text, options(15)).unwrap();
    game.legal_moves(&mut legal);
    assert_eq!(game.outcome(&legal).unwrap().reason, Reason::Checkmate);
    let error = parse_game::<Gufu>(&text, options(14)).unwrap_err();
    assert!(error.problem.contains("already ended (ply_cap)"), "{error}");
}

#[test]
fn wrong_texts_are_refused_with_the_place() {
    for (text, at, problem) in [
        ("", 1, "fields"),
        ("../../.. b KkWS 1 ", 1, "fields"),
        ("../../.. w KkWS 1", 10, "must be `b`"),
        ("../../.. b kKWS 1", 12, "must be `KkWS`"),
        ("../../.. b KkWS 0", 17, "from 1"),
        ("../../.. b KkWS 01", 17, "from 1"),
        ("../../.. b KkWS 3", 17, "dropped at ply 1"),
        (".../../. b KkWS 1", 3, "expected `/`"),
        (
            "../../. b KkWS 1",
            8,
            "five squares".trim_start_matches("five "),
        ),
        ("../../... b KkWS 1", 9, "more than six"),
        ("../.x/.. b KkWS 1", 5, "is no piece"),
        ("K/../.. w kWS 2", 2, "must be followed"),
        ("K^K^/../.. w kWS 2", 3, "a second `K`"),
        ("K>k</../.. b WS 3", 1, "face to face"),
        ("Kv./.kv/.W^ b S 4", 13, "must be `w`"),
        ("Kv./.kv/.W^ b S 5", 0, ""),
        ("W^./.kv/.. b KS 5", 17, "past the setup"),
    ] {
        match text.parse::<Position>() {
            Ok(_) => assert_eq!(at, 0, "`{text}` must be refused"),
            Err(error) => {
                assert_eq!(error.at, at, "{error}");
                assert!(error.problem.contains(problem), "{error}");
            }
        }
    }
    let position: Position = "Kv./.kv/.W^ w S 4".parse().unwrap();
    for (text, at) in [
        ("", 1),
        ("Q", 1),
        ("S", 2),
        ("S*3a", 3),
        ("S*1d", 4),
        ("S*1a", 5),
        ("S*1a>", 6),
        ("S*1a>Q", 6),
        ("S*1a>NN", 7),
        ("S*1b>N", 1),
    ] {
        let error = position.parse_move(text).unwrap_err();
        assert_eq!(error.at, at, "{error}");
    }
    assert_eq!(
        position.parse_move("S*1一>N+").unwrap().to_string(),
        "S*1a>N"
    );
}

/// The ply number stops where texts stop, and still tells whose turn it is.
#[test]
fn the_last_ply_number_is_not_passed() {
    let mut position: Position = "K^./../.k^ w WS 65534".parse().unwrap();
    for (text, expected) in [
        ("K:1c>E", "K^./../.k> b WS 65533"),
        ("K:2a>E", "K>./../.k> w WS 65534"),
        ("K:1c>S", "K>./../.kv b WS 65533"),
    ] {
        position.play(position.parse_move(text).unwrap());
        assert_eq!(position.to_string(), expected);
        assert_eq!(expected.parse(), Ok(position));
    }
}
