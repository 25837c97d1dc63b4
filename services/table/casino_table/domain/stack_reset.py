"""Every hand begins with the starting stack, in a room that resets its stacks. Pure."""

from casino_table.domain.seat import Seat
from casino_table.domain.table import Table


def reset_stacks(table: Table) -> list[tuple[Seat, int]]:
    """Set every stack to the starting stack; returns the chips that each changed seat bought.

    A seat that had more pays chips out: the number is negative. The table's total follows, so that
    no chip appears or vanishes.
    """
    start = table.unit.chips(table.config.starting_stack)
    bought = [(seat, start - seat.stack) for seat in table.seats.values() if seat.stack != start]
    for seat, chips in bought:
        seat.stack += chips
        table.bought_in += chips
    return bought
