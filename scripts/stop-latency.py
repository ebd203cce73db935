#!/usr/bin/env python3
"""Measures how long `stop` takes to be answered, on every kind of board.

Starts `go infinite` and sends `stop` after a random moment, again and again, and prints the
longest wait for each variant in milliseconds. The goal is 50 ms on an idle machine.

    cargo build --release
    scripts/stop-latency.py [--times 1000] [--seed 1] [--hash 64] [target/release/outflank]

Exit code 1 when a wait was longer than --limit.
"""

import argparse
import random
import subprocess
import sys
import time

VARIANTS = [
    "othello", "othello+anti", "othello+hole=3@42", "othello+stuck=end", "othello+hand=32",
    "reversi", "reversi+place=may", "4x4+start=free", "6x6", "10x10", "oct", "annex",
    "12x12+start=free", "16x16",
]


class Client:
    """A conversation in the native protocol."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def wait_for(self, start):
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("the engine ended")
            if line.startswith(start):
                return

    def stop_ms(self, variant, moment):
        """Milliseconds from `stop` to the best move of a search that ran for `moment` seconds."""
        self.say(f"new {variant}")
        self.wait_for("ok variant=")
        self.say("go infinite")
        self.wait_for("ok started=")
        time.sleep(moment)
        begun = time.perf_counter()
        self.say("stop")
        self.wait_for("! best")
        waited = (time.perf_counter() - begun) * 1000
        self.wait_for("ok")
        return waited


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default="target/release/outflank")
    parser.add_argument("--times", type=int, default=1000, help="searches (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of variants and moments")
    parser.add_argument("--hash", type=int, default=64, help="table size in MiB")
    parser.add_argument("--limit", type=float, default=50.0, help="longest wait in ms that passes")
    options = parser.parse_args()

    draw = random.Random(options.seed)
    client = Client([options.program, "--hash", str(options.hash)])
    client.say("rp 1")
    client.wait_for("ok rp=1")
    longest = dict.fromkeys(VARIANTS, 0.0)
    for number in range(options.times):
        variant = draw.choice(VARIANTS)
        waited = client.stop_ms(variant, draw.uniform(0.0, 0.4))
        longest[variant] = max(longest[variant], waited)
        if sys.stderr.isatty():
            print(f"\r{number + 1}/{options.times}", end="", file=sys.stderr)
    for variant, waited in longest.items():
        print(f"{waited:7.1f} ms  {variant}")
    return 1 if max(longest.values()) > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
