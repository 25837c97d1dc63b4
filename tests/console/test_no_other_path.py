"""The console sends its operator's key to no path that an id made another one."""

import httpx
import pytest
from casino.lobby_api import LobbyApi
from casino.publishing import publish_league, publish_match
from casino_lobby_client.errors import CallFailed
from support.matches.results import league_table, match_result


@pytest.mark.parametrize("name", [".", ".."])
async def test_an_id_that_would_lead_elsewhere_is_sent_to_nobody(name: str) -> None:
    sent: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.url.path)
        return httpx.Response(200, json={})

    api = LobbyApi("http://lobby", httpx.MockTransport(answer))
    for call in (
        api.leave(name, "p"),
        api.leave("r", name),
        api.faults("r", name),
        publish_match(api, match_result(), name),
        publish_league(api, league_table(["a", "b"]), name),
    ):
        with pytest.raises(CallFailed, match="is no id"):
            await call
    assert sent == []
