//! Files of positions to start games from, one a line.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use rules::notation::parse_game;
use rules::{Game, Position as _, RuleOptions, Variant};

/// Reads a file of games: each line holds a position or `startpos`, either followed by `moves ...`; what follows a `#` is a comment.
///
/// # Errors
/// Names the file and the line, and says what would be right. Games that have ended are wrong, and so is a file without any.
pub(crate) fn read<V: Variant>(path: &Path, rules: RuleOptions) -> Result<Vec<Game<V>>> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read `{name}`"))?;
    parse(&name, &text, rules)
}

/// Reads the text of such a file named `name`.
///
/// # Errors
/// As [`read`].
pub(crate) fn parse<V: Variant>(
    name: &str,
    text: &str,
    rules: RuleOptions,
) -> Result<Vec<Game<V>>> {
    let mut games = Vec::new();
    let mut legal = Vec::new();
    let initial = V::Position::initial();
    for (at, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let number = at + 1;
        let game = match parse_game::<V>(content, rules) {
            Ok(game) => game,
            Err(error) => bail!(
                "`{name}`, line {number}: {error}; a line holds a position, such as `{initial}`, or a comment after `#`"
            ),
        };
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome(&legal) {
            bail!(
                "`{name}`, line {number}: `{content}` has ended ({}): games can only start where they can go on",
                outcome.reason.name()
            );
        }
        games.push(game);
    }
    ensure!(
        !games.is_empty(),
        "`{name}` has no position: a line holds a position, such as `{initial}`, or a comment after `#`"
    );
    Ok(games)
}

#[cfg(test)]
mod tests {
    use rules::variants::gufu::Gufu;

    use super::*;

    #[test]
    fn moves_may_follow_and_wrong_ones_are_found() {
        let read = |text: &str| parse::<Gufu>("openings.txt", text, Gufu::OPTIONS);
        let games =
            read("startpos\n# nothing\nstartpos moves K*1c>N K*2c>S # two plies\n").unwrap();
        let plies: Vec<usize> = games.iter().map(Game::ply).collect();
        assert_eq!(plies, [0, 2]);
        let said = read("startpos\nstartpos moves K*1c>N K*1c>N").unwrap_err();
        let said = said.to_string();
        assert!(
            said.contains("`openings.txt`, line 2") && said.contains("K*1c>N"),
            "{said}"
        );
    }
}
