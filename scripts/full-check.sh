#!/usr/bin/env bash
# Everything that takes longer than a change should wait for: every recorded leaf count, the
# reference shelf where it is at hand (OUTFLANK_SHELF names it), and the latency of `stop`.
#
#     scripts/full-check.sh
set -euo pipefail
cd "$(dirname "$0")/.."

export OUTFLANK_FULL=1
cargo test --release
cargo build --release
scripts/stop-latency.py --times 1000
