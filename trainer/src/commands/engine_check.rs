//! `senpu engine-check`.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rules::{Dialect, Variant, VariantId};
use selfplay::compliance::{Check, Verdict, check_engine};
use selfplay::players::{EngineLimit, OutsideConfig};
use serde_json::json;

use crate::cli::{EngineCheckArgs, Protocol};
use crate::dispatch::{Parts, Task, dispatch};
use crate::{output, outside_program};

/// Checks an engine and prints what was seen.
///
/// # Errors
/// If there is no such program, or a check fails.
pub fn run(args: &EngineCheckArgs) -> Result<()> {
    let variant = args.variant.unwrap_or(match args.protocol {
        Some(Protocol::Ucci) => VariantId::Xiangqi,
        _ => VariantId::Showgit,
    });
    let protocol = args.protocol.unwrap_or(match variant {
        VariantId::Showgit => Protocol::Usi,
        _ => Protocol::Uci,
    });
    ensure!(
        (0.001..=1e6).contains(&args.timeout),
        "--timeout {}: must be from 0.001 to 1000000 seconds",
        args.timeout
    );
    let option = |text: &String| {
        let (name, value) = (text.split_once('='))
            .with_context(|| format!("--option `{text}`: NAME=VALUE is wanted"))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    let config = OutsideConfig {
        command: outside_program::located(&outside_program::words(&args.command)?)?,
        dialect: match protocol {
            Protocol::Usi => Dialect::Usi,
            Protocol::Uci => Dialect::Uci,
            Protocol::Ucci => Dialect::Ucci,
        },
        limit: EngineLimit::Depth(1),
        options: args.options.iter().map(option).collect::<Result<_>>()?,
        patience: Duration::from_secs_f64(args.timeout),
        log: None,
    };
    dispatch(variant, EngineCheck { args, config })
}

struct EngineCheck<'a> {
    args: &'a EngineCheckArgs,
    config: OutsideConfig,
}

impl Task for EngineCheck<'_> {
    type Output = ();

    fn run<V: Variant>(self, _: Parts<V>) -> Result<()> {
        let mut counts = [0; 3];
        check_engine::<V>(&self.config, &mut |check| {
            counts[check.verdict as usize] += 1;
            if self.args.json {
                output::json(&json!(check));
            } else {
                print(check);
            }
        });
        let [passed, failed, skipped] = counts;
        if !self.args.json {
            let (dialect, game) = (self.config.dialect, V::ID);
            output::line(format!(
                "{dialect}, {game}: {passed} passed, {failed} failed, {skipped} skipped"
            ));
        }
        if failed > 0 {
            bail!("{failed} of {} checks failed", counts.iter().sum::<u32>());
        }
        Ok(())
    }
}

fn print(check: &Check) {
    let verdict = match check.verdict {
        Verdict::Pass => "PASS",
        Verdict::Fail => "FAIL",
        Verdict::Skip => "SKIP",
    };
    output::line(format!("{verdict} {}: {}", check.check, check.seen));
}
