"""What `GET /v1/config` says of a lobby: its name, version, default rules, and limits."""

from casino_agentkit.protocol import BODY_LIMIT, CARD_PATH, INPUT_LIMIT, keyed_address
from casino_contracts import LobbyInfo

from casino_lobby import __version__
from casino_lobby.access.operator import Operator
from casino_lobby.rest.handlers.hand_choice import HANDS_LIMIT
from casino_lobby.rest.handlers.hands import EVENTS_LIMIT
from casino_lobby.rest.handlers.rooms import ROOMS_LIMIT
from casino_lobby.service.queries import DEFAULT_CONFIG
from casino_lobby.settings import LobbySettings


def lobby_info(settings: LobbySettings, url: str, operator: Operator) -> LobbyInfo:
    """Return the information of the lobby with the base URL `url`, as its operator reads it."""
    key, bots = settings.sample_key, settings.sample_cards
    if key is not None:
        bots = tuple(
            bot.model_copy(
                update={"agent_card_url": keyed_address(bot.agent_card_url, key.get_secret_value())}
            )
            for bot in bots
        )
    return LobbyInfo(
        name=settings.name,
        version=__version__,
        agent_card_url=f"{url}{CARD_PATH}",
        default_config=DEFAULT_CONFIG,
        launches_tables=settings.launch_tables,
        operator_token_needed=operator.is_known,
        limits={
            "bodyBytes": INPUT_LIMIT,
            "publishedBytes": BODY_LIMIT,
            "commandsPerMinute": settings.commands_per_minute,
            "eventsPerPage": EVENTS_LIMIT.at_most,
            "handsPerPage": HANDS_LIMIT.at_most,
            "roomsPerPage": ROOMS_LIMIT.at_most,
        },
        gateway_url=settings.gateway_url,
        sample_bots=bots or None,
    )
