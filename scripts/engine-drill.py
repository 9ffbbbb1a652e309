#!/usr/bin/env python3
"""Drills `senpu` as an engine on a busy machine: games at a clock, none of which may be lost on time, and how soon it answers `stop`.

  scripts/engine-drill.py games --player alphabeta --opponent fairy --games 40
  scripts/engine-drill.py stops --player net:runs/showgit
"""

import argparse
import os
import queue
import random
import statistics
import subprocess
import sys
import threading
import time

GAMES = {"showgit": "shogi", "euroshogi": "euroshogi", "xiangqi": "xiangqi"}


class Engine:
    """A program that speaks UCI."""

    def __init__(self, command, game):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.ask("uci", "uciok")
        self.say(f"setoption name UCI_Variant value {game}")
        self.ask("isready", "readyok")

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait_for(self, word):
        for line in self.process.stdout:
            if line.startswith(word):
                return line.split()
        raise EOFError(f"it ended instead of saying {word}")

    def ask(self, line, word):
        self.say(line)
        return self.wait_for(word)

    def quit(self):
        self.say("quit")
        self.process.wait()


def commands(args):
    senpu = [args.senpu, "--threads", str(args.threads), "uci", "--player", args.player]
    other = [args.fairy] if args.opponent == "fairy" else senpu
    return [senpu, other]


def play(args, number):
    """Plays one game and returns its plies and the seconds by which each of Senpu's seats overstepped its clock, if one did."""
    pair = commands(args)
    mine = number % 2
    engines = [Engine(pair[0 if seat == mine else 1], GAMES[args.variant]) for seat in (0, 1)]
    clocks = [args.base / 1000] * 2
    rng, moves = random.Random(number), []
    late, least = 0.0, args.base / 1000
    while len(moves) < args.plies:
        seat = len(moves) % 2
        engine = engines[seat]
        engine.say("position startpos" + (" moves " + " ".join(moves) if moves else ""))
        white, black = (max(1, round(1000 * clock)) for clock in clocks)
        if len(moves) < 4:
            # Something of a different opening in each game.
            best = engine.ask(f"go nodes {rng.randrange(1, 200)}", "bestmove")[1]
        else:
            begun = time.monotonic()
            best = engine.ask(
                f"go wtime {white} btime {black} winc {args.increment} binc {args.increment}", "bestmove"
            )[1]
            clocks[seat] -= time.monotonic() - begun
            if seat == mine or args.opponent != "fairy":
                late = max(late, -clocks[seat])
                least = min(least, clocks[seat])
            clocks[seat] = max(clocks[seat], 0.0) + args.increment / 1000
        if best in ("(none)", "resign"):
            break
        moves.append(best)
    for engine in engines:
        engine.quit()
    return len(moves), late, least


def games(args):
    waiting, results = queue.Queue(), []
    for number in range(args.games):
        waiting.put(number)

    def work():
        while True:
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            results.append(play(args, number))

    threads = [threading.Thread(target=work) for _ in range(args.at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    forfeits = sum(late > 0 for _, late, _ in results)
    plies = sum(plies for plies, _, _ in results)
    least = min(least for _, _, least in results)
    print(
        f"{args.variant}: {len(results)} games, {plies} plies, {forfeits} lost on time, least left on a clock {1000 * least:.0f} ms"
    )
    return 0 if forfeits == 0 and len(results) == args.games else 1


def stops(args):
    engine = Engine(commands(args)[0], GAMES[args.variant])
    rng, took = random.Random(0), []
    for _ in range(args.games):
        engine.say("position startpos")
        engine.say("go infinite")
        time.sleep(rng.uniform(0.02, 0.3))
        begun = time.monotonic()
        engine.ask("stop", "bestmove")
        took.append(1000 * (time.monotonic() - begun))
    engine.quit()
    print(
        f"{args.player}: {len(took)} stops, mean {statistics.mean(took):.1f} ms, median {statistics.median(took):.1f} ms, most {max(took):.1f} ms"
    )
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("drill", choices=["games", "stops"])
    parser.add_argument("--senpu", default="target/release/senpu")
    parser.add_argument("--player", default="alphabeta")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--opponent", choices=["fairy", "self"], default="self")
    parser.add_argument("--fairy", default="/usr/games/fairy-stockfish")
    parser.add_argument("--variant", choices=list(GAMES), default="showgit")
    parser.add_argument("--games", type=int, default=40, help="games, or stops")
    parser.add_argument("--at-once", type=int, default=2, help="games that go on at the same time")
    parser.add_argument("--plies", type=int, default=120, help="after which a game is given up")
    parser.add_argument("--base", type=int, default=1000, help="milliseconds on each clock")
    parser.add_argument("--increment", type=int, default=100, help="milliseconds a move")
    parser.add_argument("--busy", type=int, default=os.cpu_count(), help="processes that do other work meanwhile")
    args = parser.parse_args()
    spin = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(spin) for _ in range(args.busy)]
    try:
        return games(args) if args.drill == "games" else stops(args)
    finally:
        for process in busy:
            process.kill()


sys.exit(main())
