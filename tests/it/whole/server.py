"""A small MCP server on stdio with one tool, which writes its process id into the file it is given."""

import json
import os
import sys

with open(sys.argv[1], "w") as file:
    file.write(str(os.getpid()))

TOOL = {"name": "look", "description": "Looks.", "inputSchema": {"type": "object", "properties": {}}}


def answer(request):
    method = request["method"]
    if method == "initialize":
        return {
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "small", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    return {"content": [{"type": "text", "text": "seen"}]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        reply = {"jsonrpc": "2.0", "id": request["id"], "result": answer(request)}
        print(json.dumps(reply), flush=True)
