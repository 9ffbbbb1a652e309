//! How many cases of a property, from which seed, and what is said when one fails.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestRunner};

/// Tries a property on `cases` values, or on as many as `SENPU_PROPERTY_CASES` says; `source` is the file of the test.
///
/// # Panics
/// If the property fails, with the smallest value found for which it does.
pub(crate) fn hold<S: Strategy>(
    source: &'static str,
    cases: u32,
    values: &S,
    property: impl Fn(S::Value) -> TestCaseResult,
) {
    let cases = number("SENPU_PROPERTY_CASES").map_or(cases, |cases| cases as u32);
    let seed =
        number("SENPU_PROPERTY_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish());
    let config = Config {
        cases,
        source_file: Some(source),
        max_shrink_iters: 5_000,
        rng_seed: RngSeed::Fixed(seed),
        ..Config::default()
    };
    if let Err(error) = TestRunner::new(config).run(values, property) {
        panic!("{error}\nrepeat it with SENPU_PROPERTY_SEED={seed} SENPU_PROPERTY_CASES={cases}");
    }
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|error| panic!("{name}={text}: {error}")),
    )
}
