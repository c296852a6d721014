#!/usr/bin/env bash
# Starts the llama.cpp servers that setup.sh installed, on loopback, and waits until they answer.
#
# usage: start.sh [DIR] [RUN]
#   DIR   where setup.sh installed; default: ${XDG_CACHE_HOME:-~/.cache}/scoutai-peers
#   RUN   where the process ids, the logs and the file `env` go; default: DIR/run
#
# Two servers with the same small model: one for plain answers, and one with a chat template that
# lets so small a model do nothing but call a tool (`tool_choice required`,
# `parallel_tool_calls false`). RUN/env sets, for `source`:
#   SCOUTAI_PLAIN_URL, SCOUTAI_TOOL_URL   base URLs, with `/v1`
#   SCOUTAI_PEERS                         this file, which the end-to-end tests read
#   XDG_CONFIG_HOME                       RUN/config, whose scoutai/config.toml names the two
#                                         servers as endpoints `small` and `small-tools`
#   SCOUTAI_SDK_PYTHON                    the Python that has the providers' libraries
#   PATH                                  with the MCP servers of DIR/bin in front
# Servers that RUN already has and that answer are left as they are. stop.sh ends them.
set -euo pipefail

readonly MODEL=models/SmolLM2-135M-Instruct.Q4_1.gguf

here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/scoutai-peers}
say() { echo "peers: $*" >&2; }
fail() { say "$1"; say "  = hint: $2"; exit 1; }

[ -x "$dir/bin/llama-server" ] && [ -s "$dir/$MODEL" ] || fail "$dir holds no llama.cpp server with a model" "run tests/peers/setup.sh $dir"
dir=$(cd "$dir" && pwd)
run=${2:-$dir/run}
mkdir -p "$run"
run=$(cd "$run" && pwd)

# Tells whether an URL answers with success. Python, as a fresh machine need not have curl.
answers() {
  python3 - "$1" <<'PYTHON' 2>/dev/null
import sys, urllib.request
no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
sys.exit(no_proxy.open(sys.argv[1], timeout=5).status != 200)
PYTHON
}

# Prints the wanted port when nobody has it, else one that is free.
port() {
  python3 - "$1" <<'PYTHON'
import socket, sys
for wanted in (int(sys.argv[1]), 0):
    with socket.socket() as one:
        # Connections that are closing do not hold a port; a listener does.
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(("127.0.0.1", wanted))
        except OSError:
            continue
        print(one.getsockname()[1])
        break
PYTHON
}

# Starts one server under a name: NAME PORT [FLAG..]. Leaves its address in `url`.
serve() {
  local name=$1 wanted=$2 try port pid
  shift 2
  # One thread: the threads of ggml wait for each other by spinning, which on a busy machine is far
  # slower than one alone.
  for try in 1 2 3; do
    port=$(port "$wanted")
    url=http://127.0.0.1:$port
    (cd "$dir" && exec setsid nohup bin/llama-server --model "$MODEL" --alias smollm2-135m \
      --host 127.0.0.1 --port "$port" --offline --no-ui --ctx-size 8192 --parallel 2 --threads 1 \
      --seed 42 --temp 0 --predict 200 "$@") >"$run/$name.log" 2>&1 </dev/null &
    pid=$!
    echo "$pid" >>"$run/pids"
    for _ in $(seq 300); do
      answers "$url/health" && kill -0 "$pid" 2>/dev/null && return
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.2
    done
    kill -0 "$pid" 2>/dev/null && break
    # It ended at once: another program may have taken the port since we asked for it.
    say "the $name server ended at once on port $port (try $try of 3)"
    wanted=0
  done
  tail -n 15 "$run/$name.log" >&2
  "$here/stop.sh" "$run"
  fail "the $name server of llama.cpp does not answer at $url, its last lines are above" "read $run/$name.log"
}

if [ -s "$run/env" ]; then
  plain=$(sed -n "s/^export SCOUTAI_PLAIN_URL='\(.*\)\/v1'$/\1/p" "$run/env")
  tool=$(sed -n "s/^export SCOUTAI_TOOL_URL='\(.*\)\/v1'$/\1/p" "$run/env")
  if answers "$plain/health" && answers "$tool/health"; then
    say "plain answers at $plain/v1, tool calls at $tool/v1 (already running)"
    exit
  fi
fi
"$here/stop.sh" "$run"
serve tool 8081 --chat-template-file "$here/templates/strict-tools.jinja"
tool=$url
say "tool calls at $tool/v1 (with tool_choice required, parallel_tool_calls false)"
serve plain 8082
plain=$url
say "plain answers at $plain/v1"
quoted() { printf "'%s'" "${1//\'/\'\\\'\'}"; }
mkdir -p "$run/config/scoutai"
cat >"$run/config/scoutai/config.toml" <<TOML
[endpoints.small]
backend = "llamacpp"
url = "$plain/v1"
model = "smollm2-135m"

[endpoints.small-tools]
backend = "llamacpp"
url = "$tool/v1"
model = "smollm2-135m"
TOML
cat >"$run/env.new" <<ENV
export SCOUTAI_PLAIN_URL='$plain/v1'
export SCOUTAI_TOOL_URL='$tool/v1'
export SCOUTAI_PEERS=$(quoted "$run/env")
export SCOUTAI_SDK_PYTHON=$(quoted "$dir/sdk/bin/python")
export XDG_CONFIG_HOME=$(quoted "$run/config")
export PATH=$(quoted "$dir/bin"):"\$PATH"
ENV
mv "$run/env.new" "$run/env"
say "stop them with: tests/peers/stop.sh $run"
