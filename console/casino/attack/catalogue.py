"""Every attack, in the order in which they are tried."""

from casino.attack.attack import Attack
from casino.attack.attacks import commands, fleet, forgery, resources, seats, takeover

ATTACKS: tuple[Attack, ...] = (
    *takeover.ATTACKS,
    *forgery.ATTACKS,
    *fleet.ATTACKS,
    *seats.ATTACKS,
    *commands.ATTACKS,
    *resources.ATTACKS,
)
GROUPS = tuple(dict.fromkeys(one.group for one in ATTACKS))
