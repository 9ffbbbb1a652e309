"""Answers questions about positions with a rules library that others made: JSON lines in, JSON lines out.

    outside.py pyffish euroshogi|xiangqi
    outside.py cshogi

A question is {"start": TEXT, "moves": [...], "ask": WHAT}; a move and a text are in the library's own notation, which is ours too.
  ask = "position": the last position's sorted moves as "legal"; if "full", also its "text", "check", and "ends", {WHY: winner}
  ask = "line": {"end": null or {"ply", "winner"}}, where play ends by repetition or by a limit for the first time, not before ply "from";
                with "occurrences", a repetition is that occurrence (cshogi)
  ask = "perft": {"counts": [...]} for depths 1, 2, ... up to "depth", while a depth is likely to have at most "most" leaves
A winner is first, second or draw. The first line written names the library and its version.
"""

import json
import sys
from importlib.metadata import version


def named(value, first_to_move):
    """The winner by a value from the side to move's point of view."""
    if value == 0:
        return "draw"
    return "first" if (value > 0) == first_to_move else "second"


class Pyffish:
    # EuroShogi by our rules page: what Fairy-Stockfish reads otherwise is set here, so that nothing need be left out of the comparison.
    #   nFoldRule: the third occurrence of a position ends the game, not the fourth.
    #   stalemateValue: a player without a move who is not in check draws and doesn't lose.
    #   shogiPawnDropMateIllegal: a pawn drop may mate.
    EUROSHOGI = (
        "[senpu-euroshogi:euroshogi]\n"
        "nFoldRule = 3\n"
        "stalemateValue = draw\n"
        "shogiPawnDropMateIllegal = false\n"
    )

    def __init__(self, game):
        import pyffish

        self.library = pyffish
        pyffish.load_variant_config(self.EUROSHOGI)
        self.variant = {"euroshogi": "senpu-euroshogi", "xiangqi": "xiangqi"}[game]
        self.game = game

    def position(self, start, moves, full):
        # Every call costs a millisecond or two, whatever it asks.
        library, variant = self.library, self.variant
        legal = sorted(library.legal_moves(variant, start, moves))
        if not full:
            return {"legal": legal}
        text = library.get_fen(variant, start, moves)
        first = text.split()[1] == "w"
        ends = {}
        if not legal:
            ends["no_move"] = named(library.game_result(variant, start, moves), first)
        over, value = library.is_immediate_game_end(variant, start, moves)
        if over:
            ends["immediate"] = named(value, first)
        if self.game == "xiangqi" and all(library.has_insufficient_material(variant, start, moves)):
            ends["insufficient_material"] = "draw"
        return {"text": text, "legal": legal, "check": library.gives_check(variant, start, moves), "ends": ends}

    def line(self, start, moves, question):
        first = start.split()[1] == "w"
        for ply in range(question["from"], len(moves) + 1):
            over, value = self.library.is_optional_game_end(self.variant, start, moves[:ply])
            if over:
                return {"ply": ply, "winner": named(value, first == (ply % 2 == 0))}
        return None

    def perft(self, start, moves, depth):
        legal = self.library.legal_moves(self.variant, start, moves)
        if depth == 1:
            return len(legal)
        return sum(self.perft(start, moves + [move], depth - 1) for move in legal)


class Cshogi:
    def __init__(self, _):
        import cshogi

        self.library = cshogi

    def board(self, start, moves):
        board = self.library.Board(start)
        for move in moves:
            assert board.push_usi(move), f"{move} is not legal"
        return board

    def position(self, start, moves, full):
        board = self.board(start, moves)
        legal = sorted(self.library.move_to_usi(move) for move in board.legal_moves)
        if not full:
            return {"legal": legal}
        first = board.turn == self.library.BLACK
        ends = {}
        if not legal:
            ends["no_move"] = named(-1, first)
        if board.is_nyugyoku():
            ends["declaration"] = named(1, first)
        return {"text": board.sfen(), "legal": legal, "check": board.is_check(), "ends": ends}

    def line(self, start, moves, question):
        judge = {2: self.second_occurrence, 4: self.fourth_occurrence}[question["occurrences"]]
        board, history = self.board(start, []), []
        for ply in range(len(moves) + 1):
            if ply > 0:
                assert board.push_usi(moves[ply - 1]), f"{moves[ply - 1]} is not legal"
            history.append((board.sfen().rsplit(" ", 1)[0], board.is_check()))
            value = judge(board, history)
            if value is not None:
                return {"ply": ply, "winner": named(value, board.turn == self.library.BLACK)}
        return None

    def second_occurrence(self, board, _):
        """The library's own judgement, which doesn't wait for the fourth occurrence."""
        values = {
            self.library.REPETITION_DRAW: 0,
            self.library.REPETITION_WIN: 1,
            self.library.REPETITION_LOSE: -1,
        }
        return values.get(board.is_draw())

    def fourth_occurrence(self, _, history):
        """Counted here, from the library's texts and checks."""
        plies = [ply for ply, (text, _) in enumerate(history) if text == history[-1][0]]
        if len(plies) < 4:
            return None
        checks = [check for _, check in history[plies[-4] + 1 :]]
        mine, theirs = all(checks[0::2]), all(checks[1::2])
        return int(theirs) - int(mine)

    def perft(self, start, moves, depth):
        return self.count(self.board(start, moves), depth)

    def count(self, board, depth):
        legal = list(board.legal_moves)
        if depth == 1:
            return len(legal)
        leaves = 0
        for move in legal:
            board.push(move)
            leaves += self.count(board, depth - 1)
            board.pop()
        return leaves


def answer(oracle, question):
    start, moves = question["start"], question["moves"]
    if question["ask"] == "position":
        return oracle.position(start, moves, question["full"])
    if question["ask"] == "line":
        return {"end": oracle.line(start, moves, question)}
    counts = []
    for depth in range(1, question["depth"] + 1):
        if counts and counts[-1] * counts[0] > question["most"]:
            break
        counts.append(oracle.perft(start, moves, depth))
    return {"counts": counts}


def main():
    library, game = (sys.argv[1:] + [""])[:2]
    oracle = {"pyffish": Pyffish, "cshogi": Cshogi}[library](game)
    print(json.dumps({"library": library, "version": version(library)}), flush=True)
    for line in sys.stdin:
        try:
            reply = answer(oracle, json.loads(line))
        except Exception as error:  # The other side reports it with the question.
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


main()
