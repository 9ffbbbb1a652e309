//! Planes of what happened before: occurrences, plies without progress.

use model::{BoardEncoder, Encoder};
use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Game, Position, Variant};

use crate::games::{GridGame, at, planes};

/// Returns the values of the planes between the hands and the last three, each of which is constant.
fn history<R: GridGame>(game: &Game<R>) -> Vec<f32> {
    let encoder = BoardEncoder::<R>::new();
    let first = 2 * R::KINDS.len() + 4 * R::HAND_KINDS;
    let last = encoder.shape().planes - 3;
    let planes = planes(&encoder, game);
    let values = planes.chunks_exact(R::GRID.squares());
    values
        .take(last)
        .skip(first)
        .map(|plane| {
            assert!(plane.iter().all(|value| *value == plane[0]));
            plane[0]
        })
        .collect()
}

fn play<R: GridGame>(game: &mut Game<R>, moves: &[&str]) {
    for text in moves {
        let mv = game.position().parse_move(text).unwrap();
        game.play(mv);
    }
}

const ROOKS: [&str; 4] = ["2h3h", "8b7b", "3h2h", "7b8b"];

#[test]
fn occurrences_are_counted_up_to_the_last_but_one() {
    let mut game = Game::<Showgit>::new(Showgit::OPTIONS);
    assert_eq!(history(&game), [0.0, 0.0]);
    play(&mut game, &ROOKS[..3]);
    assert_eq!(history(&game), [0.0, 0.0]);
    play(&mut game, &ROOKS[3..]);
    assert_eq!(history(&game), [1.0, 0.0]);
    play(&mut game, &["7g7f"]);
    assert_eq!(history(&game), [0.0, 0.0]);
    game.undo_to(4);
    play(&mut game, &ROOKS);
    assert_eq!(history(&game), [1.0, 1.0]);
    play(&mut game, &ROOKS);
    assert_eq!(history(&game), [1.0, 1.0]);
}

#[test]
fn plies_without_progress_come_in_four_steps() {
    for (quiet, steps) in [
        (0, 0),
        (24, 0),
        (25, 1),
        (49, 1),
        (50, 2),
        (74, 2),
        (75, 3),
        (86, 3),
        (87, 3),
        (88, 4),
        (99, 4),
    ] {
        let text = format!("3k5/9/9/9/9/9/9/9/4R4/4K4 w - - {quiet} 60");
        let mut expected = vec![0.0];
        expected.extend((0..4).map(|step| f32::from(u8::from(step < steps))));
        assert_eq!(history::<Xiangqi>(&at(&text)), expected, "{quiet}");
    }
}

#[test]
fn progress_starts_the_count_anew() {
    let mut game = at::<Xiangqi>("4k4/9/9/9/9/4p4/9/9/4R4/3K5 w - - 23 60");
    play(&mut game, &["e2e3", "e10e9"]);
    assert_eq!(history(&game), [0.0, 1.0, 0.0, 0.0, 0.0]);
    play(&mut game, &["e3e5"]);
    assert_eq!(history(&game), [0.0; 5]);
}

#[test]
fn steps_are_shares_of_what_the_options_allow() {
    let mut options = EuroShogi::OPTIONS;
    options.no_progress = 8;
    let mut game = Game::<EuroShogi>::new(options);
    let shuffle = ["g2f2", "b7c7", "f2g2", "c7b7"];
    let mut seen = vec![history(&game)];
    for text in shuffle.into_iter().cycle().take(7) {
        play(&mut game, &[text]);
        seen.push(history(&game));
    }
    let steps: Vec<f32> = seen.iter().map(|planes| planes[1..].iter().sum()).collect();
    assert_eq!(steps, [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 4.0]);
    assert_eq!(seen[4][0], 1.0);
    play(&mut game, &["a6a5"]);
    assert_eq!(history(&game), [0.0; 5]);
    options.no_progress = 0;
    let mut endless = Game::<EuroShogi>::new(options);
    play(&mut endless, &shuffle[..3]);
    assert_eq!(history(&endless), [0.0; 5]);
}
