#!/bin/sh
# Runs every fuzz target for SECONDS each (60 when none are given), from the committed seeds.
# What is found anew stays out of the seeds. Needs nightly Rust and cargo-fuzz.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
for target in p1_exact p2_append p3_text; do
    echo "== $target, $seconds s"
    mkdir -p "$found/$target"
    # No sanitizer: there is no unsafe code here, and without one ten times as many cases run.
    cargo +nightly fuzz run --sanitizer none ${CARGO_TARGET_DIR:+--target-dir "$CARGO_TARGET_DIR"} "$target" \
        "$found/$target" "corpus/$target" -- \
        -max_total_time="$seconds" -timeout=10 -max_len=512 -print_final_stats=1
done
