"""The page's reducer of events, with events of real sessions.

What needs no browser is in tests/web; here real tables play, and the drawn text is read.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import playwright
import pytest
import pytest_asyncio
from casino_games import game_class, game_types
from playwright.async_api import Browser, Page
from support.casino.page_harness import ORIGIN, page_harness, room
from support.players.recorded import played, played_any
from support.table.any_game_harness import counts

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

SESSIONS: dict[str, dict[str, Any]] = {
    "heads-up": {"players": 2, "bold": 0.05, "rebuy": "auto"},
    "side pots and busts": {"players": 8, "bold": 0.05, "rebuy": "none", "hands": 200},
    "rebuys": {"players": 6, "bold": 0.3, "rebuy": "auto"},
    "antes and a full table": {"players": 10, "bold": 0.08, "rebuy": "auto", "ante": 1},
    "cents": {
        "players": 4,
        "bold": 0.1,
        "rebuy": "auto",
        "smallBlind": 0.05,
        "bigBlind": 0.1,
        "ante": 0.01,
        "startingStack": 200.25,
    },
    "short stacks": {
        "players": 5,
        "bold": 0.2,
        "rebuy": "auto",
        "startingStack": 7,
        "minBuyIn": 1,
        "smallBlind": 2,
        "bigBlind": 5,
    },
}

CHECK = Path(__file__).parents[1] / "web" / "check_sessions.js"
NODE = Path(playwright.__file__).parent / "driver" / "node"

DRAW = """async (text) => {
  const { events, begin } = JSON.parse(text);
  const { EMPTY, fromSnapshot, reduce } = await import("/page/reducer.js");
  const { TableView } = await import("/page/table.js");
  const { LogView } = await import("/page/log.js");
  const { MiniBoard } = await import("/page/miniboard.js");
  const [table, log, mini] = [new TableView(), new LogView(), new MiniBoard("main")];
  const seen = { unreadable: [], facts: [] };
  let state = begin ? fromSnapshot(begin) : EMPTY;
  for (const event of events) {
    state = reduce(state, event);
    table.show(state, { seatCount: 6, colors: new Map() });
    log.show(state.hand);
    mini.show({ gameType: "x_y", handCount: 1, playerCount: 1, ...state }, state, null);
    const shown = [table, log, mini].map((part) => part.element.textContent).join(" ");
    if (/NaN|undefined|\\[object/.test(shown)) seen.unreadable.push(`${event.message}: ${shown}`);
    if (event.eventType === "hand_completed") {
      seen.facts.push(table.element.querySelector(".game-state").innerText);
    }
  }
  return seen;
}"""
OTHERS = [
    (game_type, seats)
    for game_type in game_types()
    if game_type != "texas-holdem"
    for seats in counts(game_type)
]
WORDS = {
    "blackjack": {"hit", "stand", "double"},
    "kuhn_poker": {"bet", "call", "fold"},
    "leduc_poker": {"raise", "call", "check"},
    "roulette": {"pass"},
    "simple_card": {"play card 7"},
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(browser: Browser) -> AsyncIterator[Page]:
    """Open the page, whose modules a test calls."""
    async with page_harness(browser) as (page, harness, _watch):
        harness.stream("/v1/stream")
        await page.goto(ORIGIN)
        yield page


async def fold(*sessions: dict[str, Any]) -> list[dict[str, Any]]:
    """Reduce sessions, each with events and maybe a snapshot; returns the observed states."""
    process = await asyncio.create_subprocess_exec(
        NODE, CHECK, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate(json.dumps(sessions).encode())
    assert process.returncode == 0
    seen: list[dict[str, Any]] = json.loads(output)
    return seen


@pytest.mark.parametrize("name", SESSIONS)
async def test_the_reducer_ends_with_the_table_s_stacks(name: str) -> None:
    """Amounts are valid, chips are conserved, and each actor was predicted."""
    (seen,) = await fold({"events": await played(**SESSIONS[name])})
    assert seen["errors"] == []
    assert seen["hands"] >= 5
    assert seen["foreseen"] == seen["actions"] > 30
    if SESSIONS[name]["bold"] >= 0.2:
        assert seen["sidePots"] > 3


async def test_the_reducer_may_begin_within_a_hand() -> None:
    """It begins without earlier events, or with a snapshot of the newest."""
    events = await played(6, bold=0.3, rebuy="auto", hands=20)
    players = [
        {**event["payload"], "stack": 123}
        for event in events
        if event["eventType"] == "player_registered"
    ]
    sessions = [
        {"events": events[begin:], "begin": snapshot}
        for begin in range(8, 100, 5)
        for snapshot in (None, room(events[begin - 5 : begin], players))
    ]
    for seen in await fold(*sessions):
        assert seen["errors"] == []
        assert seen["hands"] > 5


@pytest.mark.parametrize(("game_type", "seats"), OTHERS)
async def test_the_reducer_ends_with_another_game_s_stacks(
    page: Page, game_type: str, seats: int
) -> None:
    """Stacks and scores are the table's, and the drawn text is readable."""
    events = await played_any(game_type, seats, hands=30)
    (seen,) = await fold({"events": events})
    assert seen["errors"] == []
    assert seen["hands"] == 30
    assert WORDS[game_type] <= set(seen["words"])
    if game_class(game_type).game_model == "turn_based":
        assert seen["foreseen"] == seen["actions"]
    drawn: dict[str, Any] = await page.evaluate(DRAW, json.dumps({"events": events}))
    assert drawn["unreadable"] == []
    assert len(drawn["facts"]) == 30
    assert all(drawn["facts"])


async def test_the_reducer_may_begin_within_a_hand_of_another_game(page: Page) -> None:
    """It begins without earlier events, or with a snapshot of the newest."""
    events = await played_any("leduc_poker", 2, hands=15)
    players = [event["payload"] for event in events if event["eventType"] == "player_registered"]
    sessions = [
        {"events": events[begin:], "begin": snapshot}
        for begin in range(4, 60, 3)
        for snapshot in (None, room(events[begin - 2 : begin], players, "leduc_poker"))
    ]
    assert [seen["errors"] for seen in await fold(*sessions)] == [[]] * len(sessions)
    for session in sessions:
        assert (await page.evaluate(DRAW, json.dumps(session)))["unreadable"] == []


async def test_any_public_state_is_drawn_as_text(page: Page) -> None:
    """States are deep, long, empty, of wrong types, or use names of JavaScript."""
    deep: Any = "end"
    for _ in range(200):
        deep = {"cards": [deep]}
    states: list[Any] = [
        {"current_player": {"toString": 1}, "players": [{"player_id": {}}], "cards": deep},
        {"toString": 1, "a" * 9_000: "b" * 9_000, "many": list(range(5_000)), "card": 1e300},
        {"players": {"p0": None, "p1": [["Qs"], {"cards": "Kh"}]}, "table": [{}] * 5_000},
        {str(number): number for number in range(5_000)},
        {"html": "<img src=x onerror=alert(1)>", "nothing": None, "truth": True},
        {"__proto__": {"x": 1}, "constructor": "p0", "p0": {"__proto__": None}},
        {},
        "state",
        [1],
    ]
    texts = await page.evaluate(
        """async (text) => {
          const { EMPTY, reduce } = await import("/page/reducer.js");
          const { TableView } = await import("/page/table.js");
          const table = new TableView();
          const players = ["p0", "p1"].map(
            (playerId, seatNumber) => ({ playerId, seatNumber, stack: 9 }),
          );
          let state = EMPTY;
          return JSON.parse(text).map((value) => {
            const all = { handNumber: 1, playerId: "p1", state: value, scores: value, players };
            const payloads = [
              ["hand_started", { ...all, gameType: value }],
              ["action_taken", { ...all, action: value, details: value }],
              ["hand_completed", { ...all, result: { public: value }, house: "x" }],
            ];
            for (const [eventType, payload] of payloads) {
              state = reduce(state, { eventType, payload });
              table.show(state, { seatCount: 2, colors: new Map() });
            }
            return table.element.textContent;
          });
        }""",
        json.dumps(states),
    )
    assert all(len(text) < 2_000 and "NaN" not in text for text in texts)
    assert "onerror" in texts[4], "it is text"
