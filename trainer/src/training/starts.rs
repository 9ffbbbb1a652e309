//! Positions to start games from: read from the file that the config names, and copied into the run, which keeps to its copy.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rules::{Game, RuleOptions, Variant};

use crate::config::Config;
use crate::game_lines;
use crate::run_dir::RunDir;

fn copy_path(run: &RunDir) -> PathBuf {
    run.path().join("starts.txt")
}

/// Reads the positions of the config's file; none if it names none.
///
/// # Errors
/// Names the file and the line, and says what would be right.
pub(crate) fn read<V: Variant>(config: &Config) -> Result<Vec<V::Position>> {
    let file = &config.selfplay.openings.file;
    if file.is_empty() {
        return Ok(Vec::new());
    }
    read_file::<V>(Path::new(file), config.rules)
        .with_context(|| format!("selfplay.openings.file = \"{file}\""))
}

/// Returns the positions that the games of a run start from: those of its copy, which a new run makes.
///
/// # Errors
/// As [`read`], and if the config's file no longer has the positions that the run was begun with.
pub(super) fn of_run<V: Variant>(
    config: &Config,
    run: &RunDir,
    is_new: bool,
) -> Result<Vec<V::Position>> {
    let (file, copy) = (&config.selfplay.openings.file, copy_path(run));
    if file.is_empty() {
        return Ok(Vec::new());
    }
    if is_new || !copy.exists() {
        let starts = read::<V>(config)?;
        let lines: Vec<String> = starts.iter().map(|start| format!("{start}\n")).collect();
        run.write_atomic(&copy, lines.concat().as_bytes())?;
        return Ok(starts);
    }
    let starts = read_file::<V>(&copy, config.rules)?;
    ensure!(
        !Path::new(file).exists() || read::<V>(config)? == starts,
        "`{file}` no longer has the positions that `{}` was begun with, which are in `{}`: set it back, or choose another directory with --run",
        run.path().display(),
        copy.display()
    );
    Ok(starts)
}

fn read_file<V: Variant>(path: &Path, rules: RuleOptions) -> Result<Vec<V::Position>> {
    Ok(positions(&game_lines::read::<V>(path, rules)?))
}

fn positions<V: Variant>(games: &[Game<V>]) -> Vec<V::Position> {
    games.iter().map(|game| *game.position()).collect()
}

#[cfg(test)]
mod tests {
    use rules::Position as _;
    use rules::variants::euroshogi::EuroShogi;
    use rules::variants::gufu::Gufu;
    use rules::variants::showgit::Showgit;
    use rules::variants::xiangqi::Xiangqi;

    use super::*;

    fn read_text<V: Variant>(text: &str) -> Result<Vec<V::Position>, String> {
        game_lines::parse::<V>("starts.txt", text, V::OPTIONS)
            .map(|games| positions(&games))
            .map_err(|error| error.to_string())
    }

    /// Positions after some moves of each game are read as they are written, comments and empty lines aside.
    fn reads_what_is_written<V: Variant>() {
        let (mut game, mut legal) = (Game::<V>::new(V::OPTIONS), Vec::new());
        let (mut lines, mut expected) = (vec!["# a comment\n".to_owned()], Vec::new());
        for ply in 0..12 {
            lines.push(format!("  {} # after {ply} plies\r", game.position()));
            expected.push(*game.position());
            game.legal_moves(&mut legal);
            game.play(legal[ply % legal.len()]);
        }
        assert_eq!(read_text::<V>(&lines.join("\n")), Ok(expected));
    }

    #[test]
    fn positions_of_every_game_are_read() {
        reads_what_is_written::<Gufu>();
        reads_what_is_written::<Showgit>();
        reads_what_is_written::<EuroShogi>();
        reads_what_is_written::<Xiangqi>();
    }

    #[test]
    fn errors_name_the_line_the_text_and_what_would_be_right() {
        let initial = <Showgit as Variant>::Position::initial().to_string();
        let said = read_text::<Showgit>(&format!("{initial}\n# fine\nnonsense\n")).unwrap_err();
        for part in ["`starts.txt`, line 3", "nonsense", initial.as_str()] {
            assert!(said.contains(part), "{said}");
        }
        let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
        let said = read_text::<Showgit>(mated).unwrap_err();
        assert!(
            said.contains("line 1") && said.contains("checkmate"),
            "{said}"
        );
        let said = read_text::<Showgit>("# nothing\n").unwrap_err();
        assert!(said.contains("has no position"), "{said}");
    }
}
