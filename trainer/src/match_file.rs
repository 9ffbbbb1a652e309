//! The saved state of a match: a line that says which match it is, and a line a game. A match whose process was killed goes on from it.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};
use rules::{Game, MoveOf, Outcome, Position as _, Reason, RuleOptions, Side, Variant, VariantId};
use selfplay::{Forfeit, MatchGame};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::durable::{self, Log, RealDisk};

/// A match file, open for this process alone.
pub(crate) struct MatchFile {
    log: Log,
    head: String,
    players: [String; 2],
    /// Held for its lock.
    _lock: File,
}

/// A game as a line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    variant: VariantId,
    number: u64,
    first: String,
    second: String,
    start: String,
    opening_plies: usize,
    moves: Vec<String>,
    /// What the movers thought, an entry a move; files of older versions have none.
    #[serde(default)]
    values: Vec<Option<f32>>,
    winner: String,
    reason: Reason,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forfeit: Option<Forfeit>,
}

impl MatchFile {
    /// Opens the file of the match that `head` describes, or makes it, and returns the games that are in it. A last line without its end is cut
    /// off.
    ///
    /// # Errors
    /// If the file is of another match, a game in it is wrong, another process has it, or it cannot be read or written.
    pub(crate) fn open<V: Variant>(
        path: &Path,
        head: &Value,
        players: [String; 2],
        rules: RuleOptions,
    ) -> Result<(Self, Vec<MatchGame>)> {
        let shown = path.display();
        let head = format!("{head}\n");
        let bytes = fs::read(path).unwrap_or_default();
        // Without a whole line of this match nothing is lost by beginning anew.
        let is_new = head.as_bytes().starts_with(&bytes);
        let log = if is_new {
            Log::create(&RealDisk, path, head.as_bytes())?
        } else {
            let end = bytes.iter().rposition(|&byte| byte == b'\n');
            Log::resume(path, end.map_or(0, |end| end as u64 + 1))
        };
        let lock = File::open(path).with_context(|| format!("cannot open `{shown}`"))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => bail!("`{shown}` is in use by another process"),
            locked => locked.with_context(|| format!("cannot lock `{shown}`"))?,
        }
        let mut games = Vec::new();
        if !is_new {
            let text = String::from_utf8_lossy(&bytes[..log.len() as usize]);
            refuse_another_match(path, text.lines().next().unwrap_or_default(), &head)?;
            for (at, line) in text.lines().enumerate().skip(1) {
                let game = read_game::<V>(line, rules)
                    .with_context(|| format!("`{shown}`, line {}", at + 1))?;
                games.push(game);
            }
            games.sort_by_key(|game| game.number);
            games.dedup_by_key(|game| game.number);
        }
        let file = Self {
            log,
            head,
            players,
            _lock: lock,
        };
        Ok((file, games))
    }

    /// Appends a game. It survives the end of this process at once.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn append<V: Variant>(&mut self, game: &MatchGame) -> Result<()> {
        let line = self.line::<V>(game)?;
        Ok(self.log.write(&RealDisk, line.as_bytes())?)
    }

    /// Puts the games of a finished match into their order, so that the same match leaves the same file.
    ///
    /// # Errors
    /// If the file cannot be written; it then holds what it held.
    pub(crate) fn finish<V: Variant>(self, games: &[MatchGame]) -> Result<()> {
        let mut text = self.head.clone();
        for game in games {
            text.push_str(&self.line::<V>(game)?);
        }
        let path = self.log.path().to_owned();
        Ok(durable::write_atomic(&RealDisk, &path, text.as_bytes())?)
    }

    fn line<V: Variant>(&self, game: &MatchGame) -> Result<String> {
        let name = |&bits: &u16| MoveOf::<V>::try_from(bits).map(|mv| mv.to_string());
        let [a, b] = self.players.clone();
        let (first, second) = match game.side_of_a() {
            Side::First => (a, b),
            Side::Second => (b, a),
        };
        let line = Line {
            variant: V::ID,
            number: game.number,
            first,
            second,
            start: game.start.clone(),
            opening_plies: game.opening_plies,
            moves: game.moves.iter().map(name).collect::<Result<_, _>>()?,
            values: game.values.clone(),
            winner: game.outcome.winner.map_or("draw", Side::name).to_owned(),
            reason: game.outcome.reason,
            forfeit: game.forfeit.clone(),
        };
        Ok(serde_json::to_string(&line)? + "\n")
    }
}

/// Names what differs between the line that a file begins with and the one that it should.
fn refuse_another_match(path: &Path, found: &str, expected: &str) -> Result<()> {
    let shown = path.display();
    if found == expected.trim_end() {
        return Ok(());
    }
    let (found, expected) = (Value::from_str(found), Value::from_str(expected)?);
    let Some(expected) = expected.as_object() else {
        bail!("a match is described by an object");
    };
    match found {
        Ok(Value::Object(found)) if found.get("match_format") == expected.get("match_format") => {
            let differs = |key: &&String| found.get(*key) != expected.get(*key);
            let keys: Vec<&str> = expected
                .keys()
                .filter(differs)
                .map(String::as_str)
                .collect();
            bail!(
                "`{shown}` holds another match: its {} differ; choose another file with --save, or remove it",
                keys.join(", ")
            )
        }
        _ => {
            bail!("`{shown}` is no file of a match that can go on: choose another one with --save")
        }
    }
}

/// Tells whether a game ended by something else than the rules.
fn is_of_the_match(line: &Line) -> bool {
    match line.reason {
        Reason::Adjudication | Reason::Resignation => line.forfeit.is_none(),
        Reason::Forfeit => line.forfeit.is_some(),
        _ => false,
    }
}

/// Reads a game and plays it by the rules.
fn read_game<V: Variant>(line: &str, rules: RuleOptions) -> Result<MatchGame> {
    let line: Line = serde_json::from_str(line).context("not a game of a match")?;
    ensure!(line.variant == V::ID, "a game of {}", line.variant);
    let mut game = Game::<V>::from_position(line.start.parse()?, rules);
    for mv in &line.moves {
        game.play(game.position().parse_move(mv)?);
    }
    let outcome = Outcome {
        winner: [Side::First, Side::Second]
            .into_iter()
            .find(|side| side.name() == line.winner),
        reason: line.reason,
    };
    let mut legal = Vec::new();
    game.legal_moves(&mut legal);
    let by_rules = game.outcome(&legal);
    ensure!(
        by_rules == Some(outcome) || by_rules.is_none() && is_of_the_match(&line),
        "game {} ends otherwise than it says",
        line.number
    );
    ensure!(
        line.opening_plies <= line.moves.len(),
        "game {} is shorter than its opening",
        line.number
    );
    Ok(MatchGame {
        number: line.number,
        start: line.start,
        opening_plies: line.opening_plies,
        moves: game.moves().iter().map(|&mv| mv.into()).collect(),
        values: line.values,
        outcome,
        forfeit: line.forfeit,
    })
}
