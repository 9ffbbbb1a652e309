//! Where games come from.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rules::VariantId;
use selfplay::notation::{Format, decode};

use crate::cli::ConvertArgs;
use crate::config::Config;
use crate::replay::segment_variant;
use crate::run_dir::RunDir;

/// The endings of segments.
pub(super) const SEGMENT: &str = "sgm";
const OPEN_SEGMENT: &str = "open";

/// What is read.
pub(super) enum Source {
    /// A text.
    Text {
        name: String,
        format: Format,
        text: String,
    },
    /// The games of a run.
    Store { dir: PathBuf, variant: VariantId },
    /// A segment of a run's games.
    Segment { path: PathBuf, variant: VariantId },
}

impl Source {
    pub(super) fn of(args: &ConvertArgs) -> Result<Self> {
        let path = &args.input;
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let is_segment = args.from.is_none() && [SEGMENT, OPEN_SEGMENT].contains(&extension);
        if path.is_dir() {
            let run = RunDir::read(path)?;
            let config = Config::load(&run.config(), &[])?;
            return Ok(Self::Store {
                dir: run.games(),
                variant: config.game,
            });
        }
        if is_segment {
            let Some(name) = segment_variant(path)? else {
                bail!(
                    "`{}` is no segment of games, or its beginning is damaged",
                    path.display()
                );
            };
            return Ok(Self::Segment {
                path: path.clone(),
                variant: name.parse()?,
            });
        }
        let (name, bytes) = read(path)?;
        let format = format_of(path, args.from, "--from")?;
        let text = decode(&bytes).with_context(|| format!("`{name}`"))?;
        Ok(Self::Text {
            name,
            format,
            text: text.to_owned(),
        })
    }

    /// Returns what errors call it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Text { name, .. } => name.clone(),
            Self::Store { dir: path, .. } | Self::Segment { path, .. } => {
                path.display().to_string()
            }
        }
    }

    /// Returns the game, which the input may say, or the command line.
    pub(super) fn variant(&self, given: Option<VariantId>) -> Result<VariantId> {
        let said = match self {
            Self::Store { variant, .. } | Self::Segment { variant, .. } => Some(*variant),
            Self::Text { name, format, text } => format
                .variant_of(text)
                .with_context(|| format!("`{name}`"))?,
        };
        match (given, said) {
            (Some(given), Some(said)) if given != said => {
                bail!(
                    "`{}` has games of {said}, not of {given}: leave --variant out",
                    self.name()
                )
            }
            (given, said) => Ok(said.or(given).unwrap_or(VariantId::Showgit)),
        }
    }
}

fn read(path: &Path) -> Result<(String, Vec<u8>)> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        return Ok(("standard input".to_owned(), bytes));
    }
    let name = path.display().to_string();
    let bytes = fs::read(path).with_context(|| format!("cannot read `{name}`"))?;
    Ok((name, bytes))
}

/// Returns the format that was given, or that a name ends in.
pub(super) fn format_of(path: &Path, given: Option<Format>, option: &str) -> Result<Format> {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    match given.or_else(|| Format::of_extension(extension)) {
        Some(format) => Ok(format),
        None => bail!(
            "the format of `{}` is unknown: give {option}, one of {}, or a name that ends in it",
            path.display(),
            Format::ALL.map(Format::name).join(", ")
        ),
    }
}
