//! Known texts and round trips.

use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Dialect, Game, Position, Variant};

use crate::games::{random, vectors};

/// The same move in a game's own text, USI, UCI and UCCI.
fn same_move<V: Variant>(position: &str, texts: [&str; 4]) {
    let position: V::Position = match position {
        "startpos" => V::Position::initial(),
        text => text.parse().unwrap(),
    };
    let mv = position.parse_move(texts[0]).unwrap();
    for (dialect, text) in Dialect::ALL.into_iter().zip(&texts[1..]) {
        assert_eq!(dialect.move_text::<V>(&position, mv), *text, "{dialect}");
        let read = dialect.parse_move::<V>(&position, text);
        assert_eq!(read, Ok(mv), "{dialect} {text}");
    }
}

#[test]
fn moves_are_written_as_each_protocol_does() {
    same_move::<Showgit>("startpos", ["7g7f", "7g7f", "c3c4", "c3c4"]);
    let dropping = "4k4/9/9/9/9/9/9/9/4K4 b P2p 1";
    same_move::<Showgit>(dropping, ["P*7f", "P*7f", "P@c4", "P@c4"]);
    let promoting = "4k4/1P7/9/9/9/9/9/9/4K4 b - 1";
    same_move::<Showgit>(promoting, ["8b8a+", "8b8a+", "b8b9+", "b8b9+"]);
    same_move::<EuroShogi>("startpos", ["c3c4", "6f6e", "c3c4", "c3c4"]);
    let euroshogi = "4k3/8/8/P7/8/8/8/4K3[Nb] w - - 0 1";
    same_move::<EuroShogi>(euroshogi, ["a5a6+", "8d8c+", "a5a6+", "a5a6+"]);
    same_move::<EuroShogi>(euroshogi, ["N@h8", "N*1a", "N@h8", "N@h8"]);
    same_move::<Xiangqi>("startpos", ["h3e3", "2h5h", "h3e3", "h2e2"]);
    same_move::<Xiangqi>("startpos", ["b3b10", "8h08a", "b3b10", "b2b9"]);
    same_move::<Gufu>("startpos", ["K*2a>S"; 4]);
}

#[test]
fn positions_are_written_as_each_protocol_does() {
    fn same<V: Variant>(own: &str, sfen: &str, fen: &str) {
        let position: V::Position = own.parse().unwrap();
        for (dialect, text) in [
            (Dialect::Usi, sfen),
            (Dialect::Uci, fen),
            (Dialect::Ucci, fen),
        ] {
            assert_eq!(dialect.position_text::<V>(&position), text);
            assert_eq!(dialect.parse_position::<V>(text), Ok(position), "{text}");
        }
    }
    // As Fairy-Stockfish shows them.
    let men = "lnsgkgsnl/1r7/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL";
    let sfen = format!("{men} w 2B2P3p 20");
    same::<Showgit>(&sfen, &sfen, &format!("{men}[BBPPppp] b - - 0 10"));
    let men = "1nbgkgn1/1r4b1/pppppp1p/P7/6p1/1PPPPPPP/1B4R1/1NGKGBN1";
    let fen = format!("{men}[NPbg] w - - 0 10");
    same::<EuroShogi>(&fen, &format!("{men} b NPbg 19"), &fen);
    let men = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2";
    let fen = format!("{men} b - - 0 20");
    same::<Xiangqi>(&fen, &format!("{men} w - 40"), &fen);
}

#[test]
fn fen_is_read_as_other_programs_write_it() {
    let start = <Showgit as Variant>::Position::initial();
    let men = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    for rest in ["[] w - - 0 1", "[-] w 0 1", "[-] w", " w - - 0 1", "[] w -"] {
        let read = Dialect::Uci.parse_position::<Showgit>(&format!("{men}{rest}"));
        assert_eq!(read, Ok(start), "{rest}");
    }
    let men = "1nbgkgn1/1r4b1/pppppppp/8/8/PPPPPPPP/1B4R1/1NGKGBN1";
    let start = <EuroShogi as Variant>::Position::initial();
    for rest in ["[-] w 0 1", "[-] w - - 0 1", " w - - 0 1", "[] w"] {
        let read = Dialect::Uci.parse_position::<EuroShogi>(&format!("{men}{rest}"));
        assert_eq!(read, Ok(start), "{rest}");
    }
    let men = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
    let start = <Xiangqi as Variant>::Position::initial();
    for rest in [" r", " w", " r - - 0 1", " w 0 1", "[-] w - - 0 1"] {
        let read = Dialect::Ucci.parse_position::<Xiangqi>(&format!("{men}{rest}"));
        assert_eq!(read, Ok(start), "{rest}");
    }
}

/// A text without what one of the two forms has no place for: plies without progress, and the number of a ply that is the other side's.
fn without_numbers(text: &str) -> String {
    let mut fields: Vec<String> = text.split(' ').map(str::to_owned).collect();
    if fields.len() == 6 {
        "0".clone_into(&mut fields[4]);
    } else if fields[0].matches('/').count() == 8 {
        let ply: u32 = fields[3].parse().unwrap();
        let second = u32::from(fields[1] == "w");
        fields[3] = ((ply - 1).saturating_sub(second) / 2 * 2 + second + 1).to_string();
    }
    fields.join(" ")
}

/// Every move of the position, the position and the game are read as they were written.
fn round_trip<V: Variant>(game: &Game<V>) {
    let position = game.position();
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    for dialect in Dialect::ALL {
        for &mv in &legal {
            let text = dialect.move_text::<V>(position, mv);
            let read = dialect.parse_move::<V>(position, &text);
            assert_eq!(read, Ok(mv), "{dialect} {text} in {position}");
        }
        let text = dialect.position_text::<V>(position);
        let read = dialect.parse_position::<V>(&text).unwrap();
        assert_eq!(read.key(), position.key(), "{dialect} {text}");
        let (read, own) = (read.to_string(), position.to_string());
        assert_eq!(without_numbers(&read), without_numbers(&own), "{dialect}");
        let text = dialect.game_text::<V>(game);
        let read: Game<V> = dialect.parse_game(&text, V::OPTIONS).unwrap();
        assert_eq!(read.moves(), game.moves(), "{dialect} {text}");
        assert_eq!(read.start().key(), game.start().key(), "{dialect} {text}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    fn check<V: Variant>(name: &str, games: u64) {
        for game in vectors::<V>(name, 5) {
            round_trip(&game);
        }
        for seed in 0..games {
            round_trip(&random::<V>(seed, 20 + seed as usize % 200));
        }
    }
    check::<Gufu>("gufu", 50);
    check::<Showgit>("shogi", 100);
    check::<EuroShogi>("euroshogi", 100);
    check::<Xiangqi>("xiangqi", 100);
}

#[test]
fn games_are_written_from_where_they_began() {
    let mut game = Game::<Showgit>::new(Showgit::OPTIONS);
    assert_eq!(Dialect::Usi.game_text(&game), "startpos");
    for mv in ["7g7f", "3c3d"] {
        game.play(game.position().parse_move(mv).unwrap());
    }
    assert_eq!(Dialect::Usi.game_text(&game), "startpos moves 7g7f 3c3d");
    assert_eq!(Dialect::Uci.game_text(&game), "startpos moves c3c4 g7g6");
    let start = "4k4/9/9/9/9/9/9/9/4K4 b P 1".parse().unwrap();
    let mut game = Game::<Showgit>::from_position(start, Showgit::OPTIONS);
    game.play(game.position().parse_move("P*7f").unwrap());
    let men = "4k4/9/9/9/9/9/9/9/4K4";
    let (sfen, fen) = (
        Dialect::Usi.game_text(&game),
        Dialect::Ucci.game_text(&game),
    );
    assert_eq!(sfen, format!("sfen {men} b P 1 moves P*7f"));
    assert_eq!(fen, format!("fen {men}[P] w - - 0 1 moves P@c4"));
    // The word before a position says which form it has, whatever the protocol; without one it is the protocol's.
    let same = [
        (Dialect::Ucci, format!("sfen {men} b P 1 moves P@c4")),
        (Dialect::Usi, format!("fen {men}[P] w - - 0 1 moves P*7f")),
        (Dialect::Usi, format!("{men} b P 1 moves P*7f")),
        (Dialect::Uci, format!("{men}[P] w - - 0 1 moves P@c4")),
    ];
    for (dialect, text) in same {
        let read: Game<Showgit> = dialect.parse_game(&text, Showgit::OPTIONS).unwrap();
        assert_eq!(read.position(), game.position(), "{text}");
    }
}

#[test]
fn wrong_texts_say_what_would_be_right() {
    let refused = |dialect: Dialect, text: &str, problem: &str| {
        let error = (dialect.parse_game::<Showgit>(text, Showgit::OPTIONS)).unwrap_err();
        assert!(error.problem.contains(problem), "{error}");
    };
    let men = "4k4/9/9/9/9/9/9/9/4K4";
    refused(
        Dialect::Uci,
        "startpos moves 7g7f",
        "a file from `a` to `i`",
    );
    refused(Dialect::Uci, "startpos moves c3c10", "a rank from 1 to 9");
    refused(Dialect::Ucci, "startpos moves c0c4", "a rank from 1 to 9");
    refused(Dialect::Uci, "startpos moves P*c4", "`@` is wanted");
    refused(Dialect::Uci, "startpos moves c3c5", "not legal");
    refused(Dialect::Uci, "startpos moves c3c4x", "`x` after the end");
    refused(
        Dialect::Uci,
        &format!("fen {men}[P w - - 0 1"),
        "`]` is missing",
    );
    refused(
        Dialect::Uci,
        &format!("fen {men}[] x - - 0 1"),
        "`w` or `b`",
    );
    refused(
        Dialect::Uci,
        &format!("fen {men}[] w - - 0 0"),
        "a number from 1",
    );
    refused(Dialect::Uci, "fen 4k4/9 w", "2 ranks where 9");
    let error = Dialect::Usi
        .parse_position::<EuroShogi>("8/8 b 2 1")
        .unwrap_err();
    assert!(error.problem.contains("men in hand"), "{error}");
    let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b P 1";
    let error = Dialect::Usi.parse_position::<Xiangqi>(fen).unwrap_err();
    assert!(error.problem.contains("no men in hand"), "{error}");
    let start = <Xiangqi as Variant>::Position::initial();
    for text in ["08h8a", "8h8a", "8h08a"] {
        let read = Dialect::Usi.parse_move::<Xiangqi>(&start, text);
        assert_eq!(read.is_ok(), !text.starts_with('0'), "{text}");
    }
}

#[test]
fn junk_is_refused_shortly() {
    for junk in ["9", "p", "2P", "[p", "王 ", "1 ", "[] w - - "] {
        let text = junk.repeat(1 << 20);
        for dialect in Dialect::ALL {
            assert!(dialect.parse_position::<Showgit>(&text).is_err());
            assert!(dialect.parse_position::<EuroShogi>(&text).is_err());
            let hands = format!("4k4/9/9/9/9/9/9/9/4K4[{text}] w - - 0 1");
            assert!(dialect.parse_position::<Showgit>(&hands).is_err());
            let start = <EuroShogi as Variant>::Position::initial();
            assert!(dialect.parse_move::<EuroShogi>(&start, &text).is_err());
        }
    }
}
