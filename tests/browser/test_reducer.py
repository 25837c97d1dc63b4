"""The page's fold of events, fed with hands that were really played."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from casino_games import game_types
from playwright.async_api import Browser, Page
from support.casino.page_harness import ORIGIN, room, staged
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

FOLD = """async (given) => {
  const { events, begin } = JSON.parse(given);
  const { EMPTY, fromSnapshot, reduce } = await import("/page/reducer.js");
  const seen = { wrong: [], hands: 0, actions: 0, sidePots: 0, foreseen: 0 };
  const sound = (value) => Number.isFinite(value) && value >= 0;
  let state = begin ? fromSnapshot(begin) : EMPTY;
  for (const event of events) {
    const before = state;
    state = reduce(state, event);
    const where = `${event.sequence} ${event.message}`;
    for (const seat of state.seats.values()) {
      if (![seat.stack, seat.bet, seat.committed, seat.won].every(sound)) {
        seen.wrong.push(`${where}: ${JSON.stringify(seat)}`);
      }
    }
    const pots = state.hand?.pots ?? [];
    const amounts = [state.hand?.pot ?? 0, state.hand?.currentBet ?? 0, ...pots];
    if (!amounts.every(sound)) seen.wrong.push(`${where}: pots ${amounts}`);
    const put = pots.reduce((sum, pot) => sum + pot, 0);
    if (pots.length > 0 && put > state.hand.pot + 1e-6) seen.wrong.push(`${where}: ${put} in pots`);
    if (event.eventType === "action_taken") {
      seen.actions += 1;
      seen.sidePots += pots.length > 1 ? 1 : 0;
      const isWhole = before.hand?.number === event.payload.handNumber && before.hand.id !== null;
      if (isWhole) {
        if (before.hand.actor === event.payload.playerId) seen.foreseen += 1;
        else seen.wrong.push(`${where}: ${before.hand.actor} was to act`);
        const paid = [...state.seats.values()].reduce((sum, seat) => sum + seat.committed, 0);
        if (Math.abs(paid - state.hand.pot) > 1e-6) seen.wrong.push(`${where}: paid ${paid}`);
        if (Math.abs(state.seats.get(event.payload.playerId).stack - event.payload.stack) > 1e-6) {
          seen.wrong.push(`${where}: stack`);
        }
      }
    }
    if (event.eventType === "hand_completed") {
      seen.hands += 1;
      for (const { playerId, stack } of event.payload.stacks) {
        if (state.seats.get(playerId).stack !== stack) seen.wrong.push(`${where}: ${playerId}`);
      }
      if (state.hand.actor !== null) seen.wrong.push(`${where}: ${state.hand.actor} to act`);
    }
  }
  return seen;
}"""


GAME_FOLD = """async (given) => {
  const { events, begin } = JSON.parse(given);
  const { EMPTY, fromSnapshot, reduce } = await import("/page/reducer.js");
  const { TableView } = await import("/page/table.js");
  const { LogView } = await import("/page/log.js");
  const { MiniBoard } = await import("/page/miniboard.js");
  const parts = [new TableView(), new LogView(), new MiniBoard("main")];
  const colors = new Map();
  const seen = { wrong: [], hands: 0, actions: 0, words: [], foreseen: 0, facts: [] };
  let state = begin ? fromSnapshot(begin) : EMPTY;
  for (const event of events) {
    const actor = state.hand?.actor;
    state = reduce(state, event);
    const where = `${event.sequence} ${event.message}`;
    const [table, log, mini] = parts;
    table.show(state, { seatCount: 6, colors });
    log.show(state.hand);
    mini.show({ gameType: "x_y", handCount: 1, playerCount: 1, ...state }, state, null);
    const shown = parts.map((part) => part.element.textContent).join(" ");
    if (/NaN|undefined|\\[object/.test(shown)) seen.wrong.push(`${where}: ${shown}`);
    for (const seat of state.seats.values()) {
      if (![seat.stack, seat.won].every((value) => Number.isFinite(value) && value >= 0)) {
        seen.wrong.push(`${where}: ${JSON.stringify(seat)}`);
      }
    }
    if (event.eventType === "action_taken") {
      seen.actions += 1;
      seen.foreseen += actor === event.payload.playerId;
      seen.words.push(state.seats.get(event.payload.playerId).last.words);
    }
    if (event.eventType === "hand_completed") {
      seen.hands += 1;
      seen.facts.push(table.element.querySelector(".game-state").innerText);
      for (const { playerId, stack } of event.payload.stacks) {
        if (state.seats.get(playerId).stack !== stack) seen.wrong.push(`${where}: ${playerId}`);
      }
      for (const [id, score] of Object.entries(event.payload.scores)) {
        if (state.seats.get(id).score !== score) seen.wrong.push(`${where}: ${id} ${score}`);
      }
      if (state.hand.actor !== null) seen.wrong.push(`${where}: ${state.hand.actor} to act`);
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
    async with staged(browser) as (page, stage, _watch):
        stage.stream("/v1/stream")
        await page.goto(ORIGIN)
        yield page


async def fold(page: Page, events: list[dict[str, Any]], begin: Any = None) -> dict[str, Any]:
    """Feed the fold; returns what was seen."""
    # As one text: what is handed over as values is slow.
    given = json.dumps({"events": events, "begin": begin})
    seen: dict[str, Any] = await page.evaluate(FOLD, given)
    return seen


@pytest.mark.parametrize("name", SESSIONS)
async def test_it_ends_where_every_hand_ended(page: Page, name: str) -> None:
    """No amount is negative or no number, chips add up, and who acts was foreseen each time."""
    events = await played(**SESSIONS[name])
    seen = await fold(page, events)
    assert seen["wrong"] == []
    assert seen["hands"] >= 5
    assert seen["foreseen"] == seen["actions"] > 30
    if SESSIONS[name]["bold"] >= 0.2:
        assert seen["sidePots"] > 3


async def test_it_may_begin_in_the_middle_of_a_hand(page: Page) -> None:
    """Anywhere: with nothing before, or with a snapshot that holds only the newest events."""
    events = await played(6, bold=0.3, rebuy="auto", hands=20)
    players = [
        {**event["payload"], "stack": 123}
        for event in events
        if event["eventType"] == "player_registered"
    ]
    for begin in range(8, 100, 5):
        assert (await fold(page, events[begin:]))["wrong"] == []
        snapshot = room(events[begin - 5 : begin], players)
        seen = await fold(page, events[begin:], snapshot)
        assert seen["wrong"] == []
        assert seen["hands"] > 5


async def test_what_it_knows_changes_nothing(page: Page) -> None:
    """An event that comes again, or from an older epoch, leaves the very same state."""
    events = await played(3, hands=3)
    told = await page.evaluate(
        """async (events) => {
          const { EMPTY, reduce } = await import("/page/reducer.js");
          const state = events.reduce(reduce, EMPTY);
          const old = { ...events.at(-1), epoch: 0, sequence: 99999 };
          return [reduce(state, events[5]) === state, reduce(state, old) === state];
        }""",
        events,
    )
    assert told == [True, True]


@pytest.mark.parametrize("how", ["cancelled", "new epoch"])
async def test_a_cancelled_hand_gives_everything_back(page: Page, how: str) -> None:
    """Whether the table says so, or a new reign begins."""
    events = await played(4, hands=3)
    (begin,) = [
        index
        for index, event in enumerate(events)
        if event["eventType"] == "hand_started" and event["payload"]["handNumber"] == 2
    ]
    cut, last = events[: begin + 5], events[begin + 4]
    end = {
        **last,
        "eventType": "table_status",
        "message": "the hand is cancelled",
        "payload": {"status": "idle", "kind": "hand_cancelled", "handNumber": 2},
        **({"sequence": last["sequence"] + 1} if how == "cancelled" else {"epoch": 2}),
    }
    if how == "new epoch":
        end |= {"sequence": 1, "payload": {"status": "waiting", "kind": "configured"}}
    stacks = await page.evaluate(
        """async (events) => {
          const { EMPTY, reduce } = await import("/page/reducer.js");
          const { seats, hand } = events.reduce(reduce, EMPTY);
          const stacks = [...seats.values()].map((s) => [s.id, s.stack, s.bet]);
          return [hand.phase, hand.pot, hand.actor, stacks];
        }""",
        [*cut, end],
    )
    before = [[p["playerId"], p["stack"], 0] for p in events[begin]["payload"]["players"]]
    assert stacks == ["cancelled", 0, None, before]


async def test_a_strangers_nonsense_does_no_harm(page: Page) -> None:
    """Wrong types, absent fields, names of the language's own."""
    names = ("__proto__", "constructor", "", "<img src=x onerror=alert(1)>")
    events = [
        {"eventType": kind, "message": "?", "timestamp": "?", "tableId": "t", "payload": payload}
        for kind in (
            "player_registered",
            "hand_started",
            "action_taken",
            "hand_completed",
            "player_busted",
            "table_status",
            "table_error",
            "constructor",
            "something_new",
        )
        for payload in (
            None,
            {},
            {
                "players": "all",
                "posted": 3,
                "pots": {},
                "stacks": [{}],
                "shown": [{"cards": [None]}],
            },
            *({"playerId": name, "stack": "1e9", "amount": -5, "pot": None} for name in names),
            {"kind": "street_dealt", "communityCards": [{}, {"rank": 1}]},
        )
    ]
    seats = await page.evaluate(
        """async (events) => {
          const { EMPTY, reduce } = await import("/page/reducer.js");
          const { seats, hand } = events.reduce(reduce, EMPTY);
          const amounts = [...seats.values()].flatMap((s) => [s.stack, s.bet, s.committed, s.won]);
          if (![...amounts, hand.pot].every((a) => Number.isFinite(a) && a >= 0)) return null;
          return [...seats.keys()];
        }""",
        events,
    )
    assert seats is not None
    assert set(names) <= set(seats)


@pytest.mark.parametrize(("game_type", "seats"), OTHERS)
async def test_another_game_ends_where_every_hand_ended(
    page: Page, game_type: str, seats: int
) -> None:
    """Whatever the game: stacks and scores are the table's own, and what is drawn is readable."""
    events = await played_any(game_type, seats, hands=30)
    seen: dict[str, Any] = await page.evaluate(GAME_FOLD, json.dumps({"events": events}))
    assert seen["wrong"] == []
    assert seen["hands"] == 30
    assert all(seen["facts"])
    assert WORDS[game_type] <= set(seen["words"])
    if game_type != "roulette":  # there all decide at once
        assert seen["foreseen"] == seen["actions"]


async def test_another_game_may_begin_in_the_middle_of_a_hand(page: Page) -> None:
    """With nothing before, or with a snapshot that holds only the newest events."""
    events = await played_any("leduc_poker", 2, hands=15)
    players = [event["payload"] for event in events if event["eventType"] == "player_registered"]
    for begin in range(4, 60, 3):
        for snapshot in (None, room(events[begin - 2 : begin], players, "leduc_poker")):
            given = json.dumps({"events": events[begin:], "begin": snapshot})
            assert (await page.evaluate(GAME_FOLD, given))["wrong"] == []


async def test_a_strangers_public_state_does_no_harm(page: Page) -> None:
    """Deep, long, empty, of wrong types, and with names of the language's own."""
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
        """async (given) => {
          const { EMPTY, reduce } = await import("/page/reducer.js");
          const { TableView } = await import("/page/table.js");
          const table = new TableView();
          const players = ["p0", "p1"].map(
            (playerId, seatNumber) => ({ playerId, seatNumber, stack: 9 }),
          );
          let state = EMPTY;
          return JSON.parse(given).map((told) => {
            const all = { handNumber: 1, playerId: "p1", state: told, scores: told, players };
            const payloads = [
              ["hand_started", { ...all, gameType: told }],
              ["action_taken", { ...all, action: told, details: told }],
              ["hand_completed", { ...all, result: { public: told }, house: "x" }],
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
