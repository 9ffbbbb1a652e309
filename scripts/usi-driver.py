"""Plays shogi with `senpu usi` by cshogi's USI driver; cshogi's board holds every move to be legal."""

import stat
import sys
import tempfile
import threading
from pathlib import Path

import cshogi
from cshogi.usi import Engine


def wrapper(folder, senpu, player):
    """Returns a program without arguments, which is what the driver starts."""
    path = Path(folder) / f"engine-{len(list(Path(folder).iterdir()))}"
    path.write_text(f"#!/bin/sh\nexec '{senpu}' usi --player '{player}'\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)
    return str(path)


def play(engine, plies):
    """Plays against itself by every kind of limit, and returns the plies played."""
    engine.setoption("USI_Hash", 16)
    engine.setoption("USI_Ponder", "true")
    engine.isready()
    engine.usinewgame()
    board, moves = cshogi.Board(), []
    limits = [
        {"nodes": 40},
        {"byoyomi": 150},
        {"btime": 1000, "wtime": 1000, "byoyomi": 100},
        {"btime": 2000, "wtime": 2000, "binc": 100, "winc": 100},
    ]
    for ply in range(plies):
        engine.position(moves)
        if ply % 5 == 4:
            threading.Timer(0.2, engine.ponderhit).start()
            best, expected = engine.go(ponder=True, **limits[ply % len(limits)])
        else:
            best, expected = engine.go(**limits[ply % len(limits)])
        if best in ("resign", "win"):
            break
        move = board.move_from_usi(best)
        assert board.is_legal(move), f"{best} after {moves}"
        board.push(move)
        moves.append(best)
        if expected is not None:
            assert board.is_legal(board.move_from_usi(expected)), f"ponder {expected} after {moves}"
    engine.gameover("draw")
    return len(moves)


def main():
    senpu = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        for player in ["alphabeta", "alphabeta?depth=2", "rollout", "random"]:
            engine = Engine(wrapper(folder, senpu, player))
            assert any(line.startswith("option name USI_Ponder") for line in engine.usi())
            plies = play(engine, 24)
            # A gold dropped at the head of the king.
            engine.position(sfen="sfen 8k/9/8P/9/9/9/9/9/4K4 b G 1")
            mate = engine.go_mate(5000)
            wanted = "notimplemented" if player == "random" else "G*1b"
            assert mate == wanted, f"{player}: checkmate {mate}"
            engine.quit()
            print(f"{player}: {engine.name}, {plies} plies, checkmate {mate}")
            assert plies > 10


main()
