#!/usr/bin/env bash
# Makes the weights of the evaluation: samples, a fit, a check. Hours of work that go on where they
# were ended when the script is run again.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'END'
Usage: scripts/train.sh [-d FOLDER] [-w FOLDER] [-t N] [STEP...]

Steps, all of them in this order when none is given:
  build      the program, with the feature `train`, in target/release
  wthor      samples of the WTHOR games in the folder of -w: theoretical and exact scores
  endgames   samples of solved endgames
  selfplay   samples of games of the engine against itself, with the weights of this build
  fit        weights for all samples in the folder of -d
  check      the engine's numbers against the model, and errors on games that were held out

  -d FOLDER  where samples, model and weights are kept (default data/train, which git ignores)
  -w FOLDER  folder with WTH_*.wtb (default data/wthor)
  -t N       threads (default 1)
  -h         this text

The fit leaves FOLDER/othello.bin; to ship it, copy it to src/eval/weights/ and write down in
src/eval/weights/othello.md where it comes from.
END
}

folder=data/train
games=data/wthor
threads=1
while getopts d:w:t:h option; do
    case $option in
        d) folder=$OPTARG ;;
        w) games=$OPTARG ;;
        t) threads=$OPTARG ;;
        h) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
steps=("$@")
((${#steps[@]})) || steps=(build wthor endgames selfplay fit check)

mkdir -p "$folder"
program=${CARGO_TARGET_DIR:-target}/release/outflank
train() { nice -n 19 "$program" train "$@"; }
# Whatever has been made so far, in a fixed order.
samples() { find "$folder" -name '*.samples' | sort; }

for step in "${steps[@]}"; do
    case $step in
        build) cargo build --release --features train ;;
        wthor) train wthor -o "$folder/wthor.samples" --threads "$threads" "$games"/WTH_*.wtb ;;
        endgames) train endgames -o "$folder/endgames.samples" --threads "$threads" --games 300000 ;;
        selfplay) train selfplay -o "$folder/selfplay-1.samples" --threads "$threads" --games 200000 ;;
        fit)
            mapfile -t files < <(samples)
            train fit -o "$folder/othello.bin" --model "$folder/othello.model" --threads "$threads" \
                "${files[@]}" | tee "$folder/fit.md"
            ;;
        check)
            mapfile -t files < <(samples)
            train check --weights "$folder/othello.bin" --model "$folder/othello.model" \
                "${files[@]}" | tee "$folder/check.md"
            ;;
        *) printf 'train.sh: no step %s\n' "'$step'" >&2; usage >&2; exit 2 ;;
    esac
done
