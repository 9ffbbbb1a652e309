//! Tactical blunders, as the alpha-beta player sees them.

use rayon::prelude::*;
use rules::{Game, MoveOf, Variant};
use selfplay::players::alphabeta::Searcher;
use selfplay::players::{AlphaBetaConfig, Limits};
use serde::{Deserialize, Serialize};

use super::Share;

/// Values beyond this, either way, count as this: to win a won game more slowly is no blunder.
const DECIDED: i32 = 1500;

/// How blunders are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Referee {
    /// Nodes for the best move of each position.
    pub(crate) nodes: u64,
    /// A move that loses more than this is a blunder, in hundredths of a pawn.
    pub(crate) margin: i32,
}

/// Moves that lose more than the margin against the best one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Blunders {
    /// Nodes for the best move of each position.
    pub(crate) nodes: u64,
    /// What a blunder loses more than, in hundredths of a pawn.
    pub(crate) margin: i32,
    /// Of the net's first choices.
    pub(crate) policy: Share,
    /// Of the search's moves.
    pub(crate) search: Share,
    /// What a first choice of the net loses on average, in hundredths of a pawn.
    pub(crate) policy_loss: f64,
    /// What a move of the search loses on average.
    pub(crate) search_loss: f64,
}

impl Referee {
    /// Judges the net's and the search's move in each position.
    pub(crate) fn judge<V: Variant>(self, moves: &[(&Game<V>, [MoveOf<V>; 2])]) -> Blunders {
        let losses: Vec<[i32; 2]> = moves
            .par_iter()
            .map_init(
                || Searcher::new(AlphaBetaConfig::TABLE_BITS),
                |searcher, (game, moves)| self.losses(searcher, game, *moves),
            )
            .collect();
        let blunders = |who: usize| {
            let count = losses.iter().filter(|loss| loss[who] > self.margin).count();
            Share::new(count, losses.len())
        };
        let mean = |who: usize| {
            let sum: i64 = losses.iter().map(|loss| i64::from(loss[who])).sum();
            sum as f64 / losses.len().max(1) as f64
        };
        Blunders {
            nodes: self.nodes,
            margin: self.margin,
            policy: blunders(0),
            search: blunders(1),
            policy_loss: mean(0),
            search_loss: mean(1),
        }
    }

    /// Returns what each move loses against the best one, at least 0: all are searched to the depth that is reached for the best.
    fn losses<V: Variant>(
        self,
        searcher: &mut Searcher<V>,
        game: &Game<V>,
        moves: [MoveOf<V>; 2],
    ) -> [i32; 2] {
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        let best = searcher.search(game, &legal, Limits::nodes(self.nodes));
        let alike = Limits {
            depth: Some(best.depth.max(1)),
            // A single move takes fewer nodes than all of them; this only bounds the worst.
            nodes: Some(4 * self.nodes),
            time: None,
        };
        let mut value = |mv: MoveOf<V>| {
            if mv == best.line[0] {
                best.value
            } else {
                searcher.search(game, &[mv], alike).value
            }
        };
        let [first, second] = moves;
        let first_value = value(first);
        let second_value = if second == first {
            first_value
        } else {
            value(second)
        };
        let counted = |value: i32| value.clamp(-DECIDED, DECIDED);
        [first_value, second_value].map(|value| (counted(best.value) - counted(value)).max(0))
    }
}

#[cfg(test)]
mod tests {
    use rules::notation::parse_game;
    use rules::variants::euroshogi::EuroShogi;

    use super::*;

    #[test]
    fn to_leave_a_rook_to_be_taken_is_a_blunder_and_to_take_one_is_none() {
        let rooks = "k7/8/3r4/8/8/3R4/8/7K[] w - - 0 1";
        let game: Game<EuroShogi> = parse_game(rooks, EuroShogi::OPTIONS).unwrap();
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        let named = |name: &str| *legal.iter().find(|mv| mv.to_string() == name).unwrap();
        let (takes, leaves) = (named("d3d6+"), named("h1h2"));
        let referee = Referee {
            nodes: 5000,
            margin: 200,
        };
        let blunders = referee.judge(&[(&game, [leaves, takes]), (&game, [takes, takes])]);
        assert_eq!((blunders.policy.count, blunders.search.count), (1, 0));
        assert!(blunders.policy_loss > 100.0, "{blunders:?}");
        assert!(blunders.search_loss < 1.0, "{blunders:?}");
        // A margin that nothing can lose leaves no blunder.
        let lenient = Referee {
            margin: 2 * DECIDED,
            ..referee
        };
        assert_eq!(lenient.judge(&[(&game, [leaves, takes])]).policy.count, 0);
    }
}
