#!/usr/bin/env python3
"""Solves tests/data/endgames-exact.jsonl with `outflank solve --all-moves` and compares the score
of every move; a part of scripts/ffo.sh.

Each position is a line of the log, `endgame NUMBER cpu TIER threads N right|WRONG ...`; those that
are there are not solved again. A wrong score does not end the run; ffo.sh counts them."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "tests/data/endgames-exact.jsonl"


def token(record):
    """The position token: row by row, empty squares counted, `_` for a square that is none."""
    cells = list(record["board"].lower())
    for name in record["holes"]:
        cells[(int(name[1:]) - 1) * record["cols"] + ord(name[0]) - ord("a")] = "_"
    rows = []
    for at in range(0, len(cells), record["cols"]):
        row, n_empty = "", 0
        for cell in cells[at : at + record["cols"]] + ["end"]:
            if cell == "-":
                n_empty += 1
                continue
            row += (str(n_empty) if n_empty else "") + ("" if cell == "end" else cell.replace("#", "_"))
            n_empty = 0
        rows.append(row)
    return "/".join(rows) + "," + record["side"].lower()


def solved(options, variant, records):
    """The answers of the program, one a record, as they come."""
    command = [options.binary, "solve", "--json", "--all-moves", "--variant", variant]
    command += ["--cpu", options.cpu, "--threads", str(options.threads), "--hash", "16"]
    lines = "".join(token(record) + "\n" for record in records)
    process = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, check=False)
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    if process.returncode not in (0, 1) or len(answers) != len(records):
        sys.exit(f"exact_endgames: exit code {process.returncode} of {' '.join(command)}")
    return answers


def faults(record, answer):
    if "error" in answer:
        return [answer["error"]]
    found = []
    if answer.get("score") != record["value"] or answer.get("exact") is not True:
        found.append(f"score {answer.get('score')}, known {record['value']}")
    moves = {entry["move"]: entry.get("score") for entry in answer.get("moves", [])}
    moves.pop("pass", None)
    for move in sorted(record["moves"].keys() | moves.keys()):
        if moves.get(move) != record["moves"].get(move):
            found.append(f"{move} {moves.get(move)}, known {record['moves'].get(move)}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cpu", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--log", required=True)
    options = parser.parse_args()

    with open(options.log, encoding="utf-8") as log:
        done = {" ".join(line.split(" ")[:6]) for line in log if line.startswith("endgame ")}
    records = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    for variant, anti in (("othello", False), ("othello+anti", True)):
        waiting = []
        for number, record in enumerate(records, 1):
            key = f"endgame {number} cpu {options.cpu} threads {options.threads}"
            if record["anti"] == anti and key not in done:
                waiting.append((key, record))
        if not waiting:
            continue
        answers = solved(options, variant, [record for _, record in waiting])
        with open(options.log, "a", encoding="utf-8") as log:
            for (key, record), answer in zip(waiting, answers):
                wrong = faults(record, answer)
                verdict = "WRONG" if wrong else "right"
                log.write(f"{key} {verdict} {record['from']} score {answer.get('score')}\n")
                if wrong:
                    print(f"{key} {verdict} {record['from']}: {'; '.join(wrong)}")
    n = len(records)
    print(f"{n} end games of all variants, cpu {options.cpu}, threads {options.threads}: in the log")


if __name__ == "__main__":
    main()
