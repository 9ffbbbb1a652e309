//! Random play without lists: the move picked by number is the one that the list has there.

use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Game, Position, Variant};

/// Plays a game by an arithmetic progression of choices, and picks every move of every position on the way.
fn picks_are_the_list<V: Variant>(step: usize) {
    let mut game = Game::<V>::new(V::OPTIONS);
    let (mut legal, mut buffer) = (Vec::new(), Vec::new());
    loop {
        game.legal_moves(&mut legal);
        let picked = |number, buffer: &mut Vec<_>| {
            game.pick_move(buffer, |count| {
                assert_eq!(count, legal.len(), "{}", game.position());
                number
            })
        };
        for (number, &mv) in legal.iter().enumerate() {
            assert_eq!(picked(number, &mut buffer), Some(mv), "{}", game.position());
        }
        let outcome = game.outcome(&legal);
        assert_eq!(game.outcome_if(!legal.is_empty()), outcome);
        if outcome.is_some() {
            return;
        }
        game.play(legal[(game.ply() * step + step) % legal.len()]);
    }
}

#[test]
fn a_move_picked_by_number_is_the_one_in_the_list() {
    for step in [1, 7, 31, 101, 977] {
        picks_are_the_list::<Gufu>(step);
        picks_are_the_list::<Showgit>(step);
        picks_are_the_list::<EuroShogi>(step);
        picks_are_the_list::<Xiangqi>(step);
    }
}

#[test]
fn nothing_is_picked_where_there_is_no_move() {
    // The king on 1a is mated by the gold before it, which a pawn guards.
    let mated = "8k/8G/8P/9/9/9/9/9/K8 w - 1";
    let position: <Showgit as Variant>::Position = mated.parse().unwrap();
    let picked = position.pick_move(&mut Vec::new(), |_| {
        unreachable!("there is nothing to pick")
    });
    assert_eq!(picked, None);
}

#[test]
fn a_crowd_of_men_is_picked_from_as_well() {
    // Fifty-four gold generals and a full hand: more men than a game has, and more moves than most.
    let crowd =
        "k8/9/GGGGGGGGG/GGGGGGGGG/9/GGGGGGGGG/GGGGGGGGG/GGGGGGGGG/KGGGGGGGG b 2R2B4S4N4L9P 1";
    let position: <Showgit as Variant>::Position = crowd.parse().unwrap();
    let (mut legal, mut buffer) = (Vec::new(), Vec::new());
    position.legal_moves(&mut legal);
    for number in [0, 1, legal.len() / 2, legal.len() - 1] {
        let picked = position.pick_move(&mut buffer, |count| {
            assert_eq!(count, legal.len());
            number
        });
        assert_eq!(picked, Some(legal[number]));
    }
}
