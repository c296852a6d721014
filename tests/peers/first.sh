#!/usr/bin/env bash
# Builds scoutai, brings up a small model on this machine and runs fixtures/chats/first.md with it.
#
# usage: first.sh [DIR] [RUN]   as in start.sh
#
# The chat that is run is a copy, RUN/chats/first.md, so that the checkout stays clean. The servers
# go on; stop.sh ends them.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/scoutai-peers}
run=${2:-$dir/run}
"$here/setup.sh" "$dir" model llama
"$here/start.sh" "$dir" "$run"
chat=$(cd "$run" && pwd)/chats/first.md
mkdir -p "$run/chats"
cp "$here/../../fixtures/chats/first.md" "$chat"

echo "building scoutai" >&2
cargo build --quiet --locked --manifest-path "$here/../../Cargo.toml"
# shellcheck disable=SC1091
. "$run/env"
echo "\$ scoutai ask $chat" >&2
cargo run --quiet --locked --manifest-path "$here/../../Cargo.toml" -- ask "$chat"
cat >&2 <<EOM

The chat and its record: $chat
Write the next question at its end, then:
  . $run/env && cargo run -q -- ask $chat
Stop the model: tests/peers/stop.sh $run
EOM
