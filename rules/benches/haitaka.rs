//! Shogi beside the `haitaka` crate, in one run: `cargo bench -p rules --bench haitaka`.
//!
//! Bulk perft counts the moves of the last ply; with every leaf played, the last position is made as well. The two take turns, each figure is
//! the median of the rounds, by the CPU time of the thread.

use std::io::Write;

use rules::perft::{perft, perft_played};
use rules::variants::showgit::Showgit;
use rules::{Position, Variant};
use rustix::time::{ClockId, clock_gettime};

const DEPTH: u32 = 4;
const ROUNDS: usize = 9;
const SECONDS: f64 = 0.3;

fn main() -> std::io::Result<()> {
    let ours = <Showgit as Variant>::Position::initial();
    let theirs = haitaka::Board::startpos();
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "shogi perft {DEPTH}, M leaves per CPU-second, one thread"
    )?;
    let bulk = compare(|| perft(&ours, DEPTH), || haitaka_bulk(&theirs, DEPTH));
    let played = compare(
        || perft_played(&ours, DEPTH),
        || haitaka_played(&theirs, DEPTH),
    );
    for (name, (senpu, haitaka)) in [("bulk", bulk), ("play-leaves", played)] {
        writeln!(
            out,
            "{name:<12} senpu {senpu:7.1}  haitaka {haitaka:7.1}  ratio {:.2}",
            senpu / haitaka
        )?;
    }
    Ok(())
}

/// Measures two counters in turn and returns their medians.
fn compare(mut ours: impl FnMut() -> u64, mut theirs: impl FnMut() -> u64) -> (f64, f64) {
    assert_eq!(ours(), theirs(), "the two count differently");
    let rounds: Vec<(f64, f64)> = (0..ROUNDS)
        .map(|_| (rate(&mut ours), rate(&mut theirs)))
        .collect();
    let median = |of: fn(&(f64, f64)) -> f64| {
        let mut rates: Vec<f64> = rounds.iter().map(of).collect();
        rates.sort_by(f64::total_cmp);
        rates[ROUNDS / 2]
    };
    (median(|round| round.0), median(|round| round.1))
}

/// Millions of leaves per CPU-second.
fn rate(count: &mut impl FnMut() -> u64) -> f64 {
    let begun = cpu_seconds();
    let mut leaves = 0;
    loop {
        leaves += count();
        let seconds = cpu_seconds() - begun;
        if seconds > SECONDS {
            return leaves as f64 / seconds / 1e6;
        }
    }
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn haitaka_bulk(board: &haitaka::Board, depth: u32) -> u64 {
    let mut leaves = 0;
    let mut each = |moves: haitaka::PieceMoves| {
        if depth == 1 {
            leaves += moves.into_iter().len() as u64;
        } else {
            for mv in moves {
                let mut next = board.clone();
                next.play_unchecked(mv);
                leaves += haitaka_bulk(&next, depth - 1);
            }
        }
        false
    };
    board.generate_board_moves(&mut each);
    board.generate_drops(&mut each);
    leaves
}

fn haitaka_played(board: &haitaka::Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    let mut each = |moves: haitaka::PieceMoves| {
        for mv in moves {
            let mut next = board.clone();
            next.play_unchecked(mv);
            leaves += haitaka_played(&next, depth - 1);
        }
        false
    };
    board.generate_board_moves(&mut each);
    board.generate_drops(&mut each);
    leaves
}
