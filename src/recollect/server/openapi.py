"""The server's description of itself: OpenAPI, from the table of verbs."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from recollect import __version__
from recollect.server import bodies
from recollect.server.examples import LINKS, example_of
from recollect.wire.headers import HEADERS, IDEMPOTENCY
from recollect.wire.problems import MEDIA_TYPE
from recollect.wire.verbs import VERBS, Verb

_TAGS = {
    "recollect": "All spaces: for admins",
    "memory": "The memory of a scope",
    "chat": "A conversation, which `conversation` begins",
}
_REFUSED = {
    "401": "There is no key, or it opens nothing.",
    "403": "NotAllowed: the scope may not do or see what was asked for; `what` names it.",
    "404": "NotFound: there is nothing of that id or name here.",
    "409": "Conflict, or ModelMismatch: somebody else was first, or it is barred.",
    "413": "The body is too large.",
    "415": "The body is of another kind than the server takes.",
    "422": "InvalidInput: a value is wrong; `field` names it. Nothing was written.",
    "500": "Something went wrong in the server, whose log tells more.",
    "503": "Unavailable: a part is down; `part` names it.",
}
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string", "description": "The name of the error's class."},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "field": {"type": "string"},
        "what": {"type": "string"},
        "part": {"type": "string"},
    },
    "example": {
        "type": "urn:recollect:error:InvalidInput",
        "title": "InvalidInput",
        "status": 422,
        "detail": "limit: must be from 1 to 1000, not 0",
        "field": "limit",
    },
}


@cache
def document() -> dict[str, Any]:
    """The whole of it."""
    schemas, definitions = _schemas()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Recollect",
            "version": __version__,
            "description": "Every verb of the library, under its own name, with its arguments as a JSON object.",
        },
        "tags": [{"name": owner, "description": text} for owner, text in _TAGS.items()],
        "security": [{"key": []}, {}],
        "paths": {verb.path: {verb.method.lower(): _operation(verb, schemas)} for verb in VERBS},
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "parameters": _parameters(),
            "responses": {status: _problem(text) for status, text in _REFUSED.items()},
            "schemas": {**definitions, "Problem": _PROBLEM},
        },
    }


def _schemas() -> tuple[dict[tuple[str, str], Any], dict[str, Any]]:
    """The schema of each request and answer, and what they refer to."""
    inputs: list[tuple[str, JsonSchemaMode, TypeAdapter[Any]]] = [
        *((verb.id, "validation", verb.request) for verb in VERBS),
        *((verb.id, "serialization", verb.response) for verb in VERBS),
    ]
    found, shared = TypeAdapter.json_schemas(inputs, ref_template="#/components/schemas/{model}")
    return {(key, mode): schema for (key, mode), schema in found.items()}, shared.get("$defs", {})


def _operation(verb: Verb, schemas: dict[tuple[str, str], Any]) -> dict[str, Any]:
    summary, _, more = verb.text.partition("\n\n")
    told = {
        "operationId": verb.id,
        "summary": " ".join(summary.split()),
        "description": more or summary,
        "tags": [verb.owner],
        "parameters": list(_named(verb)),
        "responses": {"200": _answer(verb, schemas), **_refusals()},
    }
    body = _body(verb, schemas)
    return told if body is None else told | {"requestBody": body}


def _body(verb: Verb, schemas: dict[tuple[str, str], Any]) -> dict[str, Any] | None:
    if verb.method == "GET":
        return None
    if verb.takes_lines:
        return {"required": True, "content": {bodies.LINES: {"schema": {"type": "string"}}}}
    content = {"schema": schemas[verb.id, "validation"], "example": example_of(verb)}
    needed = any(argument.required for argument in verb.arguments)
    return {"required": needed, "content": {bodies.JSON: content}}


def _answer(verb: Verb, schemas: dict[tuple[str, str], Any]) -> dict[str, Any]:
    if verb.streams == "changes":
        text = (
            "Events of the type `change`, each with a change as JSON, until you go. Whoever sends the id of the last"
            " one as `Last-Event-ID` misses none and gets none twice."
        )
        return {"description": text, "content": {"text/event-stream": {"schema": {"type": "string"}}}}
    if verb.streams == "lines":
        return {
            "description": "A JSON document a line.",
            "content": {bodies.LINES: {"schema": {"type": "string"}}},
        }
    told = {
        "description": "What the verb answers.",
        "content": {bodies.JSON: {"schema": schemas[verb.id, "serialization"]}},
    }
    return told | ({"links": links} if (links := _links(verb)) else {})


def _links(verb: Verb) -> dict[str, Any]:
    return {
        f"{target}_{name}": {"operationId": target, "requestBody": {name: f"$response.body#{pointer}"}}
        for pointer, target, name in LINKS.get(verb.id, ())
    }


def _refusals() -> dict[str, Any]:
    return {status: {"$ref": f"#/components/responses/{status}"} for status in _REFUSED}


def _problem(text: str) -> dict[str, Any]:
    return {"description": text, "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}


def _parameters() -> dict[str, Any]:
    headers = {name: _header(name, f"`{field}` of the scope, percent-encoded.") for field, name in HEADERS.items()}
    return headers | {
        IDEMPOTENCY: _header(IDEMPOTENCY, "A request that comes again with the same key writes nothing more."),
        "thread": _parameter("thread", "path", {"type": "string", "minLength": 1}, "The thread.", required=True),
        "shared": _parameter("shared", "query", {"type": "boolean"}, "Whether it is the space's, not the owner's."),
        "after": _parameter("after", "query", {"type": "integer", "minimum": 0}, "From after this revision on."),
    }


def _header(name: str, text: str) -> dict[str, Any]:
    return _parameter(name, "header", {"type": "string", "minLength": 1}, text)


def _parameter(name: str, place: str, schema: dict[str, Any], text: str, *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": place, "required": required, "schema": schema, "description": text}


def _named(verb: Verb) -> Iterator[dict[str, Any]]:
    names = [] if verb.admin else list(HEADERS.values())
    names += [IDEMPOTENCY] if verb.idempotent else []
    names += ["thread", "shared"] if verb.owner == "chat" else []
    names += ["after"] if verb.streams == "changes" else []
    return ({"$ref": f"#/components/parameters/{name}"} for name in names)
