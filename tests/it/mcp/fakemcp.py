"""A scripted MCP server on stdin and stdout, for tests: `fakemcp.py LOG MODE...`.

Each thing that happens (its own pid, that of a grandchild, calls, cancellations) is a line in LOG.
"""

import base64
import json
import os
import signal
import subprocess
import sys
import threading
import time

LOG = sys.argv[1]
MODES = set(sys.argv[2:])
LOCK = threading.Lock()
CANCELLED = []


def log(line):
    with LOCK, open(LOG, "a", encoding="utf-8") as out:
        out.write(line + "\n")


def write(line):
    with LOCK:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def noise():
    if "noise" in MODES:
        for line in ["Starting…", "", "🚀 ready \x1b[31mred", '{"log":1}', "more"]:
            write(line)


def send(**message):
    noise()
    write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False))


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def tool(name, properties=None, **more):
    schema = {"type": "object", "properties": properties or {}}
    return {"name": name, "description": "Does " + name + ".", "inputSchema": schema, **more}


TOOLS = [
    tool("add", {"a": {"type": "number"}, "b": {"type": "number"}}, annotations={"readOnlyHint": True}),
    tool("echo", {"text": {"type": "string"}}),
    tool("big", {"size": {"type": "integer"}}),
    tool("image"),
    tool("fail"),
    tool("slow", {"steps": {"type": "integer"}, "pause": {"type": "number"}}),
    tool("hang"),
    tool("cancelled"),
    tool("refuse"),
    tool("die"),
    tool("env"),
]


def listed(cursor):
    if "bad-tools" in MODES:
        return {"tools": [{"name": "none"}, {"name": "null", "inputSchema": None}, 7] + TOOLS[:2]}
    if "endless" in MODES:
        number = int(cursor or 0)
        return {"tools": [tool("t%d" % number)], "nextCursor": str(number + 1)}
    if "paged" in MODES and cursor is None:
        return {"tools": TOOLS[:1], "nextCursor": ""}
    if "paged" in MODES:
        return {"tools": TOOLS[1:2]}
    return {"tools": TOOLS}


def called(request, params):
    name, arguments = params["name"], params.get("arguments") or {}
    token = params.get("_meta", {}).get("progressToken")
    log("call " + name)
    if name == "add":
        return text(str(arguments["a"] + arguments["b"]))
    if name == "echo":
        return text(arguments["text"])
    if name == "big":
        return text("x" * arguments["size"])
    if name == "image":
        data = base64.b64encode(b"\x89PNG").decode()
        return {"content": [{"type": "image", "data": data, "mimeType": "image/png"}]}
    if name == "fail":
        return {"isError": True, **text("out of flour")}
    if name == "slow":
        for step in range(arguments["steps"]):
            time.sleep(arguments["pause"])
            progress = {"progressToken": token, "progress": step + 1}
            send(method="notifications/progress", params=progress)
        return text("done")
    if name == "hang":
        return None
    if name == "cancelled":
        return text(str(len(CANCELLED)))
    if name == "die":
        sys.stderr.write("the oven\nis on fire\n")
        sys.stderr.flush()
        os._exit(7)
    if name == "env":
        return text(json.dumps(dict(os.environ)))
    send(id=request, error={"code": -32602, "message": "never heard of " + name})
    return None


def answer(message):
    method, request = message.get("method"), message.get("id")
    params = message.get("params") or {}
    if method == "initialize":
        if "modern" in MODES or "refuse" in MODES:
            send(id=request, error={"code": -32601, "message": "no such method"})
            return
        if "leave" in MODES:
            os._exit(0)
        log("offered " + params["protocolVersion"])
        send(id=request, result={
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "fake", "version": "1"},
            "instructions": " Add\u200b with care. ",
        })
    elif method == "server/discover" and "modern" in MODES:
        send(id=request, result={
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "ttlMs": 0,
            "cacheScope": "private",
        })
    elif method == "tools/list":
        send(id=request, result=listed(params.get("cursor")))
    elif method == "tools/call":
        result = called(request, params)
        if result is not None:
            send(id=request, result=result)
    elif method == "notifications/cancelled":
        CANCELLED.append(params["requestId"])
        log("cancelled")
    elif request is not None:
        send(id=request, error={"code": -32601, "message": "no such method"})


def main():
    log("pid %d" % os.getpid())
    if "grandchild" in MODES:
        child = subprocess.Popen(["sleep", "1000"])
        log("pid %d" % child.pid)
    if "crash" in MODES:
        sys.stderr.write("Traceback\n  line 1\nImportError: no oven\n")
        sys.exit(3)
    if "loud" in MODES:
        sys.stderr.buffer.write(b"\xff" * (1024 * 1024))
        sys.stderr.flush()
    if "no-terminate" in MODES:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    noise()
    for line in sys.stdin:
        if "silent" in MODES:
            sys.stderr.write("still looking for the oven\n")
            sys.stderr.flush()
            continue
        message = json.loads(line)
        name = (message.get("params") or {}).get("name")
        if name in ("slow", "hang"):
            threading.Thread(target=answer, args=(message,), daemon=True).start()
        else:
            answer(message)
    log("end of input")
    while "no-end" in MODES or "no-terminate" in MODES:
        time.sleep(1)


main()
