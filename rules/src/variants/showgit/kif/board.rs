//! Positions drawn with characters.

use std::fmt::Write as _;

use super::super::Showgit;
use super::super::draft::Draft;
use super::{IN_MOVES, RANKS, SYNONYMS};
use crate::board::{Board, Piece, Ruleset};
use crate::notation::NotationError;
use crate::outcome::Side;
use crate::position::Position as _;

const EDGE: &str = "+---------------------------+";

/// Draws a position: hands, board and the side to move, each line with its end.
pub fn write_board(board: &Board<Showgit>) -> String {
    let mut text = format!("後手の持駒：{}\n", hand_text(board, Side::Second));
    text.push_str("  ９ ８ ７ ６ ５ ４ ３ ２ １\n");
    let _ = writeln!(text, "{EDGE}");
    for (row, rank) in board.diagram().rows.iter().zip(RANKS) {
        text.push('|');
        for cell in row {
            match &cell.man {
                None => text.push_str(" ・"),
                Some(man) => {
                    text.push(if man.owner == Some(Side::Second) {
                        'v'
                    } else {
                        ' '
                    });
                    text.push(man.kanji);
                }
            }
        }
        let _ = writeln!(text, "|{rank}");
    }
    let _ = writeln!(text, "{EDGE}");
    let _ = writeln!(text, "先手の持駒：{}", hand_text(board, Side::First));
    let turn = ["先手番", "後手番"][board.side_to_move().index()];
    let _ = writeln!(text, "{turn}");
    text
}

fn hand_text(board: &Board<Showgit>, side: Side) -> String {
    let mut text = String::new();
    for &kind in Showgit::HAND_ORDER {
        let count = board.hand(side).count(usize::from(kind));
        if count > 0 {
            text.push_str(IN_MOVES[usize::from(kind)]);
        }
        if count > 1 {
            text.push_str(&number_text(count));
        }
        if count > 0 {
            text.push('　');
        }
    }
    if text.is_empty() {
        "なし".to_owned()
    } else {
        text
    }
}

/// Writes a number from 1 to 199 in characters: 18 is `十八`.
fn number_text(number: u32) -> String {
    let digit = |digit: u32| RANKS[digit as usize - 1].to_string();
    let mut text = String::new();
    if number >= 100 {
        text.push('百');
    }
    let tens = number % 100 / 10;
    if tens > 1 {
        text.push_str(&digit(tens));
    }
    if tens > 0 {
        text.push('十');
    }
    if !number.is_multiple_of(10) {
        text.push_str(&digit(number % 10));
    }
    text
}

fn parse_number(text: &str) -> Option<u32> {
    let mut total = 0;
    let mut last = 0;
    for character in text.chars() {
        match character {
            '百' => {
                total += 100 * last.max(1);
                last = 0;
            }
            '十' => {
                total += 10 * last.max(1);
                last = 0;
            }
            _ if last > 0 => return None,
            _ => last = RANKS.iter().position(|digit| *digit == character)? as u32 + 1,
        }
    }
    Some(total + last).filter(|number| *number > 0)
}

/// A position read line by line.
#[derive(Clone, Debug, Default)]
pub struct BoardReader {
    draft: Draft,
    /// Ranks read so far.
    ranks: u8,
    side: Option<Side>,
}

impl BoardReader {
    /// Reads a line of the board, `|v香v桂 ・ ...|一`; they come from the far side.
    ///
    /// # Errors
    /// Says which part of `text` is wrong.
    pub fn rank(&mut self, text: &str) -> Result<(), NotationError> {
        let error = |at: usize, problem: &str| NotationError::new("rank", text, at, problem);
        self.ranks += 1;
        if self.ranks > 9 {
            return Err(error(1, "more than nine ranks"));
        }
        let mut characters = text.chars().skip(1);
        for file in (1..=9).rev() {
            let at = 20 - 2 * usize::from(file);
            let (Some(owner), Some(name)) = (characters.next(), characters.next()) else {
                return Err(error(at, "fewer than nine squares"));
            };
            let side = match owner {
                ' ' | '^' => Side::First,
                'v' | 'V' => Side::Second,
                _ => return Err(error(at, "` ` or `v` is wanted before a man")),
            };
            let kind = kind_on_board(name);
            if kind.is_none() && !matches!(name, '・' | ' ' | '　' | '．' | '.') {
                return Err(error(
                    at + 1,
                    "no man has this name: `・` is an empty square",
                ));
            }
            let man = kind.map(|kind| Piece { kind, side });
            self.draft.put(file, self.ranks, man);
        }
        match characters.next() {
            Some('|') => Ok(()),
            _ => Err(error(20, "`|` is wanted after nine squares")),
        }
    }

    /// Reads what a side holds, `飛　角二　歩十八` or `なし`.
    ///
    /// # Errors
    /// Says which part of `text` is wrong.
    pub fn hand(&mut self, side: Side, text: &str) -> Result<(), NotationError> {
        let error = |problem| NotationError::new("hand", text, 1, problem);
        for word in text.split([' ', '　']).filter(|word| !word.is_empty()) {
            if word == "なし" {
                continue;
            }
            let name: String = word.chars().take(1).collect();
            let kind = IN_MOVES[..Showgit::HAND_KINDS]
                .iter()
                .position(|known| *known == name)
                .ok_or_else(|| error(format!("`{word}` begins with no man that can be in hand")))?;
            let number = &word[name.len()..];
            let count = if number.is_empty() {
                Some(1)
            } else {
                parse_number(number)
            };
            let count = count.ok_or_else(|| {
                error(format!(
                    "`{number}` is no number of men, such as `二` or `十八`"
                ))
            })?;
            self.draft.hold(side, kind, count);
        }
        Ok(())
    }

    /// Notes who is to move; the first player if nothing says so.
    pub const fn turn(&mut self, side: Side) {
        self.side = Some(side);
    }

    /// Tells whether a board was drawn.
    pub const fn has_board(&self) -> bool {
        self.ranks > 0
    }

    /// Makes a position of what was read.
    ///
    /// # Errors
    /// If ranks are missing or the rules exclude the position.
    pub fn finish(&self) -> Result<Board<Showgit>, NotationError> {
        if self.ranks < 9 {
            let problem = format!("{} ranks where 9 are wanted", self.ranks);
            return Err(NotationError::new("board", EDGE, 1, problem));
        }
        self.draft.board(self.side.unwrap_or(Side::First))
    }
}

fn kind_on_board(name: char) -> Option<u8> {
    let name = name.to_string();
    let names = (IN_MOVES.iter().copied().zip(0..)).chain(SYNONYMS);
    names
        .filter(|(known, _)| *known == name)
        .map(|(_, kind)| kind)
        .next()
}
