"""The controls of a person at the table: they fit, are accessible, and send what is pressed."""

import re

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from support.accessibility import serious_faults
from support.casino.gateway_socket import HOLDEM, TOKEN, GatewaySocket
from support.casino.page_harness import GATEWAY, ORIGIN, PageHarness, frames, snapshot
from support.chromium import DESKTOP, PHONE, fits
from support.players.recorded import room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

JOIN = "/api/rooms/main/join"
ROULETTE = {
    "public": {"game_type": "roulette"},
    "private": {},
    "availableActions": [
        {"type": "PASS"},
        *(
            {"type": "PLACE_BET", "bet": bet, "minAmount": 1, "maxAmount": 50}
            for bet in ("red", "black", "straight-17")
        ),
    ],
}


def serve(harness: PageHarness) -> None:
    """Show a room with two bots and one guest, with four free seats."""
    players = [
        {"playerId": f"p{number}", "displayName": name, "seatNumber": number, "stack": 198}
        for number, name in enumerate(("Ada", "Grace"))
    ]
    guest = {"playerId": "p4", "displayName": "Alan", "seatNumber": 4, "stack": 200}
    begin = room([], [*players, {**guest, "playerType": "human"}])
    config = {"name": "A2A Casino", "operatorTokenNeeded": False, "gatewayUrl": GATEWAY}
    harness.gateway_url = GATEWAY
    harness.stream("/v1/rooms/main/stream", snapshot(begin))
    harness.answers |= {
        "/v1/rooms/main/hands": {"hands": []},
        "/v1/config": config,
        "/api/auth/guest": {"token": TOKEN, "sessionId": "s1", "expiresAt": 0},
        JOIN: {"tableId": "main", "playerId": "p2", "seatNumber": 2},
    }


@pytest_asyncio.fixture(loop_scope="session")
async def socket(page: Page, harness: PageHarness) -> GatewaySocket:
    """Open the page, and sit down."""
    socket = GatewaySocket()
    harness.watch.allow(GATEWAY)
    serve(harness)
    await socket.route(page)
    await page.goto(f"{ORIGIN}/#/rooms/main")
    await expect(page.get_by_text("guest", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="Sit here")).to_have_count(3)
    await page.get_by_role("button", name="Sit here").first.click()
    dialog = page.get_by_role("dialog", name="Sit down at seat 3")
    await expect(dialog.get_by_label("Buy-in")).to_have_value("200")
    await dialog.get_by_role("button", name="Sit down").click()
    await expect(dialog.get_by_text("1 to 40 characters")).to_be_visible()
    await dialog.get_by_label("Your name").fill("Barbara")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("region", name="Your seat")).to_be_visible()
    return socket


async def sizes_of(page: Page) -> list[list[float]]:
    """Return the widths and heights of what can be pressed in the bar."""
    found: list[list[float]] = await page.evaluate(
        """() => [...document.querySelectorAll(".my-seat :is(button, select, input.amount)")]
          .filter((element) => element.checkVisibility())
          .map((element) => element.getBoundingClientRect())
          .map(({ width, height }) => [width, height])"""
    )
    return found


async def test_every_view_of_a_seat_is_accessible_and_fits(
    page: Page, harness: PageHarness, socket: GatewaySocket
) -> None:
    """Before the turn, in it, and when it is lost; on a phone the bar is fixed at the bottom."""
    (joined,) = [one for one in harness.joined if one["path"] == JOIN]
    wish = {"displayName": "Barbara", "playerType": "human", "buyIn": 200, "seat": 2}
    assert joined == {"path": JOIN, **wish}
    assert TOKEN not in page.url
    await page.set_viewport_size(PHONE)
    bar = page.get_by_role("region", name="Your seat")
    await expect(bar).to_contain_text("The next hand deals you in")
    await expect(page.get_by_role("button", name="Sit here")).to_have_count(0)
    assert await serious_faults(page) == []
    socket.ask(HOLDEM)
    await expect(bar).to_contain_text("Your turn. 2 to call, pot 12")
    await expect(page).to_have_title("● Your turn · main · A2A Casino")
    await expect(bar.get_by_role("img", name="Ace of hearts")).to_be_visible()
    await expect(bar.get_by_role("button", name="Call 2")).to_be_visible()
    assert await serious_faults(page) == []
    bottom = await bar.evaluate("element => element.getBoundingClientRect().bottom")
    assert bottom == PHONE["height"]
    for size in (PHONE, DESKTOP):
        await page.set_viewport_size(size)
        assert await fits(page)
        assert all(width >= 44 and height >= 44 for width, height in await sizes_of(page))
    socket.ask(HOLDEM, seconds=0)
    await expect(bar).to_contain_text("time is over")
    socket.send("seat_closed", {"reason": "busted"}, tableId="main")
    await expect(page.locator(".seat-note")).to_contain_text("no longer at this table: busted")
    assert await page.evaluate("sessionStorage.length") == 0
    await page.get_by_role("button", name="Sit here").first.click()
    dialog = page.get_by_role("dialog", name="Sit down at seat 3")
    await dialog.get_by_label("Your name").fill("")
    await dialog.get_by_role("button", name="Sit down").click()
    await expect(page.get_by_text("1 to 40 characters")).to_be_visible()
    assert await serious_faults(page) == []


async def test_the_bar_tells_how_a_hand_ended(
    page: Page, harness: PageHarness, socket: GatewaySocket
) -> None:
    """In words, with a link to the hand, until the next question."""
    bar = page.get_by_role("region", name="Your seat")
    stream = harness.streams["/v1/rooms/main/stream"]
    names = ("Ada", "Grace", "Barbara")
    players = [
        {"playerId": f"p{number}", "displayName": name, "seatNumber": number, "stack": 200}
        for number, name in enumerate(names)
    ]
    dealt = {"handNumber": 3, "bigBlind": 2, "posted": [], "players": players}
    won = {"amount": 30, "winners": [{"playerId": "p0", "amount": 30}]}
    shown = {"playerId": "p0", "cards": [{"rank": "A", "suit": "hearts"}], "rankName": "Flush"}
    over = {"handNumber": 3, "pots": [won], "shown": [shown], "stacks": [], "communityCards": []}
    events = [
        {"eventType": kind, "epoch": 1, "sequence": number, "message": "", "payload": payload}
        for number, (kind, payload) in enumerate(
            [("hand_started", dealt), ("hand_completed", over)], 1
        )
    ]
    socket.send("round_result", {"winners": ["p0"], "scores": {"p2": -10}}, tableId="main")
    await stream.push(frames(events))
    await expect(bar).to_contain_text("Ada wins 30 with Flush. You lose 10.")
    again = bar.get_by_role("link", name="This hand again")
    await expect(again).to_have_attribute("href", re.compile("/rooms/main/hands/3$"))
    assert await serious_faults(page) == []
    socket.ask(HOLDEM)
    await expect(bar).to_contain_text("Your turn.")
    await expect(again).to_be_hidden()


async def test_bets_of_another_game_are_a_list(page: Page, socket: GatewaySocket) -> None:
    bar = page.get_by_role("region", name="Your seat")
    await page.set_viewport_size(PHONE)
    socket.ask(ROULETTE)
    await bar.get_by_label("place bet").select_option(label="straight-17")
    await bar.get_by_role("textbox", name="Amount").fill("5")
    assert await serious_faults(page) == []
    assert await fits(page)
    await bar.get_by_role("button", name="Place bet 5").click()
    assert await socket.action() == {"action": "PLACE_BET", "bet": "straight-17", "amount": 5}
