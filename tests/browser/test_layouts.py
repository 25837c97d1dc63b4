"""Every view holds the longest contents that are allowed, at every width, in both themes."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from casino_contracts import LeagueList, MatchList
from casino_lobby.service.match_publishing import (
    kept_hand,
    kept_hands,
    league_summary,
    match_summary,
)
from playwright.async_api import Page, ViewportSize, expect
from support.accessibility import serious_faults
from support.casino.gateway_socket import HOLDEM, TOKEN, GatewaySocket
from support.casino.page_harness import BLOG, GATEWAY, ORIGIN, PageHarness, frame, rooms, snapshot
from support.chromium import settled
from support.layout_probe import layout_faults
from support.matches.results import league_table, match_result
from support.players.longest import CHIP, LONG_ID, LONG_WORDS, NAMES, lengthened
from support.players.recorded import completed, hand, played, played_any, players_of, room
from support.table.standings import series, standings

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

Event = dict[str, Any]

SIZES: list[ViewportSize] = [
    {"width": 1920, "height": 1080},
    {"width": 1440, "height": 900},
    {"width": 1280, "height": 900},
    {"width": 1024, "height": 768},
    {"width": 720, "height": 1024},
    {"width": 390, "height": 844},
    {"width": 360, "height": 740},
]
THEMES: tuple[Literal["dark", "light"], ...] = ("dark", "light")
ROOM = f"/v1/rooms/{LONG_ID}"
AT_ROOM = f"{ORIGIN}/rooms/{LONG_ID}"
ENTRANTS = ["m" * 64, "漢字" * 30, "words of a name of sixty-four characters and no more <i>x</i>"]
TIME = "2026-11-23T20:00:00Z"
GOLDEN = Path(__file__).parents[1] / "contracts" / "golden"
COSTS: Event = {"models": ["m" * 128] * 3, "decisions": 123_456, "latencyMs": 123_456_789}
COSTS |= {"inputTokens": 123_456_789_012, "outputTokens": 123_456_789_012, "unpriced": 9}
COSTS |= {"costUsd": 123_456.78, "usdPer100Hands": 12_345.67, "wonPerUsd": 123_456}
COSTS |= {"tokensPer100Hands": 123_456_789, "wonPer1000Tokens": 123_456}
_PLAYED: dict[str, list[Event]] = {}
"""Sessions that were played already, by game."""


async def session(game: str = "texas-holdem") -> list[Event]:
    """Return a session of a full table."""
    if game not in _PLAYED:
        players = {"texas-holdem": 10, "kuhn_poker": 2, "blackjack": 7, "simple_card": 5}
        players |= {"leduc_poker": 2}
        _PLAYED[game] = (
            await played(10, bold=0.08, rebuy="auto", hands=12)
            if game == "texas-holdem"
            else await played_any(game, players.get(game, 6), hands=2)
        )
    return _PLAYED[game]


def open_room(harness: PageHarness, events: list[Event], game: str = "texas-holdem") -> None:
    """Answer as a lobby whose room has come so far."""
    longer = lengthened(events)
    seats = max(2, len(players_of(events)))
    found = room(longer, players_of(longer), game, maxSeats=seats) | {"roomId": LONG_ID}
    found["config"] = lengthened(found["config"])
    harness.answers |= {ROOM: found, f"{ROOM}/hands": {"hands": completed(longer)}}
    harness.stream(f"{ROOM}/stream", snapshot(found, 100_000))


def with_results(harness: PageHarness, events: list[Event]) -> None:
    """Answer with results in all columns."""
    found = lengthened(standings(events))
    for player in found["players"]:
        rate = player["net"] / 100_000
        player |= {"bbPer100": rate, "halfInterval95": abs(rate) / 3, "hasLeft": True}
        player["faults"] = {"timeout": 12_345, "illegal": 12_345, "malformed": 12_345}
        reason = {"reason": "model_failed", "count": 12_345, "detail": LONG_WORDS * 2}
        player["defaulted"] = [reason]
        player["costs"] = COSTS
    answers = {f"{ROOM}/standings": found, f"{ROOM}/series": lengthened(series(events))}
    harness.answers |= answers


def until(events: list[Event], cards: int) -> list[Event]:
    """Return the events until so many cards lie on the board; 0: until the last preflop bet."""
    if cards == 0:
        return events[: 1 + max(at for at, event in enumerate(events) if is_early_bet(event))]
    dealt = (len(event["payload"].get("communityCards", ())) for event in events)
    return events[: 1 + next(at for at, count in enumerate(dealt) if count == cards)]


def is_early_bet(event: Event) -> bool:
    payload = event["payload"]
    return bool(payload.get("bettingRound") == "preflop" and payload.get("amount"))


Opens = Callable[[Page, PageHarness], Awaitable[None]]
"""Opens a view, and returns when it is there."""
VIEWS: dict[str, Opens] = {}


def view(opens: Opens) -> Opens:
    VIEWS[opens.__name__] = opens
    return opens


@view
async def empty_lobby(page: Page, harness: PageHarness) -> None:
    harness.stream("/v1/stream", rooms())
    await page.goto(ORIGIN)
    await expect(page.get_by_role("button", name="Open a room").first).to_be_visible()


async def lobby_of(count: int, page: Page, harness: PageHarness) -> None:
    events = await session()
    open_room(harness, until(events, 5))
    names = [LONG_ID, *(f"{number}-{LONG_ID}"[:128] for number in range(1, count))]
    many = {"handCount": 1_234_567, "playerCount": 10, "gameType": "texas-holdem"}
    lines = [{**many, "roomId": name, "status": "running"} for name in names]
    for name in names:
        harness.answers[f"/v1/rooms/{name}"] = harness.answers[ROOM] | {"roomId": name}
    ranked = {"id": "0" * 16, "name": LONG_WORDS[:40], "hands": 123_456_789, "decided": True}
    ranked |= {"rank": 12_345, "bbPer100": -12_345.6, "halfInterval95": 12_345.6}
    best = {"handNumber": 123_456_789, "epoch": 1, "message": f"Hand 7: {LONG_WORDS}"}
    harness.answers |= {
        "/v1/players": {"players": [ranked, {**ranked, "name": "W" * 40, "rank": None}]},
        "/v1/highlights": {"highlights": [{"roomId": LONG_ID, "hand": best}]},
    }
    harness.stream("/v1/stream", rooms(*lines))
    await page.goto(ORIGIN)
    await expect(page.locator(".room-list li").nth(min(count, 24) - 1)).to_be_visible()
    await expect(page.locator(".ranking li")).to_have_count(2)


@view
async def lobby_of_one(page: Page, harness: PageHarness) -> None:
    await lobby_of(1, page, harness)


@view
async def lobby_of_fifty(page: Page, harness: PageHarness) -> None:
    await lobby_of(50, page, harness)


@view
async def room_before_the_flop(page: Page, harness: PageHarness) -> None:
    open_room(harness, until(await session(), 0))
    await page.goto(AT_ROOM)
    await expect(page.locator(".talk")).to_contain_text("hands like yours")


@view
async def room_on_the_river(page: Page, harness: PageHarness) -> None:
    events = await session()
    open_room(harness, until(events, 5))
    with_results(harness, events)
    await page.goto(AT_ROOM)
    await expect(page.locator(".board .card")).to_have_count(5)
    await page.locator(".results button.name").first.click()
    await expect(page.locator(".results .more:not([hidden])")).to_have_count(1)


@view
async def closed_room(page: Page, harness: PageHarness) -> None:
    events = await session()
    closed = {"tableId": "main", "eventType": "table_status", "epoch": 1, "message": "closed"}
    closed |= {"sequence": events[-1]["sequence"] + 1, "payload": {"kind": "closed"}}
    with_results(harness, events)
    open_room(harness, [*events, closed])
    ended = {"roomId": LONG_ID, "status": "idle", "state": "closed", "handCount": 12}
    end = frame("room_closed", {"room": {**ended, "playerCount": 0}}, 200_000)
    harness.stream(f"{ROOM}/stream", snapshot(harness.answers[ROOM], 100_000) + end)
    await page.goto(AT_ROOM)
    await expect(page.get_by_role("region", name="Final results")).to_be_visible()


async def replayed(page: Page, harness: PageHarness) -> None:
    events = await session()
    river = until(events, 5)[-1]["payload"]["handNumber"]
    open_room(harness, events)
    harness.answers[f"{ROOM}/hands/{river}"] = {"events": lengthened(hand(events, river))}
    await page.goto(f"{AT_ROOM}/hands/{river}/99")
    await expect(page.locator(".seat.winner").first).to_be_visible()


@view
async def replay(page: Page, harness: PageHarness) -> None:
    await replayed(page, harness)


@view
async def theatre(page: Page, harness: PageHarness) -> None:
    await replayed(page, harness)
    await page.keyboard.press("f")
    await expect(page.locator(".room[data-theatre]")).to_be_visible()


@view
async def embedded(page: Page, harness: PageHarness) -> None:
    harness.embedder = BLOG
    open_room(harness, until(await session(), 5))
    await page.goto(f"{ORIGIN}/embed/rooms/{LONG_ID}")
    await expect(page.locator(".board .card")).to_have_count(5)


@view
async def seated(page: Page, harness: PageHarness) -> None:
    """Ask a person, who has everything to press."""
    socket = GatewaySocket(LONG_ID)
    harness.watch.allow(GATEWAY)
    harness.gateway_url = GATEWAY
    events = until(await session(), 5)
    open_room(harness, events)
    number = players_of(events)[6]["seatNumber"]
    seat = {"tableId": LONG_ID, "playerId": "p6", "seatNumber": number}
    config = {"name": "A2A Casino", "operatorTokenNeeded": False, "gatewayUrl": GATEWAY}
    harness.answers |= {"/v1/config": config, f"/api/rooms/{LONG_ID}/join": seat}
    harness.answers["/api/auth/guest"] = {"token": TOKEN, "sessionId": "s1", "expiresAt": 0}
    await socket.route(page)
    free = harness.answers[ROOM]
    taken = [one for one in free["summary"]["players"] if one["playerId"] != "p6"]
    begin = free | {"events": [], "summary": {**free["summary"], "players": taken}}
    harness.stream(f"{ROOM}/stream", snapshot(begin))
    await page.goto(AT_ROOM)
    await page.get_by_role("button", name="Sit here").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Your name").fill(NAMES[6])
    assert await found_faults(page) == []
    await dialog.get_by_role("button", name="Sit down").click()
    await expect(page.get_by_role("region", name="Your seat")).to_be_visible()
    harness.stream(f"{ROOM}/stream", snapshot(free, 100_000))
    await page.reload()
    await expect(page.locator(".board .card")).to_have_count(5)
    await expect(page.get_by_role("region", name="Your seat")).to_be_visible()
    asked = HOLDEM | {"public": {"pot": 200 * CHIP, "current_bet": 40 * CHIP, "players": []}}
    raises = {"type": "raise", "minAmount": 8 * CHIP, "maxAmount": 200 * CHIP}
    asked["availableActions"] = [{"type": "fold"}, {"type": "call"}, raises, {"type": "all-in"}]
    socket.ask(asked)
    await expect(page.locator(".my-seat[data-asked]")).to_be_visible()


@view
async def operated(page: Page, harness: PageHarness) -> None:
    """Show the forms of whoever runs the room."""
    open_room(harness, until(await session(), 5))
    harness.answers["/v1/config"] = {"name": "A2A Casino", "operatorTokenNeeded": False}
    await page.goto(AT_ROOM)
    await page.get_by_text("Run this room").click()
    await expect(page.locator(".operate .columns")).to_be_visible()


@view
async def a_new_room(page: Page, harness: PageHarness) -> None:
    await empty_lobby(page, harness)
    await page.get_by_role("button", name="Open a room").first.click()
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.get_by_role("textbox").first.fill(LONG_ID)


@view
async def my_bot(page: Page, harness: PageHarness) -> None:
    ids = {"roomId": LONG_ID, "playerId": "p" * 128}
    place = f"{ROOM}/players/{ids['playerId']}/hands"
    ace = {"rank": "A", "suit": "hearts"}
    found: Event = {"handNumber": 123_456_789, "epoch": 2, "timestamp": TIME, "position": "BTN"}
    found |= {"message": f"Hand 7: {LONG_WORDS}", "net": -200 * CHIP, "holeCards": [ace] * 2}
    found |= {"communityCards": [ace] * 5, "decisions": 12, "faults": 12, "slowestMs": 123_456}
    decision: Event = {"bettingRound": "flop", "action": "fold", "outcome": "illegal"}
    decision |= {"latencyMs": 123_456, "reason": LONG_WORDS, "refused": "x" * 500}
    decision |= {"answer": {"action": "w" * 200}, "question": {"toCall": 8}}
    harness.answers |= {
        place: {**ids, "hands": [found]},
        f"{place}/123456789": {**ids, "hand": found, "decisions": [decision]},
    }
    await page.goto(f"{ORIGIN}/#/me/{LONG_ID}/{ids['playerId']}?key={'k' * 64}")
    await page.locator(".my-hands tbody").get_by_role("link").click()
    await expect(page.locator(".my-hand q")).to_be_visible()


@view
async def career(page: Page, harness: PageHarness) -> None:
    golden: Event = json.loads((GOLDEN / "Career.json").read_text())["full"]
    [room], [game] = golden["rooms"], golden["games"]
    far: Event = {"hands": 123_456_789, "bbPer100": -123_456.78, "halfInterval95": 123_456.7}
    said = {"reason": "r" * 40, "count": 123_456_789, "detail": "d" * 200}
    longer = golden | {"name": NAMES[0], "description": "w" * 200, "seatedIn": [LONG_ID] * 10}
    longer |= {"costs": COSTS, "defaulted": [said] * 12, "profile": {"model": "m" * 128}}
    longer |= {"games": [game | far | {"gameType": "g" * 64, "rank": 5_000}] * 3}
    longer |= {"rooms": [room | far | {"roomId": LONG_ID, "net": -200 * CHIP}] * 50}
    for hands in ("bestHands", "greatestWins"):
        longer[hands] = [one | {"roomId": LONG_ID} for one in golden[hands] * 5]
    none: Event = {"/v1/matches": {"matches": []}, "/v1/leagues": {"leagues": []}}
    harness.answers |= none | {f"/v1/players/{golden['id']}": longer}
    await page.goto(f"{ORIGIN}/#/players/{golden['id']}")
    await expect(page.locator(".introduced")).to_be_visible()


def results_at(address: str) -> Opens:
    async def opens(page: Page, harness: PageHarness) -> None:
        three = match_result(ENTRANTS, rate=12_345.6, name="m" * 64)
        league = league_table([name[:60] for name in ENTRANTS])
        listed = MatchList(matches=tuple(match_summary(f"m{n}", three, TIME) for n in range(9)))
        leagues = LeagueList(leagues=(league_summary("styles", league, TIME),))
        kept = kept_hand("m1", 1, kept_hands("m1", three))
        found = {
            "/v1/matches": listed,
            **{f"/v1/matches/m{n}": three for n in range(9)},
            "/v1/matches/m1/hands/1": kept,
            "/v1/leagues": leagues,
            "/v1/leagues/styles": league,
        }
        harness.answers |= {path: one.model_dump(mode="json") for path, one in found.items()}
        await page.goto(f"{ORIGIN}/#/{address}")
        await expect(page.locator(".published .parts > *").first).to_be_visible()

    return opens


for places in ("matches", "matches/m1", "matches/m1/hands/1", "leagues/styles"):
    VIEWS[places] = results_at(places)
VIEWS["players"] = results_at(f"players/{ENTRANTS[0]}")
VIEWS["versus"] = results_at(f"versus/{ENTRANTS[0]}/{ENTRANTS[1]}")


def game_over(game: str) -> Opens:
    async def opens(page: Page, harness: PageHarness) -> None:
        events = await session(game)
        open_room(harness, events, game)
        harness.answers[f"{ROOM}/hands/1"] = {"events": lengthened(hand(events, 1))}
        await page.goto(f"{AT_ROOM}/hands/1/99")
        await expect(page.locator(".step-told")).to_contain_text("hand 1: ")

    return opens


for games in ("blackjack", "roulette", "kuhn_poker", "leduc_poker", "simple_card"):
    VIEWS[games] = game_over(games)


async def found_faults(page: Page) -> list[str]:
    """Return what is wrong at any width, in any theme; each with the widths that have it."""
    faults: dict[str, list[int]] = {}
    for theme in THEMES:
        await page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for size in SIZES:
            await page.set_viewport_size(size)
            await settled(page)
            for fault in await layout_faults(page):
                faults.setdefault(fault, []).append(size["width"])
    return [f"{sorted(set(widths))} {fault}" for fault, widths in faults.items()]


@pytest.mark.parametrize("name", VIEWS)
async def test_a_view_holds_the_longest_contents(
    page: Page, harness: PageHarness, name: str
) -> None:
    """Nothing leaves its box or the screen, covers another, or is cut off without a title."""
    await page.add_init_script("localStorage.setItem('pace', 'live')")
    await VIEWS[name](page, harness)
    assert await found_faults(page) == []
    assert await serious_faults(page) == []
