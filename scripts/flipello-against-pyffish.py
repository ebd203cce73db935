#!/usr/bin/env python3
"""Random games of flipello and its relatives, move by move, in Fairy-Stockfish's generator and ours.

usage: flipello-against-pyffish.py ENGINE [GAMES]      (needs `pip install pyffish`)

At every position the legal moves have to be the same in number and spelling, passes included; our FEN
string has to mean the same position there, and our move has to be one of theirs.
"""

import random
import subprocess
import sys

import pyffish


class Engine:
    def __init__(self, command):
        self.process = subprocess.Popen(
            [command, "--protocol", "uci", "--threads", "1", "--hash", "1"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, *lines):
        """Sends lines, and returns what comes before the answer to `isready`."""
        self.process.stdin.write("".join(line + "\n" for line in (*lines, "isready")))
        self.process.stdin.flush()
        seen = []
        while (line := self.process.stdout.readline().rstrip("\n")) != "readyok":
            assert self.process.poll() is None, (lines, seen)
            seen.append(line)
        return seen

    def move(self, *lines):
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()
        while not (line := self.process.stdout.readline()).startswith("bestmove"):
            assert line, lines
        return line.split()[1]


def is_over(variant, start, moves):
    """Whether neither side has a disc to put down: there, both may pass before the game has ended."""
    legal = pyffish.legal_moves(variant, start, moves)
    if any(move.startswith("P@") for move in legal):
        return False
    return not legal or not any(
        move.startswith("P@") for move in pyffish.legal_moves(variant, start, moves + legal))


def check(engine, variant, moves, counts):
    start = pyffish.start_fen(variant)
    theirs = pyffish.legal_moves(variant, start, moves)
    line = " ".join(["position startpos", *(["moves"] if moves else []), *moves])
    told = engine.ask(line, "go perft 1", "d")
    assert not any("refused" in text for text in told), (line, told)
    over = any(text == "Game over" for text in told)
    assert over == is_over(variant, start, moves), (variant, moves, told, theirs)
    if over:
        return []
    number = next(int(text.split(": ")[1]) for text in told if text.startswith("Nodes searched"))
    assert number == len(theirs), (variant, moves, number, theirs)
    for move in theirs:
        join = " " if moves else " moves "
        answer = engine.ask(f"{line}{join}{move}")
        assert answer == [], (variant, moves, move, answer)
    fen = next(text[5:] for text in told if text.startswith("Fen: "))
    assert sorted(pyffish.legal_moves(variant, fen, [])) == sorted(theirs), (fen, theirs)
    ours = engine.move(line, "go depth 1")
    assert ours in theirs, (variant, moves, ours, theirs)
    counts["positions"] += 1
    counts["passes"] += theirs == [ours] and not ours.startswith("P@")
    return theirs


def main():
    engine, games = Engine(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20
    for variant in ("flipello", "flipersi", "flipello10"):
        counts = {"positions": 0, "passes": 0}
        draw = random.Random(1)
        announced = engine.ask(f"setoption name UCI_Variant value {variant}")[0]
        assert announced.endswith(" startpos " + pyffish.start_fen(variant)), announced
        for _ in range(games):
            moves = []
            while theirs := check(engine, variant, moves, counts):
                moves.append(draw.choice(theirs))
        print(variant, "games", games, *(f"{name} {n}" for name, n in counts.items()))


if __name__ == "__main__":
    main()
