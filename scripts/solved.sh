#!/usr/bin/env bash
# The games that are known to their end: solves them from the first move and checks the values.
set -euo pipefail
export LC_ALL=C

usage() {
    cat <<'END'
Usage:
  scripts/solved.sh [--small] [--all] [--threads N] [--hash MIB] [--cpu TIER] [--binary FILE]

Solves 4x4 (-8 counting discs, -10 with the empty squares to the winner) and 6x6 (-4), prints the
value and the time of each and checks it. 6x6 takes long.

  --small          4x4 only, with its parallel and fewest-discs games
  --all            also 6x6 with the parallel start (-2) and 6x6 where the fewest discs win (+2)
  --threads N, --hash MIB, --cpu TIER   as `outflank solve` has them (--hash 1024 by default)
  --binary FILE    the program; without it the sources are built and target/release/outflank taken
  -h, --help       this text

Where the values are from: 6x6 J. Feinstein 1993 (16-20), its parallel start the same author
(17-19); 6x6 fewest discs F. Pittner (17-19); 4x4 a plain minimax.

Exit codes: 0 every value is right, 1 one is wrong or a run failed, 2 wrong usage.
END
}

wrong_usage() {
    printf 'solved: %s\n' "$1" >&2
    printf 'solved: --help tells how it is used\n' >&2
    exit 2
}

size=usual
binary=
options=(--hash 1024)
while (($#)); do
    case $1 in
        -h | --help) usage; exit 0 ;;
        --small) size=small ;;
        --all) size=all ;;
        --threads | --hash | --cpu)
            (($# > 1)) || wrong_usage "$1 takes a value"
            if [[ $1 == --hash ]]; then options=("${options[@]:2}"); fi
            options+=("$1" "$2")
            shift
            ;;
        --binary)
            (($# > 1)) || wrong_usage "$1 takes a value"
            binary=$(realpath -m "$2")
            shift
            ;;
        *) wrong_usage "unknown argument '$1'" ;;
    esac
    shift
done

cd "$(dirname "$0")/.."
if [[ -z $binary ]]; then
    cargo build --release
    binary=${CARGO_TARGET_DIR:-target}/release/outflank
fi
[[ -x $binary ]] || wrong_usage "'$binary' is no program"

n_wrong=0

# check VARIANT RULE VALUE POSITION: the value from Black's view.
check() {
    local variant=$1 rule=$2 value=$3 position=$4 record verdict
    printf '%s, %s ...\n' "$variant" "$rule" >&2
    record=$("$binary" solve --json --variant "$variant" --rule "$rule" "${options[@]}" "$position") || {
        printf 'solved: %s could not be solved\n' "$variant" >&2
        exit 1
    }
    verdict=$(python3 -c '
import json, sys
record, known = json.loads(sys.argv[1]), int(sys.argv[2])
right = record.get("exact") is True and record.get("score") == known
score, nodes, time = record.get("score"), record["nodes"], record["time"]
note = "right" if right else f"WRONG, known {known}"
print(f"score {score} nodes {nodes} seconds {time:.3f} {note}")' "$record" "$value")
    printf '%s %s %s\n' "$variant" "$rule" "$verdict"
    [[ $verdict != *WRONG* ]] || n_wrong=$((n_wrong + 1))
}

cross4=4/1ox1/1xo1/4,x
cross6=6/6/2ox2/2xo2/6/6,x
parallel4=4/1oo1/1xx1/4,x
parallel6=6/6/2oo2/2xx2/6/6,x

check 4x4 discs -8 "$cross4"
check 4x4 wof -10 "$cross4"
if [[ $size == small ]]; then
    check 4x4+start=par discs -3 "$parallel4"
    check 4x4+start=par wof -4 "$parallel4"
    check 4x4+anti wof 4 "$cross4"
    check 4x4+start=par+anti wof 0 "$parallel4"
else
    check 6x6 wof -4 "$cross6"
fi
if [[ $size == all ]]; then
    check 6x6+start=par wof -2 "$parallel6"
    check 6x6+anti wof 2 "$cross6"
fi
((n_wrong == 0))
