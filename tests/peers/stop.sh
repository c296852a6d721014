#!/usr/bin/env bash
# Ends the servers that start.sh started, by their process ids.
#
# usage: stop.sh [RUN]   default: ${XDG_CACHE_HOME:-~/.cache}/scoutai-peers/run
set -euo pipefail

run=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/scoutai-peers/run}
rm -f "$run/env"
[ -s "$run/pids" ] || exit 0

# An id may have passed to another program since: only what began when ours did is ours.
ours() { [ -n "${2:-}" ] && [ "$(cut -d ' ' -f 22 "/proc/$1/stat" 2>/dev/null)" = "$2" ]; }

# Each is the first of a group of its own, in which are the programs that it has started.
while read -r pid began; do
  ours "$pid" "$began" && kill -- "-$pid" 2>/dev/null && echo "peers: stopped $pid" >&2
done <"$run/pids" || true
while read -r pid began; do
  for _ in $(seq 50); do
    ours "$pid" "$began" || break
    sleep 0.1
  done
  if ours "$pid" "$began"; then kill -9 -- "-$pid" 2>/dev/null || true; fi
done <"$run/pids"
rm -f "$run/pids"
