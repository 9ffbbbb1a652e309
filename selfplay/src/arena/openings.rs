//! Where the games of a match begin: the same place for both games of a pair.

use std::fmt;
use std::sync::Arc;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rules::{Game, RuleOptions, Variant};

use crate::evaluator::{Evaluations, Evaluator, EvaluatorError, Leaf};
use crate::players::{Act, Player, Turn};
use crate::pool::draw_policy;
use crate::random::{Purpose, stream};
use crate::record::EdgeRecord;

/// How the openings of a match are found. Each is a function of the match's seed and the number of its pair.
pub enum Openings<V: Variant> {
    /// Uniformly random legal plies from the start position.
    Random {
        /// How many; fewer where random plies hardly ever leave a game going.
        plies: u32,
        /// Which of them are kept.
        balance: Option<Balance<V>>,
    },
    /// Games begun already. Their order is drawn from the seed, and all are played before any is played again.
    Given(Arc<[Game<V>]>),
    /// Plies drawn from a net's policy, each after one evaluation and no search. A ply that would end the game is not played, and the
    /// opening ends there.
    Policy {
        /// How many.
        plies: u32,
        /// Probabilities are raised to its inverse; 0 always takes the first choice.
        temperature: f32,
        /// The net.
        evaluator: Box<dyn Evaluator<V>>,
    },
}

/// Keeps only random openings that a judge thinks nearly even.
pub struct Balance<V: Variant> {
    /// Who looks at the position after the random plies; it must give values with its moves. Openings for which it gives none are not played.
    pub judge: Box<dyn Player<V>>,
    /// The greatest distance of its value, `win - loss`, from 0 that is even enough, in `[0, 1]`. If none of 100 openings drawn for a pair is, the
    /// most even of them is played.
    pub bound: f32,
}

impl<V: Variant> fmt::Debug for Openings<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Random { .. } => "Random",
            Self::Given(_) => "Given",
            Self::Policy { .. } => "Policy",
        })
    }
}

impl<V: Variant> fmt::Debug for Balance<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Balance")
            .field("bound", &self.bound)
            .finish_non_exhaustive()
    }
}

/// Random openings judged for a pair before the most even of them is taken.
const CANDIDATES: u64 = 100;

/// Games that random plies may end in a row before an opening is made shorter.
const TRIES: u32 = 1000;

impl<V: Variant> Openings<V> {
    /// Returns the same for another thread.
    pub(super) fn fork(&self) -> Self {
        match self {
            Self::Random { plies, balance } => Self::Random {
                plies: *plies,
                balance: balance.as_ref().map(|balance| Balance {
                    judge: balance.judge.fork(),
                    bound: balance.bound,
                }),
            },
            Self::Given(games) => Self::Given(Arc::clone(games)),
            Self::Policy {
                plies,
                temperature,
                evaluator,
            } => Self::Policy {
                plies: *plies,
                temperature: *temperature,
                evaluator: evaluator.fork(),
            },
        }
    }

    /// Returns the game from which both games of a pair go on.
    pub(super) fn open(
        &mut self,
        (seed, pair): (u64, u64),
        options: RuleOptions,
    ) -> Result<Game<V>, EvaluatorError> {
        match self {
            Self::Random { plies, balance } => {
                let draw = |candidate| {
                    let mut rng = stream(seed, Purpose::Opening, pair, candidate);
                    random(*plies as usize, options, &mut rng)
                };
                match balance {
                    None => Ok(draw(0)),
                    Some(balance) => balance.choose(pair, draw),
                }
            }
            Self::Given(games) => Ok(given(games, seed, pair)),
            Self::Policy {
                plies,
                temperature,
                evaluator,
            } => {
                let plies = *plies as usize;
                let rng = |ply| stream(seed, Purpose::Policy, pair, ply);
                policy(evaluator.as_mut(), (plies, *temperature), options, rng)
            }
        }
    }
}

impl<V: Variant> Balance<V> {
    fn choose(
        &mut self,
        pair: u64,
        draw: impl Fn(u64) -> Game<V>,
    ) -> Result<Game<V>, EvaluatorError> {
        let mut best: Option<(f32, Game<V>)> = None;
        for candidate in 0..CANDIDATES {
            let game = draw(candidate);
            let turn = Turn {
                game: &game,
                number: pair,
            };
            let choices = self.judge.choose(&[turn])?;
            let Some(choice) = choices.first() else {
                continue;
            };
            if let Act::Forfeit(forfeit) = &choice.act {
                let problem = format!("the judge of openings cannot go on: {}", forfeit.said);
                return Err(EvaluatorError(problem.into()));
            }
            // Some players do not think about a move that they have to play.
            let Some(wdl) = choice.wdl else {
                continue;
            };
            let distance = wdl.value().abs();
            if distance <= self.bound {
                return Ok(game);
            }
            if best.as_ref().is_none_or(|(least, _)| distance < *least) {
                best = Some((distance, game));
            }
        }
        best.map(|(_, game)| game).ok_or_else(|| {
            EvaluatorError("the judge of openings gives no value with its moves".into())
        })
    }
}

/// Openings that end the game are drawn anew, and made shorter where random plies hardly ever leave a game going.
fn random<V: Variant>(mut plies: usize, options: RuleOptions, rng: &mut ChaCha8Rng) -> Game<V> {
    let mut game = Game::<V>::new(options);
    let (mut legal, mut ended) = (Vec::new(), 0);
    loop {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            ended += 1;
            plies -= usize::from(ended % TRIES == 0 && plies > 0);
            game.undo_to(0);
        } else if game.ply() < plies {
            game.play(legal[rng.random_range(0..legal.len())]);
        } else {
            return game;
        }
    }
}

fn given<V: Variant>(games: &[Game<V>], seed: u64, pair: u64) -> Game<V> {
    let count = games.len() as u64;
    let mut order: Vec<usize> = (0..games.len()).collect();
    order.shuffle(&mut stream(seed, Purpose::Opening, pair / count, 0));
    games[order[(pair % count) as usize]].clone()
}

fn policy<V: Variant>(
    evaluator: &mut dyn Evaluator<V>,
    (plies, temperature): (usize, f32),
    options: RuleOptions,
    rng: impl Fn(u64) -> ChaCha8Rng,
) -> Result<Game<V>, EvaluatorError> {
    let mut game = Game::<V>::new(options);
    let (mut legal, mut answer) = (Vec::new(), Evaluations::default());
    game.legal_moves(&mut legal);
    while game.ply() < plies {
        answer.clear();
        let leaf = Leaf {
            game: &game,
            moves: &legal,
        };
        if !evaluator.ask(&leaf, &mut answer) {
            evaluator.evaluate(&mut answer)?;
        }
        let edge = |(index, &target): (usize, &f32)| EdgeRecord {
            index: index as u16,
            visits: 0,
            target,
        };
        let priors = answer.get(0).priors.iter().enumerate();
        let edges: Vec<EdgeRecord> = priors.map(edge).collect();
        let ply = game.ply();
        let drawn = draw_policy(&edges, temperature, &mut rng(ply as u64));
        game.play(legal[drawn.unwrap_or(0)]);
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game.undo_to(ply);
            break;
        }
    }
    Ok(game)
}
