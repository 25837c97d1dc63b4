"""The LLM player, against a stand-in for a model's server that behaves in every way it can."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx
import pytest
from casino_agentkit import InvalidSettings
from casino_contracts import GameActionResponse
from casino_gamespec import Lobby, Specifications
from casino_player_example.app import build_app
from casino_player_example.chat import Chat
from casino_player_example.rulebook import Rulebook
from casino_player_example.settings import PlayerSettings
from casino_player_example.styles.llm import LlmPlayer
from casino_player_example.tokens import OutOfTokens, TokenBudget
from pydantic import SecretStr
from structlog.testing import capture_logs
from support.players.chat_server import (
    ChatServer,
    Reply,
    chunk,
    plain,
    raw,
    sensible,
    serving,
    stalling,
    status,
    streamed,
)
from support.specifications import LobbySide, specification
from support.table.any_game import BET, PASS, question

KEY = "sk-the-key-that-nobody-may-see"
PROSE = 'The king is best, so I bet.\n```json\n{"action_type": "BET"}\n```\nGood luck!'
MINUTE = timedelta(minutes=1)


class Evening:
    """A player, its model's server and its lobby."""

    def __init__(self, server: ChatServer, url: str, *, cap: int, stream: bool) -> None:
        self.server = server
        self.waits: list[float] = []
        self.budget = TokenBudget(cap)
        self.http = httpx.AsyncClient()
        self.lobby = LobbySide(kuhn_poker=specification())
        chat = Chat(
            self.http,
            base_url=url,
            model="stand-in",
            api_key=SecretStr(KEY),
            max_tokens=200,
            budget=self.budget,
            stream=stream,
            sleep=self._wait,
        )
        lobby = Lobby(self.lobby.client(), "http://lobby", timeout=MINUTE)
        rulebook = Rulebook(Specifications(lobby, clock=lambda: 0.0))
        self.player = LlmPlayer(rulebook, chat, timeout=MINUTE)

    async def act(self, **changes: Any) -> GameActionResponse:
        """Ask the player; nothing that it may know is ever logged, nor its key."""
        with capture_logs() as logs:
            answer = await self.player.act(question(**changes))
        assert KEY not in str(logs)
        assert "king" not in str(logs)
        assert KEY not in (answer.reasoning or "")
        assert answer.message is None
        return answer

    async def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)


@asynccontextmanager
async def evening(
    *replies: Reply, cap: int = 100_000, stream: bool = True
) -> AsyncIterator[Evening]:
    """Start a model's server with these replies, and a player that asks it."""
    server = ChatServer(*replies)
    async with serving(server) as url:
        evening = Evening(server, url, cap=cap, stream=stream)
        try:
            yield evening
        finally:
            await evening.http.aclose()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("reply", [streamed(PROSE), plain(PROSE)])
async def test_prose_and_json_in_a_fence(reply: Reply, stream: bool) -> None:  # noqa: FBT001
    """Whole or streamed, whichever was asked for; the prose is the reasoning."""
    async with evening(reply, stream=stream) as at:
        answer = await at.act()
        assert answer.action == BET
        assert "The king is best, so I bet." in (answer.reasoning or "")
        assert at.server.asked[0]["stream"] is stream
        assert at.server.asked[0]["max_tokens"] == 200
        assert at.server.authorizations == [f"Bearer {KEY}"]
        assert at.budget.spent == 50


@pytest.mark.parametrize(
    "reply",
    [
        streamed('{"action_type": "bet"}', thoughts="A king, so bet."),
        plain('{"action_type": "Bet"}', reasoning_content="A king, so bet."),
        plain('<think>A king, so bet. Not {"action_type": "PASS"}.</think>{"action_type": "BET"}'),
        plain('{"reasoning": "A king, so bet.", "action_type": "BET"}'),
        streamed('A king, so bet. {"action_type": "BET"}', tokens=None),
    ],
)
async def test_thoughts_are_reasoning_wherever_they_stand(reply: Reply) -> None:
    """In a field of their own, between tags, or inside the object."""
    async with evening(reply) as at:
        answer = await at.act()
        assert answer.action == BET
        assert "A king, so bet." in (answer.reasoning or "")


async def test_the_prompt_has_the_rules_the_state_and_the_actions() -> None:
    """Of a game that the player has only read about."""
    async with evening(plain(PROSE)) as at:
        at.lobby.documents["new_game"] = specification(gameType="new_game", rules="Be brave.")
        await at.act(gameType="new_game")
        system, user = (message["content"] for message in at.server.asked[0]["messages"])
        assert "Be brave." in system
        assert '{"public": {"pot": 2}, "private": {"card": "K"}}' in user
        assert '{"action_type": "BET"}\n{"action_type": "PASS"}' in user


async def test_a_refusal_of_the_table_is_told_to_the_model() -> None:
    """So that the second attempt is better."""
    async with evening(plain(PROSE)) as at:
        await at.act(rejected={"reason": "illegal", "message": "the bet is too small"})
        assert "the bet is too small" in at.server.asked[0]["messages"][1]["content"]


@pytest.mark.parametrize(
    "nonsense",
    ["I would rather not say.", '{"action_type": "SHOUT"}', "{{{{", '{"action": 7}', "{}" * 5000],
)
async def test_an_answer_that_cannot_be_read_is_asked_for_once_more(nonsense: str) -> None:
    """With the fault quoted."""
    async with evening(plain(nonsense), streamed(PROSE)) as at:
        assert (await at.act()).action == BET
        said, asked = at.server.asked[1]["messages"][2:]
        assert said["role"] == "assistant"
        assert "BET" in asked["content"]
        assert len(at.server.asked) == 2
        assert at.budget.spent == 100


async def test_after_two_rounds_the_default_action_is_played() -> None:
    """And the reasoning says so."""
    async with evening(plain("No.")) as at:
        answer = await at.act()
        assert answer.action == PASS
        assert (answer.reasoning or "").startswith("[the default action: the model's answers")
        assert len(at.server.asked) == 2


async def test_a_huge_answer_is_cut() -> None:
    """A stream that never ends is left; reasoning is at most 4,000 characters."""
    endless = [chunk(content="blah " * 1000) for _ in range(200)]
    async with evening(raw(*endless)) as at:
        answer = await at.act()
        assert answer.action == PASS
        assert len(answer.reasoning or "") == 4000


async def test_a_reply_without_end_in_bytes_is_refused() -> None:
    """Before it fills the memory."""
    flood = [b"x" * 500_000] * 20
    async with evening(raw(*flood, media_type="application/json")) as at:
        answer = await at.act()
        assert answer.action == PASS
        assert "more than" in (answer.reasoning or "")


@pytest.mark.parametrize(
    ("reply", "wait"),
    [
        (status(429, retry_after="2"), 2.0),
        (status(429, retry_after="Wed, 21 Oct 2026 07:28:00 GMT"), 0.5),
        (status(500), 0.5),
        (status(503, retry_after="nan"), 0.5),
        (raw(chunk(content="I b"), breaks=True), 0.5),
        (streamed("I bet", done=False), 0.5),
        (plain(""), 0.5),
        (raw(b'data: {"error": {"message": "overloaded"}}\n\n'), 0.5),
    ],
)
async def test_what_passes_is_tried_once_more(reply: Reply, wait: float) -> None:
    """After the time that the server asks for; half an answer is no answer."""
    async with evening(reply, streamed(PROSE)) as at:
        assert (await at.act()).action == BET
        assert at.waits == [wait]


@pytest.mark.parametrize(
    ("reply", "told", "asked"),
    [
        (status(500), "HTTP 500", 2),
        (status(401, {"error": {"message": f"wrong key {KEY}"}}), "HTTP 401", 1),
        (status(404), "HTTP 404", 1),
        (status(429, retry_after="3600"), "HTTP 429", 1),
        (plain("x", tokens=None, content=None), "is empty", 2),
        (raw(b"<html>", media_type="text/html"), "not send valid JSON", 1),
        (raw(b"[" * 100_000, media_type="application/json"), "not send valid JSON", 1),
        (raw(b"[]", media_type="application/json"), "no chat completion", 1),
        (raw(b"{}", media_type="application/json"), "is empty", 2),
        (raw(b'{"choices": [{"message": "hi"}]}', media_type="application/json"), "is empty", 2),
        (raw(b"data: nonsense\n\n"), "not send valid JSON", 1),
        (raw(b"data: [DONE]\n\n"), "is empty", 2),
        (raw(chunk(content="I b"), breaks=True), "RemoteProtocolError", 2),
    ],
)
async def test_a_server_that_fails_costs_nothing_but_the_default(
    reply: Reply, told: str, asked: int
) -> None:
    """Told in the reasoning, without the key."""
    async with evening(reply) as at:
        answer = await at.act()
        assert answer.action == PASS
        assert told in (answer.reasoning or "")
        assert len(at.server.asked) == asked


@pytest.mark.parametrize("reply", [stalling(), stalling(chunk(content="Let me think"))])
async def test_a_server_that_stalls_is_left_before_the_clock_ends(reply: Reply) -> None:
    """With the default action."""
    async with evening(reply) as at:
        answer = await at.act(deadlineMs=500)
        assert answer.action == PASS
        assert "too long" in (answer.reasoning or "")


async def test_a_server_that_is_gone() -> None:
    """Is told by its kind alone."""
    async with evening(plain(PROSE)) as at:
        pass
    async with httpx.AsyncClient() as http:
        chat = Chat(
            http,
            base_url="http://127.0.0.1:9/v1",
            model="m",
            api_key=SecretStr(KEY),
            max_tokens=10,
            budget=at.budget,
            sleep=at._wait,
        )
        player = LlmPlayer(Rulebook(None), chat, timeout=MINUTE)
        answer = await player.act(question())
    assert answer.action == PASS
    assert "ConnectError" in (answer.reasoning or "")


class TestTokens:
    """What a process may spend."""

    async def test_no_call_is_made_beyond_the_cap(self) -> None:
        """The default action costs none."""
        async with evening(plain(PROSE, tokens=3000), cap=3100) as at:
            answers = [await at.act(requestId=str(n)) for n in range(4)]
            assert [answer.action for answer in answers] == [BET, PASS, PASS, PASS]
            assert answers[1].reasoning == "[the default action: 3000 of 3100 tokens are spent]"
            assert at.budget.spent == 3000
            assert len(at.server.asked) == 1

    async def test_what_nobody_counted_is_estimated(self) -> None:
        """The prompt and the answer; a server that says 0 is not believed."""
        async with evening(streamed(PROSE, tokens=None), plain(PROSE, tokens=0)) as at:
            await at.act()
            first = at.budget.spent
            assert first > 100
            await at.act(requestId="2")
            assert at.budget.spent == 2 * first

    async def test_a_call_that_stalls_is_paid_for(self) -> None:
        """As far as is known: in full."""
        async with evening(stalling()) as at:
            await at.act(deadlineMs=300)
            assert at.budget.spent > 200

    async def test_an_error_costs_nothing(self) -> None:
        """Nothing was generated."""
        async with evening(status(500)) as at:
            await at.act()
            assert at.budget.spent == 0

    def test_reservations_count_while_they_run(self) -> None:
        """Many players share one budget."""
        budget = TokenBudget(100)
        with budget.reserve(60) as spending:
            with pytest.raises(OutOfTokens, match="60 of 100"), budget.reserve(50):
                pass
            spending.tokens = 10
        assert budget.spent == 10


class TestSettings:
    """What has to be told, and what is never shown."""

    GIVEN = (
        ("CASINO_PLAYER_LLM_BASE_URL", "http://127.0.0.1:11434/v1"),
        ("CASINO_PLAYER_LLM_MODEL", "qwen3"),
        ("CASINO_PLAYER_LLM_API_KEY", KEY),
    )

    @pytest.mark.parametrize("missing", [name for name, _ in GIVEN])
    def test_a_missing_variable_is_named(self, missing: str) -> None:
        """When the style needs it, and only then."""
        given = {name: value for name, value in self.GIVEN if name != missing}
        with pytest.raises(InvalidSettings, match=f"the style llm needs {missing}$"):
            PlayerSettings.load(given, style="llm")
        assert PlayerSettings.load(given, style="generic").style == "generic"

    def test_the_key_is_never_shown(self) -> None:
        """Neither by settings nor by their faults."""
        assert KEY not in repr(PlayerSettings.load(dict(self.GIVEN), style="llm"))
        given = {**dict(self.GIVEN), "CASINO_PLAYER_LLM_API_KEY": f"{KEY}\nx"}
        with pytest.raises(InvalidSettings, match="LLM_API_KEY: .*one word") as refused:
            PlayerSettings.load(given, style="llm")
        assert KEY not in str(refused.value)

    async def test_an_app_is_built_of_them(self) -> None:
        """With an endpoint that nobody has asked yet."""
        settings = PlayerSettings.load(dict(self.GIVEN), style="llm")
        service = build_app(settings, "http://player")
        async with service.running():
            assert service.agents[""].name == "Llm"


async def test_the_stand_in_that_plays_sensibly() -> None:
    """What whole casinos are tested with: it takes the first offer, with its smallest amount."""
    async with evening(sensible) as at:
        assert (await at.act()).action == BET
        bet = {"action_type": "BET", "min": 3, "max": 9}
        at.lobby.documents.clear()
        answer = await at.act(availableActions=[bet, PASS], gameType="dice")
        assert answer.action == {"action_type": "BET", "amount": 3}
