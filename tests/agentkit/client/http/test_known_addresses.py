"""Addresses of names: looked up once for all, kept for a minute, and always by the policy."""

import asyncio

import pytest
from casino_agentkit import AddressNotAllowed, HttpTransport, OutgoingPolicy, Unreachable
from casino_agentkit.client.connector import PolicyResolver
from casino_agentkit.client.http.plain_http_client import KnownAddresses
from casino_agentkit.client.outgoing import Origin
from casino_agentkit.errors import NoAllowedAddress
from support.loops.virtual_loop import loop
from support.replies.server import turns

NAME = Origin("http", "many.example", 80)


class Names:
    """A look-up that counts, and waits until it may answer."""

    def __init__(self, *answers: list[str] | OSError) -> None:
        self.answers = list(answers)
        self.asked = 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def __call__(self, _host: str) -> list[str]:
        """Return the next answer, the last one repeatedly."""
        self.asked += 1
        await self.may_answer.wait()
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, OSError):
            raise answer
        return answer

    def known(self, policy: OutgoingPolicy | None = None) -> KnownAddresses:
        return KnownAddresses(PolicyResolver(policy or OutgoingPolicy(), self))


async def test_calls_at_the_same_time_look_up_once() -> None:
    names = Names(["8.8.8.8"], ["8.8.4.4"])
    known = names.known()
    assert await asyncio.gather(*(known.of(NAME) for _ in range(5))) == [["8.8.8.8"]] * 5
    loop().pass_time(59)
    assert await known.of(NAME) == ["8.8.8.8"]
    assert names.asked == 1
    loop().pass_time(2)
    assert await known.of(NAME) == ["8.8.4.4"]


async def test_an_error_is_not_kept() -> None:
    known = Names(OSError("no such name"), ["8.8.8.8"]).known()
    with pytest.raises(OSError, match="no such name"):
        await known.of(NAME)
    assert await known.of(NAME) == ["8.8.8.8"]


async def test_a_name_does_not_lead_further_inside_later() -> None:
    """DNS rebinding is refused, when the kept answer has expired too."""
    known = Names(["8.8.8.8"], ["127.0.0.1"]).known()
    await known.of(NAME)
    loop().pass_time(61)
    with pytest.raises(NoAllowedAddress):
        await known.of(NAME)


async def test_a_call_that_ends_leaves_the_look_up_to_the_others() -> None:
    """It may be cancelled."""
    names = Names(["8.8.8.8"])
    names.may_answer.clear()
    known = names.known()
    calls = [asyncio.create_task(known.of(NAME)) for _ in range(2)]
    await turns()
    calls[0].cancel()
    await turns()
    names.may_answer.set()
    assert await calls[1] == ["8.8.8.8"]
    assert calls[0].cancelled()


async def test_closing_ends_a_look_up() -> None:
    """Who waits for it gets an error, and is not cancelled."""
    names = Names(["127.0.0.1"])
    names.may_answer.clear()
    transport = HttpTransport(lookup=names)
    call = asyncio.create_task(transport.send("GET", "http://many.example/", {}, b"", 60))
    await turns()
    await transport.close()
    with pytest.raises(Unreachable):
        await call
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_both_clients_refuse_a_name_in_the_same_words() -> None:
    """A name without an address that may be called, and one without any."""
    outside = OutgoingPolicy(frozenset({"public"}))
    for answer, kind in ((["127.0.0.1"], AddressNotAllowed), (OSError("x"), Unreachable)):
        said = []
        for is_lean in (True, False):
            transport = HttpTransport(outside, lookup=Names(answer), is_lean=is_lean)
            with pytest.raises(kind) as error:
                await transport.send("GET", "http://many.example/", {}, b"", 60)
            await transport.close()
            said.append((type(error.value), error.value.message))
        assert said[0] == said[1]
