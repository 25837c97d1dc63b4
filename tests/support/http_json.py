"""Messages over HTTP+JSON to an application of the agent kit, and their answers."""

from typing import Any

import httpx
from casino_agentkit.protocol import REST_PATH
from starlette.types import ASGIApp

SOUP = {"dish": "soup", "plates": 2}
VERSION = {"A2A-Version": "1.0"}


def message(**fields: Any) -> dict[str, Any]:
    """Return a message; parts default to the order as data."""
    return {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": SOUP}], **fields}


async def send(app: ASGIApp, said: dict[str, Any]) -> dict[str, Any]:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://sample"
    ) as http:
        url = REST_PATH + "/message:send"
        answer: dict[str, Any] = (
            await http.post(url, json={"message": said}, headers=VERSION)
        ).json()
    return answer


def output(answer: dict[str, Any]) -> Any:
    """Return the output of a typed reply."""
    (part,) = answer["message"]["parts"]
    return part["data"]


def violations(answer: dict[str, Any]) -> dict[str, str]:
    assert answer["error"]["code"] == 400
    return {
        fault["field"]: fault["description"]
        for detail in answer["error"]["details"]
        for fault in detail.get("fieldViolations", [])
    }
