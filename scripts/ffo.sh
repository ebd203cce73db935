#!/usr/bin/env bash
# The long proof that exact scores are right on every processor tier and on one and two threads.
set -euo pipefail
export LC_ALL=C

usage() {
    cat <<'END'
Usage:
  scripts/ffo.sh [--to N] [--threads LIST] [--hash MIB] [--log FILE] [--binary FILE]

Solves the FFO suite from 1 on and tests/data/endgames-exact.jsonl on every processor tier that
this machine has, and compares every score (of the suite, the best move as well). Each answer is
a line of the log file; a run that was broken off goes on where it ended when it is started again
with the same log. A log belongs to one program: another one is refused.

  --to N           last position of the suite, 1 to 59 (default 49)
  --threads LIST   numbers of threads, as 1,2 (the default)
  --hash MIB       size of the transposition table for the suite (default 256)
  --log FILE       the log (default target/ffo.log)
  --binary FILE    the program; without it the sources are built and target/release/outflank taken
  -h, --help       this text

Exit codes: 0 every score is right, 1 one is wrong or a run failed, 2 wrong usage.
END
}

wrong_usage() {
    printf 'ffo: %s\n' "$1" >&2
    printf 'ffo: --help tells how it is used\n' >&2
    exit 2
}

last=49
threads_list=1,2
hash=256
log=
binary=
while (($#)); do
    case $1 in
        -h | --help) usage; exit 0 ;;
        --to | --threads | --hash | --log | --binary)
            (($# > 1)) || wrong_usage "$1 takes a value"
            case $1 in
                --to) last=$2 ;;
                --threads) threads_list=$2 ;;
                --hash) hash=$2 ;;
                --log) log=$(realpath -m "$2") ;;
                --binary) binary=$(realpath -m "$2") ;;
            esac
            shift
            ;;
        *) wrong_usage "unknown argument '$1'" ;;
    esac
    shift
done
{ [[ $last =~ ^[1-9][0-9]?$ ]] && ((last <= 59)); } || wrong_usage "--to '$last': a number from 1 to 59"
[[ $threads_list =~ ^[1-9][0-9]*(,[1-9][0-9]*)*$ ]] || wrong_usage "--threads '$threads_list': numbers as 1,2"
[[ $hash =~ ^[1-9][0-9]*$ ]] || wrong_usage "--hash '$hash': a number of MiB"

cd "$(dirname "$0")/.."
if [[ -z $binary ]]; then
    cargo build --release
    binary=${CARGO_TARGET_DIR:-target}/release/outflank
fi
[[ -x $binary ]] || wrong_usage "'$binary' is no program"
log=${log:-target/ffo.log}
mkdir -p "$(dirname "$log")"

identity="program $(sha256sum "$binary" | cut -c 1-16)"
if [[ -s $log ]]; then
    [[ $(head -n 1 "$log") == "$identity" ]] ||
        wrong_usage "$log is the log of another program; take another --log, or delete it"
    # A line that was being written when the run was broken off is done again.
    [[ -z $(tail -c 1 "$log") ]] || sed -i '$ d' "$log"
else
    printf '%s\n' "$identity" >"$log"
fi

tiers=()
for tier in portable avx2 avx512; do
    if "$binary" perft 1 --cpu "$tier" >/dev/null 2>&1; then
        tiers+=("$tier")
    fi
done
((${#tiers[@]})) || wrong_usage "'$binary' knows no processor tier"
printf 'tiers: %s; threads: %s; log: %s\n' "${tiers[*]}" "$threads_list" "$log" >&2

IFS=, read -r -a all_threads <<<"$threads_list"
for tier in "${tiers[@]}"; do
    for threads in "${all_threads[@]}"; do
        python3 scripts/exact_endgames.py --binary "$binary" --cpu "$tier" --threads "$threads" --log "$log"
        for ((number = 1; number <= last; number++)); do
            key="ffo $number cpu $tier threads $threads"
            grep -q "^$key " "$log" && continue
            verdict=right
            said=$("$binary" bench --ffo "$number-$number" --cpu "$tier" --threads "$threads" \
                --hash "$hash" 2>"$log.err") || verdict=WRONG
            line=$(grep "^ffo $number " <<<"$said") || {
                cat "$log.err" >&2
                printf 'ffo: no answer for %s\n' "$key" >&2
                exit 1
            }
            [[ $verdict == right ]] || tail -n 3 "$log.err" >&2
            printf '%s %s %s\n' "$key" "$verdict" "${line#"ffo $number "}" | tee -a "$log"
        done
    done
done
rm -f "$log.err"

n_right=$(grep -c ' right ' "$log" || true)
n_wrong=$(grep -c ' WRONG ' "$log" || true)
printf '%d right, %d wrong\n' "$n_right" "$n_wrong"
((n_wrong == 0))
