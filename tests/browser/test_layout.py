"""Nothing overlaps or exceeds the screen, at any table and size."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect
from support.accessibility import serious_faults
from support.casino.page_harness import ORIGIN, frame, frames, page_harness, room
from support.chromium import DESKTOP, PHONE
from support.players.recorded import completed, played, played_any
from support.table.standings import series, standings

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PICTURES = os.environ.get("CASINO_PICTURES")
"""Set to a directory, the pictures of the documentation are written there."""
NAMES = ("Ada", "Grace", "Alan", "Barbara", "Edsger", "Hedy", "Donald", "Radia", "Tony", "Frances")
TABLET = (820, 1100)

OVERLAPS = """() => {
  const things = document.querySelectorAll(".table .plate, .table .board .card");
  const boxes = [...things].map((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return { left, right, top, bottom, what: element.textContent };
  });
  const isOut = (box) => box.left < 0 || box.right > innerWidth;
  const wrong = boxes.filter(isOut).map((box) => box.what);
  for (const [index, one] of boxes.entries()) for (const other of boxes.slice(index + 1)) {
    const isApart = one.right <= other.left || other.right <= one.left
      || one.bottom <= other.top || other.bottom <= one.top;
    if (!isApart) wrong.push(`${one.what} over ${other.what}`);
  }
  return wrong;
}"""

GAME_OVERLAPS = OVERLAPS.replace(".table .board .card", ".table .game-state > div")


async def session(players: int, **rules: Any) -> list[dict[str, Any]]:
    """Play hands between players with names."""
    return named(await played(players, **{"bold": 0.06, "rebuy": "auto", "hands": 24, **rules}))


def named(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return events with names and latencies."""
    for event in events:
        payload = event["payload"]
        for who in (payload, *payload.get("players", ())):
            if "displayName" in who:
                who["displayName"] = NAMES[int(who["playerId"][1:])]
        if "latencyMs" in payload:
            payload["latencyMs"] = 180 + event["sequence"] * 137 % 1700
        for number, name in enumerate(NAMES):
            for stand_in in (f"Player {number}", f"Any {number}"):
                event["message"] = event["message"].replace(stand_in, name)
    return events


def seated(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the players."""
    return [event["payload"] for event in events if event["eventType"] == "player_registered"]


@pytest.mark.parametrize("size", [DESKTOP, TABLET, PHONE], ids=["desktop", "tablet", "phone"])
@pytest.mark.parametrize("players", [2, 3, 6, 9, 10])
async def test_seats_and_cards_have_their_places(
    browser: Browser, players: int, size: tuple[int, int]
) -> None:
    """The table is full and in the last betting round."""
    events = await session(players)
    shown = next(
        index
        for index, event in enumerate(events)
        if len(event["payload"].get("communityCards", ())) == 5
    )
    async with page_harness(browser, size) as (page, harness, _watch):
        begin = room(events[:shown], seated(events), maxSeats=players)
        snapshot = frame("snapshot", {"cursor": 1, "room": begin}, 1)
        harness.stream("/v1/rooms/main/stream", snapshot + frames(events[shown : shown + 1]))
        harness.answers["/v1/rooms/main/hands"] = {"hands": completed(events[:shown])}
        await page.goto(f"{ORIGIN}/#/rooms/main")
        await expect(page.locator(".board .card")).to_have_count(5)
        await expect(page.locator(".seat:not(.empty)")).to_have_count(players)
        await page.wait_for_timeout(300)  # a card has come in
        assert await page.evaluate(OVERLAPS) == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def moment(events: list[dict[str, Any]]) -> int:
    """Return the index of the largest pot that is still played for."""
    live: set[str] = set()
    found = (False, 0.0, 0)
    for index, event in enumerate(events):
        payload = event["payload"]
        if event["eventType"] == "hand_started":
            live = {player["playerId"] for player in payload["players"]}
        if event["eventType"] != "action_taken":
            continue
        if payload["action"] == "fold":
            live.discard(payload["playerId"])
        is_bet = payload["action"] in {"bet", "raise"} and payload["bettingRound"] == "turn"
        found = max(found, (is_bet and len(live) > 2, payload["pot"], index))
    return found[-1]


@pytest.mark.parametrize(
    ("scheme", "size"),
    [("dark", (1140, 720)), ("light", (1140, 720)), ("light", PHONE)],
    ids=["dark desktop", "light desktop", "light phone"],
)
async def test_a_room_is_accessible_and_fits(
    browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    """It is in the middle of a hand; saved as a picture if requested."""
    events = await session(6, hands=80)
    now = moment(events)
    events[now]["timestamp"] = datetime.now(UTC).isoformat()
    events[now]["payload"]["message"] = "I have read about hands like yours."
    async with page_harness(browser, size, color_scheme=scheme) as (page, harness, _watch):
        begin = room_at(events, now)
        lobby = {"cursor": 1, "rooms": [summary("main"), summary("late"), summary("night")]}
        snapshot = frame("snapshot", {"cursor": 1, "room": begin}, 1)
        harness.stream("/v1/rooms/main/stream", *[snapshot] * 9)
        harness.stream("/v1/stream", *[frame("snapshot", lobby, 1)] * 9)
        harness.answers["/v1/rooms/main/hands"] = {"hands": completed(events[:now])}
        for number, name in enumerate(("main", "late", "night")):
            harness.answers[f"/v1/rooms/{name}"] = room_at(events, now - 30 * number)
        harness.answers["/v1/rooms/main/standings"] = standings(events[: now + 1])
        harness.answers["/v1/rooms/main/series"] = series(events[: now + 1])
        await page.goto(f"{ORIGIN}/#/rooms/main")
        await expect(page.locator(".seat.acting")).to_have_count(1)
        assert await serious_faults(page) == []
        await picture(page, "room-phone" if size == PHONE else f"room-{scheme}")
        await page.goto(f"{ORIGIN}/#/")
        await page.reload()
        await expect(page.locator(".mini .board .card").first).to_be_visible()
        assert await serious_faults(page) == []
        await picture(page, "lobby-phone" if size == PHONE else f"lobby-{scheme}")


def room_at(events: list[dict[str, Any]], index: int) -> dict[str, Any]:
    """Return a room's snapshot after an event, with the number of all hands until then."""
    shown = events[: index + 1]
    found = room(shown[-200:], seated(events))
    found["summary"]["handCount"] = len(completed(shown))
    return found


OTHERS = {"blackjack": 4, "leduc_poker": 2, "roulette": 6, "simple_card": 3}


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("game", OTHERS)
async def test_another_game_is_laid_out(browser: Browser, game: str, size: tuple[int, int]) -> None:
    """Every moment of a hand is checked, with the public state in the middle."""
    players = OTHERS[game]
    events = named(await played_any(game, players, hands=9))
    begin = next(index for index, event in enumerate(events) if event.get("handId") == "t1/8")
    end = next(index for index, event in enumerate(events) if event.get("handId") == "t1/9")
    async with page_harness(browser, size, reduced_motion="reduce") as (page, harness, _watch):
        newest = room(events[:begin][-200:], seated(events), game, maxSeats=players)
        rooms = [{**summary("main"), "gameType": game, "playerCount": players}]
        harness.answers |= {
            "/v1/rooms/main": room(events[: end - 2], seated(events), game, maxSeats=players),
            "/v1/rooms/main/hands": {"hands": completed(events[:begin])},
            "/v1/rooms/main/hands/8": {"events": events[begin:end]},
        }
        reported = {**newest, "seeded": game == "leduc_poker"}
        harness.stream(
            "/v1/rooms/main/stream", frame("snapshot", {"cursor": 1, "room": reported}, 1)
        )
        harness.stream("/v1/stream", *[frame("snapshot", {"cursor": 1, "rooms": rooms}, 1)] * 9)
        await page.goto(f"{ORIGIN}/#/rooms/main/hands/8/0")
        facts = page.locator(".room .facts")
        await expect(facts).to_contain_text(game.replace("_", " "))
        assert ("seeded" in await facts.inner_text()) is (game == "leduc_poker")
        for step in range(end - begin):
            await expect(page.locator(".step-told")).to_contain_text(f"{step + 1} / {end - begin}")
            assert await page.evaluate(GAME_OVERLAPS) == []
            await page.keyboard.press("ArrowRight")
        await expect(page.locator(".table .board .card")).to_have_count(0)
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert await serious_faults(page) == []
        await picture(page, f"{game}-{size[0]}")
        await page.goto(f"{ORIGIN}/#/")
        await page.reload()
        await expect(page.locator(".mini .facts")).to_contain_text(game.replace("_", " "))
        await expect(page.locator(".mini .pot")).to_contain_text(": ")
        await picture(page, f"{game}-{size[0]}-lobby")


def summary(room_id: str) -> dict[str, Any]:
    """Return a room's line."""
    return {
        "roomId": room_id,
        "tableId": room_id,
        "gameType": "texas-holdem",
        "tableAgentCardUrl": "http://table/",
        "status": "running",
        "handCount": 12,
        "playerCount": 6,
    }


async def still(page: Page) -> None:
    """Stop the page from reconnecting, because the harness's streams end at once."""
    await page.evaluate("window.setTimeout = () => 0")  # it does not try again
    await page.wait_for_timeout(1_500)
    await page.evaluate(
        """() => {
          const line = document.querySelector("#connection");
          line.dataset.kind = "live";
          line.textContent = "Live";
        }"""
    )


async def picture(page: Page, name: str) -> None:
    """Save a picture of the page, if requested."""
    if PICTURES:
        await still(page)
        await page.screenshot(path=Path(PICTURES) / f"{name}.png")
