//! Rule options as the command line changes them.

use anyhow::{Context, Result};
use rules::RuleOptions;
use serde_json::json;

/// Returns rule options with some replaced, each given as `KEY=VALUE`.
pub(crate) fn with_rules(options: RuleOptions, changes: &[String]) -> Result<RuleOptions> {
    let mut table = serde_json::to_value(options)?;
    for change in changes {
        let (key, value) = change
            .split_once('=')
            .with_context(|| format!("`{change}` is not KEY=VALUE"))?;
        let value = value
            .parse::<u32>()
            .map_or_else(|_| json!(value), |number| json!(number));
        table[key] = value;
    }
    let options: RuleOptions =
        serde_json::from_value(table).with_context(|| format!("rules {}", changes.join(" ")))?;
    options.validate().map_err(anyhow::Error::msg)?;
    Ok(options)
}
