//! The fast generator of the grid games against the slow one, on positions that play reaches and on ones that it never does.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestCaseResult;
use rules::board::{Board, Move};
use rules::variants::euroshogi::EuroShogi;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Position, RuleOptions, ZoneStart};

use crate::budget::hold;
use crate::corpus::GridGame;
use crate::mailbox::Mailbox;
use crate::placement::placements;
use crate::walk::{WANDERING, walk, walks};

/// The legal moves of a position, in their order.
pub(crate) fn legal<P: Position>(position: &P) -> Vec<P::Move> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves
}

/// Texts in order of the alphabet.
pub(crate) fn sorted(texts: impl IntoIterator<Item = impl ToString>) -> Vec<String> {
    let mut texts: Vec<String> = texts.into_iter().map(|text| text.to_string()).collect();
    texts.sort();
    texts
}

/// What there was in the positions of a property: how many had it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    positions: u64,
    moves: u64,
    checks: u64,
    double_checks: u64,
    /// Without a check, but with a man other than the king that must not make one of its moves.
    pins: u64,
    drops: u64,
    promotions: u64,
    captures: u64,
    mates_in_one: u64,
    no_move: u64,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.positions += other.positions;
        self.moves += other.moves;
        self.checks += other.checks;
        self.double_checks += other.double_checks;
        self.pins += other.pins;
        self.drops += other.drops;
        self.promotions += other.promotions;
        self.captures += other.captures;
        self.mates_in_one += other.mates_in_one;
        self.no_move += other.no_move;
    }
}

/// Holds everything that can be asked of a position against the slow generator, and returns what was in it.
pub(crate) fn agrees<R: GridGame>(board: &Board<R>) -> Result<Seen, TestCaseError> {
    let text = board.to_string();
    let optional = board.free_promotion();
    let moves = legal(board);
    let oracle = Mailbox::read(R::ORACLE, &text);
    prop_assert_eq!(sorted(&moves), oracle.legal_moves(optional), "{}", &text);
    prop_assert_eq!(board.in_check(), oracle.in_check(), "{}", &text);
    prop_assert_eq!(board.count_moves(&mut Vec::new()), moves.len(), "{}", &text);
    let mate = board.mate_in_one(&moves, &mut Vec::new());
    let mates = oracle.mates(optional);
    let found = mate.map_or(mates.is_empty(), |mv| mates.contains(&mv.to_string()));
    prop_assert!(found, "{mate:?} mates, or one of {mates:?}: {text}");
    let successors = moves.iter().map(|&mv| is_sound_after(board, mv));
    successors.collect::<Result<(), TestCaseError>>()?;
    is_symmetric(board, &moves)?;
    Ok(seen(board, &moves, &oracle, !mates.is_empty()))
}

fn seen<R: GridGame>(board: &Board<R>, moves: &[Move<R>], oracle: &Mailbox, mates: bool) -> Seen {
    let king = board.king(board.side_to_move());
    let by_men = moves
        .iter()
        .filter(|mv| mv.from().is_some_and(|from| from != king));
    let pins = !board.in_check() && by_men.count() < oracle.moves_of_men(board.free_promotion());
    let any = |of: fn(&Board<R>, &Move<R>) -> bool| u64::from(moves.iter().any(|mv| of(board, mv)));
    Seen {
        positions: 1,
        moves: moves.len() as u64,
        checks: u64::from(board.in_check()),
        double_checks: u64::from(board.checkers().count() > 1),
        pins: u64::from(pins),
        drops: any(|_, mv| mv.from().is_none()),
        promotions: any(|_, mv| mv.promotes()),
        captures: any(|board, mv| board.piece(mv.to()).is_some()),
        mates_in_one: u64::from(mates),
        no_move: u64::from(moves.is_empty()),
    }
}

/// Key and checkers are kept up to date as they would be computed anew.
fn is_sound_after<R: GridGame>(board: &Board<R>, mv: Move<R>) -> TestCaseResult {
    prop_assert_eq!(Move::try_from(u16::from(mv)), Ok(mv), "{}", board);
    let mut next = *board;
    next.play(mv);
    prop_assert_eq!(next.key(), next.recomputed_key(), "{} in {}", mv, board);
    let anew = next.mirrored().mirrored();
    prop_assert_eq!(next.checkers(), anew.checkers(), "{} in {}", mv, board);
    prop_assert!(next == anew, "{mv} in {board}");
    Ok(())
}

/// Mirrored and turned positions have mirrored and turned moves.
fn is_symmetric<R: GridGame>(board: &Board<R>, moves: &[Move<R>]) -> TestCaseResult {
    let mirrored = sorted(moves.iter().map(|mv| mv.mirrored()));
    prop_assert_eq!(sorted(legal(&board.mirrored())), mirrored, "{}", board);
    let rotated = sorted(moves.iter().map(|mv| mv.rotated()));
    prop_assert_eq!(sorted(legal(&board.rotated())), rotated, "{}", board);
    prop_assert!(board.mirrored().mirrored() == *board, "{board}");
    prop_assert!(board.rotated().rotated() == *board, "{board}");
    Ok(())
}

/// With the other side to move, a text is read exactly if no king can be captured.
fn other_side_is_judged<R: GridGame>(board: &Board<R>) -> TestCaseResult {
    let text = board.to_string();
    let mut fields: Vec<&str> = text.split(' ').collect();
    fields[1] = match fields[1] {
        "b" if R::ORACLE == crate::mailbox::Game::Shogi => "w",
        "w" if R::ORACLE == crate::mailbox::Game::Shogi => "b",
        "b" => "w",
        _ => "b",
    };
    let other = fields.join(" ");
    prop_assert_eq!(
        other.parse::<Board<R>>().is_ok(),
        !board.in_check(),
        "{}",
        other
    );
    Ok(())
}

fn options<R: GridGame>(optional: bool) -> RuleOptions {
    let zone_start_promotion = if optional {
        ZoneStart::Optional
    } else {
        ZoneStart::Mandatory
    };
    RuleOptions {
        zone_start_promotion,
        ..R::OPTIONS
    }
}

fn reached_positions<R: GridGame>() {
    let seen = RefCell::new(Seen::default());
    let values = (walks::<R>(250), any::<Index>(), any::<bool>());
    hold(
        file!(),
        700,
        &values,
        |((start, picks), share, optional)| {
            let mut game = walk::<R>(&start, (options::<R>(optional), WANDERING), &picks);
            game.undo_to(share.index(game.ply() + 1));
            seen.borrow_mut().add(agrees(game.position())?);
            Ok(())
        },
    );
    report::<R>("reached", &seen.borrow());
}

fn artificial_positions<R: GridGame>() {
    let seen = RefCell::new(Seen::default());
    hold(
        file!(),
        500,
        &(placements::<R>(), any::<bool>()),
        |(text, optional)| {
            let mut board: Board<R> = text.parse()?;
            prop_assert_eq!(board.to_string(), text);
            board.adopt(&options::<R>(optional));
            seen.borrow_mut().add(agrees(&board)?);
            other_side_is_judged(&board)
        },
    );
    report::<R>("artificial", &seen.borrow());
}

/// Says what was seen; a run of the usual length has seen some of everything that is not rare.
#[allow(
    clippy::print_stderr,
    reason = "what a long run has covered, for --nocapture"
)]
fn report<R: GridGame>(how: &str, seen: &Seen) {
    let all = format!("{} {how}: {seen:?}", R::ID);
    eprintln!("{all}");
    let common = [seen.checks, seen.pins, seen.captures];
    assert!(
        common.iter().all(|&count| count > 0) || seen.positions < 500,
        "{all}"
    );
}

#[test]
fn reached_positions_of_shogi() {
    reached_positions::<Showgit>();
}

#[test]
fn reached_positions_of_euroshogi() {
    reached_positions::<EuroShogi>();
}

#[test]
fn reached_positions_of_xiangqi() {
    reached_positions::<Xiangqi>();
}

#[test]
fn artificial_positions_of_shogi() {
    artificial_positions::<Showgit>();
}

#[test]
fn artificial_positions_of_euroshogi() {
    artificial_positions::<EuroShogi>();
}

#[test]
fn artificial_positions_of_xiangqi() {
    artificial_positions::<Xiangqi>();
}
