"""Every attack, in the order in which they are tried."""

from casino.attack import commands, fleet, forgery, resources, seats, takeover
from casino.attack.attack import Attack

ATTACKS: tuple[Attack, ...] = (
    *takeover.ATTACKS,
    *forgery.ATTACKS,
    *fleet.ATTACKS,
    *seats.ATTACKS,
    *commands.ATTACKS,
    *resources.ATTACKS,
)
GROUPS = tuple(dict.fromkeys(one.group for one in ATTACKS))
