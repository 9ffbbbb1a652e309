//! The checks of searches: every limit, positions in every form, legal moves, `info` lines.

use std::time::{Duration, Instant};

use rand::RngExt;
use rules::{Dialect, Game, MoveOf, Position, Variant};

use super::protocol::since;
use super::{Checker, Problem, Seen, after, shown};
use crate::players::EngineLimit;
use crate::players::outside::{Answer, EngineError, Info, Trouble};
use crate::random::{Purpose, stream};

/// A search that has been made: where, and what the engine said.
pub(super) struct Search<V: Variant> {
    game: Game<V>,
    lines: Vec<String>,
}

/// How long a search without a limit goes on before it is stopped.
const A_WHILE: Duration = Duration::from_millis(300);
/// The limits that are tried.
const NODES: u64 = 1000;
const DEPTH: u32 = 3;
const MOVE_TIME: Duration = Duration::from_millis(200);
/// Plies of the game whose moves are sent.
const PLIES: usize = 12;

impl<V: Variant> Checker<'_, V> {
    /// Checks searches by each limit, and from positions in each form.
    pub(super) fn searches(&mut self) {
        let dialect = self.config.dialect;
        let clock = EngineLimit::Clock {
            base: Duration::from_secs(5),
            increment: Duration::ZERO,
        };
        let (by_moves, by_text) = (Self::some_game(), Self::some_start());
        let start = Game::<V>::new(V::OPTIONS);
        for (name, limit) in [
            ("go by nodes", EngineLimit::Nodes(NODES)),
            ("go by depth", EngineLimit::Depth(DEPTH)),
            ("go by clock", clock),
        ] {
            self.limited(name, &start, limit.command(dialect));
        }
        let milliseconds = MOVE_TIME.as_millis();
        self.limited("go movetime", &start, format!("go movetime {milliseconds}"));
        if dialect == Dialect::Usi {
            let byoyomi = EngineLimit::MoveTime(MOVE_TIME).command(dialect);
            self.limited("go byoyomi", &start, byoyomi);
        }
        self.check("go infinite, stop", Self::infinite);
        self.check("a position with moves", |checker| checker.anyhow(&by_moves));
        self.check("a position as a text", |checker| checker.anyhow(&by_text));
        self.check("a position as a text with moves", |checker| {
            let mut game = by_text.clone();
            let mut legal = Vec::new();
            game.legal_moves(&mut legal);
            if let Some(&mv) = legal.first() {
                game.play(mv);
            }
            checker.anyhow(&game)
        });
    }

    /// Checks the `info` lines of all searches.
    pub(super) fn infos(&mut self) {
        self.check("info lines are well-formed", |checker| {
            let (mut count, mut scored) = (0, 0);
            for line in checker.info_lines() {
                let info = Info::parse(line.1).map_err(|problem| {
                    Problem::Wrong(format!("`info {}`: {problem}", shown(line.1)))
                })?;
                count += 1;
                scored += usize::from(info.score.is_some());
            }
            match (count, scored) {
                (0, _) => Err(Problem::Skipped("there are none".to_owned())),
                (_, 0) => Err(Problem::Wrong(format!("{count} lines, none with a score"))),
                _ => Ok(format!("{count} lines, {scored} with a score")),
            }
        });
        self.check("lines expected are legal", |checker| {
            let dialect = checker.config.dialect;
            let mut moves = 0;
            for (game, line) in checker.info_lines() {
                let Ok(info) = Info::parse(line) else {
                    continue;
                };
                let mut position = *game.position();
                for mv in &info.pv {
                    let read = dialect.parse_move::<V>(&position, mv);
                    let wrong = |error| Problem::Wrong(format!("`info {}`: {error}", shown(line)));
                    position.play(read.map_err(wrong)?);
                    moves += 1;
                }
            }
            match moves {
                0 => Err(Problem::Skipped("there are none".to_owned())),
                _ => Ok(format!("{moves} moves")),
            }
        });
    }

    /// Returns each `info` line with the game in which it was said.
    fn info_lines(&self) -> impl Iterator<Item = (&Game<V>, &str)> {
        self.searches.iter().flat_map(|search| {
            let infos = search.lines.iter();
            infos.filter_map(|line| Some((&search.game, line.strip_prefix("info ")?)))
        })
    }

    fn limited(&mut self, name: &'static str, game: &Game<V>, go: String) {
        self.check(name, |checker| {
            let seen = checker.search(game, &go)?;
            checker.limit.get_or_insert(go);
            Ok(seen)
        });
    }

    /// Searches with a limit that the engine is known to understand.
    fn anyhow(&mut self, game: &Game<V>) -> Seen {
        match self.limit.clone() {
            Some(go) => self.search(game, &go),
            None => Err(Problem::Skipped("it answers no limited `go`".to_owned())),
        }
    }

    fn search(&mut self, game: &Game<V>, go: &str) -> Seen {
        let patience = self.config.patience;
        self.set_up(game)?;
        let begun = Instant::now();
        let session = self.session()?;
        session.say(go);
        let lines = session
            .lines_until("bestmove", patience)
            .map_err(|error| after(error, go))?;
        self.judge(game, lines, begun)
    }

    fn infinite(&mut self) -> Seen {
        let game = Game::<V>::new(V::OPTIONS);
        let patience = self.config.patience;
        self.set_up(&game)?;
        let session = self.session()?;
        session.say("go infinite");
        match session.lines_until("bestmove", A_WHILE) {
            Ok(_) => {
                let early = "it answered before it was told to stop";
                return Err(Problem::Wrong(early.to_owned()));
            }
            Err(error) if matches!(error.trouble, Trouble::Silent(_)) => {}
            Err(error) => return Err(after(error, "go infinite").into()),
        }
        let begun = Instant::now();
        session.say("stop");
        let lines = session.lines_until("bestmove", patience)?;
        self.judge(&game, lines, begun)
    }

    /// Sends a game as a new one.
    fn set_up(&mut self, game: &Game<V>) -> Result<(), EngineError> {
        let text = self.config.dialect.game_text::<V>(game);
        let session = self.session()?;
        session.prepare()?;
        session.say(&format!("position {text}"));
        session.say("isready");
        (session.wait_for("readyok")).map_err(|error| after(error, &format!("position {text}")))
    }

    /// Judges the answer of a search by the rules.
    fn judge(&mut self, game: &Game<V>, lines: Vec<String>, begun: Instant) -> Seen {
        let last = lines.last().map_or("", String::as_str);
        let answer = Answer::parse(last);
        let line = shown(last);
        let time = since(begun);
        self.searches.push(Search {
            game: game.clone(),
            lines,
        });
        let Some(Answer::Move(text)) = answer else {
            return Err(Problem::Wrong(format!("`{line}` in {}", game.position())));
        };
        let read = (self.config.dialect).parse_move::<V>(game.position(), &text);
        match read {
            Ok(_) => Ok(format!("`{line}` after {time}")),
            Err(error) => Err(Problem::Wrong(format!("`{line}`: {error}"))),
        }
    }

    /// Plays a game that is always the same one and not over yet.
    fn some_game() -> Game<V> {
        let mut rng = stream(0, Purpose::Opening, 0, 0);
        let mut game = Game::<V>::new(V::OPTIONS);
        let mut legal: Vec<MoveOf<V>> = Vec::new();
        while game.ply() < PLIES {
            game.legal_moves(&mut legal);
            if game.outcome(&legal).is_some() {
                game.undo_to(0);
            } else {
                game.play(legal[rng.random_range(0..legal.len())]);
            }
        }
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game.undo_to(PLIES - 1);
        }
        game
    }

    /// Starts a game from a position that must be sent as a text.
    fn some_start() -> Game<V> {
        Game::from_position(*Self::some_game().position(), V::OPTIONS)
    }
}
