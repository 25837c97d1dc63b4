"""What the client sends: message, tenant, context, and words for untyped agents."""

import json
from typing import Any, ClassVar

import pytest
from casino_agentkit import (
    Conversation,
)
from casino_agentkit.protocol import EXTENSION
from support.players.odd_agent import BILL, SECOND, SOUP, Odd, order, peer_of, says
from support.players.sample_agent import Bill


class TestRequests:
    async def test_a_request_has_the_documented_shape(self) -> None:
        """One data part, and the skill in the extension's metadata."""
        odd = Odd(says({"data": BILL}))
        await order(odd.app())
        (call,) = odd.asked
        assert call == {
            "jsonrpc": "2.0",
            "id": call["id"],
            "method": "SendMessage",
            "params": {
                "message": {
                    "messageId": call["id"],
                    "role": "ROLE_USER",
                    "extensions": [EXTENSION],
                    "metadata": {EXTENSION: {"skill": "order"}},
                    "parts": [
                        {
                            "data": json.loads(SOUP.model_dump_json(by_alias=True)),
                            "mediaType": "application/json",
                        }
                    ],
                }
            },
        }

    async def test_the_tenant_of_the_interface_is_sent(self) -> None:
        """One address may serve several agents."""
        odd = Odd(says({"data": BILL}), tenant="north")
        await order(odd.app())
        assert odd.asked[0]["params"]["tenant"] == "north"

    async def test_a_conversation_echoes_the_context(self) -> None:
        """The first reply's context id is sent from then on, within the conversation only."""
        odd = Odd(says({"data": BILL}))
        peer = await peer_of(odd.app())
        conversation = Conversation()
        for _ in range(2):
            await peer.call("order", SOUP, Bill, timeout=SECOND, conversation=conversation)
        await peer.call("order", SOUP, Bill, timeout=SECOND)
        contexts = [call["params"]["message"].get("contextId") for call in odd.asked]
        assert contexts == [None, "ctx-7", None]

    async def test_an_agent_without_our_extension_gets_instructions(self) -> None:
        """A text has brief, input and output schema; a skill that takes JSON gets the input."""
        odd = Odd(says({"text": json.dumps(BILL)}), typed=False)
        peer = await peer_of(odd.app())
        assert not peer.is_typed
        await peer.call("order", SOUP, Bill, timeout=SECOND, brief="You are the cook.")
        text, data = odd.asked[0]["params"]["message"]["parts"]
        assert text["text"].startswith("You are the cook.")
        assert '"dish":"soup"' in text["text"]
        assert '"required":["dish","total","number"]' in text["text"]
        assert data["data"]["dish"] == "soup"

    @pytest.mark.parametrize(
        ("skill", "of_skill", "of_card", "kinds"),
        [
            ("order", None, ["application/json"], ["text", "data"]),
            ("order", None, ["text/plain", "Application/JSON; charset=utf-8"], ["text", "data"]),
            ("order", None, ["*/*"], ["text", "data"]),
            ("order", None, None, ["text", "data"]),
            ("order", ["application/json"], ["text/plain"], ["text", "data"]),
            ("order", ["text/plain"], ["application/json"], ["text"]),
            ("order", None, ["text/plain"], ["text"]),
            ("order", None, ["application/jsonl", 7, ["application/json"]], ["text"]),
            ("order", None, "application/json", ["text"]),
            ("talk", None, ["application/json"], ["text"]),
        ],
    )
    async def test_data_is_sent_only_to_a_skill_that_takes_it(
        self, skill: str, of_skill: Any, of_card: Any, kinds: list[str]
    ) -> None:
        """As its card says; an agent of a language model has no such skill, whatever it takes."""
        odd = Odd(says({"text": json.dumps(BILL)}), typed=False)
        odd.card["defaultInputModes"] = of_card
        odd.card["skills"][0]["inputModes"] = of_skill
        peer = await peer_of(odd.app())
        await peer.call(skill, SOUP, Bill, timeout=SECOND)
        parts = odd.asked[0]["params"]["message"]["parts"]
        assert [next(iter(part)) for part in parts] == kinds

    async def test_the_schema_of_a_reply_is_built_once(self) -> None:
        class Counted(Bill):
            """A bill that counts how often its schema is built."""

            built: ClassVar[int] = 0

            @classmethod
            def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> Any:
                Counted.built += 1
                return handler(core)

        odd = Odd(says({"text": json.dumps(BILL)}), typed=False)
        peer = await peer_of(odd.app())
        for _ in range(3):
            await peer.call("order", SOUP, Counted, timeout=SECOND)
        assert Counted.built == 1
