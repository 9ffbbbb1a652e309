//! What each format looks like, to the byte.

use rules::notation::parse_game;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Reason, Side, Variant};
use selfplay::Transcript;
use selfplay::notation::Format;
use selfplay::transcript::{Claim, Ending, Heading, Note};

fn transcript<V: Variant>(game: &str, winner: Side) -> Transcript<V> {
    let heading = Heading {
        players: ["net 1".to_owned(), "alphabeta?depth=3".to_owned()],
        date: "2026-12-01".to_owned(),
        event: "match".to_owned(),
        site: String::new(),
        round: "1.1".to_owned(),
    };
    let note = Note {
        value: Some(0.352),
        seconds: Some(75.0),
    };
    let resigned = Claim::Reason(Reason::Resignation);
    Transcript::new(
        heading,
        parse_game(game, V::OPTIONS).unwrap(),
        vec![note],
        Some(Ending::claimed(Some(winner), resigned)),
    )
}

const SHOGI: &str = "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*5e";

#[test]
fn kif() {
    let text = Format::Kif
        .write(&transcript::<Showgit>(SHOGI, Side::First))
        .unwrap();
    let expected = "\
#KIF version=2.0 encoding=UTF-8
手合割：平手
開始日時：2026/12/01
棋戦：match
回戦：1.1
先手：net 1
後手：alphabeta?depth=3
手数----指手---------消費時間--
   1 ７六歩(77)   ( 1:15/00:01:15)
*value +0.352
   2 ３四歩(33)
   3 ２二角成(88)
   4 同　銀(31)
   5 ５五角打
   6 投了
まで5手で先手の勝ち
";
    assert_eq!(text, expected);
}

#[test]
fn kif_of_a_drawn_board() {
    let game =
        "lnsgk1snl/1r4gb1/p1ppp2pp/6p2/1p7/2PP5/PP1SPPPPP/1B3K1R1/LN1G1GSNL w 2Pp 1 moves P*4e";
    let text = Format::Kif
        .write(&transcript::<Showgit>(game, Side::Second))
        .unwrap();
    let expected = "\
後手の持駒：歩　
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
|v香v桂v銀v金v玉 ・v銀v桂v香|一
| ・v飛 ・ ・ ・ ・v金v角 ・|二
|v歩 ・v歩v歩v歩 ・ ・v歩v歩|三
| ・ ・ ・ ・ ・ ・v歩 ・ ・|四
| ・v歩 ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ 歩 歩 ・ ・ ・ ・ ・|六
| 歩 歩 ・ 銀 歩 歩 歩 歩 歩|七
| ・ 角 ・ ・ ・ 玉 ・ 飛 ・|八
| 香 桂 ・ 金 ・ 金 銀 桂 香|九
+---------------------------+
先手の持駒：歩二　
後手番
";
    assert!(text.contains(expected), "{text}");
    assert!(
        text.contains("   1 ４五歩打     ( 1:15/00:01:15)\n"),
        "{text}"
    );
}

#[test]
fn csa() {
    let text = Format::Csa
        .write(&transcript::<Showgit>(SHOGI, Side::First))
        .unwrap();
    let expected = "\
'CSA encoding=UTF-8
V2.2
N+net 1
N-alphabeta?depth=3
$EVENT:match
$START_TIME:2026/12/01
$ROUND:1.1
PI
+
+7776FU
T75
'*value +0.352
-3334FU
+8822UM
-3122GI
+0055KA
%TORYO
";
    assert_eq!(text, expected);
}

#[test]
fn pgn() {
    let game = "4k4/9/4b4/9/9/9/9/4C4/9/4K2R1 b - - 6 31 moves e10f10 h1h10 f10f9";
    let text = Format::Pgn
        .write(&transcript::<Xiangqi>(game, Side::First))
        .unwrap();
    let expected = "\
[Event \"match\"]
[Site \"?\"]
[Date \"2026.12.01\"]
[Round \"1.1\"]
[White \"net 1\"]
[Black \"alphabeta?depth=3\"]
[Result \"1-0\"]
[Variant \"xiangqi\"]
[SetUp \"1\"]
[FEN \"4k4/9/4b4/9/9/9/9/4C4/9/4K2R1 b - - 6 31\"]
[PlyCount \"3\"]
[Termination \"normal\"]
[Reason \"resignation\"]

31... e10f10 {value +0.352, 75s} 32. h1h10 f10f9 1-0
";
    assert_eq!(text, expected);
}

#[test]
fn usi() {
    let text = Format::Usi
        .write(&transcript::<Showgit>(SHOGI, Side::First))
        .unwrap();
    assert_eq!(text, format!("position {SHOGI}\n"));
}
