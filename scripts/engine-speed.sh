#!/usr/bin/env bash
# Compares the alpha-beta player's nodes a second of processor time with Fairy-Stockfish's, which runs as a program of its own:
#   scripts/engine-speed.sh [target/release/senpu] [/usr/games/fairy-stockfish]
set -euo pipefail
senpu=${1:-target/release/senpu}
fairy=${2:-/usr/games/fairy-stockfish}
nodes=1000000
place=$(mktemp -d)
trap 'rm -r "$place"' EXIT
mkfifo "$place/in"

for game in showgit euroshogi xiangqi; do
    "$fairy" <"$place/in" >"$place/out" &
    process=$!
    exec 3>"$place/in"
    printf 'uci\nsetoption name UCI_Variant value %s\nposition startpos\ngo nodes %d\n' "${game/showgit/shogi}" "$nodes" >&3
    until grep -q bestmove "$place/out"; do sleep 0.1; done
    # Fields 14 and 15: ticks in user and in system mode, all threads together.
    ticks=$(awk '{ print $14 + $15 }' "/proc/$process/stat")
    echo quit >&3
    exec 3>&-
    wait "$process"
    awk -v game="$game" -v speed="$((nodes * $(getconf CLK_TCK) / ticks))" \
        'BEGIN { printf "fairy-stockfish %-8s %d nodes a CPU-second\n", game, speed }'
    "$senpu" bench alphabeta --game "$game"
done
