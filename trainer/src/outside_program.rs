//! Programs of others: how a command is written, and where its program is.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Splits a command at spaces; what stands in quotation marks of either kind stays together.
///
/// # Errors
/// If it is empty or a quotation mark is not closed.
pub(crate) fn words(command: &str) -> Result<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let (mut quote, mut within) = (None, false);
    for found in command.chars() {
        match (quote, found) {
            (Some(open), _) if found == open => quote = None,
            (None, '\'' | '"') => quote = Some(found),
            (None, _) if found.is_whitespace() => {
                within = false;
                continue;
            }
            _ => {}
        }
        if !within {
            words.push(String::new());
            within = true;
        }
        let is_mark = quote == Some(found) || quote.is_none() && matches!(found, '\'' | '"');
        if let (false, Some(word)) = (is_mark, words.last_mut()) {
            word.push(found);
        }
    }
    if quote.is_some() {
        bail!("`{command}`: a quotation mark is not closed");
    }
    if words.first().is_none_or(String::is_empty) {
        bail!("`{command}`: a command is wanted, a program and perhaps its arguments");
    }
    Ok(words)
}

/// Returns the command with its program by its path.
///
/// # Errors
/// If there is no such program.
pub(crate) fn located(command: &[String]) -> Result<Vec<String>> {
    let mut command = command.to_vec();
    if let Some(program) = command.first_mut() {
        let path = find(Path::new(program))?;
        *program = path.to_string_lossy().into_owned();
    }
    Ok(command)
}

/// Returns where a program is: at its path, on the PATH, or among the games of the system.
///
/// # Errors
/// If it is nowhere.
pub(crate) fn find(program: &Path) -> Result<PathBuf> {
    let by_name = program.components().count() == 1;
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut places: Vec<PathBuf> = vec![program.to_owned()];
    if by_name {
        places = std::env::split_paths(&folders)
            .chain([PathBuf::from("/usr/games")])
            .map(|folder| folder.join(program))
            .collect();
    }
    let found = places.into_iter().find(|place| place.is_file());
    found.with_context(|| {
        format!(
            "there is no program `{}`, neither on the PATH nor in /usr/games: install it (on Debian `apt install fairy-stockfish`) or give its path",
            program.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_into_words() {
        assert_eq!(words("engine").unwrap(), ["engine"]);
        assert_eq!(
            words(" a  -b 'c d' \"e 'f\" g\"\"h ''").unwrap(),
            ["a", "-b", "c d", "e 'f", "gh", ""]
        );
        assert!(words("").is_err() && words("  ").is_err() && words("''").is_err());
        assert!(words("'a b").is_err());
    }

    #[test]
    fn programs_are_found_by_name_and_by_path() {
        let by_name = find(Path::new("sh")).unwrap();
        assert!(by_name.is_absolute());
        assert_eq!(find(&by_name).unwrap(), by_name);
        let error = find(Path::new("no-such-engine")).unwrap_err().to_string();
        assert!(error.contains("`no-such-engine`"), "{error}");
    }
}
