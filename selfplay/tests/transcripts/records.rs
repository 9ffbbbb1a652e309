//! From and to this program's own records.

use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::{Game, Outcome, Reason, Side, Variant, Wdl};
use selfplay::notation::Format;
use selfplay::players::{Fault, Forfeit};
use selfplay::transcript::{Claim, Ending, Heading};
use selfplay::{GameRecord, MatchGame, PlyKind, PlyRecord, Transcript};

use super::{moves, play, read_one, rng};

fn transcript(claim: Option<Ending>) -> Transcript<Showgit> {
    let mut game = Game::<Showgit>::new(Showgit::OPTIONS);
    play(&mut game, 9, &mut rng(1));
    Transcript::new(Heading::default(), game, Vec::new(), claim)
}

#[test]
fn a_record_holds_what_a_transcript_says_and_nothing_to_learn_from() {
    let time = Ending::claimed(Some(Side::First), Claim::Time);
    let given = transcript(Some(time));
    let record = given.to_record(3).unwrap();
    assert_eq!(record.outcome, Outcome::win(Side::First, Reason::Forfeit));
    assert_eq!((record.number, record.plies.len()), (3, 9));
    assert!(
        record
            .plies
            .iter()
            .all(|ply| ply.copies == 0 && ply.edges.is_empty())
    );
    let back = Transcript::<Showgit>::of_record(&record).unwrap();
    assert_eq!(moves(&back), moves(&given));
    assert_eq!(back.ending.unwrap().winner, Some(Side::First));
    let drawn = transcript(Some(Ending::claimed(None, Claim::Impasse)));
    assert_eq!(
        drawn.to_record(0).unwrap().outcome,
        Outcome::draw(Reason::Adjudication)
    );
}

#[test]
fn a_game_without_an_end_or_past_it_is_no_record() {
    let error = transcript(None).to_record(0).unwrap_err().to_string();
    assert!(error.contains("has no end"), "{error}");
    // Two plies past a repetition that ends the game: the text is read, but no record is made of it.
    let cycle = ["2h3h", "8b7b", "3h2h", "7b8b"].join(" ");
    let text = format!("position startpos moves {cycle} {cycle} {cycle} 2h3h 8b7b\n");
    let game = read_one::<Showgit>(Format::Usi, &text);
    assert_eq!(game.game.ply(), 14);
    let claimed = Ending::claimed(None, Claim::Agreement);
    let game = Transcript::new(Heading::default(), game.game, Vec::new(), Some(claimed));
    let error = game.to_record(0).unwrap_err().to_string();
    assert!(
        error.contains("goes on after its end by repetition at ply 12"),
        "{error}"
    );
}

#[test]
fn a_record_of_self_play_shows_its_values_and_nets() {
    let mut game = Game::<Gufu>::new(Gufu::OPTIONS);
    play(&mut game, 6, &mut rng(2));
    let mut plies = vec![PlyRecord::unsearched(PlyKind::Random); game.ply()];
    plies[2] = PlyRecord {
        kind: PlyKind::Fast,
        root: Wdl {
            win: 0.5,
            draw: 0.25,
            loss: 0.25,
        },
        ..PlyRecord::unsearched(PlyKind::Fast)
    };
    let record = GameRecord {
        variant: Gufu::ID,
        rules_version: Gufu::RULES_VERSION,
        options: Gufu::OPTIONS,
        seed: 1,
        number: 12,
        start: game.start().to_string(),
        moves: game.moves().iter().map(|&mv| mv.into()).collect(),
        plies,
        outcome: Outcome::win(Side::Second, Reason::Resignation),
        checkpoints: vec![(0, 0xab), (4, 0xcd)],
        resigned: None,
        origin: None,
    };
    let text = Format::Pgn
        .write(&Transcript::<Gufu>::of_record(&record).unwrap())
        .unwrap();
    assert!(
        text.contains("[White \"net 00000000000000ab, net 00000000000000cd\"]"),
        "{text}"
    );
    let read = read_one::<Gufu>(Format::Pgn, &text);
    assert_eq!((read.note(1).value, read.note(2).value), (None, Some(0.25)));
    assert_eq!(read.heading.round, "12");
    let reason = Claim::Reason(Reason::Resignation);
    assert_eq!(
        read.ending,
        Some(Ending::claimed(Some(Side::Second), reason))
    );
}

#[test]
fn a_game_of_a_match_names_its_players_by_side() {
    let mut game = Game::<Gufu>::new(Gufu::OPTIONS);
    play(&mut game, 5, &mut rng(3));
    let played = MatchGame {
        number: 7,
        start: game.start().to_string(),
        opening_plies: 2,
        moves: game.moves().iter().map(|&mv| mv.into()).collect(),
        values: vec![None, None, Some(0.5), None, Some(-0.25)],
        outcome: Outcome::draw(Reason::Adjudication),
        forfeit: None,
    };
    let found = Transcript::<Gufu>::of_match(&played, ["A", "B"], Gufu::OPTIONS).unwrap();
    assert_eq!(found.heading.players, ["B", "A"]);
    assert_eq!(found.heading.round, "4.2");
    assert_eq!(found.game.moves(), game.moves());
    assert_eq!(
        (found.note(1).value, found.note(4).value),
        (None, Some(-0.25))
    );
    let late = MatchGame {
        outcome: Outcome::win(Side::First, Reason::Forfeit),
        forfeit: Some(Forfeit {
            fault: Fault::Timeout,
            said: String::new(),
        }),
        ..played
    };
    let found = Transcript::<Gufu>::of_match(&late, ["A", "B"], Gufu::OPTIONS).unwrap();
    assert_eq!(
        found.ending,
        Some(Ending::claimed(Some(Side::First), Claim::Time))
    );
}
