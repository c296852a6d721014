#!/usr/bin/env bash
# Starts what setup.sh installed, on loopback, and waits until each answers.
#
# usage: start.sh [DIR] [RUN]
#   DIR   where setup.sh installed; default: ${XDG_CACHE_HOME:-~/.cache}/scoutai-peers
#   RUN   where the process ids, the logs and the file `env` go; default: DIR/run
#
# Two servers of llama.cpp with the same small model: one for plain answers, and one with a chat
# template that lets so small a model do nothing but call a tool (`tool_choice required`,
# `parallel_tool_calls false`). Of the parts `bedrock`, `aimock`, `llmock` and `sdk` those that DIR
# holds. RUN/env sets, for `source`:
#   SCOUTAI_PLAIN_URL, SCOUTAI_TOOL_URL   base URLs of llama.cpp, with `/v1`
#   SCOUTAI_BEDROCK_URL                   MiniStack in front of the plain one
#   SCOUTAI_BEDROCK_TOOL_URL              another in front of the one that calls tools
#   AWS_SHARED_CREDENTIALS_FILE           RUN/credentials, with their keys
#   SCOUTAI_AIMOCK_URL                    scripted replies in every protocol: `aimock.json`
#   SCOUTAI_LLMOCK_URL                    faults on demand, and a verdict
#   SCOUTAI_SDK_PYTHON                    a Python with the official libraries of the providers
#   SCOUTAI_PEERS                         this file, which the end-to-end tests read
#   XDG_CONFIG_HOME                       RUN/config, whose scoutai/config.toml names them all as
#                                         endpoints: `small`, `small-tools`, `mock-chat`, ...
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

# Tells whether setup.sh has finished a part.
has() { [ -s "$dir/$1/installed" ]; }

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

# Starts one server under a name: NAME PORT PATH COMMAND.., with @port@ for the port in the command.
# It is ready when it answers at the path. Leaves its address in `url`.
serve() {
  local name=$1 wanted=$2 path=$3 try port pid
  shift 3
  for try in 1 2 3; do
    port=$(port "$wanted")
    url=http://127.0.0.1:$port
    (cd "$dir" && exec setsid nohup "${@//@port@/$port}") >"$run/$name.log" 2>&1 </dev/null &
    pid=$!
    # When it began tells it from a later program with the same id.
    echo "$pid $(cut -d ' ' -f 22 "/proc/$pid/stat" 2>/dev/null)" >>"$run/pids"
    for _ in $(seq 300); do
      answers "$url$path" && kill -0 "$pid" 2>/dev/null && return
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.2
    done
    kill -0 "$pid" 2>/dev/null && break
    # It ended at once: another program may have taken the port since we asked for it.
    say "\`$name\` ended at once on port $port (try $try of 3)"
    wanted=0
  done
  tail -n 15 "$run/$name.log" >&2
  "$here/stop.sh" "$run"
  fail "\`$name\` does not answer at $url, its last lines are above" "read $run/$name.log"
}

# One thread: the threads of ggml wait for each other by spinning, which on a busy machine is far
# slower than one alone.
llama() {
  local name=$1 wanted=$2
  shift 2
  serve "$name" "$wanted" /health bin/llama-server --model "$MODEL" --alias smollm2-135m \
    --host 127.0.0.1 --port @port@ --offline --no-ui --ctx-size 8192 --parallel 2 --threads 1 \
    --seed 42 --temp 0 --predict 200 "$@"
}

# Tells whether all that is to run is running already: every address that `env` names answers, and
# no part has been installed since.
runs() {
  [ -s "$run/env" ] || return 1
  local part at
  for part in bedrock aimock llmock; do
    has "$part" && ! grep -q "SCOUTAI_${part^^}_URL=" "$run/env" && return 1
  done
  has sdk && ! grep -q SCOUTAI_SDK_PYTHON= "$run/env" && return 1
  while read -r at; do
    answers "$at/health" || return 1
  done < <(sed -n "s/^export SCOUTAI_[A-Z_]*_URL='\(http:[^']*[0-9]\)\(\/v1\)*'$/\1/p" "$run/env")
}

quoted() { printf "'%s'" "${1//\'/\'\\\'\'}"; }
variable() { echo "export $1=$(quoted "$2")" >>"$run/env.new"; }

# Writes an endpoint: NAME BACKEND URL MODEL [LINE..]
endpoint() {
  local name=$1 backend=$2 url=$3 model=$4
  shift 4
  printf '[endpoints.%s]\nbackend = "%s"\nurl = "%s"\nmodel = "%s"\n' "$name" "$backend" "$url" "$model"
  printf '%s\n' "$@" ""
} >>"$run/config/scoutai/config.toml"

if runs; then
  say "already running: $(sed -n "s/^export SCOUTAI_\([A-Z_]*\)_URL='\(.*\)'$/\1 \2/p" "$run/env" | tr '\n' ' ')"
  exit
fi
"$here/stop.sh" "$run"
mkdir -p "$run/config/scoutai"
: >"$run/env.new"
: >"$run/config/scoutai/config.toml"
(umask 077 && : >"$run/credentials")

llama tool 8081 --chat-template-file "$here/templates/strict-tools.jinja"
tools=$url
say "tool calls at $url/v1 (with tool_choice required, parallel_tool_calls false)"
variable SCOUTAI_TOOL_URL "$url/v1"
endpoint small-tools llamacpp "$url/v1" smollm2-135m
endpoint small-tools-responses responses "$url/v1" smollm2-135m 'key = "none"'
endpoint small-tools-anthropic anthropic "$url/v1" smollm2-135m 'key = "none"'

llama plain 8082
plain=$url
say "plain answers at $url/v1"
variable SCOUTAI_PLAIN_URL "$url/v1"
endpoint small llamacpp "$url/v1" smollm2-135m
endpoint small-responses responses "$url/v1" smollm2-135m 'key = "none"'
endpoint small-anthropic anthropic "$url/v1" smollm2-135m 'key = "none"'

# Starts MiniStack under a name in front of a model, and writes a profile with a key to it: NAME PORT
# MODEL PROFILE.
ministack() {
  local name=$1 wanted=$2 model=$3 profile=$4 key
  serve "$name" "$wanted" /health env BIND_HOST=127.0.0.1 GATEWAY_PORT=@port@ IOT_MTLS_ENABLED=0 AUTH=true \
    SERVICES=bedrock-runtime,iam,sts S3_DATA_DIR="$run/$name" \
    MINISTACK_BEDROCK_PROXY_URL="$model" MINISTACK_BEDROCK_PROXY_TIMEOUT_SECONDS=120 bedrock/bin/ministack
  key=$(python3 "$here/bedrock_key.py" "$url") || fail "MiniStack makes no key" "read $run/$name.log"
  profile "$profile" "${key% *}" "${key#* }"
  say "Bedrock in front of $model at $url"
}

profile() {
  printf '[%s]\naws_access_key_id = %s\naws_secret_access_key = %s\n\n' "$@" >>"$run/credentials"
}

if has bedrock; then
  ministack bedrock 4566 "$plain" plain
  variable SCOUTAI_BEDROCK_URL "$url"
  endpoint aws bedrock "$url" smollm2-135m 'region = "us-east-1"' 'profile = "plain"'
  profile wrong "$(sed -n 's/^aws_access_key_id = //p' "$run/credentials")" nobodyknowsthissecret
  endpoint aws-wrong bedrock "$url" smollm2-135m 'region = "us-east-1"' 'profile = "wrong"'
  ministack bedrock-tools 4567 "$tools" tools
  variable SCOUTAI_BEDROCK_TOOL_URL "$url"
  endpoint aws-tools bedrock "$url" smollm2-135m 'region = "us-east-1"' 'profile = "tools"'
  variable AWS_SHARED_CREDENTIALS_FILE "$run/credentials"
fi

if has aimock; then
  serve aimock 4010 /health node aimock/node_modules/@copilotkit/aimock/dist/cli.js --port @port@ \
    --host 127.0.0.1 --fixtures "$here/aimock.json" --validate-on-load --strict --log-level warn
  say "scripted replies at $url"
  variable SCOUTAI_AIMOCK_URL "$url"
  endpoint mock-chat chat "$url/v1" mock 'key = "none"'
  endpoint mock-openrouter openrouter "$url/api/v1" mock 'key = "none"'
  endpoint mock-responses responses "$url/v1" mock 'key = "none"'
  endpoint mock-anthropic anthropic "$url/v1" mock 'key = "none"'
  endpoint mock-gemini gemini "$url/v1beta" mock 'key = "none"'
  endpoint mock-ollama ollama "$url/api" mock
  # It looks at no signature; that there is one is what MiniStack sees to.
  endpoint mock-bedrock bedrock "$url" mock 'key = "none"'
fi

if has llmock; then
  serve llmock 4030 /health llmock/bin/llmock serve --host 127.0.0.1 --port @port@
  say "faults on demand at $url"
  variable SCOUTAI_LLMOCK_URL "$url"
  endpoint fault-chat chat "$url/v1" mock 'key = "none"'
  endpoint fault-responses responses "$url/v1" mock 'key = "none"'
  endpoint fault-anthropic anthropic "$url/anthropic/v1" mock 'key = "none"'
  endpoint fault-gemini gemini "$url/gemini/v1beta" mock 'key = "none"'
fi

if has sdk; then variable SCOUTAI_SDK_PYTHON "$dir/sdk/bin/python"; fi
variable SCOUTAI_PEERS "$run/env"
variable XDG_CONFIG_HOME "$run/config"
echo "export PATH=$(quoted "$dir/bin"):\"\$PATH\"" >>"$run/env.new"
mv "$run/env.new" "$run/env"
say "stop them with: tests/peers/stop.sh $run"
