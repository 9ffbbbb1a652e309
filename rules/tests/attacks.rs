//! The squares that a side attacks, against a walk over the tables of movements; checks and losses, against moves that are played.

use rules::board::movement::{DIAGONAL, ORTHOGONAL, Slide};
use rules::board::{Bitboard, Board, Outlook, Ruleset, Square};
use rules::variants::{euroshogi::EuroShogi, gufu, gufu::Gufu, showgit::Showgit, xiangqi::Xiangqi};
use rules::{Game, Heuristics as _, Position, Side, Variant};

/// Positions of random games, from a generator of their own.
fn positions<V: Variant>(count: usize) -> Vec<V::Position> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    let (mut positions, mut legal) = (Vec::new(), Vec::new());
    let mut game = Game::<V>::new(V::OPTIONS);
    while positions.len() < count {
        game.legal_moves(&mut legal);
        if game.outcome(&legal).is_some() {
            game.undo_to(0);
            continue;
        }
        positions.push(*game.position());
        game.play(legal[random(legal.len())]);
    }
    positions
}

/// Tells whether the man of `side` on `from` could capture an enemy on `target`, square by square.
fn captures<R: Ruleset>(board: &Board<R>, side: Side, from: Square, target: Square) -> bool {
    let kind = board.piece(from).map_or(0, |piece| piece.kind);
    let movement = &R::MOVEMENTS[usize::from(R::KINDS[usize::from(kind)].movement)];
    let to = |at: Square, (right, forward): (i8, i8)| at.offset(R::GRID, side, right, forward);
    let full = |at: Square| at == target || board.piece(at).is_some();
    if let Some(region) = movement.region {
        let home = target.seen_by(R::GRID, side);
        let (file, rank) = (home.file(R::GRID), target.rank_for(R::GRID, side));
        // Regions lie the same to the left and to the right.
        if !(region.files.0..=region.files.1).contains(&file)
            || !(region.ranks.0..=region.ranks.1).contains(&rank)
        {
            return false;
        }
    }
    let gained = from.rank_for(R::GRID, side) >= movement.gained_from;
    let gained = movement.gained.iter().filter(|_| gained);
    if movement
        .steps
        .iter()
        .chain(gained)
        .any(|&step| to(from, step) == Some(target))
    {
        return true;
    }
    let leaps = movement
        .leaps
        .iter()
        .filter(|leap| to(from, leap.leg).is_some_and(|leg| !full(leg)));
    if leaps
        .flat_map(|leap| leap.to)
        .any(|&leap| to(from, leap) == Some(target))
    {
        return true;
    }
    let lines: &[(i8, i8)] = match movement.slide {
        Slide::None => &[],
        Slide::Forward => &[(0, 1)],
        Slide::Orthogonal | Slide::Cannon => &ORTHOGONAL,
        Slide::Diagonal => &DIAGONAL,
    };
    let screens = usize::from(movement.slide == Slide::Cannon);
    lines.iter().any(|&line| {
        let way = std::iter::successors(to(from, line), |&at| to(at, line));
        let men: Vec<Square> = way.filter(|&at| full(at)).collect();
        men.get(screens) == Some(&target)
    })
}

fn attacked_squares_are_those_of_captures<R: Ruleset<Position = Board<R>>>() {
    let mut legal = Vec::new();
    for board in positions::<R>(400) {
        for side in [Side::First, Side::Second] {
            let mut expected = Bitboard::EMPTY;
            for target in (0..R::GRID.squares() as u8).map(Square::new) {
                let men = board.side(side).into_iter();
                if men
                    .into_iter()
                    .any(|from| captures(&board, side, from, target))
                {
                    expected |= Bitboard::of(target);
                }
            }
            assert_eq!(board.attacked_by(side), expected, "{side:?} in {board}");
        }
        let (us, them) = (board.side_to_move(), board.side_to_move().other());
        board.legal_moves(&mut legal);
        let ours = board.attacked_by(us);
        assert!(
            legal
                .iter()
                .filter(|mv| board.piece(mv.to()).is_some())
                .all(|mv| ours.contains(mv.to()))
        );
        assert_eq!(
            board.attacked_by(them).contains(board.king(us)),
            board.in_check()
        );
    }
}

#[test]
fn a_square_is_attacked_if_a_man_there_could_be_captured() {
    attacked_squares_are_those_of_captures::<Showgit>();
    attacked_squares_are_those_of_captures::<EuroShogi>();
    attacked_squares_are_those_of_captures::<Xiangqi>();
}

/// Tells what the moves of random positions threaten and risk by playing them and by the exchange itself.
fn outlooks_foretell<R: Ruleset<Position = Board<R>>>() {
    let (mut legal, mut checks, mut losses) = (Vec::new(), 0, 0);
    for board in positions::<R>(3000) {
        board.legal_moves(&mut legal);
        let outlook = Outlook::new(&board);
        for &mv in &legal {
            let mut next = board;
            next.play(mv);
            assert_eq!(outlook.gives_check(mv), next.in_check(), "{mv} in {board}");
            let loses = !board.wins_exchange(mv, 0);
            assert_eq!(outlook.loses_material(mv), loses, "{mv} in {board}");
            checks += u32::from(next.in_check());
            losses += u32::from(loses);
        }
    }
    assert!(checks > 500 && losses > 5000, "{checks} {losses}");
}

#[test]
fn checks_and_losses_are_known_before_the_move() {
    outlooks_foretell::<Showgit>();
    outlooks_foretell::<EuroShogi>();
    outlooks_foretell::<Xiangqi>();
}

#[test]
fn pieces_of_gufu_attack_what_they_can_step_onto() {
    let mut legal = Vec::new();
    let mut seen = 0;
    for position in positions::<Gufu>(3000) {
        position.legal_moves(&mut legal);
        for mv in &legal {
            if mv.kind == gufu::MoveKind::Step || mv.kind == gufu::MoveKind::Capture {
                let piece = mv.actor.piece(position.side_to_move());
                assert!(position.attackers(mv.to).any(|attacker| attacker == piece));
                seen += 1;
            }
        }
        let king = gufu::Piece::king(position.side_to_move());
        let Some((square, _)) = position.place(king) else {
            continue;
        };
        // Check is a shared piece that reaches both kings.
        let other = position.place(gufu::Piece::king(position.side_to_move().other()));
        let reaches = |at| {
            position
                .attackers(at)
                .filter(|piece| gufu::Piece::SHARED.contains(piece))
        };
        let both = other.map_or(0, |(at, _)| {
            reaches(square)
                .filter(|piece| reaches(at).any(|same| same == *piece))
                .count()
        });
        assert_eq!(both, position.checkers().count(), "{position}");
        assert!(position.attackers(square).all(|attacker| attacker != king));
    }
    assert!(seen > 3000);
}
