"""A small MCP server on stdio, which writes its process id into the file it is given.

Its tools: `look` sees, `photo` shows a picture, `save` writes a file, `quiet` says nothing, `broken` fails without a word, `long` says much.
"""

import json
import os
import sys

with open(sys.argv[1], "w") as file:
    file.write(str(os.getpid()))


def tool(name, description, *required, **inputs):
    properties = {key: {"type": kind} for key, kind in inputs.items()}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "inputSchema": schema}


TOOLS = [
    tool("look", "Looks."),
    tool("photo", "Shows a picture."),
    tool("save", "Saves a text.", "path", "text", path="string", text="string"),
    tool("quiet", "Says nothing."),
    tool("broken", "Fails.", n="integer"),
    tool("long", "Says a text many times.", "text", "times", text="string", times="integer"),
]


def called(name, arguments):
    if name == "save":
        with open(arguments["path"], "w") as file:
            file.write(arguments["text"])
        return "saved"
    if name == "long":
        return arguments["text"] * arguments["times"]
    return "seen" if name == "look" else ""


def answer(request):
    method, params = request["method"], request.get("params", {})
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "small", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if params["name"] == "photo":
        picture = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}
        return {"content": [{"type": "text", "text": "a photo"}, picture]}
    text = called(params["name"], params.get("arguments") or {})
    return {"isError": params["name"] == "broken", "content": [{"type": "text", "text": text}]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        reply = {"jsonrpc": "2.0", "id": request["id"], "result": answer(request)}
        print(json.dumps(reply), flush=True)
