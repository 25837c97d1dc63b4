"""Wait for a coroutine of each item, of which only some run at the same time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


async def gathered(
    course_of: Callable[[ItemT], Awaitable[ResultT]], items: Iterable[ItemT], at_once: int
) -> list[ResultT]:
    """Return the results in order; the first error ends all others, and is raised as it is."""
    places = asyncio.Semaphore(at_once)

    async def run(item: ItemT) -> ResultT:
        async with places:
            return await course_of(item)

    tasks = [asyncio.create_task(run(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
