//! What is wrong is refused with its line, and what would be right.

use rules::Variant;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use selfplay::notation::{Format, decode};

fn refused<V: Variant>(format: Format, text: &str, line: usize, part: &str) {
    let error = format.read::<V>(text, V::OPTIONS).unwrap_err();
    let said = error.to_string();
    assert!(
        error.line == line && said.starts_with("line ") && said.contains(part),
        "{said}\nwhere line {line} and `{part}` were expected of\n{text}"
    );
}

#[test]
fn in_pgn() {
    let tags = "[Event \"x\"]\n[Variant \"euroshogi\"]\n";
    for (text, line, part) in [
        ("\n1. g3g4 g3g4 *", 4, "ply 2 of the game: move `g3g4`"),
        ("\n1. g3g4 hello *", 4, "where a rank"),
        ("\n1. g3g4 {and so on\n", 4, "a comment without its `}`"),
        ("\n1. g3g4 (1. a3a4\n", 4, "a variation without its `)`"),
        ("\n1. g3g4 )\n", 4, "`)` without its beginning"),
        ("[Result \"1-0\"]\n\n1. g3g4 0-1", 5, "its tag says 1-0"),
        (
            "[Result \"won\"]\n\n1. g3g4 *",
            3,
            "expected one of 1-0, 0-1, 1/2-1/2, *",
        ),
        ("[FEN \"8/8 w\"]\n\n*", 3, "position `8/8"),
        ("[Round 1]\n\n*", 3, "a tag has the form"),
        (
            "[Reason \"boredom\"]\n\n1. g3g4 1-0",
            3,
            "unknown reason `boredom`",
        ),
        (
            "[Rules \"ply_cup=3\"]\n\n*",
            3,
            "`ply_cup` is no rule option",
        ),
        (
            "\n1. g3g4 *\n\n[Variant \"xiangqi\"]\n\n*",
            6,
            "a game of xiangqi where euroshogi is read",
        ),
        (
            "\n1. g3g4 *\n\n[Variant \"chess\"]\n\n*",
            6,
            "unknown variant `chess`: expected one of gufu",
        ),
    ] {
        refused::<EuroShogi>(Format::Pgn, &format!("{tags}{text}"), line, part);
    }
    refused::<Gufu>(Format::Pgn, "1. K*1c>N K*1c>N", 1, "not legal");
    let error = Format::Pgn
        .variant_of("\n[Variant \"chess\"]\n")
        .unwrap_err();
    assert_eq!(error.line, 2);
}

#[test]
fn in_kif() {
    for (text, line, part) in [
        (
            "1 ７六歩(77)\n3 ３四歩(33)\n",
            2,
            "move 3 where move 2 is wanted",
        ),
        (
            "1 ７六歩(77)\n2 ３四歩(34)\n",
            2,
            "歩 is said to move from where nobody stands",
        ),
        (
            "1 ７六金(77)\n",
            1,
            "金 is said to move from where 歩 stands",
        ),
        ("1 ７五歩(77)\n", 1, "not legal in `lnsgkgsnl"),
        ("1 同　歩(77)\n", 1, "`同` needs a move before it"),
        ("1 ７六歩\n", 1, "where the man stood"),
        ("1 ７六歩(77)x\n", 1, "text after the end of the move"),
        ("1 ７六(77)\n", 1, "the name of a man is wanted"),
        (
            "1 投了\n2 ７六歩(77)\n",
            2,
            "a move after the end of the game",
        ),
        (
            "手合割：百枚落ち\n",
            1,
            "no handicap has this name: expected one of 平手",
        ),
        ("手合割：平手\n▲７六歩 △３四歩\n", 2, "KI2"),
        ("#rules: ply_cap=0\n1 ７六歩(77)\n", 1, "ply_cap = 0"),
        ("|v香v桂|一\n", 1, "before a man"),
        (
            "|v香v桂v銀v金v玉v金v銀v桂v香|一\n1 ７六歩(77)\n",
            2,
            "1 ranks where 9 are wanted",
        ),
        (
            "|v香v桂v卒v金v玉v金v銀v桂v香|一\n",
            1,
            "no man has this name",
        ),
        (
            "先手の持駒：飛二　桃\n",
            1,
            "`桃` begins with no man that can be in hand",
        ),
        ("先手の持駒：飛two\n", 1, "`two` is no number of men"),
    ] {
        refused::<Showgit>(Format::Kif, text, line, part);
    }
}

#[test]
fn in_csa() {
    for (text, line, part) in [
        (
            "V2.2\nPI\n+7776FU\n",
            3,
            "a line `+` or `-` must say who is to move",
        ),
        ("V2.2\nPI\n", 2, "has no line `+` or `-`"),
        ("PI\n+\n+7775FU\n", 3, "not legal in `lnsgkgsnl"),
        ("PI\n+\n-3334FU\n", 3, "`+` is to move"),
        (
            "PI\n+\n+7776GI\n",
            3,
            "FU stands where the move begins and cannot become GI",
        ),
        ("PI\n+\n+7476FU\n", 3, "nobody stands where the move begins"),
        ("PI\n+\n+7776XX\n", 3, "`XX` is no man: expected one of FU"),
        ("PI\n+\n+0055OU\n", 3, "this man cannot be dropped"),
        ("PI\n+\n+776FU\n", 3, "a move has the form `+7776FU`"),
        ("PI\n+\n+7776FU\nTx\n", 4, "seconds are wanted after `T`"),
        ("PI\n+\n%GAVE_UP\n", 3, "`%GAVE_UP` is no end of a game"),
        (
            "PI\n+\n%TORYO\n+7776FU\n",
            4,
            "after the end of the game: `/` divides games",
        ),
        (
            "PI\n+\n+7776FU\nPI\n",
            4,
            "a position after the moves have begun",
        ),
        ("PI55KI\n+\n", 1, "no such man stands there"),
        ("P1-KY-KE-GI\n+\n", 1, "a rank has nine squares"),
        ("P+00OU\n+\n", 1, "can be in hand"),
        ("hello\n", 1, "`hello` is no statement"),
        ("-\n", 1, "`+` is to move first"),
        ("'rules: chase=all\n", 1, "none or axf"),
    ] {
        refused::<Showgit>(Format::Csa, text, line, part);
    }
}

#[test]
fn in_usi_lines() {
    refused::<Showgit>(
        Format::Usi,
        "position startpos\nposition startpos moves 7g7f 7g7f\n",
        2,
        "not legal",
    );
    refused::<Showgit>(
        Format::Usi,
        "position sfen 9/9 b - 1\n",
        1,
        "position `9/9 b - 1`",
    );
}

#[test]
fn another_encoding_is_named() {
    // 手合割 in Shift-JIS, in the second line.
    let bytes = b"# KIF\n\x8e\xe8\x8d\x87\x8a\x84\n";
    let error = decode(bytes).unwrap_err();
    assert_eq!(error.line, 2);
    assert!(error.problem.contains("Shift-JIS") && error.problem.contains("iconv"));
}

/// Cuts and swaps in good texts: refused or read, but never a panic.
#[test]
fn damage_is_no_panic() {
    let kif = "手合割：平手\n先手：a\n1 ７六歩(77) ( 0:01/00:00:01)\n*value +0.100\n2 投了\nまで1手で先手の勝ち\n";
    let csa = "V2.2\nN+a\nP+11KI00FU\nPI82HI\n-\n-5142OU\nT1\n'*value +0.1\n%TORYO\n";
    let pgn = "[Variant \"shogi\"]\n[FEN \"8k/9/9/9/9/9/9/9/4K4[P] w - - 0 1\"]\n\n1. P@e2 {value +0.1, 1s} (x) $1 *\n";
    for (format, text) in [(Format::Kif, kif), (Format::Csa, csa), (Format::Pgn, pgn)] {
        let characters: Vec<char> = text.chars().collect();
        for at in 0..characters.len() {
            for other in ['\n', '0', '(', '"', '同', '-', '/', ' '] {
                let mut cut = characters.clone();
                cut.remove(at);
                let mut swapped = characters.clone();
                swapped[at] = other;
                for damaged in [cut, swapped, characters[..at].to_vec()] {
                    let damaged: String = damaged.into_iter().collect();
                    let _ = format.read::<Showgit>(&damaged, Showgit::OPTIONS);
                }
            }
        }
    }
}
