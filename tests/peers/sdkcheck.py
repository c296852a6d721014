#!/usr/bin/env python3
"""Holds requests to the types of the providers' own SDKs.

usage: sdk/bin/python sdkcheck.py FOLDER..

Every `*.json` in a folder, and in the folders in it, is one request. Whose it is stands in its
name (`anthropic-17.json`) or in the name of a folder above it (`anthropic/plain.json`,
`anthropic/plain/request.json`); what follows a `_` there, as in `gemini_3`, only counts for
`anthropic_2026`. A file of the form
{"why": .., "request": ..} holds a request that is expected to be wrong. Beside a `request.json`,
nothing else is a request.

Prints a line for each request that its SDK's types refuse, and ends with 1 if there is any. The
SDKs themselves check little when they send, so their types are made strict here: no unknown keys,
no conversions. `setup.sh DIR sdk` installs the SDKs into DIR/sdk.
"""

import collections.abc
import functools
import json
import pathlib
import re
import sys
import types
import typing

import typing_extensions
from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, ValidationError

# ---- types of keyword arguments, as OpenAI and Anthropic have them


def refuse(value):
    raise ValueError("cannot be on the wire")


Never = typing.Annotated[typing.Any, BeforeValidator(refuse)]


class Strict:
    """Rewrites a type of arguments into one that takes what may be on the wire, and nothing else."""

    def __init__(self):
        self.made = {}

    def of(self, kind):
        if is_dict_of_fields(kind):
            return self.fields(kind)
        origin, inner = typing_extensions.get_origin(kind), typing_extensions.get_args(kind)
        if origin is None:
            # Bytes and files are for programs that build requests; the wire has text.
            in_memory = kind in (bytes, bytearray) or getattr(kind, "__module__", "") in ("io", "os", "pathlib")
            return Never if in_memory else kind
        if origin in (typing_extensions.Required, typing_extensions.NotRequired, typing.Annotated):
            return self.of(inner[0])
        if origin in (typing.Union, types.UnionType):
            return typing.Union[tuple(self.of(one) for one in inner)]
        if origin in (typing.Literal, typing_extensions.Literal):
            return kind
        if isinstance(origin, type) and issubclass(origin, collections.abc.Mapping):
            return dict[inner[0], self.of(inner[1])]
        if isinstance(origin, type) and issubclass(origin, typing.IO):
            return Never
        if "PathLike" in str(origin):
            return Never
        # What is left are lists by one name or another.
        return list[self.of(inner[0])]

    def fields(self, kind):
        if kind in self.made:
            return self.made[kind]
        # A type that holds itself is judged once; deeper down anything goes.
        self.made[kind] = typing.Any
        fields = {}
        for name, hint in typing_extensions.get_type_hints(kind, include_extras=True).items():
            needed = typing_extensions.get_origin(hint) is typing_extensions.Required or name in kind.__required_keys__
            wrapper = typing_extensions.Required if needed else typing_extensions.NotRequired
            fields[name] = wrapper[self.of(hint)]
        made = typing_extensions.TypedDict(kind.__name__, fields)
        made.__pydantic_config__ = ConfigDict(extra="forbid")
        self.made[kind] = made
        return made


def is_dict_of_fields(kind):
    return isinstance(kind, type) and issubclass(kind, dict) and hasattr(kind, "__total__")


@functools.cache
def adapter(api):
    if api == "chat":
        from openai.types.chat import completion_create_params as module

        names = "CompletionCreateParamsNonStreaming", "CompletionCreateParamsStreaming"
    elif api == "responses":
        from openai.types.responses import response_create_params as module

        names = "ResponseCreateParamsNonStreaming", "ResponseCreateParamsStreaming"
    else:
        from anthropic.types import message_create_params as module

        names = "MessageCreateParamsNonStreaming", "MessageCreateParamsStreaming"
    plain, streaming = (TypeAdapter(Strict().of(getattr(module, name))) for name in names)
    return lambda request: streaming if request.get("stream") is True else plain


# Fields of Anthropic's version 2023-06-01, which scoutai asks for; the SDK speaks a newer one.
OLDER = ("temperature", "top_k", "top_p")


def arguments(api, request):
    if api == "anthropic":
        request = {name: value for name, value in request.items() if name not in OLDER}
    adapter(api)(request).validate_json(json.dumps(request), strict=True)
    return None


# ---- models, as Google and Ollama have them


def gemini(request):
    from google.genai import types as kinds

    fields = {
        "contents": [kinds.Content],
        "systemInstruction": kinds.Content,
        "tools": [kinds.Tool],
        "toolConfig": kinds.ToolConfig,
        "safetySettings": [kinds.SafetySetting],
        "generationConfig": kinds.GenerationConfig,
        "cachedContent": str,
        "labels": dict,
        "serviceTier": str,
        "store": bool,
    }
    if not request.get("contents"):
        return "contents: is missing or empty"
    for name, value in request.items():
        kind = fields.get(name)
        if kind is None:
            return f"{name}: unknown key"
        if isinstance(kind, list) and not isinstance(value, list):
            return f"{name}: must be a list"
        for one in value if isinstance(kind, list) else [value]:
            kind_of_one = kind[0] if isinstance(kind, list) else kind
            if issubclass(kind_of_one, BaseModel):
                # By alias alone: the wire has `inlineData` where Python has `inline_data`.
                kind_of_one.model_validate_json(json.dumps(one), strict=True, by_alias=True, by_name=False)
            elif not isinstance(one, kind_of_one):
                return f"{name}: must be {kind_of_one.__name__}"
    return None


# Fields that the server of Ollama has and its Python types do not.
OLLAMA_MORE = {
    "ChatRequest": {"truncate", "shift"},
    "Message": {"tool_call_id"},
    "ToolCall": {"id", "type"},
    "Function": {"index"},
}


def ollama(request):
    from ollama._types import ChatRequest, Message

    found = unknown(ChatRequest.model_validate(request), request, "")
    if found or not request.get("messages"):
        return found or "messages: is missing or empty"
    # The type of a request takes any mapping for a message, so each is read by itself.
    for place, message in enumerate(request["messages"]):
        if isinstance(message.get("images"), list):
            # In Python an image is an object around the text that is sent.
            message = {**message, "images": [{"value": image} for image in message["images"]]}
        found = unknown(Message.model_validate(message), message, f"messages[{place}]")
        if found:
            return found
    return None


def unknown(model, given, place):
    """Finds a key that a model has silently passed over."""
    if isinstance(model, (list, tuple)) and isinstance(given, list):
        found = (unknown(one, value, f"{place}[{at}]") for at, (one, value) in enumerate(zip(model, given)))
        return next(filter(None, found), None)
    if not isinstance(model, BaseModel) or not isinstance(given, dict):
        return None
    name = type(model).__name__
    fields = {field.alias or key: key for key, field in type(model).model_fields.items()}
    for key, value in given.items():
        if key == "parameters":
            # A schema may have more keywords than the Python type names.
            continue
        if key not in fields and key not in OLLAMA_MORE.get(name, ()):
            return f"{place}.{key}: unknown key".lstrip(".")
        if key in fields:
            found = unknown(getattr(model, fields[key]), value, f"{place}.{key}")
            if found:
                return found
    return None


# ---- shapes, as AWS has them


@functools.cache
def converse():
    import botocore.session

    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    return service.operation_model("Converse").input_shape


def bedrock(request):
    from botocore.validate import ParamValidator

    if "modelId" in request:
        return "modelId: stands in the path and not in the body"
    report = ParamValidator().validate({**request, "modelId": "m"}, converse())
    if report.has_errors():
        return " ".join(report.generate_report().split("\n")[0].split())
    return misshapen(converse(), request, "")


def misshapen(shape, value, place):
    """Looks at what botocore leaves to the service: unknown members, patterns, lengths, choices."""
    if shape.type_name == "structure":
        if shape.metadata.get("document") or getattr(shape, "is_document_type", False):
            return None
        for name, inner in value.items():
            if name not in shape.members:
                return f"{place}.{name}: unknown member".lstrip(".")
        found = (misshapen(shape.members[name], inner, f"{place}.{name}") for name, inner in value.items())
        return next(filter(None, found), None)
    if shape.type_name == "list":
        found = (misshapen(shape.member, inner, f"{place}[{at}]") for at, inner in enumerate(value))
        return next(filter(None, found), None)
    if shape.type_name == "string":
        rules, place = shape.metadata, place.lstrip(".")
        if "enum" in rules and value not in rules["enum"]:
            return f"{place}: {value!r} is none of {rules['enum']}"
        if "pattern" in rules and not re.fullmatch(rules["pattern"], value):
            return f"{place}: {value!r} does not match {rules['pattern']}"
        if len(value) > rules.get("max", len(value)):
            return f"{place}: longer than {rules['max']}"
    if shape.type_name in ("integer", "float") and value > shape.metadata.get("max", value):
        return f"{place}: more than {shape.metadata['max']}".lstrip(".")
    return None


# ---- the requests

CHECKS = {
    "chat": functools.partial(arguments, "chat"),
    "responses": functools.partial(arguments, "responses"),
    "anthropic": functools.partial(arguments, "anthropic"),
    "anthropic_2026": functools.partial(arguments, "anthropic_2026"),
    "gemini": gemini,
    "bedrock": bedrock,
    "ollama": ollama,
}


def fault(api, request):
    """Gives what is wrong with a request, or None."""
    try:
        return CHECKS[api](request)
    except ValidationError as error:
        return nearest(error.errors(include_url=False, include_input=False))
    except (AttributeError, TypeError, ValueError) as error:
        # Google's enums fall over what is no text.
        return f"its types cannot read it: {error}"


def nearest(errors):
    """Picks the error of the kind that was meant: of all kinds of a union, the one whose tag fits."""
    others = {e["loc"][:-1] for e in errors if e["loc"] and e["loc"][-1] in ("type", "role")}
    meant = [e for e in errors if not any(e["loc"][:length] in others for length in range(len(e["loc"])))]
    error = max(meant or errors, key=lambda e: len(e["loc"]))
    # Names of types stand between the names of fields.
    place = [str(part) for part in error["loc"] if not re.search(r"\[|Param|Union|^(list|dict|str)$", str(part))]
    return f"{'.'.join(place)}: {error['msg']}"


def whose(path, top):
    inside = path.relative_to(top).parts
    for name in (inside[-1].split("-")[0], *reversed(inside[:-1]), top.name):
        for api in (name, name.split("_")[0]):
            if api in CHECKS:
                return api
    return None


def main(folders):
    passed, faults = 0, 0
    for folder in map(pathlib.Path, folders):
        for path in sorted(folder.resolve().rglob("*.json")):
            if path.name != "request.json" and path.with_name("request.json").exists():
                # A golden case: what stands beside its request is something else.
                continue
            api = whose(path, folder.resolve())
            if api is None:
                print(f"{path}: no API is named in its path")
                faults += 1
                continue
            request = json.loads(path.read_text())
            if isinstance(request, dict) and set(request) == {"why", "request"}:
                request = request["request"]
            found = fault(api, request)
            if found is None:
                passed += 1
            else:
                print(f"{path}: {found}")
                faults += 1
    print(f"{passed} requests pass" + (f", {faults} do not" if faults else ""))
    return 1 if faults or not passed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: sdkcheck.py FOLDER..")
    sys.exit(main(sys.argv[1:]))
