#!/usr/bin/env python3
"""Holds `outflank solve --all-moves` against the scores that OBF files list.

Usage: scripts/obf-moves.py PROGRAM FILE.obf [OPTION OF SOLVE ...]

Every move that a line lists has to have its score, and the position the best of them. A line a
wrong position on standard output, a summary on standard error. Exit codes: 0 all right, 1 a score
is wrong, 2 wrong usage.
"""

import json
import subprocess
import sys

FILLER = "--"


def listed(line):
    """The moves of a line with their scores."""
    entries = (entry.strip().split(":") for entry in line.split("%")[0].split(";")[1:])
    pairs = (entry for entry in entries if len(entry) == 2 and entry[0] != FILLER)
    return {move.strip().lower(): int(score) for move, score in pairs}


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    program, file, *options = arguments
    with open(file, encoding="utf-8") as text:
        lines = {n: line for n, line in enumerate(text, 1) if line.strip() and line[0] != "%"}
    command = [program, "solve", "--all-moves", "--json", *options, file]
    solved = subprocess.run(command, stdout=subprocess.PIPE, check=False, text=True)
    records = {record["id"]: record for record in map(json.loads, solved.stdout.splitlines())}
    n_moves = n_wrong = 0
    for number, line in lines.items():
        record = records.get(number, {})
        found = {entry["move"]: entry["score"] for entry in record.get("moves", [])}
        expected = listed(line)
        n_moves += len(expected)
        wrong = {move: (found.get(move), score) for move, score in expected.items()
                 if found.get(move) != score}
        if wrong or record.get("score") != max(expected.values(), default=None):
            n_wrong += 1
            print(f"{file}:{number}: found and listed {wrong}, score {record.get('score')}", flush=True)
    print(f"{len(lines)} positions, {n_moves} moves, {n_wrong} positions wrong", file=sys.stderr)
    return 1 if n_wrong or solved.returncode else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
