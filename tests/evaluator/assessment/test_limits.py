"""Who may ask for assessments, how many run at once, and how one ends early."""

from datetime import timedelta

import pytest
from a2a.types import CancelTaskRequest, GetTaskRequest, TaskState
from a2a.utils.errors import UnsupportedOperationError
from casino_agentkit.protocol import CARD_PATH, REST_PATH
from casino_evaluator.assessment.assessment_agent import AssessmentLimits
from evaluator.assessment.assessing import HANGS, KEY, WINS, Caller, assessing
from support.http_json import VERSION, message

HANGING = {"participants": {"alice": WINS, "bob": HANGS}, "config": {"games": ["kuhn"]}}
SHORT = {"participants": {"alice": WINS}, "config": {"games": ["kuhn"]}}


async def begun(caller: Caller) -> str:
    """Begin an assessment that hangs, and return the task's id."""
    body = {
        "message": message(parts=[{"data": HANGING}]),
        "configuration": {"returnImmediately": True},
    }
    reply = await caller.http.post(REST_PATH + "/message:send", json=body, headers=VERSION)
    task_id: str = reply.json()["task"]["id"]
    await caller.runs.hanging.wait()
    return task_id


async def test_cancel_closes_the_rooms() -> None:
    """Once the answer is there; the task stays cancelled, and another one may begin."""
    async with assessing() as caller:
        task_id = await begun(caller)
        assert caller.runs.rooms
        cancelled = await caller.client.cancel_task(CancelTaskRequest(id=task_id))
        assert caller.runs.rooms == 0
        assert cancelled.status.state == TaskState.TASK_STATE_CANCELED
        task = await caller.client.get_task(GetTaskRequest(id=task_id))
        assert task.status.state == TaskState.TASK_STATE_CANCELED
        assert (await caller.ask(SHORT)).states[-1] == "COMPLETED"


async def test_an_assessment_goes_on_after_its_request() -> None:
    async with assessing() as caller:
        task_id = await begun(caller)
        assert caller.runs.rooms == 1
        task = await caller.client.get_task(GetTaskRequest(id=task_id))
        assert task.status.state in {
            TaskState.TASK_STATE_SUBMITTED,
            TaskState.TASK_STATE_WORKING,
        }
        await caller.client.cancel_task(CancelTaskRequest(id=task_id))


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (AssessmentLimits(per_network=1), "an assessment of yours is running"),
        (AssessmentLimits(per_network=9, in_total=1), "all places for assessments are taken"),
    ],
)
async def test_places_are_limited(limits: AssessmentLimits, said: str) -> None:
    async with assessing(limits=limits) as caller:
        task_id = await begun(caller)
        answer = await caller.ask(SHORT)
        assert answer.states == ["REJECTED"]
        assert answer.messages[0].startswith(said)
        await caller.client.cancel_task(CancelTaskRequest(id=task_id))


async def test_an_assessment_ends_after_the_longest_time() -> None:
    async with assessing(limits=AssessmentLimits(longest=timedelta(milliseconds=50))) as caller:
        answer = await caller.ask(HANGING)
        assert caller.runs.rooms == 0
    assert answer.states[-1] == "COMPLETED"
    participants = answer.result["detail"]["participants"]
    (bob,) = participants["bob"]["games"].values()
    assert bob["message"] == "the time of the assessment is over"
    assert answer.result["winner"] == "alice"


@pytest.mark.parametrize(
    ("key", "headers", "address", "said"),
    [
        (KEY, {}, "127.0.0.1", "Send one of the evaluator's API keys"),
        (KEY, {"x-api-key": "another"}, "127.0.0.1", "The token is not one of the evaluator's"),
        ("", {}, "192.0.2.7", "CASINO_EVALUATOR_API_KEYS"),
    ],
)
async def test_others_are_refused(
    key: str, headers: dict[str, str], address: str, said: str
) -> None:
    """Without a configured key, other machines; with one, all who don't send it."""
    async with assessing(key=key, headers=headers, address=address) as caller:
        with pytest.raises(UnsupportedOperationError, match=said):
            await caller.ask(SHORT)
        assert not caller.runs.asked


@pytest.mark.parametrize("key", ["", KEY])
async def test_the_card_declares_skill_and_key(key: str) -> None:
    async with assessing(key=key) as caller:
        card = (await caller.http.get(CARD_PATH)).json()
    (skill,) = card["skills"]
    assert (skill["id"], card["capabilities"]["streaming"]) == ("evaluate", True)
    assert bool(card.get("securitySchemes")) == bool(key)


@pytest.mark.parametrize("metadata", [{"skillId": "evaluate"}, {"skill": "evaluate"}])
async def test_a_message_may_name_the_skill(metadata: dict[str, str]) -> None:
    """Though it is no entrypoint: it stands on the card."""
    said = message(parts=[{"data": SHORT}], metadata=metadata)
    async with assessing() as caller:
        url = REST_PATH + "/message:send"
        reply = (await caller.http.post(url, json={"message": said}, headers=VERSION)).json()
    assert reply["task"]["status"]["state"] == "TASK_STATE_COMPLETED"
