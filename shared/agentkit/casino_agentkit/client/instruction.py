"""What agents without the typed-entrypoint extension are sent: a text, and JSON if they take it."""

from functools import cache
from typing import Any, Final, cast

import orjson
from pydantic import TypeAdapter

from casino_agentkit.protocol import JSON

_TAKES_JSON: Final = frozenset({JSON, "application/*", "*/*"})
_MODES_READ: Final = 64  # number of input modes of a skill that are read


@cache
def adapter_of(output: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(output)


def instruction(skill: str, data: bytes, output: type[Any], brief: str) -> str:
    ending = _ending(cast("Any", output))
    task = brief or f"You are called for your skill '{skill}'."
    return (
        f"{task} The JSON below is the input. Reply with one JSON object that fits the schema at"
        f" the end, and with nothing else.\n\nInput:\n{data.decode()}\n\n{ending}"
    )


@cache
def _ending(output: Any) -> str:
    """Return the end of an instruction; a schema takes 500 us to build."""
    schema = orjson.dumps(adapter_of(output).json_schema(by_alias=True)).decode()
    return f"Schema of the reply:\n{schema}"


def skills_taking_json(skills: list[Any], default_modes: Any) -> frozenset[str]:
    """Return ids by `inputModes`, else `defaultInputModes`; without either all JSON is taken."""
    return frozenset(
        skill["id"]
        for skill in skills
        if isinstance(skill, dict)
        and isinstance(skill.get("id"), str)
        and _takes_json(skill.get("inputModes") or default_modes)
    )


def _takes_json(modes: Any) -> bool:
    """Return whether a list of media types contains JSON; parameters and case do not count."""
    if not modes:
        return True
    return isinstance(modes, list) and any(
        isinstance(mode, str) and mode.partition(";")[0].strip().lower() in _TAKES_JSON
        for mode in modes[:_MODES_READ]
    )
