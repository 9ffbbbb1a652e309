//! Ratings held against simulated players, whose strengths are known.

use rand::RngExt;
use rayon::prelude::*;
use selfplay::arena::{
    Encounter, PairCounts, RatingConfig, RatingError, expected_score, next_pairing, rate,
};
use selfplay::random::{Purpose, stream};

const LADDER: [(&str, f64); 8] = [
    ("random", 0.0),
    ("depth 1", 180.0),
    ("depth 2", 340.0),
    ("net 1", 400.0),
    ("net 2", 430.0),
    ("depth 3", 560.0),
    ("net 3", 700.0),
    ("net 4", 900.0),
];

/// Plays pairs in which three tenths of the games between equals are drawn.
fn play(difference: f64, pairs: usize, seed: u64, number: u64) -> PairCounts {
    let mut rng = stream(seed, Purpose::Sample, number, 0);
    let expected = expected_score(difference);
    let drawn = 1.2 * expected * (1.0 - expected);
    let mut game = || {
        let at: f64 = rng.random();
        usize::from(at < expected - drawn / 2.0) + usize::from(at < expected + drawn / 2.0)
    };
    let mut counts = PairCounts::default();
    for _ in 0..pairs {
        counts.count(game() + game());
    }
    counts
}

fn encounter(first: usize, second: usize, pairs: usize, seed: u64) -> Encounter {
    let difference = LADDER[first].1 - LADDER[second].1;
    Encounter {
        first: LADDER[first].0.to_owned(),
        second: LADDER[second].0.to_owned(),
        counts: play(difference, pairs, seed, (first * 100 + second) as u64),
    }
}

/// Neighbours and next neighbours.
fn tournament(pairs: usize, seed: u64) -> Vec<Encounter> {
    let near = |first: usize| [first + 1, first + 2].map(|second| (first, second));
    (0..LADDER.len())
        .flat_map(near)
        .filter(|&(_, second)| second < LADDER.len())
        .map(|(first, second)| encounter(first, second, pairs, seed))
        .collect()
}

fn config(resamples: u32) -> RatingConfig {
    RatingConfig {
        anchor: "random".to_owned(),
        anchor_elo: 0.0,
        resamples,
        seed: 7,
    }
}

fn truth(player: &str) -> f64 {
    let found = LADDER.iter().find(|(name, _)| *name == player);
    found.expect("a player of the ladder").1
}

fn names() -> Vec<String> {
    LADDER.iter().map(|(name, _)| (*name).to_owned()).collect()
}

#[test]
fn strengths_are_found_again() {
    let ratings = rate(&tournament(5000, 1), &config(100)).unwrap();
    assert_eq!(ratings[0].player, "net 4");
    for rating in &ratings {
        let error = (rating.elo - truth(&rating.player)).abs();
        assert!(error < 20.0, "{rating:?}");
        assert!(
            rating.low <= rating.elo && rating.elo <= rating.high,
            "{rating:?}"
        );
        let anchor = rating.player == "random";
        assert_eq!(
            anchor,
            rating.low.to_bits() == rating.high.to_bits(),
            "{rating:?}"
        );
    }
}

#[test]
fn intervals_hold_the_truth_in_about_95_of_100_tournaments() {
    for pairs in [20, 100] {
        let tournaments = 300;
        let held: usize = (0..tournaments)
            .into_par_iter()
            .map(|seed| {
                let config = RatingConfig {
                    seed,
                    ..config(400)
                };
                let ratings = rate(&tournament(pairs, seed), &config).unwrap();
                let others = ratings.iter().filter(|rating| rating.player != "random");
                others
                    .filter(|rating| (rating.low..=rating.high).contains(&truth(&rating.player)))
                    .count()
            })
            .sum();
        let covered = held as f64 / (tournaments as usize * (LADDER.len() - 1)) as f64;
        // The errors of one tournament's ratings go together: four standard errors are at most 0.05.
        assert!((0.92..0.98).contains(&covered), "{pairs} pairs: {covered}");
    }
}

#[test]
fn order_and_sides_do_not_matter() {
    let encounters = tournament(30, 3);
    let expected = rate(&encounters, &config(50)).unwrap();
    let mut other: Vec<Encounter> = encounters
        .iter()
        .map(|encounter| Encounter {
            first: encounter.second.clone(),
            second: encounter.first.clone(),
            counts: encounter.counts.swapped(),
        })
        .collect();
    other.reverse();
    // A match may also come in parts.
    let part = PairCounts([0, 0, 0, 0, 1]);
    let last = other.pop().unwrap();
    let mut rest = last.counts;
    assert!(rest.0[4] > 0 || rest.0[0] > 0);
    let whole = if rest.0[4] > 0 { part } else { part.swapped() };
    for (left, taken) in rest.0.iter_mut().zip(whole.0) {
        *left -= taken;
    }
    other.push(Encounter {
        counts: rest,
        ..last.clone()
    });
    other.push(Encounter {
        counts: whole,
        ..last
    });
    assert_eq!(rate(&other, &config(50)).unwrap(), expected);
    let pairing = next_pairing(&names(), &encounters, "random", 10).unwrap();
    let mut backwards = names();
    backwards.reverse();
    assert_eq!(
        next_pairing(&backwards, &other, "random", 10).unwrap(),
        pairing
    );
}

#[test]
fn winning_everything_gives_a_finite_rating_and_a_wide_interval() {
    let all = |counts: [u64; 5]| {
        let encounters = [Encounter {
            first: "net 4".to_owned(),
            second: "random".to_owned(),
            counts: PairCounts(counts),
        }];
        rate(&encounters, &config(1000)).unwrap()
    };
    let won = all([0, 0, 0, 0, 50]);
    eprintln!("{won:?}");
    assert!(won[0].elo > 700.0 && won[0].elo < 1500.0, "{won:?}");
    assert!(
        won[0].low > 400.0 && won[0].low < won[0].elo - 100.0,
        "{won:?}"
    );
    assert!(
        won[0].high > won[0].elo + 100.0 && won[0].high.is_finite(),
        "{won:?}"
    );
    let lost = all([50, 0, 0, 0, 0]);
    assert!((lost[1].elo + won[0].elo).abs() < 1e-6, "{lost:?}");
}

#[test]
fn players_out_of_reach_are_named() {
    let mut encounters = tournament(10, 1);
    let stranger = |first: &str, second: &str| Encounter {
        first: first.to_owned(),
        second: second.to_owned(),
        counts: PairCounts([0, 1, 0, 0, 0]),
    };
    encounters.push(stranger("x", "y"));
    let unlinked = RatingError::Unlinked(vec!["x".to_owned(), "y".to_owned()]);
    assert_eq!(rate(&encounters, &config(1)), Err(unlinked));
    encounters.push(stranger("y", "net 4"));
    assert!(rate(&encounters, &config(1)).is_ok());
    encounters.push(stranger("x", "x"));
    let itself = RatingError::AgainstItself("x".to_owned());
    assert_eq!(rate(&encounters, &config(1)), Err(itself));
    assert_eq!(
        rate(&[], &config(1)),
        Err(RatingError::NoAnchor("random".to_owned()))
    );
}

#[test]
fn the_next_pairing_is_of_uncertain_and_close_players() {
    let mut encounters = tournament(200, 1);
    let names = names();
    // One player has hardly played; by its games it is close to "net 1" and "net 2".
    encounters.retain(|e| e.first != "depth 2" && e.second != "depth 2");
    encounters.push(encounter(3, 2, 1, 9));
    let found = next_pairing(&names, &encounters, "random", 10)
        .unwrap()
        .unwrap();
    assert!(
        [&found.first, &found.second].contains(&&"depth 2".to_owned()),
        "{found:?}"
    );
    for far in ["random", "net 4"] {
        assert!(found.first != far && found.second != far, "{found:?}");
    }
    // A player that never played comes first of all.
    let mut more = names.clone();
    more.push("new".to_owned());
    let found = next_pairing(&more, &encounters, "random", 10)
        .unwrap()
        .unwrap();
    assert!(found.second == "new" || found.first == "new", "{found:?}");
    assert!(
        next_pairing(&names[..1], &encounters, "random", 10)
            .unwrap()
            .is_none()
    );
}

/// Plays 60 matches of 5 pairs as `choose` pairs the players; returns the mean square error of the ratings.
fn error_after(seed: u64, mut choose: impl FnMut(&[Encounter], u64) -> (usize, usize)) -> f64 {
    let mut encounters: Vec<Encounter> = (1..LADDER.len())
        .map(|second| encounter(second - 1, second, 2, seed))
        .collect();
    for number in 0..60 {
        let (first, second) = choose(&encounters, number);
        let difference = LADDER[first].1 - LADDER[second].1;
        encounters.push(Encounter {
            first: LADDER[first].0.to_owned(),
            second: LADDER[second].0.to_owned(),
            counts: play(difference, 5, seed, 10_000 + number),
        });
    }
    let ratings = rate(&encounters, &config(0)).expect("linked players");
    let square = |rating: &selfplay::arena::Rating| (rating.elo - truth(&rating.player)).powi(2);
    ratings.iter().map(square).sum::<f64>() / ratings.len() as f64
}

#[test]
fn chosen_pairings_tell_more_than_random_ones() {
    let index = |name: &str| LADDER.iter().position(|(other, _)| *other == name).unwrap();
    let errors: Vec<[f64; 2]> = (0..60_u64)
        .into_par_iter()
        .map(|seed| {
            let chosen = error_after(seed, |encounters, _| {
                let pairing = next_pairing(&names(), encounters, "random", 5)
                    .unwrap()
                    .unwrap();
                (index(&pairing.first), index(&pairing.second))
            });
            let random = error_after(seed, |_, number| {
                let mut rng = stream(seed, Purpose::Player, number, 0);
                let first = rng.random_range(0..LADDER.len());
                let step = rng.random_range(1..LADDER.len());
                (first, (first + step) % LADDER.len())
            });
            [chosen, random]
        })
        .collect();
    let mean = |which: usize| errors.iter().map(|pair| pair[which]).sum::<f64>() / 60.0;
    assert!(mean(0) < 0.8 * mean(1), "{} {}", mean(0), mean(1));
}
