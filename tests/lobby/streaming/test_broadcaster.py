"""The broadcaster gives all followers the same bytes, and waits for none of them."""

import asyncio

from casino_lobby.event_stream import LOBBY, Broadcaster, Item


def items(count: int, first: int = 1) -> list[Item]:
    return [Item(b"%d" % number, number) for number in range(first, first + count)]


async def test_followers_share_what_is_published() -> None:
    feed = Broadcaster(10)
    followers = [feed.subscribe("r1"), feed.subscribe("r1"), feed.subscribe(LOBBY)]
    other = feed.subscribe("r2")
    published = items(3)
    for item in published:
        feed.publish(item, "r1", LOBBY)
    for follower in followers:
        taken = await follower.take(10)
        assert all(one is other for one, other in zip(taken, published, strict=True))
    feed.end("r2")
    assert await other.take(10) == []


async def test_a_follower_too_far_behind_loses_its_queue() -> None:
    feed = Broadcaster(5)
    slow, quick = feed.subscribe("r1"), feed.subscribe("r1")
    for item in items(5):
        feed.publish(item, "r1")
    assert await quick.take(10) == items(5)
    for item in items(3, first=6):
        feed.publish(item, "r1")
    assert slow.is_lagging
    assert await slow.take(10) == []
    assert await quick.take(10) == items(3, first=6)
    assert not quick.is_lagging


async def test_the_end_follows_queued_items() -> None:
    feed = Broadcaster(5)
    late, waiting = feed.subscribe("r1"), feed.subscribe("r2")
    taking = asyncio.ensure_future(waiting.take(5))
    await asyncio.sleep(0)
    feed.publish(items(1)[0], "r1")
    feed.close()
    feed.publish(items(1)[0], "r1")
    assert await late.take(5) == items(1)
    assert await late.take(5) == []
    assert await taking == []
    assert not late.is_lagging
    assert await feed.subscribe("r1").take(5) == []


async def test_followers_that_miss_items_end_at_once() -> None:
    feed = Broadcaster(5)
    followers = [feed.subscribe("r1"), feed.subscribe(LOBBY)]
    ended = feed.subscribe("r1")
    ended.end()
    feed.publish(items(1)[0], "r1", LOBBY)
    feed.lag_all()
    for follower in followers:
        assert await follower.take(5) == []
        assert follower.is_lagging
    assert not ended.is_lagging
    later = feed.subscribe("r1")
    feed.publish(items(1)[0], "r1")
    assert await later.take(5) == items(1)


async def test_nothing_is_kept_for_a_follower_that_left() -> None:
    feed = Broadcaster(5)
    one, two = feed.subscribe("r1"), feed.subscribe("r1")
    assert feed.is_followed("r1", LOBBY)
    feed.unsubscribe("r1", one)
    assert feed.is_followed("r1")
    feed.unsubscribe("r1", two)
    feed.unsubscribe("r1", two)
    assert not feed.is_followed("r1")
    assert not feed.is_followed(LOBBY)
