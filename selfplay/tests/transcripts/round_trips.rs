//! What is written is read.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Reason, RuleOptions, Side, Variant};
use selfplay::Transcript;
use selfplay::notation::Format;
use selfplay::transcript::{Claim, Ending, Heading, Note};

use super::{formats, moves, random_game, read, rng, start_key};

const GAMES: u64 = 60;

fn claims() -> Vec<Option<Ending>> {
    let mut claims = vec![None];
    for winner in [None, Some(Side::First), Some(Side::Second)] {
        for claim in [
            Claim::Reason(Reason::Resignation),
            Claim::Reason(Reason::Adjudication),
            Claim::Reason(Reason::Forfeit),
            Claim::Reason(Reason::PerpetualCheck),
            Claim::Time,
            Claim::Agreement,
            Claim::Impasse,
            Claim::Unstated,
        ] {
            claims.push(Some(Ending::claimed(winner, claim)));
        }
    }
    claims
}

fn transcript<V: Variant>(number: u64, rng: &mut ChaCha8Rng) -> Transcript<V> {
    let mut options = V::OPTIONS;
    if number % 3 == 1 {
        options = RuleOptions {
            ply_cap: 40,
            repetitions: 2,
            ..options
        };
    }
    let plies = [0, 1, 2, 60, 600][number as usize % 5];
    let game = random_game::<V>(options, plies, rng);
    let note = |_| Note {
        value: rng
            .random_bool(0.5)
            .then(|| rng.random_range(-1000_i32..=1000) as f32 / 1000.0),
        seconds: rng
            .random_bool(0.5)
            .then(|| f64::from(rng.random_range(0_u32..5000))),
    };
    let notes = (0..game.ply()).map(note).collect();
    let claims = claims();
    let claim = claims[number as usize % claims.len()];
    let heading = Heading {
        players: ["net 6 \"best\" \\ 7".to_owned(), "先手：羽生".to_owned()],
        date: ["", "2026-12-01", "2026-12-01 10:30:00"][number as usize % 3].to_owned(),
        event: "旋風 match".to_owned(),
        site: "a, b: c/d".to_owned(),
        round: number.to_string(),
    };
    Transcript::new(heading, game, notes, claim)
}

fn round_trip<V: Variant>() {
    for format in formats::<V>() {
        let mut rng = rng(V::ID as u64);
        let games: Vec<Transcript<V>> = (0..GAMES)
            .map(|number| transcript(number, &mut rng))
            .collect();
        let texts: Vec<String> = games
            .iter()
            .map(|game| format.write(game).unwrap())
            .collect();
        // All in one file, as other systems end their lines.
        let file = texts.join(format.separator());
        let file = "\u{feff}".to_owned() + &file.replace('\n', "\r\n");
        let file = selfplay::notation::decode(file.as_bytes()).unwrap();
        let read = read::<V>(format, file);
        assert_eq!(read.len(), games.len(), "{format}");
        for ((game, read), text) in games.iter().zip(&read).zip(&texts) {
            assert_eq!(moves(game), moves(read), "{text}");
            assert_eq!(start_key(game), start_key(read), "{text}");
            if format == Format::Usi {
                let claimless =
                    Transcript::new(Heading::default(), read.game.clone(), Vec::new(), None);
                assert_eq!(read.ending, claimless.ending);
                assert_eq!(game.game.start(), read.game.start());
                continue;
            }
            assert_eq!(game.game.options(), read.game.options(), "{text}");
            assert_eq!(game.heading, read.heading, "{text}");
            assert_eq!(game.ending, read.ending, "{text}");
            for ply in 0..game.game.ply() {
                assert_eq!(game.note(ply), read.note(ply), "ply {ply} of {text}");
            }
            assert_eq!(&format.write(read).unwrap(), text);
        }
    }
}

#[test]
fn shogi_in_every_format() {
    round_trip::<Showgit>();
}

#[test]
fn euroshogi_in_its_formats() {
    round_trip::<EuroShogi>();
}

#[test]
fn xiangqi_in_its_formats() {
    round_trip::<Xiangqi>();
}

#[test]
fn gufu_in_its_formats() {
    round_trip::<Gufu>();
}

#[test]
fn a_format_of_another_game_is_refused() {
    let game = transcript::<Xiangqi>(0, &mut rng(0));
    for format in [Format::Kif, Format::Csa] {
        let error = format.write(&game).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("{format} is a format for showgit, not for xiangqi: use pgn or usi")
        );
        let text = format
            .write(&transcript::<Showgit>(0, &mut rng(0)))
            .unwrap();
        assert!(format.read::<Xiangqi>(&text, Xiangqi::OPTIONS).is_err());
    }
}
