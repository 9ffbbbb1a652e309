//! Gufu from the words of its rules page alone: every action tried on a copy, and looked at afterwards.
//!
//! It shares no code with `rules`; positions and moves pass between the two as texts.

/// A square as (column from file 2, row from rank `a`).
type At = (i32, i32);

#[derive(Clone, Debug)]
pub(crate) struct SixSquares {
    /// Where each of `KkWS` stands and where it faces, a place in [`COMPASS`].
    men: [Option<(At, usize)>; 4],
    first_to_move: bool,
    ply: u32,
}

#[derive(Clone, Copy, Debug)]
struct Action {
    man: usize,
    sign: char,
    to: At,
    facing: usize,
}

const LETTERS: [char; 4] = ['K', 'k', 'W', 'S'];
const COMPASS: [char; 4] = ['N', 'E', 'S', 'W'];
const KAZE: [&str; 4] = ["N SW SE", "E NW SW", "S NE NW", "W SE NE"];
const ARASHI: [&str; 4] = ["N W E NW NE", "E N S NE SE", "S E W SE SW", "W S N SW NW"];

impl SixSquares {
    /// Reads a position that is known to be well formed.
    pub(crate) fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        let mut men = [None; 4];
        for (row, rank) in (0..).zip(fields[0].split('/')) {
            let mut letters = rank.chars();
            let mut column = 0;
            while let Some(letter) = letters.next() {
                if let Some(man) = LETTERS.iter().position(|&known| known == letter) {
                    let arrow = letters.next().unwrap();
                    let facing = "^>v<".chars().position(|known| known == arrow).unwrap();
                    men[man] = Some(((column, row), facing));
                }
                column += 1;
            }
        }
        Self {
            men,
            first_to_move: fields[1] == "b",
            ply: fields[3].parse().unwrap(),
        }
    }

    /// Returns the legal moves as sorted texts.
    pub(crate) fn legal_moves(&self) -> Vec<String> {
        self.texts(|_| true)
    }

    /// Returns the legal moves after which the other side is in check and has no legal move, as sorted texts.
    pub(crate) fn mates(&self) -> Vec<String> {
        self.texts(|action| {
            let after = self.after(action);
            after.in_check() && after.legal_moves().is_empty()
        })
    }

    pub(crate) fn in_check(&self) -> bool {
        self.checks(2) || self.checks(3)
    }

    fn texts(&self, wanted: impl Fn(Action) -> bool) -> Vec<String> {
        let actions = self.actions().into_iter();
        let mut texts: Vec<String> = actions
            .filter(|&action| self.is_legal(action) && wanted(action))
            .map(
                |Action {
                     man,
                     sign,
                     to,
                     facing,
                 }| {
                    let letter = LETTERS[man].to_ascii_uppercase();
                    let rank = char::from(b'a' + to.1 as u8);
                    format!("{letter}{sign}{}{rank}>{}", 2 - to.0, COMPASS[facing])
                },
            )
            .collect();
        texts.sort();
        texts
    }

    fn king(&self) -> usize {
        usize::from(!self.first_to_move)
    }

    /// Everything that the movers' own king and the shared men could do if there were no check and no kings face to face.
    fn actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        let squares = || (0..3).flat_map(|row| [(0, row), (1, row)]);
        for man in [self.king(), 2, 3] {
            let Some((at, facing)) = self.men[man] else {
                for to in squares().filter(|&to| self.on(to).is_none()) {
                    let sign = '*';
                    actions.extend((0..4).map(|facing| Action {
                        man,
                        sign,
                        to,
                        facing,
                    }));
                }
                continue;
            };
            let facing = (facing + 1) % 4;
            let (sign, to) = (':', at);
            actions.push(Action {
                man,
                sign,
                to,
                facing,
            });
            for to in squares().filter(|&to| self.attacks(man, to)) {
                let sign = match self.on(to) {
                    None => '-',
                    Some(2 | 3) => 'x',
                    Some(_) => continue,
                };
                actions.push(Action {
                    man,
                    sign,
                    to,
                    facing,
                });
            }
        }
        actions
    }

    fn is_legal(&self, action: Action) -> bool {
        let Action { man, sign, to, .. } = action;
        let after = self.after(action);
        if after.kings_face() || sign == '*' && after.in_check() {
            return false;
        }
        if self.ply <= 4 {
            return sign == '*' && man == [0, 1, 2, 3][self.ply as usize - 1];
        }
        let checking: Vec<usize> = [2, 3].into_iter().filter(|&man| self.checks(man)).collect();
        if checking.is_empty() {
            return true;
        }
        if man == self.king() {
            let safe =
                |&checker: &usize| !self.attacks(checker, to) && self.on(to) != Some(checker);
            return matches!(sign, '-' | 'x') && checking.iter().all(safe);
        }
        sign == 'x' && checking.len() == 1 && checking != [man] && self.on(to) == Some(checking[0])
    }

    fn after(
        &self,
        Action {
            man, to, facing, ..
        }: Action,
    ) -> Self {
        let mut next = self.clone();
        if let Some(taken) = self.on(to) {
            next.men[taken] = None;
        }
        next.men[man] = Some((to, facing));
        next.first_to_move = !self.first_to_move;
        next.ply += 1;
        next
    }

    fn on(&self, square: At) -> Option<usize> {
        (0..4).find(|&man| self.men[man].is_some_and(|(at, _)| at == square))
    }

    /// Whether a shared man has both kings in its attack set.
    fn checks(&self, man: usize) -> bool {
        [0, 1]
            .into_iter()
            .all(|king| self.men[king].is_some_and(|(at, _)| self.attacks(man, at)))
    }

    fn attacks(&self, man: usize, target: At) -> bool {
        let Some((at, facing)) = self.men[man] else {
            return false;
        };
        let words = match man {
            2 => KAZE[facing],
            3 => ARASHI[facing],
            _ => "N NE E SE S SW W NW",
        };
        words.split(' ').any(|word| step(at, word) == target)
    }

    pub(crate) fn kings_face(&self) -> bool {
        let faces = |king: usize, other: usize| match (self.men[king], self.men[other]) {
            (Some((at, facing)), Some((target, _))) => {
                step(at, &COMPASS[facing].to_string()) == target
            }
            _ => false,
        };
        faces(0, 1) && faces(1, 0)
    }
}

/// One step in the direction of a word such as `NW`.
fn step((column, row): At, word: &str) -> At {
    let count = |letter| i32::from(word.contains(letter));
    (
        column + count('E') - count('W'),
        row + count('S') - count('N'),
    )
}
