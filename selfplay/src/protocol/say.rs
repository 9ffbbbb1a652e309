//! The lines that an engine says of its thoughts.

use std::fmt::Write as _;

use rules::dialect::Dialect;
use rules::{Game, MoveOf, Variant, Wdl};

use crate::thinker::{Line, Score, Thought};

/// How thoughts are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Voice {
    pub(super) dialect: Dialect,
    /// Whether chances are shown.
    pub(super) show_wdl: bool,
    /// Whether lines are numbered.
    pub(super) several: bool,
}

/// The plies of a line that are shown at most.
const SHOWN: usize = 60;
/// What a mate on the spot is worth in UCCI, which has no word for it; one in `n` plies is worth `n` less.
const UCCI_MATE: i32 = 30_000;

impl Voice {
    /// Returns the `info` lines of a thought about `game`.
    pub(super) fn infos<V: Variant>(
        self,
        game: &Game<V>,
        thought: &Thought<MoveOf<V>>,
    ) -> Vec<String> {
        let lines = thought.lines.iter().enumerate();
        // A player that says no more than its move has nothing to show.
        let known = lines.filter(|(_, line)| line.score.is_some());
        known
            .map(|(number, line)| self.info::<V>(game, thought, number, line))
            .collect()
    }

    fn info<V: Variant>(
        self,
        game: &Game<V>,
        thought: &Thought<MoveOf<V>>,
        number: usize,
        line: &Line<MoveOf<V>>,
    ) -> String {
        let mut text = format!("info depth {}", thought.depth);
        if self.several {
            let _ = write!(text, " multipv {}", number + 1);
        }
        if let Some(score) = line.score {
            text += &self.score(score);
        }
        if let Some(wdl) = line.wdl.filter(|_| self.show_wdl) {
            text += &chances(wdl);
        }
        let ms = thought.time.as_millis();
        let a_second = (thought.nodes as f64 / thought.time.as_secs_f64().max(1e-3)) as u64;
        // Writing to a string cannot fail.
        let nodes = thought.nodes;
        let _ = write!(text, " nodes {nodes} nps {a_second} time {ms} pv");
        for word in self.words::<V>(game, &line.moves) {
            text.push(' ');
            text += &word;
        }
        text
    }

    fn score(self, score: Score) -> String {
        match (score, self.dialect) {
            (Score::Hundredths(value), Dialect::Ucci) => format!(" score {value}"),
            (Score::Hundredths(value), _) => format!(" score cp {value}"),
            (Score::Certain(plies), Dialect::Ucci) => {
                format!(" score {}", plies.signum() * (UCCI_MATE - plies.abs()))
            }
            (Score::Certain(plies), Dialect::Usi) => format!(" score mate {plies}"),
            // In moves of the winner, rounded up.
            (Score::Certain(plies), Dialect::Uci) => {
                format!(" score mate {}", plies.signum() * ((plies.abs() + 1) / 2))
            }
        }
    }

    /// Writes a line of moves, as far as it is legal and the board alone can tell.
    pub(super) fn words<V: Variant>(self, game: &Game<V>, moves: &[MoveOf<V>]) -> Vec<String> {
        let mut game = game.clone();
        let mut legal = Vec::new();
        let mut words = Vec::new();
        for &mv in moves.iter().take(SHOWN) {
            game.legal_moves(&mut legal);
            if !legal.contains(&mv) {
                break;
            }
            words.push(self.dialect.move_text::<V>(game.position(), mv));
            game.play(mv);
        }
        words
    }

    /// Returns the answer: the move, with the one expected after it.
    pub(super) fn best_move<V: Variant>(
        self,
        game: &Game<V>,
        thought: &Thought<MoveOf<V>>,
    ) -> String {
        let words = self.words::<V>(game, &thought.lines[0].moves);
        match &words[..] {
            [best, expected, ..] => format!("bestmove {best} ponder {expected}"),
            [best] => format!("bestmove {best}"),
            [] => self.no_move().to_owned(),
        }
    }

    /// Returns the answer where there is no move.
    pub(super) const fn no_move(self) -> &'static str {
        match self.dialect {
            Dialect::Usi => "bestmove resign",
            Dialect::Uci => "bestmove (none)",
            Dialect::Ucci => "nobestmove",
        }
    }

    /// Returns a remark for people; control characters and what is too long are left out.
    pub(super) fn remark(self, text: &str) -> String {
        const MOST: usize = 300;
        let clean = text
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter });
        let clean: String = clean.take(MOST).collect();
        match self.dialect {
            Dialect::Ucci => format!("info message {clean}"),
            _ => format!("info string {clean}"),
        }
    }
}

/// Writes chances in thousandths that add up.
fn chances(wdl: Wdl) -> String {
    let win = (1000.0 * wdl.win).round() as i32;
    let loss = ((1000.0 * wdl.loss).round() as i32).min(1000 - win);
    format!(" wdl {win} {} {loss}", 1000 - win - loss)
}
