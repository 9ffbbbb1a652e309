use super::*;

/// Means with this divergence of policies, of which a net that knows nothing has 1, and this loss of values.
fn means(divergence: f64, wdl: f64) -> Means {
    Means {
        positions: 400,
        policy: 1.2 + divergence,
        policy_entropy: 1.2,
        policy_uniform: 2.2,
        wdl,
        ..Means::default()
    }
}

/// What follows from losses on fresh and known positions, the latter before and after learning; all differences have the same error.
fn limits(fresh: Means, known: [Means; 2], error: f64) -> Limits {
    let [known, known_after] = known;
    let difference = |mean| Difference { mean, error };
    let heads = |a: &Means, b: &Means| Heads {
        policy: difference(a.divergence() - b.divergence()),
        wdl: difference(a.wdl - b.wdl),
    };
    let mut limits = Limits {
        fresh,
        known,
        known_after,
        gap: heads(&fresh, &known),
        gain: heads(&known, &known_after),
        ..Limits::default()
    };
    limits.limit = limits.judge();
    limits
}

#[test]
fn losses_before_and_after_tell_what_limits_a_run() {
    let judge = |fresh, known, after| limits(fresh, [known, after], 0.001).limit.unwrap();
    let still = means(0.3, 0.8);
    // Far from the searches, as far on new games, and learning changes nothing.
    assert_eq!(judge(means(0.3, 0.8), still, still), Limit::Capacity);
    // Learning helps, be it with policies or with values.
    assert_eq!(judge(still, still, means(0.27, 0.8)), Limit::Learner);
    assert_eq!(judge(still, still, means(0.3, 0.78)), Limit::Learner);
    let close = means(0.02, 0.8);
    assert_eq!(judge(close, close, close), Limit::Targets);
    assert_eq!(judge(close, close, means(0.01, 0.8)), Limit::Targets);
    assert_eq!(judge(close, close, means(0.02, 0.75)), Limit::Learner);
    // What is known of games learned from is not known of new ones.
    assert_eq!(judge(means(0.5, 0.8), still, still), Limit::Data);
    assert_eq!(judge(means(0.3, 1.0), close, close), Limit::Data);
    assert_eq!(judge(means(0.02, 0.95), close, close), Limit::Data);
}

#[test]
fn what_may_be_chance_tells_nothing() {
    let (still, better) = (means(0.3, 0.8), means(0.27, 0.78));
    let judge = |error| {
        limits(means(0.45, 0.95), [still, better], error)
            .limit
            .unwrap()
    };
    assert_eq!(judge(0.01), Limit::Data);
    assert_eq!(judge(0.1), Limit::Capacity);
    let none = limits(still, [Means::default(); 2], 0.001);
    assert_eq!((none.limit, none.advice()), (None, None));
}

#[test]
fn advice_names_the_limit_its_figures_and_a_remedy() {
    let still = means(0.3, 0.8);
    let said = limits(means(0.5, 0.8), [still, still], 0.001).advice();
    let said = said.unwrap();
    for part in [
        "limited by its data",
        "lower replay.reuse",
        "divergence 0.500 on new games, 0.300 on known ones",
        "70.0 % of what searches say",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let limits = limits(still, [still, still], 0.001);
    let json = serde_json::to_value(limits).unwrap();
    assert_eq!(json["limit"], "capacity");
    assert!(json["gap"]["policy"]["error"].is_number());
}
