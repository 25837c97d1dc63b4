"""The page's reducer of events, with events of real sessions.

What needs no browser is in tests/web; here real tables play, and the drawn text is read.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import playwright
import pytest
from casino_games import game_class, game_types
from playwright.async_api import Page
from support.casino.page_harness import ORIGIN, PageHarness, rooms
from support.players.recorded import played, played_any
from support.table.table_harness import counts

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SHORT = {"startingStack": 7, "minBuyIn": 1, "smallBlind": 2, "bigBlind": 5}
CENTS = {"startingStack": 200.25, "smallBlind": 0.05, "bigBlind": 0.1, "ante": 0.01}
SESSIONS: dict[str, dict[str, Any]] = {
    "heads-up": {"players": 2, "bold": 0.05},
    "side pots and busts": {"players": 8, "bold": 0.05, "rebuy": "none"},
    "rebuys": {"players": 6, "bold": 0.3},
    "antes and a full table": {"players": 10, "bold": 0.08, "ante": 1},
    "cents": {"players": 4, "bold": 0.1, **CENTS},
    "short stacks": {"players": 5, "bold": 0.2, **SHORT},
}
HANDS = 15
CHECK = Path(__file__).parents[1] / "web" / "check_sessions.js"
NODE = Path(playwright.__file__).parent / "driver" / "node"

DRAW = """async (text) => {
  const events = JSON.parse(text);
  const { EMPTY, reduce } = await import("/page/reducer.js");
  const { TableView } = await import("/page/table.js");
  const { LogView } = await import("/page/log.js");
  const { MiniBoard } = await import("/page/lobby_entry.js");
  const [table, log, mini] = [new TableView(), new LogView(), new MiniBoard("main")];
  const seen = { unreadable: [], facts: [] };
  let state = EMPTY;
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


async def fold(*sessions: dict[str, Any]) -> list[dict[str, Any]]:
    """Reduce sessions, each with events and maybe a snapshot; returns the observed states."""
    process = await asyncio.create_subprocess_exec(
        NODE, CHECK, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate(json.dumps(sessions).encode())
    assert process.returncode == 0
    seen: list[dict[str, Any]] = json.loads(output)
    return seen


async def test_the_reducer_ends_with_the_table_s_stacks() -> None:
    """Amounts are valid, chips are conserved, and each actor was predicted."""
    played_ = [
        {"events": await played(**{"hands": 12, "rebuy": "auto", **rules})}
        for rules in SESSIONS.values()
    ]
    for (name, rules), seen in zip(SESSIONS.items(), await fold(*played_), strict=True):
        assert seen["errors"] == [], name
        assert seen["hands"] >= 5, name
        assert seen["foreseen"] == seen["actions"] > 30, name
        if rules["bold"] >= 0.2:
            assert seen["sidePots"] > 3, name


async def test_the_reducer_ends_with_another_game_s_stacks(
    page: Page, harness: PageHarness
) -> None:
    """Stacks and scores are the table's, and the drawn text is readable."""
    sessions = [{"events": await played_any(*game, hands=HANDS)} for game in OTHERS]
    harness.stream("/v1/stream", rooms())
    await page.goto(ORIGIN)
    seen_of = await fold(*sessions)
    for (game_type, _), session, seen in zip(OTHERS, sessions, seen_of, strict=True):
        assert seen["errors"] == [], game_type
        assert seen["hands"] == HANDS
        if game_class(game_type).game_model == "turn_based":
            assert seen["foreseen"] == seen["actions"], game_type
        drawn: dict[str, Any] = await page.evaluate(DRAW, json.dumps(session["events"]))
        assert drawn["unreadable"] == []
        assert len(drawn["facts"]) == HANDS
        assert all(drawn["facts"])
    for game_type, words in WORDS.items():
        taken = [one["words"] for (game, _), one in zip(OTHERS, seen_of, strict=True)
                 if game == game_type]  # fmt: skip
        assert all(words <= set(each) for each in taken), game_type
