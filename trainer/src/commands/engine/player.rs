//! Players as thinkers.

use anyhow::{Context, Result};
use rules::{Variant, VariantId};
use selfplay::players::{AlphaBetaConfig, Limits};
use selfplay::protocol::{Caps, Settings};
use selfplay::thinker::{BaselineThinker, PlainThinker, Thinker, TreeThinker};
use selfplay::{RolloutEvaluator, RootKind, SearchConfig};

use crate::dispatch::Parts;
use crate::ladder;
use crate::player_spec::PlayerSpec;

/// A thinker with the settings that its player's text asks for.
pub(super) struct Built<V: Variant> {
    pub(super) thinker: Box<dyn Thinker<V>>,
    pub(super) settings: Settings,
}

/// Returns the games that a player plays.
pub(super) fn variants(player: &PlayerSpec, of_net: Option<VariantId>) -> Vec<VariantId> {
    let plays = |&id: &VariantId| match player {
        PlayerSpec::Exact => id == VariantId::Gufu,
        PlayerSpec::Rung(number) => ladder::rung(id, *number).is_ok(),
        _ => of_net.is_none_or(|of_net| of_net == id),
    };
    VariantId::ALL.into_iter().filter(plays).collect()
}

/// Makes a thinker of a player, which was written as `text`.
///
/// # Errors
/// As [`PlayerSpec::build`].
pub(super) fn build<V: Variant>(
    player: &PlayerSpec,
    text: &str,
    parts: &Parts<V>,
    seed: u64,
) -> Result<Built<V>> {
    let settings = Settings {
        threads: rayon::current_num_threads(),
        ..Settings::default()
    };
    Ok(match player {
        PlayerSpec::Net {
            search,
            temperature,
            ..
        } => {
            let evaluator = player.evaluator(parts)?.context("a net has an evaluator")?;
            Built {
                thinker: Box::new(TreeThinker::new(evaluator, rooted(*search, text), seed)),
                settings: Settings {
                    temperature: *temperature,
                    ..tree_settings(&settings, *search, text)
                },
            }
        }
        PlayerSpec::Rollout { search } => {
            let evaluator = Box::new(RolloutEvaluator::new(seed));
            Built {
                thinker: Box::new(TreeThinker::new(evaluator, rooted(*search, text), seed)),
                settings: tree_settings(&settings, *search, text),
            }
        }
        PlayerSpec::AlphaBeta(config) => Built {
            thinker: Box::new(BaselineThinker::new(*config, seed)),
            settings: baseline_settings(&settings, config, text),
        },
        PlayerSpec::Rung(number) => {
            let text = ladder::rungs(V::ID)[number - 1];
            build(&ladder::rung(V::ID, *number)?, text, parts, seed)?
        }
        _ => Built {
            thinker: Box::new(PlainThinker::new(player.build(parts, seed)?)),
            settings,
        },
    })
}

/// Tells whether a player's text gives an option.
fn gives(text: &str, key: &str) -> bool {
    let (_, options) = text.split_once('?').unwrap_or_default();
    options
        .split('&')
        .any(|option| option.split('=').next() == Some(key))
}

/// Returns the search with the root that the text asks for, else PUCT: it goes on with its tree from move to move.
fn rooted(search: SearchConfig, text: &str) -> SearchConfig {
    let root = if gives(text, "root") {
        search.root
    } else {
        RootKind::Puct
    };
    SearchConfig { root, ..search }
}

fn tree_settings(settings: &Settings, search: SearchConfig, text: &str) -> Settings {
    /// Megabytes of a tree.
    const MEGABYTES: usize = 1024;
    let nodes = gives(text, "sims").then_some(u64::from(search.simulations));
    Settings {
        own: Caps {
            nodes,
            ..Caps::default()
        },
        megabytes: MEGABYTES,
        ..settings.clone()
    }
}

fn baseline_settings(settings: &Settings, config: &AlphaBetaConfig, text: &str) -> Settings {
    let Limits { depth, nodes, time } = config.limits;
    let caps = Caps { depth, nodes, time };
    let given = ["depth", "nodes", "ms"].iter().any(|key| gives(text, key));
    Settings {
        own: if given { caps } else { Caps::default() },
        unasked: caps,
        megabytes: config.table_megabytes(),
        ..settings.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_limits_that_are_given_hold_for_every_move() {
        for (text, own, unasked) in [
            ("alphabeta", None, Some(3)),
            ("alphabeta?depth=5", Some(5), Some(5)),
        ] {
            let PlayerSpec::AlphaBeta(config) = text.parse().unwrap() else {
                panic!("{text}")
            };
            let settings = baseline_settings(&Settings::default(), &config, text);
            assert_eq!(
                (settings.own.depth, settings.unasked.depth),
                (own, unasked),
                "{text}"
            );
        }
        assert!(gives("rollout?sims=3&root=puct", "root"));
        assert!(!gives("net:root=gumbel?sims=3", "root"));
    }

    #[test]
    fn a_player_plays_what_it_can() {
        let plays = |text: &str, of_net| variants(&text.parse().unwrap(), of_net);
        assert_eq!(plays("exact", None), [VariantId::Gufu]);
        assert_eq!(plays("random", None).len(), 4);
        assert_eq!(plays("rung:25", None).len(), 2);
        assert_eq!(
            plays("net:x", Some(VariantId::Xiangqi)),
            [VariantId::Xiangqi]
        );
    }
}
