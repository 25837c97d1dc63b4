"""Message types: one pydantic model for every message between processes.

Shapes follow the casino protocol document; every field added to it is optional.
`python -m casino_contracts DIRECTORY` writes their JSON Schemas.
"""

import importlib

_NAMES_BY_MODULE = {
    "base": ("WireModel",),
    "cards": ("Card",),
    "events.payloads": (
        "ActionTakenPayload",
        "AwardedPot",
        "FAULT_REASON_LIMIT",
        "ForcedBet",
        "GameActedPayload",
        "GameCompletedPayload",
        "GameStartedPayload",
        "HandCompletedPayload",
        "HandStartedPayload",
        "Outcome",
        "PAYLOADS",
        "PlayerBustedPayload",
        "PlayerPoints",
        "PlayerRegisteredPayload",
        "PotShare",
        "ShownHand",
        "StackAfter",
        "StatusKind",
        "StatusPayload",
        "TableErrorPayload",
    ),
    "events.table_delivery": (
        "DeliveryOutcome",
        "DeliveryRefused",
        "RecordTableEventsInput",
        "RecordTableEventsOutput",
        "TableDelivery",
    ),
    "events.table_event": (
        "EventPlace",
        "EventType",
        "RecordGameEventInput",
        "RecordGameEventOutput",
        "TableEvent",
        "TableEventBatch",
    ),
    "game_turn": (
        "GameActionRequest",
        "GameActionResponse",
    ),
    "games": (
        "GameList",
        "ListedGame",
        "OfferedGame",
        "PlayerCount",
    ),
    "lobby": (
        "CreateRoomInput",
        "EventPage",
        "LaunchOptions",
        "LeaveRoomInput",
        "ListedTable",
        "LobbyInfo",
        "RegisterPlayerInput",
        "RegisterTableInput",
        "RegisterTableOutput",
        "RegisteredPlayer",
        "RoomList",
        "RoomSnapshot",
        "RoomSummary",
        "SampleBot",
        "StartRoomInput",
        "TableAgentSkills",
        "TableList",
    ),
    "matches.hands": ("MatchHand",),
    "matches.leagues": (
        "HeadToHead",
        "League",
        "LeagueEntry",
    ),
    "matches.lists": (
        "LeagueList",
        "LeagueSummary",
        "MatchList",
        "MatchSummary",
        "PairSummary",
    ),
    "matches.results": (
        "Estimate",
        "Interval",
        "MatchPair",
        "MatchPlayer",
        "MatchResult",
        "NotableHand",
        "PairSeriesPoint",
        "PositionResult",
        "SequentialTest",
        "StreetResult",
    ),
    "matches.run": (
        "MatchEstimate",
        "RunMatchInput",
        "RunMatchOutput",
    ),
    "names": (
        "distinct_name",
        "name_key",
    ),
    "notices": (
        "HandNotice",
        "HandNoticeOutput",
        "OwnDecision",
        "OwnHandRecord",
    ),
    "numbers": (
        "Amount",
        "MAX_SAFE",
    ),
    "own.hands": (
        "AnsweredQuestion",
        "OwnHand",
        "OwnHandDetail",
        "OwnHandPage",
    ),
    "player": (
        "ActionKind",
        "ActionRequest",
        "ActionResponse",
        "BettingRound",
        "HOLDEM",
        "PastAction",
        "PlayerType",
        "PlayerView",
        "Rejection",
        "SignupInvitation",
        "SignupResponse",
    ),
    "reasons": ("Reason",),
    "records": (
        "HandDetail",
        "HandKind",
        "HandPage",
        "HandRecord",
        "HandRecordInput",
        "HandSummary",
        "HoleCards",
        "Odds",
        "PlayerFault",
        "PlayerFaults",
        "RecordedDecision",
        "Standing",
        "Standings",
        "StreetOdds",
    ),
    "room_key": (
        "RoomKey",
        "seat_token",
        "view_key",
    ),
    "statistics.reports": (
        "DecisionLatency",
        "NetLine",
        "NetSeries",
        "PlayStatistics",
        "Tally",
    ),
    "streams": (
        "HandRecordMissing",
        "Lagged",
        "LobbyStreamSnapshot",
        "RoomStreamSnapshot",
        "StreamedEvent",
        "StreamedRoom",
    ),
    "table": (
        "CasinoCallback",
        "ConfigureTableInput",
        "Continuation",
        "LeaveTableInput",
        "NoInput",
        "PlayerSeat",
        "SeatAssignment",
        "SeatPlayerInput",
        "StartGameInput",
        "StartOverrides",
        "TableStatus",
        "TableSummary",
    ),
    "table_config": (
        "TableConfig",
        "Unit",
    ),
}
_MODULES = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}

__all__ = sorted(_MODULES)  # noqa: PLE0605  sorted() returns a list


def __getattr__(name: str) -> object:
    """Return an exported name; its module is imported now, because few processes need all."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    value: object = getattr(module, name)
    globals()[name] = value
    return value
