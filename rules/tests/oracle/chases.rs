//! A slow judge of perpetual chases in xiangqi, written from the rules page alone, which can also read the page as Fairy-Stockfish does.
//!
//! It shares no code with `rules`. Where the two programs differ on a line, a reading that turns our verdict into theirs is the argument that
//! the difference is that reading and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use crate::river::{Point, River};

type Points = BTreeSet<Point>;
/// The men that each man attacks or chases.
type Hunts = BTreeMap<Point, Points>;

/// A term of the page that Fairy-Stockfish reads otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Term {
    /// What is new. The page: a pair of attacker and man that chase, and did not before, such as when a guard's line has been cut, when the
    /// generals would face each other now, or when the leg of a horse that could take back has been blocked. There: the attack must be new.
    NewAttack,
    /// A man that has come onto the line of a sliding chariot or cannon with the move before. The page: chased by the man that moved. There:
    /// nothing on the line of a slide is new.
    Newcomer,
    /// A man that stays on the line of the slide. Here: not driven about, so not chased anew, whichever way the hunter slides. There: a
    /// hunter sliding away from it may count, and so may one whose slide pins a man beside the prey.
    Slide,
    /// A capture that would leave one's own general open. The page: only what could *legally* be captured is chased. There: it is.
    Illegal,
    /// A guard that the capturing man itself pins, until it captures. The page: a guard that can legally recapture guards. There: it doesn't.
    PinnedByHunter,
    /// A recapture by the general, onto a point that another man covers. The page: not a legal recapture, so no guard. There: it guards,
    /// unless it would face the other general.
    GeneralGuards,
    /// A return capture by a horse that is pinned. The page: it can't equally well capture back. There: it can, when some man stands
    /// diagonally beside the hunter, where only the leg is looked at then.
    PinnedReturn,
    /// A check somewhere in the repetition. The page's second test: a draw. There: a side that has not checked all the way may be chasing.
    Checks,
}

impl Term {
    /// Every term.
    pub(crate) const ALL: [Self; 8] = [
        Self::NewAttack,
        Self::Newcomer,
        Self::Slide,
        Self::Illegal,
        Self::PinnedByHunter,
        Self::GeneralGuards,
        Self::PinnedReturn,
        Self::Checks,
    ];
}

/// The verdict on a line that ends with the repetition of its first position: the winner's name, or `draw`.
///
/// The terms in `otherwise` are read as Fairy-Stockfish reads them; perpetual checks are not judged here.
pub(crate) fn verdict(start: &str, moves: &[String], otherwise: &[Term]) -> &'static str {
    let (boards, steps) = replay(start, moves);
    let checked = boards.iter().skip(1).any(River::in_check);
    if checked && !otherwise.contains(&Term::Checks) {
        return "draw";
    }
    match chasers(&boards, &steps, otherwise) {
        [true, false] => "second",
        [false, true] => "first",
        _ => "draw",
    }
}

/// Tells whether the verdict on a line depends on how the terms are read: one worth asking about.
pub(crate) fn is_debatable(start: &str, moves: &[String]) -> bool {
    let (boards, steps) = replay(start, moves);
    let readings = [&[][..], &[Term::Slide, Term::Illegal, Term::PinnedByHunter]];
    readings
        .into_iter()
        .any(|terms| chasers(&boards, &steps, terms).contains(&true))
}

fn replay(start: &str, moves: &[String]) -> (Vec<River>, Vec<(Point, Point)>) {
    let steps: Vec<(Point, Point)> = moves.iter().map(|text| points(text)).collect();
    let mut boards = vec![River::read(start)];
    for &step in &steps {
        boards.push(boards[boards.len() - 1].after(step));
    }
    (boards, steps)
}

fn points(text: &str) -> (Point, Point) {
    let second = 1 + text[1..].find(char::is_alphabetic).unwrap();
    let point = |text: &str| {
        let file = i32::from(text.as_bytes()[0] - b'a');
        (file, text[1..].parse::<i32>().unwrap() - 1)
    };
    (point(&text[..second]), point(&text[second..]))
}

/// Tells for each side, the one that moves first in the game first, whether it newly chased one man with every move.
fn chasers(boards: &[River], steps: &[(Point, Point)], otherwise: &[Term]) -> [bool; 2] {
    // A man is known by the point where it stood at the beginning.
    let mut names: BTreeMap<Point, Point> = boards[0].men.keys().map(|&at| (at, at)).collect();
    let mut common: [Option<Points>; 2] = [None, None];
    // The plies go round: the one before the first is the last.
    let mut answered = steps[steps.len() - 1];
    for (pair, &step) in boards.windows(2).zip(steps) {
        let name = names.remove(&step.0).unwrap();
        names.insert(step.1, name);
        let chased: Points = new_chases((&pair[0], &pair[1]), step, answered, otherwise)
            .into_iter()
            .map(|at| names[&at])
            .collect();
        let side = &mut common[usize::from(!pair[0].first_to_move)];
        *side = Some(match side.take() {
            None => chased,
            Some(before) => &before & &chased,
        });
        answered = step;
    }
    common.map(|men| men.is_some_and(|men| !men.is_empty()))
}

/// The men that are newly chased after a step.
fn new_chases(
    (before, after): (&River, &River),
    (from, to): (Point, Point),
    answered: (Point, Point),
    otherwise: &[Term],
) -> Points {
    let side = before.first_to_move;
    let earlier = if otherwise.contains(&Term::NewAttack) {
        attacks(before, side)
    } else {
        chases(before, side, otherwise)
    };
    let slides = matches!(after.men[&to].0, 'R' | 'C');
    let on_line =
        |at: Point| slides && (from.0 == to.0 && at.0 == to.0 || from.1 == to.1 && at.1 == to.1);
    let known = |hunter: Point, prey: Point| {
        let hunted = |hunter| earlier.get(&hunter).is_some_and(|men| men.contains(&prey));
        if hunter != to {
            return hunted(hunter);
        }
        let newcomer = prey == answered.1 && !on_line(answered.0);
        if newcomer || !hunted(from) {
            return on_line(prey) && otherwise.contains(&Term::Newcomer);
        }
        on_line(prey) && !otherwise.contains(&Term::Slide)
    };
    let mut new = Points::new();
    for (hunter, men) in chases(after, side, otherwise) {
        new.extend(men.into_iter().filter(|&prey| !known(hunter, prey)));
    }
    new
}

/// What each man of a side attacks, general and soldiers left out on either side of the attack, whether that is worth anything or not.
fn attacks(board: &River, side: bool) -> Hunts {
    let prey = |at: &Point| match board.men.get(at) {
        Some(('K', ..)) | None => false,
        Some(('P', other)) => (at.1 >= 5) == *other,
        Some(_) => true,
    };
    let hunters = board
        .men
        .iter()
        .filter(|(_, man)| man.1 == side && !matches!(man.0, 'K' | 'P'));
    hunters
        .map(|(&from, _)| (from, board.targets(from).into_iter().filter(prey).collect()))
        .collect()
}

/// What each man of a side chases, whoever is to move.
fn chases(board: &River, side: bool, otherwise: &[Term]) -> Hunts {
    let mut chases = attacks(board, side);
    for (&from, prey) in &mut chases {
        prey.retain(|&to| is_chased(board, from, to, otherwise));
    }
    chases
}

fn is_chased(board: &River, from: Point, to: Point, otherwise: &[Term]) -> bool {
    let ((hunter, side), (victim, other)) = (board.men[&from], board.men[&to]);
    let taken = board.after((from, to));
    if taken.attacked(side) && !otherwise.contains(&Term::Illegal) {
        return false;
    }
    let gains = match hunter {
        'N' | 'C' => victim == 'R',
        'A' | 'B' => matches!(victim, 'R' | 'N' | 'C'),
        _ => false,
    };
    let takes_back = hunter == victim
        && board.targets(to).contains(&from)
        && (otherwise.contains(&Term::PinnedReturn) && hunter == 'N'
            || !board.after((to, from)).attacked(other));
    let mut guards = taken.men.iter().filter(|(at, man)| {
        man.1 == other
            && taken.targets(**at).contains(&to)
            && guards(board, &taken, (**at, to), otherwise)
    });
    gains || !takes_back && guards.next().is_none()
}

/// Tells whether a man that can move to where a man has been taken may do so: `board` is before the capture, `taken` after it.
fn guards(board: &River, taken: &River, step: (Point, Point), otherwise: &[Term]) -> bool {
    let (letter, side) = taken.men[&step.0];
    let mut back = taken.after(step);
    if letter == 'K' && otherwise.contains(&Term::GeneralGuards) {
        // An elephant attacks no general: what is left is whether the generals face each other.
        for man in back
            .men
            .values_mut()
            .filter(|man| man.1 != side && man.0 != 'K')
        {
            man.0 = 'B';
        }
    }
    let rigid = otherwise.contains(&Term::PinnedByHunter) && is_pinned(board, step.0);
    !rigid && !back.attacked(side)
}

/// Tells whether a man stands between its general and an attacker.
fn is_pinned(board: &River, at: Point) -> bool {
    let (letter, side) = board.men[&at];
    let mut without = board.clone();
    without.men.remove(&at);
    letter != 'K' && !board.attacked(side) && without.attacked(side)
}
