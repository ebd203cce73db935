#!/usr/bin/env bash
# Feeds every dialect, every client's side and every reader of a format with what nobody would write,
# and prints how much of it was taken in without a panic or a hang.
#
#     scripts/fuzz.sh [INPUTS]             so many inputs in all; ten million unless told otherwise
#     scripts/fuzz.sh --seconds S          so long for every target
#     scripts/fuzz.sh --libfuzzer S        guided by coverage, so long for each kind of target; needs
#                                          a nightly compiler and cargo-fuzz
#
# The first two need nothing but the compiler. OUTFLANK_FUZZ_SEED=N begins with other inputs, and
# OUTFLANK_FUZZ_PROFILE names another profile than release.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    sed -n '2,/^set/p' "$0" | sed -n 's/^# \{0,1\}//p' >&2
    exit 2
}

number() {
    [[ ${1-} =~ ^[1-9][0-9]*$ ]] || usage
    printf '%s' "$1"
}

in_process() {
    cargo test --profile "${OUTFLANK_FUZZ_PROFILE:-release}" -p outflank-protocol --test fuzz -- \
        --exact nothing_a_stranger_writes_upsets_anybody --nocapture
}

case "${1-}" in
--libfuzzer)
    seconds=$(number "${2-}")
    cd protocol
    for target in dialects clients formats; do
        corpus=fuzz/corpus/$target
        mkdir -p "$corpus"
        # What clients and engines really said is where the mutations begin. The first byte picks the
        # row of the table.
        n=0
        while IFS= read -r file; do
            sed -n 's/^[><] //p' "$file" | { printf "\\x$(printf %02x $((n % 16)))"; cat; } >"$corpus/session-$n"
            n=$((n + 1))
        done < <(find sessions -name '*.txt' | sort)
        cargo +nightly fuzz run "$target" -- -max_total_time="$seconds" -timeout=10 -print_final_stats=1
    done
    ;;
--seconds)
    OUTFLANK_FUZZ_SECONDS=$(number "${2-}")
    export OUTFLANK_FUZZ_SECONDS
    in_process
    ;;
-*) usage ;;
*)
    OUTFLANK_FUZZ=$(number "${1-10000000}")
    export OUTFLANK_FUZZ
    in_process
    ;;
esac
