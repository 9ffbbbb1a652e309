//! What a game remembers, against what its list of moves tells anew.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use rules::notation::parse_game;
use rules::variants::euroshogi::EuroShogi;
use rules::variants::gufu::Gufu;
use rules::variants::showgit::Showgit;
use rules::variants::xiangqi::Xiangqi;
use rules::{Chase, Game, MoveOf, Outcome, Position as _, Reason, RuleOptions, Side};

use crate::budget::hold;
use crate::corpus::{GridGame, Tested, starts};
use crate::generation::legal;
use crate::options::options;
use crate::walk::{SHUTTLING, pick, walk, walks};

/// A game told from its start and its moves: nothing is remembered, everything looked for.
struct Told<V: Tested> {
    options: RuleOptions,
    positions: Vec<V::Position>,
    names: Vec<String>,
    moves: Vec<MoveOf<V>>,
}

impl<V: Tested> Told<V> {
    fn of(game: &Game<V>) -> Self {
        let mut positions = vec![*game.start()];
        for &mv in game.moves() {
            let mut next = positions[positions.len() - 1];
            next.play(mv);
            positions.push(next);
        }
        Self {
            options: *game.options(),
            names: positions.iter().map(V::name).collect(),
            positions,
            moves: game.moves().to_vec(),
        }
    }

    fn position(&self) -> &V::Position {
        &self.positions[self.moves.len()]
    }

    /// The plies at which the current position stood on the board.
    fn occurrences(&self) -> Vec<usize> {
        let now = &self.names[self.moves.len()];
        (0..self.names.len())
            .filter(|&ply| self.names[ply] == *now)
            .collect()
    }

    /// The last time that the current position stood on the board, and how a repetition since then is judged.
    fn cycle(&self) -> Option<(usize, Outcome)> {
        let before = *self.occurrences().iter().rev().nth(1)?;
        Some((before, self.repetition(before)))
    }

    fn quiet_plies(&self) -> u32 {
        let progress = |ply: &usize| self.positions[*ply].is_progress(self.moves[*ply]);
        let last = (0..self.moves.len()).rev().find(progress);
        let mut quiet = if last.is_some() {
            0
        } else {
            self.positions[0].starting_quiet_plies()
        };
        let mut checks = [0; 2];
        for ply in last.map_or(0, |ply| ply + 1)..self.moves.len() {
            let mover = self.positions[ply].side_to_move();
            let answers =
                self.positions[ply].in_check() && checks[mover.other().index()] > V::CHECKS_COUNTED;
            let checking = self.positions[ply + 1].in_check();
            checks[mover.index()] += u32::from(checking);
            let beyond = checking && checks[mover.index()] > V::CHECKS_COUNTED;
            quiet += u32::from(!answers && !beyond);
        }
        quiet
    }

    fn outcome(&self) -> Option<Outcome> {
        let position = self.position();
        let repeated = self.occurrences();
        let end = |reason| Some(Outcome::draw(reason));
        if let Some(declared) = position.declaration(&self.options) {
            Some(declared)
        } else if legal(position).is_empty() {
            Some(position.no_move_outcome())
        } else if position.is_dead_draw() {
            end(Reason::InsufficientMaterial)
        } else if repeated.len() >= self.options.repetitions as usize {
            Some(self.repetition(repeated[repeated.len() - self.options.repetitions as usize]))
        } else if self.options.no_progress > 0 && self.quiet_plies() >= self.options.no_progress {
            end(Reason::MoveLimit)
        } else if self.moves.len() >= self.options.ply_cap as usize {
            end(Reason::PlyCap)
        } else {
            None
        }
    }

    /// The verdict on a repetition that began at ply `first`.
    fn repetition(&self, first: usize) -> Outcome {
        let plies = first..self.moves.len();
        let checks = |ply: usize| self.positions[ply + 1].in_check();
        let always = [Side::First, Side::Second].map(|side| {
            let mut own = plies
                .clone()
                .filter(|&ply| self.positions[ply].side_to_move() == side);
            own.all(checks)
        });
        let loser = |marked: [bool; 2]| match marked {
            [true, false] => Some(Side::First),
            [false, true] => Some(Side::Second),
            _ => None,
        };
        if let Some(side) = loser(always).filter(|_| V::PERPETUAL_CHECK_LOSES) {
            return Outcome::win(side.other(), Reason::PerpetualCheck);
        }
        let spoiled = V::CHECKS_SPOIL_REPETITION && plies.clone().any(checks);
        let chasers = V::Position::chasers(&self.positions[first..], &self.moves[plies]);
        let chased = V::PERPETUAL_CHECK_LOSES && self.options.chase == Chase::Axf && !spoiled;
        match loser(chasers).filter(|_| chased) {
            Some(side) => Outcome::win(side.other(), Reason::PerpetualChase),
            None => Outcome::draw(Reason::Repetition),
        }
    }
}

/// Everything that a game says of itself is what its moves tell, and what a game says that has just played them.
fn is_as_told<V: Tested>(game: &Game<V>) -> TestCaseResult {
    let told = Told::<V>::of(game);
    let mut again = Game::<V>::from_position(*game.start(), *game.options());
    for &mv in game.moves() {
        again.play(MoveOf::<V>::try_from(mv.into()).map_err(|_| TestCaseError::fail("no move"))?);
    }
    let line = || format!("{} after {:?}", game.start(), game.moves());
    for game in [game, &again] {
        let legal = legal(game.position());
        prop_assert!(game.position() == told.position(), "{}", line());
        prop_assert_eq!(game.ply(), told.moves.len(), "{}", line());
        prop_assert_eq!(
            game.occurrences() as usize,
            told.occurrences().len(),
            "{}",
            line()
        );
        prop_assert_eq!(
            game.cycle(),
            told.cycle(),
            "{} {:?}",
            line(),
            game.options()
        );
        if game.position().starting_quiet_plies() + V::OPTIONS.no_progress > 0 {
            prop_assert_eq!(game.quiet_plies(), told.quiet_plies(), "{}", line());
        }
        prop_assert_eq!(
            game.outcome(&legal),
            told.outcome(),
            "{} {:?}",
            line(),
            game.options()
        );
    }
    Ok(())
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Play(u16),
    /// Takes back to this share of the plies.
    Undo(prop::sample::Index),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        30 => any::<u16>().prop_map(Step::Play),
        1 => any::<prop::sample::Index>().prop_map(Step::Undo),
    ];
    vec(step, 0..=220)
}

/// Plays and takes back; whatever is left is as if it alone had been played.
fn histories<V: Tested>(cases: u32) {
    let values = (prop::sample::select(starts::<V>()), options(), steps());
    hold(file!(), cases, &values, |(start, options, steps)| {
        let mut game = Game::<V>::from_position(start, options);
        for step in steps {
            match step {
                Step::Play(number) => {
                    if let Some(mv) = pick(&game, &legal(game.position()), (SHUTTLING, number)) {
                        game.play(mv);
                    }
                }
                Step::Undo(share) => {
                    is_as_told(&game)?;
                    game.undo_to(share.index(game.ply() + 1));
                    is_as_told(&game)?;
                }
            }
        }
        is_as_told(&game)
    });
}

/// A game up to its end is read from its text with the same end, and a move after that is refused.
fn written_games<V: Tested>(cases: u32) {
    hold(
        file!(),
        cases,
        &(walks::<V>(200), options()),
        |((start, picks), options)| {
            // Options that change how men move are no part of a text.
            let options = RuleOptions {
                zone_start_promotion: V::OPTIONS.zone_start_promotion,
                ..options
            };
            let mut game = walk::<V>(&start, (options, SHUTTLING), &picks);
            let end = (0..=game.ply()).find(|&ply| {
                let mut until = game.clone();
                until.undo_to(ply);
                until.outcome(&legal(until.position())).is_some()
            });
            game.undo_to(end.unwrap_or(game.ply()));
            let outcome = game.outcome(&legal(game.position()));
            let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
            let text = format!("{} moves {}", game.start(), moves.join(" "));
            let read = parse_game::<V>(&text, options)
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert!(read.position() == game.position(), "{}", &text);
            prop_assert_eq!(read.outcome(&legal(read.position())), outcome, "{}", &text);
            if let (Some(_), Some(mv)) = (outcome, legal(game.position()).first()) {
                prop_assert!(
                    parse_game::<V>(&format!("{text} {mv}"), options).is_err(),
                    "{text} {mv}"
                );
            }
            Ok(())
        },
    );
}

/// A mirrored game ends as the game does, and a turned one with the colours of the verdict swapped: chases, checks and limits know no left and
/// right.
fn mirrored_games<R: GridGame>(cases: u32) {
    hold(
        file!(),
        cases,
        &(walks::<R>(120), options()),
        |((start, picks), options)| {
            let game = walk::<R>(&start, (options, SHUTTLING), &picks);
            let mut mirrored = Game::<R>::from_position(start.mirrored(), options);
            let mut rotated = Game::<R>::from_position(start.rotated(), options);
            let mut plain = Game::<R>::from_position(start, options);
            for &mv in game.moves() {
                plain.play(mv);
                mirrored.play(mv.mirrored());
                rotated.play(mv.rotated());
                let outcome = plain.outcome(&legal(plain.position()));
                prop_assert_eq!(
                    mirrored.outcome(&legal(mirrored.position())),
                    outcome,
                    "{} {:?}",
                    start,
                    game.moves()
                );
                let swapped = outcome.map(|outcome| Outcome {
                    winner: outcome.winner.map(Side::other),
                    ..outcome
                });
                let turned = rotated.outcome(&legal(rotated.position()));
                // The first player needs a point more than the second to declare.
                let declared = |outcome: Option<Outcome>| {
                    outcome.is_some_and(|outcome| outcome.reason == Reason::Declaration)
                };
                if !declared(turned) && !declared(swapped) {
                    prop_assert_eq!(turned, swapped, "{} {:?}", start, game.moves());
                }
            }
            prop_assert!(
                mirrored.position().mirrored() == *plain.position(),
                "{}",
                start
            );
            Ok(())
        },
    );
}

#[test]
fn histories_are_as_their_moves_tell() {
    histories::<Gufu>(150);
    histories::<Showgit>(120);
    histories::<EuroShogi>(120);
    histories::<Xiangqi>(150);
}

#[test]
fn games_are_read_as_they_are_written() {
    written_games::<Gufu>(60);
    written_games::<Showgit>(50);
    written_games::<EuroShogi>(50);
    written_games::<Xiangqi>(50);
}

#[test]
fn mirrored_games_end_alike() {
    mirrored_games::<Showgit>(80);
    mirrored_games::<EuroShogi>(80);
    mirrored_games::<Xiangqi>(250);
}
