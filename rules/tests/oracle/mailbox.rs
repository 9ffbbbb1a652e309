//! A slow generator written from the rule texts alone: an array of men, every move made on a copy, every king test a search for a capture.
//!
//! It shares no code with `rules`; positions and moves pass between the two as texts.

/// Which game's men and rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Game {
    Shogi,
    EuroShogi,
    Xiangqi,
}

/// A man: upper-case letter, whether promoted, and whether it is the first player's.
type Man = (char, bool, bool);

#[derive(Clone, Debug)]
pub(crate) struct Mailbox {
    game: Game,
    files: i32,
    ranks: i32,
    /// By rank from the first player's home and file from the left.
    men: [[Option<Man>; 9]; 10],
    /// By whether it is the first player's and letter.
    hands: [[u8; 26]; 2],
    first_to_move: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Move((i32, i32), (i32, i32), bool),
    Drop(char, (i32, i32)),
}

const ROOK: [(i32, i32); 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
const BISHOP: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const GOLD: [(i32, i32); 6] = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1)];

impl Mailbox {
    /// Reads a position that is known to be well formed.
    pub(crate) fn read(game: Game, text: &str) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        let (men, brackets) = fields[0].split_once('[').unwrap_or((fields[0], "]"));
        let rows: Vec<&str> = men.split('/').collect();
        let mut board = Self {
            game,
            files: if game == Game::EuroShogi { 8 } else { 9 },
            ranks: rows.len() as i32,
            men: [[None; 9]; 10],
            hands: [[0; 26]; 2],
            first_to_move: fields[1] == if game == Game::Shogi { "b" } else { "w" },
        };
        for (row, rank) in rows.iter().zip((0..board.ranks).rev()) {
            let (mut file, mut promoted) = (0, false);
            for letter in row.chars() {
                match letter {
                    '+' => promoted = true,
                    '1'..='9' => file += letter.to_digit(10).unwrap() as i32,
                    _ => {
                        let man = (
                            letter.to_ascii_uppercase(),
                            promoted,
                            letter.is_ascii_uppercase(),
                        );
                        board.men[rank as usize][file as usize] = Some(man);
                        (file, promoted) = (file + 1, false);
                    }
                }
            }
        }
        let mut count = String::new();
        let hands = if game == Game::Shogi {
            fields[2]
        } else {
            brackets
        };
        for letter in hands.chars() {
            if letter.is_ascii_digit() {
                count.push(letter);
            } else if letter.is_ascii_alphabetic() {
                let first = letter.is_ascii_uppercase();
                let number: u8 = count.parse().unwrap_or(1);
                *board.hand(letter.to_ascii_uppercase(), first) += number;
                count.clear();
            }
        }
        board
    }

    /// Returns the legal moves as sorted texts.
    pub(crate) fn legal_moves(&self, optional_promotion: bool) -> Vec<String> {
        self.texts(optional_promotion, |pawn_drop, after| {
            !pawn_drop || !after.is_mated()
        })
    }

    /// Returns the legal moves that check and leave no legal answer, as sorted texts.
    pub(crate) fn mates(&self, optional_promotion: bool) -> Vec<String> {
        self.texts(optional_promotion, |pawn_drop, after| {
            !pawn_drop && after.is_mated()
        })
    }

    /// Returns the number of moves of men other than the king, drops apart, if nothing need be feared for the king.
    pub(crate) fn moves_of_men(&self, optional_promotion: bool) -> usize {
        let moves = self.moves(self.first_to_move, optional_promotion);
        let king = self.king(self.first_to_move);
        let by_man = |step: &&Step| matches!(step, Step::Move(from, ..) if king != Some(*from));
        moves.iter().filter(by_man).count()
    }

    pub(crate) fn in_check(&self) -> bool {
        self.attacked(self.first_to_move)
    }

    /// The moves that leave the king safe and are wanted: by whether they drop a pawn where that must not mate, and the board after them.
    fn texts(&self, optional_promotion: bool, wanted: impl Fn(bool, &Self) -> bool) -> Vec<String> {
        let us = self.first_to_move;
        let safe = |&step: &Step| {
            let after = self.after(step);
            let pawn_drop = self.game == Game::Shogi && matches!(step, Step::Drop('P', _));
            !after.attacked(us) && wanted(pawn_drop, &after)
        };
        let moves = self.moves(us, optional_promotion).into_iter();
        let mut texts: Vec<String> = moves.filter(safe).map(|step| self.text(step)).collect();
        texts.sort();
        texts
    }

    fn is_mated(&self) -> bool {
        let us = self.first_to_move;
        self.attacked(us)
            && self
                .moves(us, false)
                .into_iter()
                .all(|step| self.after(step).attacked(us))
    }

    fn hand(&mut self, letter: char, first: bool) -> &mut u8 {
        &mut self.hands[usize::from(first)][letter as usize - 'A' as usize]
    }

    /// What stands on a square, if it is one and not empty.
    fn on(&self, at: (i32, i32)) -> Option<Man> {
        self.men.get(at.1 as usize)?.get(at.0 as usize).copied()?
    }

    /// The men of a side, with their squares.
    fn side(&self, first: bool) -> impl Iterator<Item = ((i32, i32), Man)> {
        let squares = self.men.iter().zip(0..).flat_map(|(rank, number)| {
            let men = rank.iter().zip(0..);
            men.filter_map(move |(man, file)| Some(((file, number), (*man)?)))
        });
        squares.filter(move |(_, man)| man.2 == first)
    }

    fn king(&self, first: bool) -> Option<(i32, i32)> {
        let is_king = |&(_, man): &(_, Man)| man.0 == 'K';
        self.side(first).find(is_king).map(|(at, _)| at)
    }

    /// Whether a side's king could be captured.
    fn attacked(&self, first: bool) -> bool {
        let Some(king) = self.king(first) else {
            return true;
        };
        let facing = self.game == Game::Xiangqi
            && self.king(!first).is_some_and(|(file, rank)| {
                let mut between = (rank.min(king.1) + 1)..rank.max(king.1);
                file == king.0 && between.all(|rank| self.on((file, rank)).is_none())
            });
        let mut by = self.side(!first);
        facing || by.any(|(from, _)| self.targets(from).contains(&king))
    }

    fn moves(&self, first: bool, optional_promotion: bool) -> Vec<Step> {
        let mut steps = Vec::new();
        for (from, man) in self.side(first) {
            for to in self.targets(from) {
                for promotes in self.promotions(man, from, to, optional_promotion) {
                    steps.push(Step::Move(from, to, promotes));
                }
            }
        }
        let hand = ('A'..).zip(self.hands[usize::from(first)]);
        for (letter, _) in hand.filter(|&(_, count)| count > 0) {
            for file in 0..self.files {
                let pawn = Some(('P', false, first));
                let second_pawn =
                    letter == 'P' && (0..self.ranks).any(|rank| self.on((file, rank)) == pawn);
                for rank in 0..self.ranks {
                    let to = (file, rank);
                    let dead = self.is_dead((letter, false, first), to);
                    if self.on(to).is_none() && !dead && !second_pawn {
                        steps.push(Step::Drop(letter, to));
                    }
                }
            }
        }
        steps
    }

    /// How many ranks a square is from the owner's far edge, 0 on it.
    fn to_go(&self, rank: i32, first: bool) -> i32 {
        if first { self.ranks - 1 - rank } else { rank }
    }

    /// Whether a man could never move on.
    fn is_dead(&self, (letter, promoted, first): Man, (_, rank): (i32, i32)) -> bool {
        let to_go = self.to_go(rank, first);
        let needed = match (self.game, letter) {
            (Game::Shogi, 'P' | 'L') | (Game::EuroShogi, 'P') => 1,
            (Game::Shogi, 'N') => 2,
            _ => 0,
        };
        !promoted && to_go < needed
    }

    fn promotions(&self, man: Man, from: (i32, i32), to: (i32, i32), optional: bool) -> Vec<bool> {
        let (letter, promoted, first) = man;
        if self.game == Game::Xiangqi || promoted || letter == 'K' || letter == 'G' {
            return vec![false];
        }
        let starts = self.to_go(from.1, first) < 3;
        let ends = self.to_go(to.1, first) < 3;
        let may = starts || ends;
        let must =
            self.is_dead(man, to) || self.game == Game::EuroShogi && may && !(optional && starts);
        match (may, must) {
            (false, _) => vec![false],
            (true, true) => vec![true],
            (true, false) => vec![false, true],
        }
    }

    /// The squares that a man can move to, kings' safety apart.
    fn targets(&self, from: (i32, i32)) -> Vec<(i32, i32)> {
        let mut to = Vec::with_capacity(20);
        let Some((letter, promoted, first)) = self.on(from) else {
            return to;
        };
        match (self.game, letter, promoted) {
            (Game::Xiangqi, ..) => self.xiangqi_targets(from, &mut to),
            (_, 'K', _) => self.steps(from, &[&ROOK[..], &BISHOP[..]].concat(), &mut to),
            (_, 'R', _) => {
                self.slides(from, &ROOK, &mut to);
                self.steps(from, if promoted { &BISHOP } else { &[] }, &mut to);
            }
            (_, 'B', _) => {
                self.slides(from, &BISHOP, &mut to);
                self.steps(from, if promoted { &ROOK } else { &[] }, &mut to);
            }
            (_, 'G', _) | (_, _, true) => self.steps(from, &GOLD, &mut to),
            (_, 'P', _) => self.steps(from, &[(0, 1)], &mut to),
            (_, 'L', _) => self.slides(from, &[(0, if first { 1 } else { -1 })], &mut to),
            (_, 'S', _) => self.steps(from, &[&BISHOP[..], &[(0, 1)]].concat(), &mut to),
            (Game::Shogi, 'N', _) => self.steps(from, &[(1, 2), (-1, 2)], &mut to),
            (Game::EuroShogi, 'N', _) => {
                self.steps(from, &[(1, 2), (-1, 2), (1, 0), (-1, 0)], &mut to);
            }
            other => panic!("{other:?}"),
        }
        to
    }

    fn xiangqi_targets(&self, from: (i32, i32), to: &mut Vec<(i32, i32)>) {
        let (letter, _, first) = self.on(from).unwrap();
        let before = to.len();
        let home = |rank: i32| if first { rank } else { 9 - rank };
        match letter {
            'K' => self.steps(from, &ROOK, to),
            'A' => self.steps(from, &BISHOP, to),
            'B' => {
                for (x, y) in BISHOP {
                    if self.on((from.0 + x, from.1 + y)).is_none() {
                        self.land((from.0 + 2 * x, from.1 + 2 * y), first, to);
                    }
                }
            }
            'N' => {
                for (x, y) in ROOK {
                    if self.on((from.0 + x, from.1 + y)).is_none() {
                        for side in [-1, 1] {
                            self.land(
                                (from.0 + 2 * x + side * y, from.1 + 2 * y + side * x),
                                first,
                                to,
                            );
                        }
                    }
                }
            }
            'R' => self.slides(from, &ROOK, to),
            'C' => self.cannon(from, to),
            'P' if home(from.1) >= 5 => self.steps(from, &[(0, 1), (1, 0), (-1, 0)], to),
            'P' => self.steps(from, &[(0, 1)], to),
            other => panic!("{other}"),
        }
        let inside = |&(file, rank): &(i32, i32)| match letter {
            'K' | 'A' => (3..=5).contains(&file) && home(rank) <= 2,
            'B' => home(rank) <= 4,
            _ => true,
        };
        let kept: Vec<_> = to.drain(before..).filter(inside).collect();
        to.extend(kept);
    }

    fn cannon(&self, from: (i32, i32), to: &mut Vec<(i32, i32)>) {
        let first = self.on(from).unwrap().2;
        for (x, y) in ROOK {
            let mut screens = 0;
            let mut at = (from.0 + x, from.1 + y);
            while self.on_board(at) {
                match (self.on(at), screens) {
                    (None, 0) => to.push(at),
                    (Some(_), 0) => screens = 1,
                    (Some(man), 1) => {
                        if man.2 != first {
                            to.push(at);
                        }
                        break;
                    }
                    _ => (),
                }
                at = (at.0 + x, at.1 + y);
            }
        }
    }

    fn steps(&self, from: (i32, i32), offsets: &[(i32, i32)], to: &mut Vec<(i32, i32)>) {
        let first = self.on(from).unwrap().2;
        let forward = if first { 1 } else { -1 };
        for (x, y) in offsets {
            self.land((from.0 + x, from.1 + forward * y), first, to);
        }
    }

    fn slides(&self, from: (i32, i32), directions: &[(i32, i32)], to: &mut Vec<(i32, i32)>) {
        let first = self.on(from).unwrap().2;
        for (x, y) in directions {
            let mut at = (from.0 + x, from.1 + y);
            while self.on_board(at) {
                self.land(at, first, to);
                if self.on(at).is_some() {
                    break;
                }
                at = (at.0 + x, at.1 + y);
            }
        }
    }

    fn land(&self, at: (i32, i32), first: bool, to: &mut Vec<(i32, i32)>) {
        if self.on_board(at) && self.on(at).is_none_or(|man| man.2 != first) {
            to.push(at);
        }
    }

    fn on_board(&self, (file, rank): (i32, i32)) -> bool {
        (0..self.files).contains(&file) && (0..self.ranks).contains(&rank)
    }

    fn after(&self, step: Step) -> Self {
        let mut next = self.clone();
        let us = self.first_to_move;
        next.first_to_move = !us;
        match step {
            Step::Move(from, to, promotes) => {
                let (letter, promoted, _) = self.on(from).unwrap();
                next.men[from.1 as usize][from.0 as usize] = None;
                next.men[to.1 as usize][to.0 as usize] = Some((letter, promoted || promotes, us));
                if let Some((letter, ..)) = self.on(to).filter(|_| self.game != Game::Xiangqi) {
                    *next.hand(letter, us) += 1;
                }
            }
            Step::Drop(letter, to) => {
                *next.hand(letter, us) -= 1;
                next.men[to.1 as usize][to.0 as usize] = Some((letter, false, us));
            }
        }
        next
    }

    fn text(&self, step: Step) -> String {
        let square = |(file, rank): (i32, i32)| match self.game {
            Game::Shogi => format!("{}{}", 9 - file, char::from(b'a' + (8 - rank) as u8)),
            _ => format!("{}{}", char::from(b'a' + file as u8), rank + 1),
        };
        let sign = if self.game == Game::Shogi { '*' } else { '@' };
        match step {
            Step::Move(from, to, promotes) => {
                format!(
                    "{}{}{}",
                    square(from),
                    square(to),
                    if promotes { "+" } else { "" }
                )
            }
            Step::Drop(letter, to) => format!("{letter}{sign}{}", square(to)),
        }
    }
}
