//! Random positions and lines to ask about: games with a bent, men strewn over the board, play that goes round and round.

use rules::board::{Board, Move, Ruleset};
use rules::{Game, Position, Reason, RuleOptions, Variant};

use crate::common::{Random, legal};

/// A start position and moves from it, as texts that every program reads.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) start: String,
    pub(crate) moves: Vec<String>,
}

/// Men that are strewn over a board: letters of either side, what is in hand at most, whether they promote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Men {
    /// The men of both sides together but for the kings, in lower case, a letter a man.
    pub(crate) letters: &'static str,
    /// The letters that have a promoted form.
    pub(crate) promoting: &'static str,
    /// Where hands stand in a text: in a field of their own, in brackets, or nowhere.
    pub(crate) hands: Hands,
}

/// How a position's text writes men in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hands {
    Field,
    Brackets,
    None,
}

/// What the moves of a random game lean to.
#[derive(Clone, Copy, Debug)]
enum Bent {
    None,
    Captures,
    Checks,
    Drops,
}

impl Bent {
    fn random(random: &mut Random) -> Self {
        [Self::None, Self::Captures, Self::Checks, Self::Drops][random.below(4)]
    }

    fn likes<R: Ruleset>(self, board: &Board<R>, mv: Move<R>) -> bool {
        match self {
            Self::None => true,
            Self::Captures => board.occupied().contains(mv.to()),
            Self::Drops => mv.from().is_none(),
            Self::Checks => {
                let mut next = *board;
                next.play(mv);
                next.in_check()
            }
        }
    }
}

/// Chooses one of some random moves, by preference one that the bent likes.
fn choose<R: Ruleset>(
    board: &Board<R>,
    moves: &[Move<R>],
    bent: Bent,
    random: &mut Random,
) -> Option<Move<R>> {
    if moves.is_empty() {
        return None;
    }
    let some = [(); 4].map(|()| moves[random.below(moves.len())]);
    let liked = some.into_iter().find(|&mv| bent.likes(board, mv));
    liked.or(Some(some[0]))
}

/// Plays random moves until `plies` are played or the game has ended.
fn wander<R: Ruleset + Variant<Position = Board<R>>>(
    game: &mut Game<R>,
    plies: usize,
    random: &mut Random,
) {
    let bent = Bent::random(random);
    for _ in 0..plies {
        let moves = legal(game.position());
        if game.outcome(&moves).is_some() {
            break;
        }
        if let Some(mv) = choose(game.position(), &moves, bent, random) {
            game.play(mv);
        }
    }
}

/// Makes a case out of a game's last `tail` plies; what came before them is in the start position alone.
fn case_of<R: Ruleset + Variant<Position = Board<R>>>(game: &Game<R>, tail: usize) -> Case {
    let first = game.ply().saturating_sub(tail);
    let mut start = *game.start();
    for &mv in &game.moves()[..first] {
        start.play(mv);
    }
    Case {
        start: start.to_string(),
        moves: game.moves()[first..]
            .iter()
            .map(ToString::to_string)
            .collect(),
    }
}

/// Makes a position to ask about: three of four from a random game, the others from men strewn over the board.
pub(crate) fn position<R: Ruleset + Variant<Position = Board<R>>>(
    men: Men,
    options: RuleOptions,
    random: &mut Random,
) -> Case {
    let (start, most) = if random.below(4) == 0 {
        (strewn(men, random), 4)
    } else {
        (Board::initial(), 240)
    };
    let mut game = Game::<R>::from_position(start, options);
    wander(&mut game, random.below(most), random);
    // Other programs replay slowly: seldom the whole game.
    let tail = if random.below(16) == 0 {
        300
    } else {
        random.below(4)
    };
    case_of(&game, tail)
}

/// Strews men over the board until our own parser accepts the position.
fn strewn<R: Ruleset>(men: Men, random: &mut Random) -> Board<R> {
    loop {
        if let Ok(board) = strew::<R>(men, random).parse() {
            return board;
        }
    }
}

fn strew<R: Ruleset + Variant>(men: Men, random: &mut Random) -> String {
    let (files, ranks) = (R::GRID.files, R::GRID.ranks);
    let mut squares = vec![String::from("1"); files * ranks];
    // Kings that have entered the other camp, with their men around them, are what declarations ask for.
    let entering = men.hands == Hands::Field && random.below(2) == 0;
    for (king, camp) in [("K", 0), ("k", ranks - 3)] {
        let square = match men.hands {
            Hands::None => (ranks - 3 - camp + random.below(3)) * files + 3 + random.below(3),
            _ if entering => camp * files + random.below(3 * files),
            _ => random.below(files * ranks),
        };
        king.clone_into(&mut squares[square]);
    }
    let hand = strew_men(&mut squares, men, entering.then_some(3 * files), random);
    let rows: Vec<String> = squares
        .chunks(files)
        .map(|row| merge_empty(&row.concat()))
        .collect();
    write(&rows.join("/"), &hand, random.below(2) == 0, men.hands)
}

/// Puts men on empty squares and returns those in hand; with a `camp` of so many squares, most go there, and one side has more of them.
fn strew_men(squares: &mut [String], men: Men, camp: Option<usize>, random: &mut Random) -> String {
    let richer = random.below(2) == 0;
    let (on_board, in_hand) = if camp.is_some() {
        (4 + random.below(5), 3)
    } else {
        (1 + random.below(9), random.below(3))
    };
    let mut hand = String::new();
    for letter in men.letters.chars() {
        let first = if camp.is_some() && random.below(2) == 0 {
            richer
        } else {
            random.below(2) == 0
        };
        let anywhere = random.below(squares.len());
        let square = match camp {
            Some(camp) if random.below(4) > 0 => {
                let start = if first { 0 } else { squares.len() - camp };
                start + random.below(camp)
            }
            _ => anywhere,
        };
        let promotes = men.promoting.contains(letter) && random.below(3) == 0;
        let letter = if first {
            letter.to_ascii_uppercase()
        } else {
            letter
        };
        if random.below(10) < on_board && squares[square] == "1" {
            squares[square] = format!("{}{letter}", if promotes { "+" } else { "" });
        } else if random.below(3) < in_hand {
            hand.push(letter);
        }
    }
    hand
}

fn write(board: &str, hand: &str, first: bool, hands: Hands) -> String {
    let side = if first { "w" } else { "b" };
    match hands {
        Hands::Field => {
            let side = if first { "b" } else { "w" };
            let mut letters: Vec<char> = hand.chars().collect();
            letters.sort_unstable();
            let counted: String = letters
                .chunk_by(PartialEq::eq)
                .map(|same| match same.len() {
                    1 => same[0].to_string(),
                    count => format!("{count}{}", same[0]),
                })
                .collect();
            let hand = if hand.is_empty() { "-" } else { &counted };
            format!("{board} {side} {hand} 1")
        }
        Hands::Brackets => format!("{board}[{hand}] {side} - - 0 1"),
        Hands::None => format!("{board} {side} - - 0 1"),
    }
}

/// Adds up the ones of a row.
fn merge_empty(row: &str) -> String {
    let mut merged = String::new();
    let mut empty = 0;
    for letter in row.chars().chain(['/']) {
        if letter == '1' {
            empty += 1;
            continue;
        }
        if empty > 0 {
            merged.push_str(&empty.to_string());
            empty = 0;
        }
        merged.push(letter);
    }
    merged.trim_end_matches('/').to_owned()
}

/// Makes a line that goes round and round until the game has ended: each side moves one man there and back, or round a triangle; now and
/// then every round is another one.
pub(crate) fn line<R: Ruleset + Variant<Position = Board<R>>>(
    men: Men,
    options: RuleOptions,
    random: &mut Random,
) -> Case {
    loop {
        let case = position::<R>(men, options, random);
        let mut game = Game::<R>::from_position(case.start.parse().unwrap(), options);
        let changes = random.below(4) == 0;
        let Some(mut round) = find_round(game.position(), random) else {
            continue;
        };
        while game.outcome(&legal(game.position())).is_none() {
            let mv = round[game.ply() % round.len()];
            game.play(mv);
            if changes && game.position().key() == game.start().key() {
                let other = find_round(game.position(), random);
                round = other
                    .filter(|other| other.len() == round.len())
                    .unwrap_or(round);
            }
        }
        // The judges of a line take it to begin with the first occurrence of the position that ends it.
        let returned = game.position().key() == game.start().key();
        if returned && game.occurrences() == options.repetitions {
            return case_of(&game, usize::MAX);
        }
    }
}

/// Makes a line without captures or drops that ends for lack of progress.
pub(crate) fn quiet<R: Ruleset + Variant<Position = Board<R>>>(
    men: Men,
    options: RuleOptions,
    random: &mut Random,
) -> Case {
    loop {
        let case = position::<R>(men, options, random);
        let mut game = Game::<R>::from_position(case.start.parse().unwrap(), options);
        let bent = Bent::random(random);
        let outcome = loop {
            let mut moves = legal(game.position());
            if let Some(outcome) = game.outcome(&moves) {
                break Some(outcome);
            }
            moves.retain(|mv| !game.position().occupied().contains(mv.to()));
            let Some(mv) = choose(game.position(), &moves, bent, random) else {
                break None;
            };
            game.play(mv);
        };
        if outcome.is_some_and(|outcome| outcome.reason == Reason::MoveLimit) {
            return case_of(&game, usize::MAX);
        }
    }
}

/// Finds moves that lead back to the same position, if a few tries find any; a checking first move is preferred in half the tries.
fn find_round<R: Ruleset>(board: &Board<R>, random: &mut Random) -> Option<Vec<Move<R>>> {
    (0..20).find_map(|_| {
        let bent = [Bent::None, Bent::Checks][random.below(2)];
        try_round(board, bent, 2 + random.below(2), random)
    })
}

/// Moves a man of each side `steps` times, the last time home.
fn try_round<R: Ruleset>(
    board: &Board<R>,
    bent: Bent,
    steps: usize,
    random: &mut Random,
) -> Option<Vec<Move<R>>> {
    let mut now = *board;
    let mut round = Vec::new();
    let mut homes = [None; 2];
    for ply in 0..2 * steps {
        let (side, last) = (ply % 2, ply / 2 + 1 == steps);
        let behind = ply.checked_sub(2).map(|ply| -> Move<R> { round[ply] });
        let mut moves = legal(&now);
        moves.retain(|mv| {
            mv.from().is_some()
                && !mv.promotes()
                && !now.occupied().contains(mv.to())
                && behind.is_none_or(|behind| mv.from() == Some(behind.to()))
                && (!last || Some(mv.to()) == homes[side])
        });
        let mv = choose(&now, &moves, bent, random)?;
        homes[side] = homes[side].or(mv.from());
        now.play(mv);
        round.push(mv);
    }
    (now.key() == board.key()).then_some(round)
}
