//! Properties of the grid games on random games and random placements: the fast generator against a slow one, keys, mirrors, texts.
//!
//! `SENPU_RULES_WALKS=N` plays N times as many.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "oracle/common.rs"]
mod common;
#[path = "oracle/mailbox.rs"]
mod mailbox;

use common::{Random, legal};
use mailbox::Mailbox;
use rules::board::{Board, Move, Piece, Ruleset};
use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Game, Position, RuleOptions, Side, Variant, ZoneStart};

fn times() -> u64 {
    std::env::var("SENPU_RULES_WALKS").map_or(1, |times| times.parse().unwrap())
}

fn sorted<R: Ruleset>(moves: &[Move<R>]) -> Vec<String> {
    let mut texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
    texts.sort();
    texts
}

/// Everything that must hold in any position.
fn check<R: Ruleset>(board: &Board<R>, game: mailbox::Game) {
    let text = board.to_string();
    let moves = legal(board);
    let oracle = Mailbox::read(game, &text);
    assert_eq!(
        sorted(&moves),
        oracle.legal_moves(board.free_promotion()),
        "{text}"
    );
    assert_eq!(board.in_check(), oracle.in_check(), "{text}");
    assert_eq!(board.count_moves(&mut Vec::new()), moves.len(), "{text}");
    assert_eq!(board.key(), board.recomputed_key(), "{text}");
    let mut reread: Board<R> = text.parse().unwrap_or_else(|error| panic!("{error}"));
    if board.free_promotion() {
        reread.adopt(&RuleOptions {
            zone_start_promotion: ZoneStart::Optional,
            ..Showgit::OPTIONS
        });
    }
    assert_eq!(reread, *board, "{text}");
    check_symmetries(board, &moves);
    for &mv in &moves {
        assert_eq!(Move::try_from(u16::from(mv)), Ok(mv), "{text}");
        let mut next = *board;
        next.play(mv);
        assert_eq!(
            next.checkers(),
            next.mirrored().mirrored().checkers(),
            "{mv} in {text}"
        );
    }
    if let Some(&mv) = moves.last() {
        assert_eq!(board.parse_move(&mv.to_string()), Ok(mv), "{text}");
    }
}

fn check_symmetries<R: Ruleset>(board: &Board<R>, moves: &[Move<R>]) {
    let mirrored: Vec<_> = moves.iter().map(|mv| mv.mirrored()).collect();
    assert_eq!(
        sorted(&legal(&board.mirrored())),
        sorted(&mirrored),
        "{board}"
    );
    assert_eq!(board.mirrored().mirrored(), *board);
    let rotated: Vec<_> = moves.iter().map(|mv| mv.rotated()).collect();
    assert_eq!(
        sorted(&legal(&board.rotated())),
        sorted(&rotated),
        "{board}"
    );
    assert_eq!(board.rotated().rotated(), *board);
}

fn walk<R: Ruleset + Variant<Position = Board<R>>>(
    game: mailbox::Game,
    options: RuleOptions,
    seed: u64,
) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
    for _ in 0..4 * times() {
        let mut played = Game::<R>::new(options);
        for _ in 0..160 {
            let moves = legal(played.position());
            if moves.is_empty() {
                break;
            }
            if random.below(3) == 0 {
                check(played.position(), game);
            }
            played.play(moves[random.below(moves.len())]);
        }
    }
}

#[test]
fn random_games_of_shogi() {
    walk::<Showgit>(mailbox::Game::Shogi, Showgit::OPTIONS, 1);
}

#[test]
fn random_games_of_euroshogi() {
    walk::<EuroShogi>(mailbox::Game::EuroShogi, EuroShogi::OPTIONS, 2);
}

#[test]
fn random_games_of_euroshogi_with_optional_promotion() {
    let options = RuleOptions {
        zone_start_promotion: ZoneStart::Optional,
        ..EuroShogi::OPTIONS
    };
    walk::<EuroShogi>(mailbox::Game::EuroShogi, options, 3);
}

#[test]
fn random_games_of_xiangqi() {
    walk::<Xiangqi>(mailbox::Game::Xiangqi, Xiangqi::OPTIONS, 4);
}

/// Writes a random placement of men: many checks, pins and crowded lines. Most are no legal positions; the parser says which are.
fn placement(game: mailbox::Game, random: &mut Random) -> String {
    let (files, ranks, letters) = match game {
        mailbox::Game::Shogi => (9, 9, "RBGSNLP"),
        mailbox::Game::EuroShogi => (8, 8, "RBGNP"),
        mailbox::Game::Xiangqi => (9, 10, "RRCCNNPAB"),
    };
    let letters: Vec<char> = letters.chars().collect();
    let mut squares = vec![String::from("1"); files * ranks];
    let density = 3 + random.below(12);
    for square in &mut squares {
        if random.below(density) == 0 {
            let letter = letters[random.below(letters.len())];
            let promotes = game != mailbox::Game::Xiangqi && letter != 'G' && random.below(3) == 0;
            let letter = if random.below(2) == 0 {
                letter
            } else {
                letter.to_ascii_lowercase()
            };
            *square = format!("{}{letter}", if promotes { "+" } else { "" });
        }
    }
    for king in ["K", "k"] {
        let square = match (game, king) {
            (mailbox::Game::Xiangqi, "k") => random.below(3) * files + 3 + random.below(3),
            (mailbox::Game::Xiangqi, _) => (7 + random.below(3)) * files + 3 + random.below(3),
            _ => random.below(files * ranks),
        };
        king.clone_into(&mut squares[square]);
    }
    let rows: Vec<String> = squares
        .chunks(files)
        .map(|row| merge_empty(&row.concat()))
        .collect();
    let side = |first: &str, second: &str| {
        if random.0 & 64 == 0 {
            first.to_owned()
        } else {
            second.to_owned()
        }
    };
    match game {
        mailbox::Game::Shogi => {
            format!("{} {} 2P2LNSGBR2p2lnsgbr 1", rows.join("/"), side("b", "w"))
        }
        mailbox::Game::EuroShogi => format!(
            "{}[PPNGBRppngbr] {} - - 0 1",
            rows.join("/"),
            side("w", "b")
        ),
        mailbox::Game::Xiangqi => format!("{} {} - - 0 1", rows.join("/"), side("w", "b")),
    }
}

/// Adds up the ones of a row.
fn merge_empty(row: &str) -> String {
    let mut merged = String::new();
    let mut empty = 0;
    for letter in row.chars().chain(['/']) {
        if letter == '1' {
            empty += 1;
            continue;
        }
        if empty > 0 {
            merged.push_str(&empty.to_string());
            empty = 0;
        }
        merged.push(letter);
    }
    merged.trim_end_matches('/').to_owned()
}

fn placements<R: Ruleset + Variant<Position = Board<R>>>(game: mailbox::Game, seed: u64) {
    let mut random = Random(0x2545_f491_4f6c_dd1d ^ seed);
    let mut checked = 0;
    while checked < 150 * times() {
        if let Ok(mut board) = placement(game, &mut random).parse::<Board<R>>() {
            if random.below(2) == 0 {
                board.adopt(&RuleOptions {
                    zone_start_promotion: ZoneStart::Optional,
                    ..R::OPTIONS
                });
            }
            check(&board, game);
            checked += 1;
        }
    }
}

#[test]
fn random_placements_of_shogi() {
    placements::<Showgit>(mailbox::Game::Shogi, 1);
}

#[test]
fn random_placements_of_euroshogi() {
    placements::<EuroShogi>(mailbox::Game::EuroShogi, 2);
}

#[test]
fn random_placements_of_xiangqi() {
    placements::<Xiangqi>(mailbox::Game::Xiangqi, 3);
}

#[test]
fn perft_of_the_rules_pages() {
    fn counts<V: Variant>(text: &str, expected: &[u64]) {
        let position = if text == "startpos" {
            V::Position::initial()
        } else {
            text.parse().unwrap()
        };
        for (depth, &leaves) in (1..).zip(expected) {
            assert_eq!(
                rules::perft::perft(&position, depth),
                leaves,
                "{text} {depth}"
            );
        }
    }
    counts::<Showgit>("startpos", &[30, 900, 25470, 719_731, 19_861_490]);
    counts::<Showgit>("7lk/9/8S/9/9/9/9/7L1/8K b P 1", &[85, 639, 10786, 167_089]);
    counts::<Showgit>(
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        &[593],
    );
    counts::<EuroShogi>("startpos", &[25, 625, 15424, 380_499, 9_451_149]);
    counts::<Xiangqi>("startpos", &[44, 1920, 79666, 3_290_240]);
    let text = "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w";
    counts::<Xiangqi>(text, &[38, 1128, 43929, 1_339_047]);
    if std::env::var_os("SENPU_PERFT_FULL").is_some() {
        counts::<Showgit>(
            "startpos",
            &[30, 900, 25470, 719_731, 19_861_490, 547_581_517],
        );
        counts::<Xiangqi>(text, &[38, 1128, 43929, 1_339_047, 53_112_976]);
        counts::<Xiangqi>(
            "startpos",
            &[44, 1920, 79666, 3_290_240, 133_312_995, 5_392_831_844],
        );
    }
}

#[test]
fn men_are_seen_by_kind_square_and_hand() {
    let board: Board<Showgit> =
        "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b 2Pg 3"
            .parse()
            .unwrap();
    let pawn = Piece {
        kind: 0,
        side: Side::First,
    };
    assert_eq!(board.pieces(pawn).count(), 9);
    assert_eq!(board.hand(Side::First).count(0), 2);
    assert_eq!(board.hand(Side::Second).count(4), 1);
    let mv = board.parse_move("8h2b+").unwrap();
    assert!(mv.promotes());
    assert_eq!(
        board.piece(mv.from().unwrap()),
        Some(Piece {
            kind: 5,
            side: Side::First
        })
    );
    assert_eq!(
        board.piece(mv.to()),
        Some(Piece {
            kind: 5,
            side: Side::Second
        })
    );
    assert_eq!(
        board
            .parse_move("P*5e")
            .unwrap_err()
            .problem
            .split(" in")
            .next(),
        Some("not legal")
    );
}
