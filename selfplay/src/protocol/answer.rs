//! From `go` to the answer.

use std::sync::Arc;
use std::time::Instant;

use rules::dialect::Dialect;
use rules::{Game, MoveOf, Reason, Variant};

use super::desk::{Gone, News};
use super::go::Go;
use super::{Session, SessionError, Standing, standing};
use crate::search::complete_mate;
use crate::thinker::{Control, Score, Task, Thought};

/// A search under way.
pub(super) struct Running<V: Variant> {
    control: Arc<Control>,
    game: Game<V>,
    /// Whether an answer must wait for `stop` or `ponderhit`.
    held: bool,
    mate: bool,
    /// The answer that is held.
    answer: Option<Thought<MoveOf<V>>>,
}

impl From<Gone> for SessionError {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

impl<V: Variant> Session<V> {
    /// Begins to think, or answers at once where there is nothing to think about. Nothing is running.
    pub(super) fn go(&mut self, words: &[&str], at: Instant) {
        let (game, mut moves) = match standing(self.game.as_ref(), self.dialect) {
            Standing::Open(game, legal) => (game, legal),
            Standing::Declared => return self.said.push("bestmove win".to_owned()),
            Standing::NoMove => return self.answer_without_move(words),
        };
        moves.retain(|mv| !self.banned.contains(mv));
        let go = Go::<V>::parse(words, self.dialect, &self.settings, game.position());
        if !go.moves.is_empty() {
            moves.retain(|mv| go.moves.contains(mv));
        }
        if moves.is_empty() {
            return self.answer_without_move(words);
        }
        if go.mate && self.dialect == Dialect::Usi && !self.desk.abilities().searches {
            return self.said.push("checkmate notimplemented".to_owned());
        }
        let control = Arc::new(if go.ponder {
            Control::pondering(at)
        } else {
            Control::new(at)
        });
        let task = Task {
            game: (*game).clone(),
            moves,
            limits: go.limits(&self.settings),
            lines: if go.mate { 1 } else { self.settings.lines },
            temperature: if go.infinite || go.mate {
                0.0
            } else {
                self.settings.temperature
            },
            number: self.number,
        };
        self.running = Some(Running {
            control: Arc::clone(&control),
            game: *game,
            held: go.infinite || go.ponder,
            mate: go.mate && self.dialect == Dialect::Usi,
            answer: None,
        });
        self.desk.think(task, control);
    }

    fn answer_without_move(&mut self, words: &[&str]) {
        let said = if words.contains(&"mate") && self.dialect == Dialect::Usi {
            "checkmate nomate"
        } else {
            self.voice().no_move()
        };
        self.said.push(said.to_owned());
    }

    /// Asks for the answer.
    pub(super) fn stop(&mut self) {
        if let Some(running) = &mut self.running {
            running.control.stop();
            running.held = false;
            self.say_held();
        }
    }

    /// The move expected was played: from now on, time counts.
    pub(super) fn ponder_hit(&mut self, at: Instant) {
        if let Some(running) = &mut self.running {
            running.control.start_clock(at);
            running.held = false;
            self.say_held();
        }
    }

    /// Stops and waits for the answer, which is said.
    pub(super) fn finish(&mut self) -> Result<(), SessionError> {
        self.stop();
        while self.running.is_some() {
            let news = self.desk.wait()?;
            self.take(news)?;
        }
        Ok(())
    }

    /// Takes what the thinker has said.
    pub(super) fn hear(&mut self) -> Result<(), SessionError> {
        while let Some(news) = self.desk.hear() {
            self.take(news?)?;
        }
        Ok(())
    }

    fn take(&mut self, news: News<V>) -> Result<(), SessionError> {
        let voice = self.voice();
        let Some(running) = &mut self.running else {
            return Ok(());
        };
        match news {
            News::Progress(thought) => {
                // After `stop` only the answer counts.
                if !running.control.is_stopped() {
                    self.said.extend(voice.infos::<V>(&running.game, &thought));
                }
            }
            News::Answer(thought) => {
                let thought = thought?;
                self.said.extend(voice.infos::<V>(&running.game, &thought));
                running.answer = Some(thought);
                if !running.held {
                    self.say_held();
                }
            }
        }
        Ok(())
    }

    /// Says the answer if there is one.
    fn say_held(&mut self) {
        let Some(running) = self.running.take_if(|running| running.answer.is_some()) else {
            return;
        };
        let Running {
            game, answer, mate, ..
        } = running;
        let Some(thought) = answer else { return };
        let voice = self.voice();
        self.said.push(if mate {
            self.mate_found(&game, &thought)
        } else if self.gives_up(&thought) {
            // UCCI names the move that would be played; without a ponder move it cannot be mistaken for one.
            if self.dialect == Dialect::Usi {
                voice.no_move().to_owned()
            } else {
                let best = voice.words::<V>(&game, &thought.lines[0].moves[..1]);
                format!("bestmove {} resign", best.concat())
            }
        } else {
            voice.best_move::<V>(&game, &thought)
        });
    }

    /// Tells whether the position is so bad that the settings have the player resign.
    fn gives_up(&self, thought: &Thought<MoveOf<V>>) -> bool {
        let least = self.settings.resign as f32 / 100.0;
        let first = &thought.lines[0];
        self.dialect != Dialect::Uci
            && least > 0.0
            && first
                .wdl
                .is_some_and(|wdl| 0.5 * (1.0 + wdl.value()) < least)
    }

    /// Answers USI's `go mate`: by the moves only if they lead to a mate on the board.
    fn mate_found(&self, game: &Game<V>, thought: &Thought<MoveOf<V>>) -> String {
        let first = &thought.lines[0];
        match first.score {
            Some(Score::Certain(plies)) if plies > 0 => {
                let mut moves = first.moves.clone();
                complete_mate(game, &mut moves);
                let mut end = game.clone();
                let mut legal = Vec::new();
                for &mv in &moves {
                    end.play(mv);
                }
                end.legal_moves(&mut legal);
                let outcome = end.outcome(&legal);
                if outcome.is_some_and(|outcome| outcome.reason == Reason::Checkmate) {
                    let words = self.voice().words::<V>(game, &moves);
                    return format!("checkmate {}", words.join(" "));
                }
                "checkmate timeout".to_owned()
            }
            Some(Score::Certain(_)) => "checkmate nomate".to_owned(),
            _ => "checkmate timeout".to_owned(),
        }
    }
}
