//! Mates in one and in three, taken from games of this player and proven by looking at every move.

use rules::variants::{euroshogi::EuroShogi, showgit::Showgit, xiangqi::Xiangqi};
use rules::{Game, Reason, Variant};
use selfplay::players::alphabeta::{Limits, MATE};

use crate::{game, search};

const SHOWGIT: [(&str, i32); 5] = [
    ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 1),
    (
        "ln1gk1sn1/1r1s2g1l/1p1pp2pp/p1B2ppn1/2P5P/PP1P1P3/2+b1PGPP1/S2+r5/5KSNL w LPg 54",
        1,
    ),
    (
        "1n3gknl/l+NSg1g3/1p1pp1Ppp/p2P1S1r1/5p3/7B1/P4+rS1P/4P1bKG/5+l1NL w SP5p 124",
        3,
    ),
    (
        "ln1gk1sng/1r1s2g1l/1p1+Bp2pp/p4ppn1/2P5P/PP1P1P3/2+b1PGPP1/S2+r5/5KSNL w L2P 56",
        3,
    ),
    (
        "3kg3+R/l+L3g3/ps1ppp1pp/1pp2sp1b/2+b1P1N2/P6PP/S2P2P2/2+n4KL/L2G1GSN1 b Rn3p 63",
        3,
    ),
];

const EUROSHOGI: [(&str, i32); 5] = [
    (
        "1nb1kg1n/2r3P1/1ppgp+Bp1/pb1p1p2/1PP1P3/P2G1P2/4K2N/N1G2B2[Rppp] w - - 0 24",
        1,
    ),
    (
        "n2+R4/2r5/b1k1+B3/Pp4N1/2pp1g2/+bPP1+p3/+p1K5/N2GG1N1[BGPPPPpppp] b - - 3 46",
        1,
    ),
    (
        "n2+R4/2r5/b1k1+B3/Ppb3N1/2pp1g2/1PP1+p3/+p7/N1KGG1N1[BGPPPPpppp] b - - 1 45",
        3,
    ),
    (
        "1g3bn1/pp6/2p1k1p1/4g2p/P2n1pP1/BPP+bG2P/1n6/R3KN1R[BPPgppp] b - - 1 31",
        3,
    ),
    (
        "3gk1n1/G1Bb4/p+Pppp1gp/6P1/8/PG2P+b1P/2+n5/K6N[RBNPPPPrpp] b - - 0 33",
        3,
    ),
];

const XIANGQI: [(&str, i32); 6] = [
    ("2bk5/4R4/9/4N1N2/4P4/9/p5p2/3AB4/4A4/2B2K3 w - - 3 54", 1),
    (
        "5ab2/4k4/5c3/p5p1P/9/P8/3c2P2/2r5B/3KA4/5A1N1 b - - 1 40",
        1,
    ),
    // By stalemate, which loses in xiangqi.
    ("3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1", 1),
    (
        "3akab2/9/4br3/p1rNc1p1p/9/3Rc3P/P5P2/3A4B/9/3K1A1N1 b - - 6 27",
        3,
    ),
    ("3k5/4R4/b5N2/6N2/4P4/9/p5p2/3AB4/4A4/2B2K3 w - - 1 53", 3),
    (
        "2b1knbN1/5R3/2Na5/9/2p3P2/9/P8/4B4/4A4/4KAB2 w - - 20 45",
        3,
    ),
];

/// Tells whether the side to move mates in `plies` (odd) or is mated in `plies` (even) at the latest, whatever the other side does.
fn is_forced<V: Variant>(game: &mut Game<V>, plies: u32) -> bool {
    let (mut legal, ply) = (Vec::new(), game.ply());
    game.legal_moves(&mut legal);
    if let Some(outcome) = game.outcome(&legal) {
        return plies.is_multiple_of(2)
            && matches!(outcome.reason, Reason::Checkmate | Reason::Stalemate);
    }
    let mut leads = legal.into_iter().filter(|_| plies > 0).map(|mv| {
        game.play(mv);
        let forced = is_forced(game, plies - 1);
        game.undo_to(ply);
        forced
    });
    if plies.is_multiple_of(2) {
        plies > 0 && leads.all(|forced| forced)
    } else {
        leads.any(|forced| forced)
    }
}

fn finds<V: Variant>(positions: &[(&str, i32)]) {
    for &(position, plies) in positions {
        let mut game = game::<V>(position, "");
        let found = search(&game, Limits::depth(plies as u32));
        assert_eq!(found.value, MATE - plies, "{position}: {found:?}");
        assert_eq!(found.line.len(), plies as usize, "{position}");
        game.play(found.line[0]);
        assert!(
            is_forced(&mut game, plies as u32 - 1),
            "{position}: {found:?}"
        );
        // Seen by the other side, it is as far away.
        if plies > 1 {
            let answer = search(&game, Limits::depth(plies as u32));
            assert_eq!(answer.value, plies - 1 - MATE, "{position}: {answer:?}");
        }
    }
}

#[test]
fn mates_in_one_and_three_are_found_in_shogi() {
    finds::<Showgit>(&SHOWGIT);
}

#[test]
fn mates_in_one_and_three_are_found_in_euroshogi() {
    finds::<EuroShogi>(&EUROSHOGI);
}

#[test]
fn mates_in_one_and_three_are_found_in_xiangqi() {
    finds::<Xiangqi>(&XIANGQI);
}
