//! `senpu config`.

use anyhow::Result;

use crate::cli::ConfigCommand;
use crate::config::Config;
use crate::{config_file, output};

/// Checks or shows a config, or prints the schema.
///
/// # Errors
/// If the config is wrong.
pub fn run(command: &ConfigCommand) -> Result<()> {
    match command {
        ConfigCommand::Check { config, sets } => {
            let loaded = Config::load(config, sets)?;
            output::line(format!(
                "{}: a right config for {}",
                config.display(),
                loaded.game
            ));
        }
        ConfigCommand::Show { config, sets } => {
            let mut config = Config::load(config, sets)?;
            config.resolve(None);
            output::line(config_file::to_toml(&config)?.trim_end());
        }
        ConfigCommand::Schema => output::line(serde_json::to_string_pretty(
            &config_file::schema::<Config>(),
        )?),
    }
    Ok(())
}
