"""The call that the documentation shows."""

import re
from pathlib import Path

from casino_contracts import RunMatchOutput

from .conftest import KEY, match_service, play_here

PAGE = (Path(__file__).parents[3] / "docs/matches-running.md").read_text()
_CALL = re.compile(
    r"^curl -s http://127\.0\.0\.1:4070(?P<path>/\S+) (?P<headers>.*?) -d '(?P<body>.*?)' \| jq",
    re.DOTALL | re.MULTILINE,
)


async def test_the_call_of_the_page_runs_a_match(tmp_path: Path) -> None:
    """To its end, as any HTTP client sends it."""
    call = _CALL.search(PAGE)
    assert call is not None
    pairs = re.findall(r"-H ['\"](.*?): (.*?)['\"]", call["headers"])
    headers = {name: value.replace("$KEY", KEY) for name, value in pairs}
    assert len(headers) == 4
    async with match_service(tmp_path, play_here) as service:
        reply = await service.request("POST", call["path"], headers=headers, content=call["body"])
        card = (await service.request("GET", "/.well-known/agent-card.json")).json()
    output = RunMatchOutput.model_validate(reply.json()["result"]["message"]["parts"][0]["data"])
    assert (output.status, output.decks) == ("complete", 100)
    assert [skill["id"] for skill in card["skills"]] == ["runMatch"]
    assert set(card["securitySchemes"]) == {"operatorKey"}
