"""How much of a body is read, by path and caller, before anything of it is known."""

import pytest
from casino_agentkit import ANYONE, Agent, Caller, LargeBody
from casino_agentkit.protocol import INPUT_LIMIT
from casino_agentkit.server.request_guard import BodyLimits, TooLarge
from pydantic import BaseModel

TABLE = Caller("sesame")
THIRD_PARTY = Caller("another")
LARGE = LargeBody(10 * INPUT_LIMIT, lambda sender: sender.token == "sesame")


class Message(BaseModel):
    text: str = ""


def limits() -> BodyLimits:
    """Return the limits of a process with two agents, of which one takes large bodies."""
    lobby, other = Agent("Lobby", "Records."), Agent("Other", "Plays.")
    for agent, large in ((lobby, LARGE), (other, None)):

        @agent.entrypoint("record", who=ANYONE, large=large)
        async def record(message: Message) -> Message:
            return message

        @agent.entrypoint("list", who=ANYONE)
        async def listed(message: Message) -> Message:
            return message

    agents = {"/a2a/jsonrpc": lobby, "/other/a2a/jsonrpc": other}
    return BodyLimits(agents, {"/v1/matches/": LARGE})


@pytest.mark.parametrize(
    ("path", "is_large"),
    [
        ("/a2a/jsonrpc", True),
        ("/a2a/jsonrpc/", True),
        ("/a2a/rest/message:send", True),
        ("/a2a/rest/tenant/message:stream", True),
        ("/entrypoints/record/invoke", True),
        ("/a2a/rest/entrypoints/record/invoke", True),
        ("/entrypoints/list/invoke", False),
        ("/entrypoints/list/record", False),
        ("/a2a/rest/entrypoints/list/invoke", False),
        ("/other/a2a/jsonrpc", False),
        ("/other/entrypoints/record/invoke", False),
        ("/v1/matches/night", True),
        ("/v1/rooms", False),
    ],
)
def test_more_is_read_where_it_is_needed_and_only_of_one_who_may_send_it(
    path: str,
    is_large: bool,  # noqa: FBT001  a case
) -> None:
    made = limits()
    assert made.of(path, TABLE) == (LARGE.most_bytes if is_large else INPUT_LIMIT)
    assert made.of(path, THIRD_PARTY) == made.of(path, Caller()) == INPUT_LIMIT


def test_the_refusal_names_the_limit_and_what_a_larger_body_needs() -> None:
    for path, status in (("/a2a/jsonrpc", 413), ("/v1/matches/night", 401), ("/v1/rooms", 413)):
        with pytest.raises(TooLarge, match=str(INPUT_LIMIT)) as refused:
            limits().check(INPUT_LIMIT + 1, path, THIRD_PARTY)
        assert refused.value.status == status
        assert ("token" in str(refused.value)) == (path != "/v1/rooms")
    limits().check(INPUT_LIMIT, "/v1/rooms", THIRD_PARTY)
    limits().check(LARGE.most_bytes, "/a2a/jsonrpc", TABLE)
    with pytest.raises(TooLarge, match=str(LARGE.most_bytes)):
        limits().check(LARGE.most_bytes + 1, "/a2a/jsonrpc", TABLE)
