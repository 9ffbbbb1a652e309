//! Mates: found, said, and made up by no one.

use rules::dialect::Dialect;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::{Game, Position, Reason, Variant};
use selfplay::thinker::Thinker;

use super::games::random_game;
use super::talk::Talk;
use super::{baseline, tree};

/// Tells whether the mover can force mate within `plies` by checks alone.
fn mates<P: Position>(position: &P, plies: u32) -> bool {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves.into_iter().any(|mv| {
        let mut next = *position;
        next.play(mv);
        let mut replies = Vec::new();
        next.legal_moves(&mut replies);
        next.in_check()
            && replies.iter().all(|&reply| {
                let mut after = next;
                after.play(reply);
                plies >= 3 && mates(&after, plies - 2)
            })
    })
}

fn before_mate<V: Variant>() -> Game<V> {
    random_game::<V>(|game, _| {
        let position = game.position();
        !mates(position, 1) && mates(position, 3)
    })
}

#[test]
fn usi_is_told_the_moves_to_the_mate() {
    let game = before_mate::<Showgit>();
    let thinkers: [Box<dyn Thinker<Showgit>>; 2] = [Box::new(tree()), baseline()];
    for thinker in thinkers {
        let mut talk = Talk::with(Dialect::Usi, thinker);
        talk.say(&format!("position {}", Dialect::Usi.game_text(&game)));
        let answer = talk.ask("go mate infinite", "checkmate");
        let mut end = game.clone();
        for word in answer.split_whitespace().skip(1) {
            let mv = Dialect::Usi.parse_move::<Showgit>(end.position(), word);
            end.play(mv.unwrap());
        }
        let mut legal = Vec::new();
        end.legal_moves(&mut legal);
        let outcome = end.outcome(&legal).unwrap();
        assert_eq!(outcome.reason, Reason::Checkmate, "{answer}");
        assert_eq!(end.ply() - game.ply(), 3, "{answer}");
    }
}

#[test]
fn uci_counts_mates_in_moves() {
    let game = before_mate::<EuroShogi>();
    let thinkers: [Box<dyn Thinker<EuroShogi>>; 2] = [Box::new(tree()), baseline()];
    for thinker in thinkers {
        let mut talk = Talk::with(Dialect::Uci, thinker);
        talk.say(&format!("position {}", Dialect::Uci.game_text(&game)));
        talk.ask("go mate 2", "bestmove");
        let shown = talk
            .heard
            .iter()
            .rev()
            .find(|line| line.starts_with("info"));
        assert!(shown.unwrap().contains(" score mate 2 "), "{shown:?}");
    }
}

#[test]
fn where_there_is_no_mate_time_runs_out() {
    let thinkers: [Box<dyn Thinker<Showgit>>; 2] = [Box::new(tree()), baseline()];
    for thinker in thinkers {
        let mut talk = Talk::with(Dialect::Usi, thinker);
        assert_eq!(talk.ask("go mate 300", "checkmate"), "checkmate timeout");
        talk.say("go mate infinite");
        assert_eq!(talk.ask("stop", "checkmate"), "checkmate timeout");
    }
}
