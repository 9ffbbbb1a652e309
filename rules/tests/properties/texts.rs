//! What is read, is read again after it has been written; what is not, is refused without a panic.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use rules::board::Board;
use rules::notation::parse_game;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Dialect, Game, Position as _, Variant as _, VariantId};

use crate::budget::hold;
use crate::corpus::{Tested, lines};
use crate::generation::legal;
use crate::mutation::{edited, edits};
use crate::walk::{WANDERING, walk, walks};

/// A position that is written is read as itself, and what was written is written again.
pub(crate) fn is_kept<V: Tested>(position: &V::Position) -> TestCaseResult {
    let text = position.to_string();
    let read = text.parse::<V::Position>();
    prop_assert!(read.is_ok(), "{}", read.unwrap_err());
    let read = read.unwrap();
    prop_assert!(read == *position, "`{text}` is read as another position");
    prop_assert_eq!(read.key(), position.key(), "{}", &text);
    prop_assert_eq!(read.to_string(), text);
    Ok(())
}

/// Reads a text in every way in which it could be meant.
fn is_read_or_refused<V: Tested>(text: &str) -> TestCaseResult {
    if let Ok(position) = text.parse::<V::Position>() {
        is_kept::<V>(&position)?;
        V::judge(&position)?;
    }
    if let Ok(game) = parse_game::<V>(text, V::OPTIONS) {
        is_kept_with_its_moves(&game)?;
        for word in text.split_whitespace() {
            is_kept_as_a_move::<V>(game.position(), word)?;
        }
    }
    is_kept_as_a_move::<V>(&V::Position::initial(), text)?;
    if let Ok(variant) = text.parse::<VariantId>() {
        prop_assert_eq!(variant.name(), text);
    }
    Ok(())
}

fn is_kept_as_a_move<V: Tested>(position: &V::Position, text: &str) -> TestCaseResult {
    let Ok(mv) = position.parse_move(text) else {
        return Ok(());
    };
    prop_assert!(legal(position).contains(&mv), "{text} in {position}");
    prop_assert_eq!(position.parse_move(&mv.to_string()), Ok(mv), "{}", position);
    Ok(())
}

/// A game that is written as its start and its moves is read as itself.
fn is_kept_with_its_moves<V: Tested>(game: &Game<V>) -> TestCaseResult {
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    let text = format!("{} moves {}", game.start(), moves.join(" "));
    let read = parse_game::<V>(&text, *game.options());
    prop_assert!(read.is_ok(), "{}", read.unwrap_err());
    let read = read.unwrap();
    prop_assert!(read.position() == game.position(), "{text}");
    prop_assert_eq!(read.moves(), game.moves());
    Ok(())
}

/// The corpus as it is, and good texts damaged.
fn damaged_texts<V: Tested>(cases: u32) {
    let lines = lines::<V>();
    for line in &lines {
        is_read_or_refused::<V>(line).unwrap();
    }
    let texts = prop::sample::select(lines);
    hold(file!(), cases, &(texts, edits()), |(text, edits)| {
        is_read_or_refused::<V>(&edited(&text, &edits))
    });
}

/// Positions out of games are written and read, moves too.
fn played_texts<V: Tested>(cases: u32) {
    hold(file!(), cases, &walks::<V>(120), |(start, picks)| {
        let game = walk::<V>(&start, (V::OPTIONS, WANDERING), &picks);
        is_kept::<V>(game.position())?;
        for mv in legal(game.position()) {
            prop_assert_eq!(game.position().parse_move(&mv.to_string()), Ok(mv));
        }
        Ok(())
    });
}

/// Whatever is made of the letters of positions, moves and games, or of any bytes at all.
fn any_texts() -> impl Strategy<Value = String> {
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    prop_oneof![
        bytes.prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        "\\PC{0,60}",
        "[KkRrBbPpNnGgLlSsAaCcW+1-9/.^>v<]{1,60}(\\[[RBPNGrbpng]{0,5}\\])? [bw] (- - [0-9]{1,7}|[0-9RBGPKkWS]{1,6}|-) [0-9]{1,7}",
        "[1-9a-i][1-9a-j]{1,4}[0-9]?[+]?|[RBGSNLPK][*@][1-9a-i]{2}|[KWS][-x:*][12][abc一二三](>[NESW])?[+#]?",
        "(startpos|[0-9kK/]{10,30} [bw] - 1)( moves( [1-9a-i]{4}[+]?){0,4})?",
    ]
}

#[test]
fn any_text_is_read_or_refused() {
    hold(file!(), 3_000, &any_texts(), |text| {
        is_read_or_refused::<Gufu>(&text)?;
        is_read_or_refused::<Showgit>(&text)?;
        is_read_or_refused::<EuroShogi>(&text)?;
        is_read_or_refused::<Xiangqi>(&text)
    });
}

#[test]
fn damaged_texts_are_read_or_refused() {
    damaged_texts::<Gufu>(4_000);
    damaged_texts::<Showgit>(3_000);
    damaged_texts::<EuroShogi>(3_000);
    damaged_texts::<Xiangqi>(3_000);
}

#[test]
fn positions_and_moves_are_read_as_they_are_written() {
    played_texts::<Gufu>(300);
    played_texts::<Showgit>(100);
    played_texts::<EuroShogi>(150);
    played_texts::<Xiangqi>(150);
}

#[test]
fn moves_in_ucci_are_read_as_they_are_written() {
    hold(file!(), 150, &walks::<Xiangqi>(120), |(start, picks)| {
        let game = walk::<Xiangqi>(&start, (Xiangqi::OPTIONS, WANDERING), &picks);
        for mv in legal(game.position()) {
            let text = Dialect::Ucci.move_text::<Xiangqi>(game.position(), mv);
            prop_assert_eq!(
                Dialect::Ucci.parse_move::<Xiangqi>(game.position(), &text),
                Ok(mv),
                "{}",
                game.position()
            );
        }
        Ok(())
    });
    let texts = (
        prop::sample::select(vec!["h2e2", "a0a9", "i9a0", "h3h10"]),
        edits(),
    );
    hold(file!(), 1_000, &texts, |(text, edits)| {
        let text = edited(text, &edits);
        let start = Board::initial();
        if let Ok(mv) = Dialect::Ucci.parse_move::<Xiangqi>(&start, &text) {
            prop_assert_eq!(Dialect::Ucci.move_text::<Xiangqi>(&start, mv), text);
        }
        Ok(())
    });
}
