#!/usr/bin/env bash
# Compares the speed of two commits, or of two commands, by turns.
set -euo pipefail
export LC_ALL=C

usage() {
    cat <<'END'
Usage:
  scripts/bench-against.sh [-n TIMES] COMMIT_A [COMMIT_B] [-- BENCH_ARGUMENTS...]
  scripts/bench-against.sh [-n TIMES] --commands 'A' 'B'

Runs A and B by turns, in the order A B B A A B ..., and prints for each the median of the seconds
it took, then the ratio B/A (below 1: B is faster) as the median, least and greatest of the pairs,
and whether both gave the same signature.

Commits are built in worktrees of their own under target/bench-against/ and run as
`outflank bench BENCH_ARGUMENTS`. COMMIT_B is HEAD when it is left out. A commit is built once: its
program stays in target/bench-against/, its worktree does not. Commands are run by bash.

  -n TIMES       runs of each (default 5)
  --commands     compare two commands instead of two commits
  -h, --help     this text

Exit codes: 0 all was run, 1 a build or a run failed, 2 wrong usage.

Examples:
  scripts/bench-against.sh HEAD~1
  scripts/bench-against.sh -n 9 main my-branch -- --ffo 1-19
  scripts/bench-against.sh --commands 'outflank bench' 'outflank bench --cpu portable'
END
}

wrong_usage() {
    printf 'bench-against: %s\n' "$1" >&2
    printf 'bench-against: --help tells how it is used\n' >&2
    exit 2
}

fail() {
    printf 'bench-against: %s\n' "$1" >&2
    exit 1
}

times=5
is_commands=0
words=()
bench_arguments=()
while (($#)); do
    case $1 in
        -h | --help) usage; exit 0 ;;
        -n)
            (($# > 1)) || wrong_usage "-n takes a number of runs"
            times=$2
            shift
            ;;
        --commands) is_commands=1 ;;
        --) shift; bench_arguments=("$@"); break ;;
        -*) wrong_usage "unknown option '$1'" ;;
        *) words+=("$1") ;;
    esac
    shift
done
[[ $times =~ ^[1-9][0-9]{0,3}$ ]] || wrong_usage "-n '$times': a whole number from 1 to 9999"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/bench-against.XXXXXX")
trees=()
targets=()

# shellcheck disable=SC2329
clean() {
    local tree
    for tree in "${trees[@]}"; do
        git worktree remove --force "$tree" 2>/dev/null || rm -rf "$tree"
    done
    ((${#trees[@]} == 0)) || git worktree prune
    ((${#targets[@]} == 0)) || rm -rf "${targets[@]}"
    rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Builds the program of a commit (a full hash) unless that was done before.
build() {
    local commit=$1
    local home=target/bench-against/${commit:0:12}
    [[ -x $home/outflank ]] && return
    printf 'building %s\n' "$(git log -1 --format='%h %s' "$commit")" >&2
    mkdir -p "$home"
    rm -rf "$home/tree"
    git worktree prune
    git worktree add --quiet --detach "$home/tree" "$commit" || fail "no worktree for $commit"
    trees+=("$home/tree")
    local target=$PWD/$home/target
    targets+=("$target")
    if ! (cd "$home/tree" && cargo build --release --offline --target-dir "$target" --bin outflank) \
        2>"$scratch/build"; then
        grep -A 8 '^error' "$scratch/build" >&2 || tail -n 20 "$scratch/build" >&2
        fail "commit ${commit:0:12} does not build"
    fi
    cp "$target/release/outflank" "$home/outflank.new"
    mv "$home/outflank.new" "$home/outflank"
}

# One line: the seconds that a command took, and what it says of its nodes.
run() {
    local name=$1 began ended said
    shift
    began=$EPOCHREALTIME
    "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || {
        tail -n 5 "$scratch/err" >&2
        fail "$name failed: $*"
    }
    ended=$EPOCHREALTIME
    said=$(grep -E '^signature ' "$scratch/out" | tail -n 1 || true)
    printf '%s %s\n' \
        "$(awk -v a="$began" -v b="$ended" 'BEGIN { printf "%.4f", b - a }')" "${said:--}" \
        >>"$scratch/$name"
}

if ((is_commands)); then
    ((${#words[@]} == 2)) || wrong_usage "--commands takes two commands"
    ((${#bench_arguments[@]} == 0)) || wrong_usage "there are no bench arguments for --commands"
    label_a=${words[0]}
    label_b=${words[1]}
    command_a=(bash -c "${words[0]}")
    command_b=(bash -c "${words[1]}")
else
    ((${#words[@]} == 1 || ${#words[@]} == 2)) || wrong_usage "one or two commits are needed"
    cd "$(dirname "$0")/.."
    commits=()
    for word in "${words[0]}" "${words[1]:-HEAD}"; do
        commits+=("$(git rev-parse --verify --quiet --end-of-options "$word^{commit}")") ||
            wrong_usage "'$word' is no commit"
    done
    if [[ -n $(git status --porcelain --untracked-files=no) ]]; then
        printf 'bench-against: what is not committed is not measured\n' >&2
    fi
    for commit in "${commits[@]}"; do
        build "$commit"
    done
    label_a=$(git log -1 --format='%h %s' "${commits[0]}")
    label_b=$(git log -1 --format='%h %s' "${commits[1]}")
    command_a=("target/bench-against/${commits[0]:0:12}/outflank" bench "${bench_arguments[@]}")
    command_b=("target/bench-against/${commits[1]:0:12}/outflank" bench "${bench_arguments[@]}")
fi

for ((round = 1; round <= times; round++)); do
    if ((round % 2)); then
        run A "${command_a[@]}"
        run B "${command_b[@]}"
    else
        run B "${command_b[@]}"
        run A "${command_a[@]}"
    fi
    if [[ -t 2 ]]; then
        printf '\r%d/%d ' "$round" "$times" >&2
    fi
done
if [[ -t 2 ]]; then
    printf '\r' >&2
fi

python3 - "$scratch/A" "$scratch/B" "$label_a" "$label_b" <<'END'
import statistics
import sys


def read(path):
    rows = [line.split(" ", 1) for line in open(path, encoding="utf-8")]
    return [float(seconds) for seconds, _ in rows], {said.strip() for _, said in rows}


a, said_a = read(sys.argv[1])
b, said_b = read(sys.argv[2])
ratios = sorted(y / max(x, 1e-9) for x, y in zip(a, b))
for name, label, seconds in (("A", sys.argv[3], a), ("B", sys.argv[4], b)):
    print(f"{name}  median {statistics.median(seconds):.3f} s of {len(seconds)} runs  {label}")
print(f"ratio B/A {statistics.median(ratios):.4f} ({ratios[0]:.4f}..{ratios[-1]:.4f})")
if said_a == said_b == {"-"}:
    print("no signatures")
elif said_a == said_b and len(said_a) == 1:
    print(f"same signature: {said_a.pop().removeprefix('signature ')}")
else:
    for name, said in (("A", said_a), ("B", said_b)):
        print(f"DIFFERENT SIGNATURES: {name} gave {', '.join(sorted(said))}")
END
