//! The games of a match as records that other programs read, written one by one as they end.
//!
//! With a saved match, what the records hold follows from what the match file holds: a match that goes on writes them anew, so that no game is
//! there twice and none is missing, whenever the process was killed.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use rules::{RuleOptions, Variant, VariantId};
use selfplay::notation::Format;
use selfplay::{MatchGame, Transcript};

use crate::durable::{self, Disk as _, Log, RealDisk};

/// What the files of a directory of games begin with.
const GAME: &str = "game-";

/// Where the games of a match are written.
pub(crate) struct Records {
    place: Place,
    format: Format,
    players: [String; 2],
    rules: RuleOptions,
}

enum Place {
    /// One file.
    File(Log),
    /// A directory with a file a game.
    Folder(PathBuf),
}

impl Records {
    /// Opens or makes a file or directory of the games of a match; it then holds those that were `played` before.
    ///
    /// # Errors
    /// If it holds other games, the format is unknown or of another game, or it cannot be read or written.
    pub(crate) fn open<V: Variant>(
        path: &Path,
        players: [String; 2],
        rules: RuleOptions,
        played: &[MatchGame],
    ) -> Result<Self> {
        let (format, folder) = format_of(path, V::ID)?;
        let place = if folder {
            RealDisk
                .create_dir(path)
                .with_context(|| format!("cannot make the directory `{}`", path.display()))?;
            Place::Folder(path.to_owned())
        } else {
            Place::File(Log::resume(path, 0))
        };
        let mut records = Self {
            place,
            format,
            players,
            rules,
        };
        records.begin::<V>(path, played)?;
        Ok(records)
    }

    /// Appends a game. It survives the end of this process at once.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn append<V: Variant>(&mut self, game: &MatchGame) -> Result<()> {
        let text = self.text::<V>(game)?;
        match &mut self.place {
            Place::File(log) => {
                let separator = if log.is_empty() {
                    ""
                } else {
                    self.format.separator()
                };
                log.write(&RealDisk, (separator.to_owned() + &text).as_bytes())?;
            }
            Place::Folder(dir) => {
                let path = game_path(dir, game.number, self.format);
                durable::write_atomic(&RealDisk, &path, text.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Puts the games of a finished match into their order.
    ///
    /// # Errors
    /// If the file cannot be written; it then holds what it held.
    pub(crate) fn finish<V: Variant>(self, games: &[MatchGame]) -> Result<()> {
        let Place::File(log) = &self.place else {
            return Ok(());
        };
        let texts = self.texts::<V>(games)?;
        let path = log.path().to_owned();
        let text = texts.join(self.format.separator());
        Ok(durable::write_atomic(&RealDisk, &path, text.as_bytes())?)
    }

    /// Looks at what is there, and replaces it by the games played.
    fn begin<V: Variant>(&mut self, path: &Path, played: &[MatchGame]) -> Result<()> {
        let texts = self.texts::<V>(played)?;
        match &mut self.place {
            Place::File(log) => {
                let found = read_if_present(path)?;
                ensure!(
                    is_made_of(&found, &texts, self.format.separator().as_bytes()),
                    "`{}` holds other games: choose another file with --records, or remove it",
                    path.display()
                );
                let text = texts.join(self.format.separator());
                durable::write_atomic(&RealDisk, path, text.as_bytes())?;
                *log = Log::resume(path, text.len() as u64);
            }
            Place::Folder(dir) => {
                let names: Vec<PathBuf> = (played.iter())
                    .map(|game| game_path(dir, game.number, self.format))
                    .collect();
                refuse_others(dir, &names, &texts)?;
                for (path, text) in names.iter().zip(&texts) {
                    durable::write_atomic(&RealDisk, path, text.as_bytes())?;
                }
            }
        }
        Ok(())
    }

    fn texts<V: Variant>(&self, games: &[MatchGame]) -> Result<Vec<String>> {
        games.iter().map(|game| self.text::<V>(game)).collect()
    }

    fn text<V: Variant>(&self, game: &MatchGame) -> Result<String> {
        let [a, b] = &self.players;
        let transcript = Transcript::<V>::of_match(game, [a, b], self.rules)?;
        Ok(self.format.write(&transcript)?)
    }
}

/// Returns the format of records at a path, and whether they are a directory.
fn format_of(path: &Path, variant: VariantId) -> Result<(Format, bool)> {
    let extension = path.extension().and_then(OsStr::to_str);
    let known = extension.and_then(Format::of_extension);
    if path.is_dir() || extension.is_none() {
        let format = match variant {
            VariantId::Showgit => Format::Kif,
            _ => Format::Pgn,
        };
        return Ok((format, true));
    }
    let Some(format) = known else {
        bail!(
            "--records `{}`: a file must end in one of {}; a name without an ending is a directory",
            path.display(),
            Format::ALL.map(Format::name).join(", ")
        );
    };
    if let Some(game) = format.game().filter(|game| *game != variant) {
        bail!("--records: {format} is a format for {game}, not for {variant}: use pgn or usi");
    }
    Ok((format, false))
}

fn game_path(dir: &Path, number: u64, format: Format) -> PathBuf {
    dir.join(format!("{GAME}{:06}.{}", number + 1, format.extension()))
}

fn read_if_present(path: &Path) -> Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read.with_context(|| format!("cannot read `{}`", path.display())),
    }
}

/// Tells whether a file is made of some of these texts, in any order, the last of them perhaps cut off.
fn is_made_of(file: &[u8], texts: &[String], separator: &[u8]) -> bool {
    let mut rest = file;
    let mut begun = false;
    while !rest.is_empty() {
        let body = match (begun, rest.strip_prefix(separator)) {
            (false, _) => rest,
            (true, Some(body)) => body,
            (true, None) => return separator.starts_with(rest),
        };
        begun = true;
        let whole = texts.iter().find(|text| body.starts_with(text.as_bytes()));
        match whole {
            Some(text) => rest = &body[text.len()..],
            None => return texts.iter().any(|text| text.as_bytes().starts_with(body)),
        }
    }
    true
}

/// Refuses a directory that holds games which are not among those played.
fn refuse_others(dir: &Path, names: &[PathBuf], texts: &[String]) -> Result<()> {
    let list = || format!("cannot list `{}`", dir.display());
    for entry in fs::read_dir(dir).with_context(list)? {
        let entry = entry.with_context(list)?;
        let name = entry.file_name();
        if !name.to_string_lossy().starts_with(GAME) {
            continue;
        }
        let path = entry.path();
        if path.extension().is_some_and(|ending| ending == "tmp") {
            continue;
        }
        let own = names.iter().position(|known| *known == path);
        let same = match own {
            Some(at) => fs::read(&path).with_context(list)? == texts[at].as_bytes(),
            None => false,
        };
        ensure!(
            same,
            "`{}` is another game: choose another directory with --records, or remove it",
            path.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_these_games_is_told_from_others() {
        let texts = ["one\n".to_owned(), "two\n".to_owned(), "three\n".to_owned()];
        let made = |file: &str| is_made_of(file.as_bytes(), &texts, b"/\n");
        for good in [
            "",
            "o",
            "two\n",
            "two\n/",
            "two\n/\n",
            "two\n/\nthr",
            "three\n/\none\n/\ntwo\n",
        ] {
            assert!(made(good), "{good:?}");
        }
        for other in ["four\n", "one\ntwo\n", "one\n/\nfour", "one\n/\ntwo\nx"] {
            assert!(!made(other), "{other:?}");
        }
        assert!(!is_made_of(b"x", &[], b"/\n"));
    }
}
