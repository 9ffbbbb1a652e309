// Reads and writes game records with tsshogi (MIT): one JSON question a line, one JSON answer a line.
"use strict";

const readline = require("node:readline");
const shogi = require("tsshogi");

const LOSES = ["resign", "mate", "timeout", "foulLose"];
const WINS = ["foulWin", "enteringOfKing"];
const DRAWN = ["impass", "draw", "repetitionDraw", "maxMoves"];

function winner(type, color) {
  const mover = color === shogi.Color.BLACK ? "first" : "second";
  const other = mover === "first" ? "second" : "first";
  if (LOSES.includes(type)) return other;
  if (WINS.includes(type)) return mover;
  return DRAWN.includes(type) ? "draw" : null;
}

function parse(format, text) {
  const parsed =
    format === "kif" ? shogi.importKIF(text) : format === "csa" ? shogi.importCSA(text) : shogi.Record.newByUSI(text);
  if (parsed instanceof Error) throw parsed;
  return parsed;
}

function read(question) {
  const record = parse(question.format, question.text.trimEnd() + "\n");
  const moves = [];
  const times = [];
  let last = null;
  for (const node of record.moves) {
    if (node.ply === 0) continue;
    if (node.move instanceof shogi.Move) {
      moves.push(node.move.usi);
      times.push(node.elapsedMs / 1000);
    } else {
      last = node.move.type;
    }
  }
  const position = record.initialPosition.clone();
  for (const usi of moves) {
    const move = position.createMoveByUSI(usi);
    if (!move || !position.doMove(move)) throw new Error(`illegal ${usi} in ${position.sfen}`);
  }
  const meta = record.metadata;
  return {
    start: record.initialPosition.sfen,
    moves,
    times,
    final: position.sfen,
    winner: last ? winner(last, position.color) : null,
    names: [shogi.getBlackPlayerName(meta) ?? "", shogi.getWhitePlayerName(meta) ?? ""],
  };
}

function write(question) {
  const record = shogi.Record.newByUSI(`position sfen ${question.start} moves ${question.moves.join(" ")}`);
  if (record instanceof Error) throw record;
  record.goto(question.moves.length);
  record.append(shogi.specialMove(question.end), { ignoreValidation: true });
  record.moves.forEach((node, ply) => node.setElapsedMs(ply * 1000));
  const final = record.position.sfen;
  const color = record.position.color;
  const text = question.format === "kif" ? shogi.exportKIF(record) : shogi.exportCSA(record);
  return { text, final, winner: winner(question.end, color) };
}

console.log(JSON.stringify({ library: "tsshogi" }));
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const question = JSON.parse(line);
  try {
    console.log(JSON.stringify(question.do === "write" ? write(question) : read(question)));
  } catch (error) {
    console.log(JSON.stringify({ error: `${error.name}: ${error.message}` }));
  }
});
