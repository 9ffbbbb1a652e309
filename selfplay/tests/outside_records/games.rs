//! Games of the day: from many starts, with every kind of end.

use std::time::{SystemTime, UNIX_EPOCH};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::variants::showgit::{Showgit, kif};
use rules::{Game, Position as _, Reason, RuleOptions, Side, Variant, VariantId};
use selfplay::Transcript;
use selfplay::random::{Purpose, stream};
use selfplay::transcript::{Claim, Ending, Heading, Note};

/// Games of each kind of game.
const GAMES: usize = 120;

/// A game to be written.
pub(crate) struct Case<V: Variant> {
    pub(crate) transcript: Transcript<V>,
}

impl Case<Showgit> {
    /// Tells whether KIF has a name for its start.
    pub(crate) fn has_named_start(&self) -> bool {
        kif::handicap_name(self.transcript.game.start()).is_some()
    }
}

/// Starts of shogi that have names, with the second player first.
const HANDICAPS: [&str; 5] = ["香落ち", "飛車落ち", "二枚落ち", "六枚落ち", "十枚落ち"];

fn seed() -> u64 {
    let given = std::env::var("SENPU_ORACLE_SEED").ok();
    given.map_or_else(
        || {
            let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            elapsed.as_secs() / (24 * 60 * 60)
        },
        |text| text.parse().unwrap(),
    )
}

pub(crate) fn cases<V: Variant>(number: u64) -> Vec<Case<V>> {
    let mut rng = stream(seed(), Purpose::Sample, number, 0);
    let case = |game: usize| Case {
        transcript: transcript::<V>(game, &mut rng),
    };
    (0..GAMES).map(case).collect()
}

fn play<V: Variant>(game: &mut Game<V>, plies: usize, rng: &mut ChaCha8Rng) {
    let mut legal = Vec::new();
    for _ in 0..plies {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            return;
        }
        game.play(legal[rng.random_range(0..legal.len())]);
    }
}

/// The usual start, a handicap or any position of a random game.
fn start<V: Variant>(number: usize, options: RuleOptions, rng: &mut ChaCha8Rng) -> V::Position {
    if V::ID == VariantId::Showgit && number % 3 == 1 {
        let name = HANDICAPS[number % HANDICAPS.len()];
        let text = kif::handicap(name).unwrap().to_string();
        return text.parse().unwrap();
    }
    let mut game = Game::<V>::new(options);
    if number % 3 == 2 {
        let plies = rng.random_range(1..120);
        play(&mut game, plies, rng);
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            return V::Position::initial();
        }
    }
    *game.position()
}

fn transcript<V: Variant>(number: usize, rng: &mut ChaCha8Rng) -> Transcript<V> {
    let options = RuleOptions {
        repetitions: if number % 4 == 1 {
            2
        } else {
            V::OPTIONS.repetitions
        },
        ply_cap: if number % 4 == 2 { 30 } else { 400 },
        ..V::OPTIONS
    };
    let mut game = Game::<V>::from_position(start::<V>(number, options, rng), options);
    let plies = if number.is_multiple_of(2) {
        500
    } else {
        rng.random_range(1..80)
    };
    play(&mut game, plies, rng);
    let note = |_| Note {
        value: Some(rng.random_range(-1000_i32..=1000) as f32 / 1000.0),
        seconds: Some(f64::from(rng.random_range(0_u32..4000))),
    };
    let notes = (0..game.ply()).map(note).collect();
    let heading = Heading {
        players: ["先手の人".to_owned(), "net 00ab".to_owned()],
        date: "2026-12-01".to_owned(),
        event: "match".to_owned(),
        round: number.to_string(),
        ..Heading::default()
    };
    let mover = game.position().side_to_move();
    Transcript::new(heading, game, notes, claim(number, mover))
}

/// Every claim in turn; a resignation is mostly that of the side to move.
fn claim(number: usize, mover: Side) -> Option<Ending> {
    let lost = |claim| Some(Ending::claimed(Some(mover.other()), claim));
    match number % 10 {
        0 => None,
        1 | 2 => lost(Claim::Reason(Reason::Resignation)),
        3 => lost(Claim::Time),
        4 => lost(Claim::Reason(Reason::Forfeit)),
        5 => Some(Ending::claimed(Some(mover), Claim::Reason(Reason::Forfeit))),
        6 => Some(Ending::claimed(None, Claim::Reason(Reason::Adjudication))),
        7 => Some(Ending::claimed(
            Some(mover),
            Claim::Reason(Reason::Adjudication),
        )),
        8 => Some(Ending::claimed(None, Claim::Impasse)),
        _ => lost(Claim::Reason(Reason::Adjudication)),
    }
}

/// Returns board, hands in the order of their letters, and the side to move of a FEN.
pub(crate) fn shogi_position(fen: &str) -> (String, Vec<char>, String) {
    let mut fields = fen.split(' ');
    let men = fields.next().unwrap();
    let (board, hands) = men.split_once('[').unwrap_or((men, ""));
    let mut hands: Vec<char> = hands.chars().filter(char::is_ascii_alphabetic).collect();
    hands.sort_unstable();
    // Promoted men keep their plus; other marks of where men came from are the library's own.
    (
        board.replace('~', ""),
        hands,
        fields.next().unwrap().to_owned(),
    )
}
