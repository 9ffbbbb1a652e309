//! A plain board of xiangqi for the judge of chases: men by point, every question answered by looking at all of them.
//!
//! It shares no code with `rules`; positions pass between the two as texts.

use std::collections::BTreeMap;

/// A point of the board: file from the left, rank from the first player's home, both from 0.
pub(crate) type Point = (i32, i32);
/// A man: its letter in upper case, and whether it is the first player's.
pub(crate) type Man = (char, bool);

/// The board.
#[derive(Clone, Debug)]
pub(crate) struct River {
    pub(crate) men: BTreeMap<Point, Man>,
    pub(crate) first_to_move: bool,
}

const STRAIGHT: [Point; 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
const OBLIQUE: [Point; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

impl River {
    /// Reads a position that is known to be well formed.
    pub(crate) fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        let mut men = BTreeMap::new();
        for (row, rank) in fields[0].split('/').zip((0..10).rev()) {
            let mut file = 0;
            for letter in row.chars() {
                if let Some(empty) = letter.to_digit(10) {
                    file += empty as i32;
                } else {
                    let man = (letter.to_ascii_uppercase(), letter.is_ascii_uppercase());
                    men.insert((file, rank), man);
                    file += 1;
                }
            }
        }
        Self {
            men,
            first_to_move: fields[1] == "w",
        }
    }

    /// Returns the board after a step, legal or not.
    pub(crate) fn after(&self, (from, to): (Point, Point)) -> Self {
        let mut next = self.clone();
        let man = next.men.remove(&from).unwrap();
        next.men.insert(to, man);
        next.first_to_move = !self.first_to_move;
        next
    }

    pub(crate) fn in_check(&self) -> bool {
        self.attacked(self.first_to_move)
    }

    /// Whether a side's general could be captured, by the other general too.
    pub(crate) fn attacked(&self, side: bool) -> bool {
        let general = |side| self.men.iter().find(|(_, man)| **man == ('K', side));
        let Some((&at, _)) = general(side) else {
            return true;
        };
        let facing = general(!side).is_some_and(|(&other, _)| {
            let mut between = (at.1.min(other.1) + 1)..at.1.max(other.1);
            at.0 == other.0 && between.all(|rank| self.is_empty((at.0, rank)))
        });
        let mut hunters = self.men.iter().filter(|(_, man)| man.1 != side);
        facing || hunters.any(|(&from, _)| self.targets(from).contains(&at))
    }

    /// The points that a man can move to, generals' safety apart.
    pub(crate) fn targets(&self, from: Point) -> Vec<Point> {
        let (letter, side) = self.men[&from];
        let forward = if side { 1 } else { -1 };
        // Ranks from the man's own home.
        let home = |rank: i32| if side { rank } else { 9 - rank };
        let palace = |&(file, rank): &Point| (3..=5).contains(&file) && home(rank) <= 2;
        let mut to: Vec<Point> = match letter {
            'K' => steps(from, &STRAIGHT).filter(palace).collect(),
            'A' => steps(from, &OBLIQUE).filter(palace).collect(),
            'B' => OBLIQUE
                .into_iter()
                .filter(|&(x, y)| self.is_empty((from.0 + x, from.1 + y)))
                .map(|(x, y)| (from.0 + 2 * x, from.1 + 2 * y))
                .filter(|&(_, rank)| home(rank) <= 4)
                .collect(),
            'N' => STRAIGHT
                .into_iter()
                .filter(|&(x, y)| self.is_empty((from.0 + x, from.1 + y)))
                .flat_map(|(x, y)| [(2 * x + y, 2 * y + x), (2 * x - y, 2 * y - x)])
                .map(|(x, y)| (from.0 + x, from.1 + y))
                .collect(),
            'P' if home(from.1) >= 5 => steps(from, &[(0, forward), (1, 0), (-1, 0)]).collect(),
            'P' => steps(from, &[(0, forward)]).collect(),
            _ => self.lines(from, letter == 'C'),
        };
        to.retain(|at| on_board(*at) && self.men.get(at).is_none_or(|man| man.1 != side));
        to
    }

    /// Where a chariot goes, or a cannon: along lines, up to the first man; a cannon takes the next one instead.
    fn lines(&self, from: Point, cannon: bool) -> Vec<Point> {
        let mut to = Vec::new();
        for (x, y) in STRAIGHT {
            let line = (1..10).map(|far| (from.0 + far * x, from.1 + far * y));
            let mut line = line.take_while(|at| on_board(*at));
            for at in line.by_ref() {
                if !self.is_empty(at) {
                    to.extend((!cannon).then_some(at));
                    break;
                }
                to.push(at);
            }
            if cannon {
                to.extend(line.find(|at| !self.is_empty(*at)));
            }
        }
        to
    }

    fn is_empty(&self, at: Point) -> bool {
        !self.men.contains_key(&at)
    }
}

fn steps(from: Point, offsets: &[Point]) -> impl Iterator<Item = Point> {
    offsets.iter().map(move |(x, y)| (from.0 + x, from.1 + y))
}

fn on_board((file, rank): Point) -> bool {
    (0..9).contains(&file) && (0..10).contains(&rank)
}
