//! `senpu play`, typed by a script.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;

fn senpu(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("senpu").unwrap();
    command
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .env_remove("NO_COLOR")
        .args(args);
    command
}

/// Plays a session and returns what was said.
fn session(args: &[&str], typed: &str) -> String {
    let mut command = senpu(&["play"]);
    let done = command.args(args).write_stdin(typed).assert().success();
    let output = done.get_output();
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let said = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        !said.contains('\u{1b}'),
        "colours without a terminal: {said}"
    );
    said
}

/// Plays against a player with one legal reply, so that the screens are known.
fn holds(said: &str, screen: &str) {
    assert!(said.contains(screen), "{screen}\nis not in\n{said}");
}

#[test]
fn shogi_by_names_characters_and_letters() {
    let args = |pieces: &'static str| {
        let position = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1";
        [
            "--variant",
            "showgit",
            "--player",
            "random",
            "--position",
            position,
            "--pieces",
            pieces,
        ]
    };
    // The only move leaves a mate.
    let letters = session(&args("letters"), "G*5b\n");
    holds(
        &letters,
        "  second holds 2 r, 2 b, 3 g, 4 s, 4 n, 4 l, 17 p
    9  8  7  6  5  4  3  2  1
  +---------------------------+
a | .  .  .  .  k  .  .  .  . | a
b | .  .  .  . [G] .  .  .  . | b
c | .  .  .  .  P  .  .  .  . | c
d | .  .  .  .  .  .  .  .  . | d
e | .  .  .  .  .  .  .  .  . | e
f | .  .  .  .  .  .  .  .  . | f
g | .  .  .  .  .  .  .  .  . | g
h | .  .  .  .  .  .  .  .  . | h
i | .  .  .  .  K  .  .  .  . | i
  +---------------------------+
  first holds nothing
you win (checkmate)
",
    );
    let kanji = session(&args("kanji"), "G*5b\n");
    holds(
        &kanji,
        "a |  ・   ・   ・   ・  v玉   ・   ・   ・   ・ | a\n",
    );
    holds(
        &kanji,
        "b |  ・   ・   ・   ・ [ 金]  ・   ・   ・   ・ | b\n",
    );
    holds(&kanji, "  second holds 2 v飛, 2 v角, 3 v金");
    let names = session(&args("names"), "G*5b\n");
    holds(&names, "a |       .        .        .        .     star");
    holds(&names, "c |       .        .        .        .  UNIFORM");
    holds(&names, "  second holds 2 tango, 2 victor, 3 mike");
}

#[test]
fn euroshogi_flipped_for_the_second_player() {
    let position = "4k3/8/8/8/8/8/R7/4K3[R] b - - 0 1";
    let args = [
        "--variant",
        "euroshogi",
        "--player",
        "random",
        "--position",
        position,
        "--side",
        "second",
    ];
    let said = session(&args, "flip\ne8e9\ne8e6\n");
    holds(
        &said,
        "  first holds R
    h  g  f  e  d  c  b  a
  +------------------------+
1 | .  .  .  K  .  .  .  . | 1
2 | .  .  .  .  .  .  .  R | 2
3 | .  .  .  .  .  .  .  . | 3
4 | .  .  .  .  .  .  .  . | 4
5 | .  .  .  .  .  .  .  . | 5
6 | .  .  .  .  .  .  .  . | 6
7 | .  .  .  .  .  .  .  . | 7
8 | .  .  .  k  .  .  .  . | 8
  +------------------------+
  second holds nothing
ply 1: second to move
",
    );
    holds(&said, "    a  b  c  d  e  f  g  h\n");
    holds(&said, "where a rank from 1 to 8 is wanted");
    holds(
        &said,
        "the man does not move so (at character 1); `moves` lists what can be played",
    );
}

#[test]
fn xiangqi_with_moves_and_undo() {
    let position = "4k4/9/9/9/9/9/9/9/5R3/3K5 w";
    let args = [
        "--variant",
        "xiangqi",
        "--player",
        "random",
        "--position",
        position,
    ];
    let typed = "moves d1\nmoves chariot\nmoves f9\nd1c1\nd1d2\nundo\nundo\n";
    let said = session(&args, typed);
    holds(&said, "1 legal moves of d1\n d1d2\n");
    holds(&said, "legal moves of chariot\n f2");
    holds(&said, "1 legal moves of f9\n f2f9\n");
    holds(&said, "d1c1`: not legal in");
    let start = "     a  b  c  d  e  f  g  h  i
   +---------------------------+
10 | .  .  .  .  k  .  .  .  . | 10
 9 | .  .  .  .  .  .  .  .  . | 9
 8 | .  .  .  .  .  .  .  .  . | 8
 7 | .  .  .  .  .  .  .  .  . | 7
 6 | .  .  .  .  .  .  .  .  . | 6
 5 | .  .  .  .  .  .  .  .  . | 5
 4 | .  .  .  .  .  .  .  .  . | 4
 3 | .  .  .  .  .  .  .  .  . | 3
 2 | .  .  .  .  .  R  .  .  . | 2
 1 | .  .  .  K  .  .  .  .  . | 1
   +---------------------------+
ply 1: first to move
";
    // At the beginning and after the move was taken back.
    assert_eq!(said.matches(start).count(), 2, "{said}");
    holds(&said, "random plays e10e9\n");
    holds(&said, " 2 | .  .  .  K  .  R");
    holds(&said, "there is no move of yours to take back\n");
}

#[test]
fn gufu_shows_where_pieces_face_and_takes_hints() {
    let args = [
        "--variant",
        "gufu",
        "--player",
        "exact",
        "--position",
        "K^S<k^/.. b W 5",
    ];
    let wrong = senpu(&["play"]).args(args).assert().failure();
    let said = String::from_utf8_lossy(&wrong.get_output().stderr).into_owned();
    assert!(said.contains("K^S<k^/.. b W 5"), "{said}");
    let args = [
        "--variant",
        "gufu",
        "--player",
        "exact",
        "--position",
        ".K^/S<k</.. b W 7",
        "--lines",
        "1",
    ];
    let said = session(&args, "hint\nW-2c>N\nS:2b\n");
    holds(
        &said,
        "     2   1
  +--------+
a |  .  K^ | a
b | S<  k< | b
c |  .   . | c
  +--------+
  not on the board: W
ply 1: first to move
exact thinks: ",
    );
    assert_eq!(said.matches("  1. ").count(), 1, "{said}");
    holds(&said, "the piece is in hand, and can only be dropped");
    holds(&said, "exact plays ");
    let names = session(
        &[
            "--variant",
            "gufu",
            "--player",
            "exact",
            "--position",
            ".K^/S<k</.. b W 7",
            "--pieces",
            "names",
        ],
        "",
    );
    holds(&names, "b | Arashi<    king< | b\n");
    holds(&names, "  not on the board: Kaze\n");
}

#[test]
fn a_game_is_saved_and_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (kif, pgn) = (file("game.kif"), file("game.pgn"));
    let typed = format!(
        "7g7f\nsave {kif}\nsave {kif}\nresign\nsave {pgn}\nresign\n7g7f\nnew\nsave {pgn}\nsave x\n\nhelp\nquit\n9g9f\n"
    );
    let said = session(
        &[
            "--variant",
            "showgit",
            "--player",
            "alphabeta?depth=1",
            "--seed",
            "1",
        ],
        &typed,
    );
    assert_eq!(
        said.matches(&format!("saved to {kif}")).count(),
        2,
        "{said}"
    );
    holds(&said, "alphabeta?depth=1 wins (resignation)\n");
    holds(&said, "the game is over: `undo`, `new` or `quit`\n");
    holds(
        &said,
        &format!("not saved: `{pgn}` exists: choose another name\n"),
    );
    holds(
        &said,
        "not saved: `save` needs the name of a file that ends in one of pgn, kif, csa, usi\n",
    );
    holds(&said, "  save FILE          write the game as a record");
    assert!(
        !said.contains("9g9f"),
        "nothing is read after `quit`: {said}"
    );
    let kif = fs::read_to_string(kif).unwrap();
    assert!(
        kif.contains("先手：person\n後手：alphabeta?depth=1\n"),
        "{kif}"
    );
    assert!(kif.contains("   1 ７六歩(77)\n   2 "), "{kif}");
    let usi = senpu(&["convert", &pgn, "-", "--to", "usi"])
        .assert()
        .success();
    let usi = String::from_utf8(usi.get_output().stdout.clone()).unwrap();
    let mut words = usi.split_whitespace();
    assert_eq!(
        words.by_ref().take(4).collect::<Vec<_>>(),
        ["position", "startpos", "moves", "7g7f"]
    );
    assert_eq!(words.count(), 1, "{usi}");
    assert!(
        fs::read_to_string(pgn)
            .unwrap()
            .contains("[Reason \"resignation\"]")
    );
}

#[test]
fn sides_are_drawn_and_wrong_arguments_refused() {
    let greeting = |seed: &str| {
        let args = [
            "--variant",
            "gufu",
            "--player",
            "random",
            "--side",
            "random",
            "--seed",
            seed,
        ];
        session(&args, "").lines().next().unwrap().to_owned()
    };
    let greetings: Vec<String> = ["1", "2", "3", "4", "5", "6", "7", "8"]
        .map(greeting)
        .into();
    for side in ["first", "second"] {
        let said = format!("you are the {side} player");
        assert!(
            greetings.iter().any(|greeting| greeting.contains(&said)),
            "{greetings:?}"
        );
    }
    for (args, part) in [
        (&["--player", "random"][..], "the game must be given"),
        (
            &["--player", "randum", "--variant", "gufu"],
            "unknown player `randum`",
        ),
        (
            &["--player", "random", "--variant", "gufu", "--position", "x"],
            "position `x`",
        ),
        (
            &["--player", "exact", "--variant", "xiangqi"],
            "too large to be solved",
        ),
    ] {
        let failed = senpu(&["play"]).args(args).assert().failure();
        let said = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
        assert!(said.contains(part), "{said}");
    }
    // A player that does not think gives no hint, and the game goes on.
    let said = session(
        &["--variant", "gufu", "--player", "random"],
        "hint\nboard\n",
    );
    holds(&said, "no hint: player `random` does not think");
    holds(&said, "ply 1: first to move\nno hint");
}
