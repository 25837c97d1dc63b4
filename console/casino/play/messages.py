"""Messages of the Boardgame Protocol, as far as a person's client reads them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Json = dict[str, Any]


class Message(BaseModel):
    """Fields that are not read are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Joined(Message):
    """Reply to a taken seat."""

    match_id: str
    agent_id: str
    token: str = Field(repr=False)
    game: str


class Agent(Message):
    """Somebody at the table; `type` is missing in lists."""

    id: str
    name: str
    type: str = "ai"


class ListedMatch(Message):
    """A match in the list of `get_matches`."""

    match_id: str
    status: str
    agents: tuple[Agent, ...]


class MatchList(Message):
    """Reply to `get_matches`."""

    matches: tuple[ListedMatch, ...]


class StateData(Message):
    """What the agent may know, in the words of the game."""

    public: Json = Field(default_factory=dict)
    private: Json = Field(default_factory=dict)
    available_actions: tuple[Json, ...] = ()
    deadline_ms: int | None = None
    hand_number: int | None = None
    result: Json | None = None


class VersionedState(Message):
    """The state of the game."""

    data: StateData


class MatchState(Message):
    """Reply to `get_state`."""

    status: Literal["waiting", "started", "ended", "abandoned"]
    phase: str
    turn: int
    stage: str
    active_agent_id: str | None
    agents: tuple[Agent, ...]
    state: VersionedState

    @property
    def is_over(self) -> bool:
        """Whether the match takes no more actions."""
        return self.status in {"ended", "abandoned"}

    def names(self) -> dict[str, str]:
        """Return the agents' names by id."""
        return {agent.id: agent.name for agent in self.agents}


class ActionReply(Message):
    """What became of an action."""

    status: str
    message: str
    data: Json = Field(default_factory=dict)


class Performed(Message):
    """Reply to `perform_action`."""

    action_response: ActionReply


class PushData(Message):
    """What was pushed; `sequence` numbers the events of the table."""

    event: str = ""
    sequence: int | None = None
    payload: Json = Field(default_factory=dict)


class PushedText(Message):
    """A push, with its text for people."""

    message: str
    data: PushData


class Push(Message):
    """A message that the agent did not ask for."""

    type: Literal["push_message"]
    message_response: PushedText


class FaultText(Message):
    """Why a message was not taken."""

    message: str
    data: Json = Field(default_factory=dict)


class Fault(Message):
    """A message of type `error`."""

    type: Literal["error"]
    error: FaultText


Pushed = Annotated[Push | Fault, Field(discriminator="type")]
"""A line of the stream."""
