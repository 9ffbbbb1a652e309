//! From and to the records of self-play, and from the games of a match.

use rules::{Game, MoveOf, NotationError, Outcome, Position as _, RuleOptions, Side, Variant};

use super::{Claim, Ending, Heading, Note, Transcript};
use crate::arena::MatchGame;
use crate::players::Fault;
use crate::record::{GameRecord, PlyKind, PlyRecord, RecordError};

/// A transcript that cannot be a record of this program's own kind.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// It has no end.
    #[error("it has no end, and a record of a game needs one")]
    Unfinished,
    /// The rules say otherwise.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl<V: Variant> Transcript<V> {
    /// Makes a transcript of a record of self-play, with the values that searches gave. Players are named by the nets that began and, where
    /// they changed, ended the game.
    ///
    /// # Errors
    /// If the record does not hold by the rules.
    pub fn of_record(record: &GameRecord) -> Result<Self, RecordError> {
        let game = record.replay::<V>()?;
        let nets = [record.checkpoints.first(), record.checkpoints.last()];
        let mut names: Vec<String> = nets
            .into_iter()
            .flatten()
            .map(|(_, net)| format!("net {net:016x}"))
            .collect();
        names.dedup();
        let player = names.join(", ");
        let note = |ply: &PlyRecord| Note {
            value: ply.kind.is_search().then(|| ply.root.value()),
            seconds: None,
        };
        let heading = Heading {
            players: [player.clone(), player.clone()],
            // A record that was converted has no nets.
            event: if player.is_empty() { "" } else { "self-play" }.to_owned(),
            round: record.number.to_string(),
            ..Heading::default()
        };
        let notes = record.plies.iter().map(note).collect();
        Ok(Self::new(heading, game, notes, Some(claim(record.outcome))))
    }

    /// Makes a transcript of a game of a match between A and B.
    ///
    /// # Errors
    /// If its start or a move is none of the game.
    pub fn of_match(
        played: &MatchGame,
        [a, b]: [&str; 2],
        options: RuleOptions,
    ) -> Result<Self, NotationError> {
        let mut game = Game::<V>::from_position(played.start.parse()?, options);
        for &bits in &played.moves {
            let mv = MoveOf::<V>::try_from(bits)?;
            game.play(game.position().parse_move(&mv.to_string())?);
        }
        let players = match played.side_of_a() {
            Side::First => [a, b],
            Side::Second => [b, a],
        };
        let heading = Heading {
            players: players.map(str::to_owned),
            event: "match".to_owned(),
            round: format!("{}.{}", played.number / 2 + 1, played.number % 2 + 1),
            ..Heading::default()
        };
        let notes = (played.values.iter())
            .map(|&value| Note {
                value,
                seconds: None,
            })
            .collect();
        let ending = match &played.forfeit {
            Some(forfeit) if forfeit.fault == Fault::Timeout => {
                Ending::claimed(played.outcome.winner, Claim::Time)
            }
            _ => claim(played.outcome),
        };
        Ok(Self::new(heading, game, notes, Some(ending)))
    }

    /// Makes a record of this program's own kind. It has no visits, so nothing can be learned from it: its plies are `forked`, taken over from
    /// elsewhere, and have no copies.
    ///
    /// # Errors
    /// If the game has no end, or has one that the rules exclude: it goes on after they end it, or they give the game to another.
    pub fn to_record(&self, number: u64) -> Result<GameRecord, TranscriptError> {
        let ending = self.ending.ok_or(TranscriptError::Unfinished)?;
        let plies = self.game.ply();
        let record = GameRecord {
            variant: V::ID,
            rules_version: V::RULES_VERSION,
            options: *self.game.options(),
            seed: 0,
            number,
            start: self.game.start().to_string(),
            moves: self.game.moves().iter().map(|&mv| mv.into()).collect(),
            plies: vec![PlyRecord::unsearched(PlyKind::Forked); plies],
            outcome: ending.outcome(),
            checkpoints: Vec::new(),
            resigned: None,
            origin: None,
        };
        record.replay::<V>()?;
        Ok(record)
    }
}

fn claim(outcome: Outcome) -> Ending {
    Ending::claimed(outcome.winner, Claim::Reason(outcome.reason))
}
