"""The call that docs/protocol.md shows is a whole one, which a player answers."""

import re
from pathlib import Path

import httpx
from casino_player_example.app import build_app
from casino_player_example.settings import PlayerSettings

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()


async def test_the_example_of_a_typed_call_is_answered() -> None:
    """Sent byte by byte, with the headers beside it."""
    body = re.search(r"```json\n(.+?)```", PAGE, re.DOTALL)
    headers = re.search(r"Headers: `([\w-]+): (.+?)`, `([\w-]+): (.+?)`", PAGE)
    assert body
    assert headers
    version, number, extensions, extension = headers.groups()
    app = build_app(PlayerSettings(style="caller"), "http://player").asgi()
    sent = {version: number, extensions: extension, "content-type": "application/json"}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as http:
        reply = await http.post("http://player/a2a/jsonrpc", content=body[1], headers=sent)
    result = reply.json()["result"]
    assert [part["data"] for part in result["message"]["parts"]] == [{"action": "call"}]
