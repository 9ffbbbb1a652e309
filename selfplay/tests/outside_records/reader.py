"""Reads and writes game records with cshogi, and replays PGN with pyffish: one JSON question a line, one JSON answer a line.

Both libraries are under the GPL; they run here as a program of their own. Tags and moves of a PGN are taken apart by the few lines below, after the
PGN standard; the moves are judged by pyffish.
"""

import json
import os
import re
import sys
import tempfile

import cshogi
import pyffish
from cshogi import CSA, KIF

WINNERS = {cshogi.BLACK_WIN: "first", cshogi.WHITE_WIN: "second", cshogi.DRAW: "draw", None: None}


def position(sfen, moves):
    board = cshogi.Board(sfen)
    for move in moves:
        assert board.is_legal(move), f"illegal {cshogi.move_to_usi(move)} in {board.sfen()}"
        board.push(move)
    return board.sfen()


def game(parser):
    moves = list(parser.moves)
    return {
        "start": parser.sfen,
        "moves": [cshogi.move_to_usi(move) for move in moves],
        "final": position(parser.sfen, moves),
        "winner": WINNERS[parser.win],
        "names": list(parser.names),
        "times": list(parser.times),
    }


def read_pgn(text):
    tags = dict(re.findall(r'^\[(\w+) "((?:[^"\\]|\\.)*)"\]$', text, re.M))
    body = re.sub(r"^\[.*\]$", "", text, flags=re.M)
    words = re.sub(r"\{[^}]*\}", " ", body).split()
    moves = [word for word in words[:-1] if not re.fullmatch(r"\d+\.+", word)]
    numbers = [word for word in words[:-1] if re.fullmatch(r"\d+\.+", word)]
    variant = tags["Variant"]
    start = tags.get("FEN") or pyffish.start_fen(variant)
    # It refuses a move that is not among its legal ones.
    final = pyffish.get_fen(variant, start, moves)
    winner = {"1-0": "first", "0-1": "second", "1/2-1/2": "draw", "*": None}
    assert tags["Result"] == words[-1]
    return {
        "moves": moves,
        "final": final,
        "winner": winner[words[-1]],
        "names": [tags["White"], tags["Black"]],
        "first_number": numbers[0] if numbers else None,
    }


def write(question):
    """Writes a game with the library's own exporters."""
    board = cshogi.Board(question["start"])
    path = os.path.join(tempfile.mkdtemp(), "game." + {"kif": "kifu", "csa": "csa"}[question["format"]])
    if question["format"] == "kif":
        exporter = KIF.Exporter(path)
        usual = question["start"].split()[:3] == cshogi.STARTING_SFEN.split()[:3]
        exporter.header(["a", "b"], handicap=None if usual else board)
    else:
        exporter = CSA.Exporter(path, encoding="utf-8")
        exporter.info(board, names=["a", "b"], version="V2.2")
    used = [0, 0]
    for ply, usi in enumerate(question["moves"]):
        move = board.move_from_usi(usi)
        used[board.turn] += ply
        if question["format"] == "kif":
            exporter.move(move, sec=ply, sec_sum=used[board.turn])
        else:
            exporter.move(move, time=ply, comment="* 0")
        board.push(move)
    if question["format"] == "kif":
        exporter.end(question["end"])
    else:
        exporter.endgame({"resign": "%TORYO", "sennichite": "%SENNICHITE", "draw": "%JISHOGI", "illegal_lose": "%ILLEGAL_MOVE"}[question["end"]])
    exporter.close()
    with open(path, encoding="utf-8") as file:
        return {"text": file.read(), "final": board.sfen()}


def answer(question):
    if question["do"] == "write":
        return write(question)
    text = question["text"]
    if question["format"] == "pgn":
        return read_pgn(text)
    if question["format"] == "kif":
        return game(KIF.Parser.parse_str(text))
    (parser,) = CSA.Parser.parse_str(text)
    return game(parser)


print(json.dumps({"library": "cshogi and pyffish"}), flush=True)
for line in sys.stdin:
    try:
        print(json.dumps(answer(json.loads(line))), flush=True)
    except Exception as error:  # what a library says of a record is an answer
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), flush=True)
