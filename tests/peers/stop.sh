#!/usr/bin/env bash
# Ends the servers that start.sh started, by their process ids.
#
# usage: stop.sh [RUN]   default: ${XDG_CACHE_HOME:-~/.cache}/scoutai-peers/run
set -euo pipefail

run=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/scoutai-peers/run}
rm -f "$run/env"
[ -s "$run/pids" ] || exit 0

# An id may have passed to another program since: only our own servers are ended.
ours() { [ -r "/proc/$1/cmdline" ] && tr '\0' ' ' <"/proc/$1/cmdline" | grep -q '^bin/llama-server '; }

while read -r pid; do
  ours "$pid" && kill "$pid" 2>/dev/null && echo "peers: stopped $pid" >&2
done <"$run/pids" || true
while read -r pid; do
  for _ in $(seq 50); do
    ours "$pid" || break
    sleep 0.1
  done
  if ours "$pid"; then kill -9 "$pid" 2>/dev/null || true; fi
done <"$run/pids"
rm -f "$run/pids"
