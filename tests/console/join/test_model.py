"""A language model sits down by two settings: its key and a command."""

import json
from pathlib import Path
from typing import Any

import pytest
from casino.errors import NoModel
from casino.join.model_bot import ModelBot
from casino_play.errors import FunctionFailed
from support.joined.joined_bot import joined_in
from support.players.model_server import KEY, WAYS, ModelServer, Reply, sensible, serving
from support.table.seen_hand import deal, notice, play, question

UNAUTHORIZED = WAYS["unauthorized"].reply
WORDS = "HTTP 401: Incorrect API key provided: [key]"
QUESTION: dict[str, Any] = {
    "tableId": "main",
    "gameType": "toss",
    "specVersion": "1.0.0",
    "requestId": "main/1:1:1",
    "playerId": "player-1",
    "state": {"public": {}, "private": {}},
    "availableActions": [{"action_type": "heads"}, {"action_type": "tails"}],
    "deadlineMs": 10_000,
}


def bot_at(url: str, **given: Any) -> ModelBot:
    settings = {"llm_model": "openai:gpt-4.1-mini", "llm_base_url": url}
    return ModelBot(settings | given, {"OPENAI_API_KEY": KEY})


async def test_a_model_answers_before_it_decides(tmp_path: Path) -> None:
    """Under its own name, with what it cost; the transcript has both questions' answers."""
    server, transcript = ModelServer(sensible), tmp_path / "transcript.jsonl"
    async with serving(server) as url:
        further = {"llm_headers": '{"x-team": "green"}', "llm_body": '{"seed": 7}'}
        bot = bot_at(url, llm_transcript=transcript, llm_publish_reasoning=True, **further)
        await bot.ready()
        decision = await bot.decide(QUESTION)
        bot.notice({"kind": "of a later version"})
        with pytest.raises(FunctionFailed, match="requestId: is required"):
            await bot.decide({name: QUESTION[name] for name in QUESTION if name != "requestId"})
        await bot.close()
    assert bot.name == "gpt-4.1-mini"
    assert bot.profile is not None
    assert bot.profile.publishes_reasoning is True
    assert decision["action"] == {"action_type": "heads"}
    assert decision["usage"]["costUsd"] > 0
    assert "defaulted" not in decision
    assert [asked.key for asked in server.asked] == [KEY, KEY]
    assert server.asked[1].headers["x-team"] == "green"
    assert server.asked[1].body["seed"] == 7
    assert KEY not in transcript.read_text()


async def test_a_model_learns_from_the_notices_of_its_hands() -> None:
    """What is no notice changes nothing."""
    server, over, running = ModelServer(sensible), *(deal({"bb": 200, "btn": 200}) for _ in "ab")
    play(over, "raise 6, fold")
    play(running, "call")
    async with serving(server) as url:
        bot = bot_at(url)
        bot.notice({"kind": "completed"})
        bot.notice(notice(over, "bb").model_dump(mode="json"))
        await bot.decide(question(running).model_dump(mode="json"))
        await bot.close()
    ((_, turn),) = server.asked[0].messages[1:]
    assert turn.startswith("BTN: 1 hands, VPIP 100, PFR 100, raises 3bb\n")


@pytest.mark.parametrize("replies", [[UNAUTHORIZED], [sensible, UNAUTHORIZED]])
async def test_a_model_that_fails_says_so_in_its_provider_s_words(replies: list[Reply]) -> None:
    """Before its seat, no seat is to be taken; later each decision is a default with the reason."""
    async with serving(ModelServer(*replies)) as url:
        bot = bot_at(url)
        if len(replies) == 1:
            with pytest.raises(NoModel, match=r"Incorrect API key provided.*in OPENAI_API_KEY"):
                await bot.ready()
        else:
            await bot.ready()
            decision = await bot.decide(QUESTION)
            assert decision["defaulted"]["reason"] == "provider_away"
            assert decision["defaulted"]["detail"].startswith(WORDS)
        await bot.close()


@pytest.mark.system
async def test_a_wrong_key_takes_no_seat(tmp_path: Path) -> None:
    """The command ends with the provider's words, before a casino starts."""
    async with serving(ModelServer(UNAUTHORIZED)) as url:
        options = ("--model", "openai:gpt-4.1-mini", "--base-url", url, "--up")
        async with joined_in(tmp_path, *options, environment={"OPENAI_API_KEY": KEY}) as mine:
            assert await mine.ended() == 1
    assert WORDS in mine.lines[-1]
    assert "in OPENAI_API_KEY" in mine.lines[-1]
    assert [line for line in mine.lines if line.startswith(("seat", "lobby"))] == []
    assert KEY not in "".join(mine.lines)


@pytest.mark.system
async def test_two_settings_seat_a_model_in_a_casino_of_its_own(tmp_path: Path) -> None:
    """It plays until its key is withdrawn; from then on each line says that it did not decide."""
    answers = [sensible] * 4
    environment = {"OPENAI_API_KEY": KEY}
    async with serving(ModelServer(*answers, UNAUTHORIZED)) as url:
        environment["CASINO_PLAYER_LLM_BASE_URL"] = url
        options = ("--model", "openai:gpt-4.1-mini", "--up", "--hands", "6", "--lobby-port", "0")
        async with joined_in(tmp_path, *options, environment=environment) as mine:
            assert "gpt-4.1-mini with" in await mine.line("seat 0")
            assert WORDS in await mine.line(": not decided by the model: provider_away: ")
            await mine.line("the casino stays open")
            assert await mine.interrupt() == 0
    result = mine.lines[-1]
    assert result.startswith("gpt-4.1-mini: net "), mine.lines
    assert "3 its own, " in result
    assert " defaulted" in result
    assert " tokens, $0." in result
    assert KEY not in "".join(mine.lines)
    log = [json.loads(line) for line in (tmp_path / "gpt-4.1-mini.log").read_text().splitlines()]
    assert {entry["event"] for entry in log} >= {"joined", "question", "answer", "fault"}
