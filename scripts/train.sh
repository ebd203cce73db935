#!/usr/bin/env bash
# Makes the weights of the evaluation: samples, a fit, a net on top, a check, and what ProbCut has to
# know of them.
# Hours of work that go on where they were ended when the script is run again.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'END'
Usage: scripts/train.sh [-a] [-d FOLDER] [-w FOLDER] [-t N] [STEP...]

Steps, all of them in this order when none is given:
  build      the program, with the feature `train`, in target/release
  wthor      samples of the WTHOR games in the folder of -w: theoretical and exact scores
  endgames   samples of solved endgames
  selfplay   samples of games of the engine against itself, with the weights of this build
  leaves     samples a few plies off games of WTHOR and of self-play, as the leaves of searches are
  fit        weights for all samples in the folder of -d
  net        the net on top of them; not for -a, which has too few samples so far
  check      the engine's numbers against the model, and errors on games that were held out
  probcut    how far off shallow searches with these weights are: numbers for search/probcut.rs

  -a         games that the fewest discs win: no WTHOR games, and first samples made by hand
  -d FOLDER  where samples, model and weights are kept (default data/train, or data/train-anti,
             which git ignores)
  -w FOLDER  folder with WTH_*.wtb (default data/wthor)
  -t N       threads (default 1)
  -h         this text

The fit, and the net after it, leave FOLDER/weights.bin; to ship it, copy it to
src/eval/weights/othello.bin or anti.bin and write down in the file beside it where it comes from.
END
}

folder=
games=data/wthor
threads=1
anti=()
while getopts ad:w:t:h option; do
    case $option in
        a) anti=(--anti) ;;
        d) folder=$OPTARG ;;
        w) games=$OPTARG ;;
        t) threads=$OPTARG ;;
        h) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
steps=("$@")
((${#steps[@]})) || steps=(build wthor endgames selfplay leaves fit net check probcut)
folder=${folder:-data/train${anti:+-anti}}

mkdir -p "$folder"
program=${CARGO_TARGET_DIR:-target}/release/outflank
train() { nice -n 19 "$program" train "$@"; }
# Whatever has been made so far, in a fixed order.
samples() { find "$folder" -name '*.samples' | sort; }

for step in "${steps[@]}"; do
    case $step in
        build) cargo build --release --features train ;;
        wthor)
            ((${#anti[@]})) ||
                train wthor -o "$folder/wthor.samples" --threads "$threads" "$games"/WTH_*.wtb
            ;;
        endgames)
            train endgames -o "$folder/endgames.samples" "${anti[@]}" --threads "$threads" \
                --games 300000
            ;;
        selfplay)
            if ((${#anti[@]})); then
                train selfplay -o "$folder/selfplay-0.samples" --anti --by-hand --depth 3 \
                    --exact-from 12 --threads "$threads" --games 60000
            fi
            train selfplay -o "$folder/selfplay-1.samples" "${anti[@]}" --depth 6 \
                --threads "$threads" --games 200000
            ;;
        leaves)
            games_played=()
            for file in wthor selfplay-1; do
                [[ -e $folder/$file.samples ]] && games_played+=("$folder/$file.samples")
            done
            ((${#games_played[@]})) || {
                echo 'train.sh: leaves needs the samples of wthor or selfplay' >&2
                exit 1
            }
            train leaves -o "$folder/leaves.samples" "${anti[@]}" --threads "$threads" \
                --games 1000000 "${games_played[@]}"
            ;;
        fit)
            mapfile -t files < <(samples)
            train fit -o "$folder/weights.bin" --model "$folder/weights.model" --threads "$threads" \
                "${files[@]}" | tee "$folder/fit.md"
            ;;
        net)
            mapfile -t files < <(samples)
            ((${#anti[@]})) ||
                train net -o "$folder/weights.bin" --model "$folder/weights.model" \
                    --net "$folder/weights.net" "${files[@]}" | tee "$folder/net.md"
            ;;
        check)
            mapfile -t files < <(samples)
            # A net that is older than the model is not in the weights.
            net=()
            [[ ! $folder/weights.net -nt $folder/weights.model ]] || net=(--net "$folder/weights.net")
            train check --weights "$folder/weights.bin" --model "$folder/weights.model" \
                "${net[@]}" "${files[@]}" | tee "$folder/check.md"
            ;;
        probcut)
            mapfile -t files < <(samples)
            train probcut --weights "$folder/weights.bin" --threads "$threads" "${files[@]}" |
                tee "$folder/probcut.md"
            ;;
        *) printf 'train.sh: no step %s\n' "'$step'" >&2; usage >&2; exit 2 ;;
    esac
done
