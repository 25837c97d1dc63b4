"""The ways to ask for one decision over HTTP, from the bare protocol to the stock SDK.

Each has a server process of its own, except the calls with a token and those of models, which go
to the server of the typed call.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

os.environ["OTEL_INSTRUMENTATION_A2A_SDK_ENABLED"] = "true"  # before the SDK's first import

from agents.stock_agent import StockClient
from casino_agentkit import AgentClient, HotOutput
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    SignupInvitation,
    SignupResponse,
)
from casino_contracts.fast_struct import FastReader
from floors.bare import Bare
from floors.floor import Floor
from rig import BENCH, free_port, question, server, wait_for_port

BARE, ASGI = "bare_protocol", "bare_asgi"
TYPED, KEYED, MODELS = "typed_call", "typed_call_with_token", "typed_call_of_models"
UNTYPED, STOCK = "untyped_call", "stock_sdk"
CALLER = ("-m", "casino_player_example", "caller", "--port")
"""The player of the typed calls, before its port."""
ACTION = HotOutput(ActionResponse, FastReader(ActionResponse).read)
SECONDS = timedelta(seconds=20)
Call = Callable[[int], Awaitable[object]]
_BRIEF = "You play poker. Choose one of the legal actions."
_SEAT_TOKEN = "0123456789abcdef" * 4
_INVITATION = SignupInvitation(
    casino_name="Bench",
    table_id="guarded",
    room_id="guarded",
    min_buy_in=40,
    max_buy_in=400,
    small_blind=1,
    big_blind=2,
    seat_token=_SEAT_TOKEN,
)


class Question:
    """The same question again with other numbers: no agent is asked twice."""

    def __init__(self, table_id: str) -> None:
        self._model = question().model_copy(update={"table_id": table_id, "request_id": "number!"})
        before, _, after = self._model.model_dump_json().partition("number!")
        self._before, self._after = before.encode(), after.encode()

    def model(self, number: int) -> ActionRequest:
        """Return the question of this number as a model."""
        return self._model.model_copy(update={"request_id": f"q{number}"})

    def json(self, number: int) -> bytes:
        """Return the question of this number as JSON, made without a model as at a table."""
        return b"%bq%d%b" % (self._before, number, self._after)


@dataclass(frozen=True)
class Contender:
    """One way to ask: the call with its number, and the process that answers."""

    ask: Call
    pid: int


@asynccontextmanager
async def contenders() -> AsyncIterator[dict[str, Contender]]:
    """Start the servers and connect the clients; all end with the context."""
    with ExitStack() as stack:
        ports = {name: free_port() for name in (BARE, ASGI, TYPED, UNTYPED, STOCK)}
        commands = {
            BARE: (str(BENCH / "floors/bare.py"),),
            ASGI: (str(BENCH / "floors/floor.py"),),
            TYPED: CALLER,
            UNTYPED: (str(BENCH / "agents/text_agent.py"),),
            STOCK: (str(BENCH / "agents/stock_agent.py"),),
        }
        pids = {
            name: stack.enter_context(
                server(*command, str(ports[name]), as_installed=name == STOCK)
            ).pid
            for name, command in commands.items()
        }
        for port in ports.values():
            await wait_for_port(port)
        urls = {name: f"http://127.0.0.1:{port}/" for name, port in ports.items()}
        bare, floor, client = Bare(ports[BARE]), Floor(urls[ASGI]), AgentClient()
        stock = await StockClient.to(urls[STOCK])
        question = Question("table-1")
        calls: dict[str, Call] = {
            BARE: lambda _number: bare.act(),
            ASGI: lambda number: floor.act(question.model(number)),
            **await _typed(client, urls[TYPED]),
            UNTYPED: await _untyped(client, urls[UNTYPED]),
            STOCK: lambda number: stock.act(question.model(number)),
        }
        pids[KEYED] = pids[MODELS] = pids[TYPED]
        yield {name: Contender(call, pids[name]) for name, call in calls.items()}
        bare.close()
        await asyncio.gather(floor.close(), client.close(), stock.close())


async def _typed(client: AgentClient, url: str) -> dict[str, Call]:
    peer = await client.resolve(url, timeout=SECONDS)
    await peer.call("signup", _INVITATION, SignupResponse, timeout=SECONDS)
    opened, guarded = Question("table-1"), Question(_INVITATION.table_id)
    return {
        TYPED: lambda number: peer.call("act", opened.json(number), ACTION, timeout=SECONDS),
        KEYED: lambda number: peer.call(
            "act", guarded.json(number), ACTION, timeout=SECONDS, token=_SEAT_TOKEN
        ),
        MODELS: lambda number: peer.call(
            "act", opened.model(number), ActionResponse, timeout=SECONDS
        ),
    }


async def _untyped(client: AgentClient, url: str) -> Call:
    peer = await client.resolve(url, timeout=SECONDS)
    question = Question("table-1")
    return lambda number: peer.call(
        "act", question.json(number), ACTION, timeout=SECONDS, brief=_BRIEF
    )
