//! What other programs write.

use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Reason, Side};
use selfplay::notation::Format;
use selfplay::transcript::{Claim, Ending};

use super::{moves, read, read_one};

const RESIGNED: Claim = Claim::Reason(Reason::Resignation);

#[test]
fn a_pgn_with_everything_in_it() {
    let text = "% made by hand\r\n[Event \"a [b] {c}\"]\r\n[Variant \"EuroShogi\"] [White \"x\"]\r\n[Result \"0-1\"]\r\n\
        [Termination \"time forfeit\"]\r\n\r\n1.g3g4 {+0.35/12 1.2s} (1. a3a4 {not (this)} a6a5 (1... b6b5)) g6g5!? $14\r\n\
        2. b3b4 ; the rest is said\r\n2... b6b5 {[%emt 0:01:02.5] [%clk 0:01:00]} 0-1\r\n\r\n\
        [Variant \"euroshogi\"]\r\n\r\n1. a3a4 *\r\n";
    let games = read::<EuroShogi>(Format::Pgn, text);
    assert_eq!(games.len(), 2);
    assert_eq!(moves(&games[0]), ["g3g4", "g6g5", "b3b4", "b6b5"]);
    assert_eq!(
        games[0].ending,
        Some(Ending::claimed(Some(Side::Second), Claim::Time))
    );
    let seconds = [0, 1, 2, 3].map(|ply| games[0].note(ply).seconds);
    assert_eq!(seconds, [Some(1.2), None, None, Some(62.5)]);
    assert_eq!(
        (games[0].note(0).value, games[0].heading.event.as_str()),
        (None, "a [b] {c}")
    );
    assert_eq!(
        (moves(&games[1]), games[1].ending),
        (vec!["a3a4".to_owned()], None)
    );
}

#[test]
fn a_pgn_of_shogi_in_the_coordinates_of_uci_or_usi() {
    for text in [
        "[Variant \"Shogi\"]\n\n1. c3c4 g7g6 2. b2h8+ g9h8 3. B@e5 *",
        "[Variant \"showgit\"]\n\n1. 7g7f 3c3d 2. 8h2b+ 3a2b 3. B*5e *",
    ] {
        let game = read_one::<Showgit>(Format::Pgn, text);
        assert_eq!(moves(&game), ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"]);
    }
    let text = "[Variant \"shogi\"]\n[SetUp \"1\"]\n[FEN \"lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[-] b 0 1\"]\n\n1... e9d8 2. c3c4 *";
    let game = read_one::<Showgit>(Format::Pgn, text);
    assert_eq!(moves(&game), ["5a6b", "7g7f"]);
}

#[test]
fn a_pgn_of_xiangqi_with_a_short_fen() {
    let text =
        "[Variant \"Xiangqi\"]\n[FEN \"4k4/9/9/9/9/9/9/9/4R4/3K5 b\"]\n\n1... e10f10 1/2-1/2";
    let game = read_one::<Xiangqi>(Format::Pgn, text);
    assert_eq!(game.ending, Some(Ending::claimed(None, Claim::Unstated)));
}

/// As Kifu for Windows and servers write it: other headers, marks before moves, variations behind the game.
const KIF: &str = "\u{feff}# ----  Kifu for Windows V7 V7.70 棋譜ファイル  ----
開始日時：2023/01/02(月) 09:05
戦型：四間飛車
手合割：平手　　
先手：わたし
後手：師匠
手数----指手---------消費時間--
*初手のまえ
   1 ▲７六歩(77)   ( 0:16/00:00:16)+
*いい手：か
&しおり
   2 △３四歩(33)   ( 0:00/00:00:00)
   3 ２二角成(88) (1:02 / 0:01:18)
   4 同　銀(31)     ( 0:03/00:00:03)
   5 5五角打
   6 投了           ( 0:05/00:00:08)
まで5手で先手の勝ち

変化：1手
   1 ２六歩(27)   ( 0:01/00:00:01)
   2 投了
";

#[test]
fn a_kif_of_another_program() {
    for text in [KIF.to_owned(), KIF.replace('\n', "\r\n")] {
        let text = selfplay::notation::decode(text.as_bytes()).unwrap();
        let game = read_one::<Showgit>(Format::Kif, text);
        assert_eq!(moves(&game), ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"]);
        let seconds = [0, 2, 4].map(|ply| game.note(ply).seconds);
        assert_eq!(seconds, [Some(16.0), Some(62.0), None]);
        assert_eq!(game.heading.date, "2023-01-02 09:05");
        assert_eq!(game.heading.players, ["わたし", "師匠"]);
        assert_eq!(
            game.ending,
            Some(Ending::claimed(Some(Side::First), RESIGNED))
        );
    }
}

#[test]
fn a_kif_with_a_board_or_a_handicap() {
    let text = "後手の持駒：飛二　角　銀二　桂四　香四　歩十八　
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・ ・ ・ ・v王 ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ ・ ・ ・ 金 ・|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・v成 ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ ・ ・ ・ ・ 玉|九
+---------------------------+
先手の持駒：金　銀
手数----指手---------消費時間--
   1 ２二金打
   2 詰
";
    let text = text.replace("v成", "v馬");
    let game = read_one::<Showgit>(Format::Kif, &text);
    assert_eq!(
        game.game.start().to_string(),
        "7k1/9/7G1/9/5+b3/9/9/9/8K b GS2rb2s4n4l18p 1"
    );
    assert_eq!(game.ending.unwrap().winner, Some(Side::First));
    let text = "手合割：二枚落ち\n下手：a\n上手：b\n1 ６二玉(51)\n2 ７六歩(77)\nまで2手で中断\n";
    let game = read_one::<Showgit>(Format::Kif, text);
    assert_eq!(moves(&game), ["5a6b", "7g7f"]);
    assert_eq!(
        (game.heading.players, game.ending),
        (["a".to_owned(), "b".to_owned()], None)
    );
}

#[test]
fn the_last_line_of_a_kif_tells_the_winner_where_no_word_does() {
    for (summary, winner, claim) in [
        ("後手の勝ち", Some(Side::Second), Claim::Unstated),
        ("時間切れにより後手の勝ち", Some(Side::Second), Claim::Time),
        (
            "先手の反則負け",
            Some(Side::Second),
            Claim::Reason(Reason::Forfeit),
        ),
        (
            "上手の反則勝ち",
            Some(Side::Second),
            Claim::Reason(Reason::Forfeit),
        ),
        (
            "先手の入玉勝ち",
            Some(Side::First),
            Claim::Reason(Reason::Declaration),
        ),
        ("千日手", None, Claim::Reason(Reason::Repetition)),
        ("持将棋", None, Claim::Impasse),
    ] {
        let text = format!("手合割：平手\n1 ７六歩(77)\nまで1手で{summary}\n");
        let game = read_one::<Showgit>(Format::Kif, &text);
        assert_eq!(
            game.ending,
            Some(Ending::claimed(winner, claim)),
            "{summary}"
        );
    }
}

#[test]
fn csa_of_other_programs() {
    let text = "'CSA encoding=UTF-8\nV3.0\nN+a\nN-b\n$START_TIME:2003/05/03 10:30:00\n$TIME:600+0+10\n\
        P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI * * * * * -KA *\nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\nP4 *  *  *  *  *  *  *  *  * \n\
        P5 *  *  *  *  *  *  *  *  *\nP6 *  *  *  *  *  *  *  *  * \nP7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \n\
        P9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n+\n'** 30 -3334FU\n+7776FU,T12\n'comment\n-3334FU\nT6.5\n+8822UM\nT0\n%CHUDAN\n$END_TIME:2003/05/03\n/\n\
        PI82HI22KA\n-\n-5162OU\n+7776FU\n%TORYO\nT3\n/\n\
        P-11OU\nP+13KI00KI99OU\nP-00AL\n+\n+0012KI\n%TSUMI\n/\n\n+\n+2726FU\n%+ILLEGAL_ACTION\n/\n";
    let games = read::<Showgit>(Format::Csa, text);
    assert_eq!(games.len(), 4);
    assert_eq!(moves(&games[0]), ["7g7f", "3c3d", "8h2b+"]);
    let seconds = [0, 1, 2].map(|ply| games[0].note(ply).seconds);
    assert_eq!(seconds, [Some(12.0), Some(6.5), Some(0.0)]);
    assert_eq!(games[0].heading.date, "2003-05-03 10:30:00");
    assert_eq!(games[0].ending, None);
    assert_eq!(
        games[1].ending,
        Some(Ending::claimed(Some(Side::First), RESIGNED))
    );
    assert_eq!(
        games[2].game.start().to_string(),
        "8k/9/8G/9/9/9/9/9/K8 b G2r2b2g4s4n4l18p 1"
    );
    assert_eq!(games[2].ending.unwrap().winner, Some(Side::First));
    let foul = Claim::Reason(Reason::Forfeit);
    assert_eq!(
        games[3].ending,
        Some(Ending::claimed(Some(Side::Second), foul))
    );
}

#[test]
fn usi_lines_with_and_without_their_words() {
    let text = "# openings\nposition startpos moves 7g7f 3c3d\nstartpos moves 2g2f # one\n\nposition startpos\n\
        sfen 8k/9/9/9/9/9/9/9/4K4 b P 1 moves P*5h\n";
    let plies: Vec<usize> = read::<Showgit>(Format::Usi, text)
        .iter()
        .map(|game| game.game.ply())
        .collect();
    assert_eq!(plies, [2, 1, 0, 1]);
    let text = "position fen rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1 moves h3e3 h10g8";
    assert_eq!(moves(&read_one::<Xiangqi>(Format::Usi, text)).len(), 2);
}

#[test]
fn an_end_that_the_rules_do_not_confirm_stays_a_claim() {
    // Nobody is mated, no position came back, no king has entered.
    for word in ["千日手", "詰み", "入玉勝ち"] {
        let text = format!("手合割：平手\n1 ７六歩(77)\n2 {word}\n");
        let game = read_one::<Showgit>(Format::Kif, &text);
        let ending = game.ending.unwrap();
        assert_eq!(
            ending,
            Ending::claimed(ending.winner, ending.claim()),
            "{word}"
        );
        assert_eq!(ending.outcome().reason, Reason::Adjudication, "{word}");
    }
}
