// A player of the A2A JavaScript SDK on Express: `agent.mjs PORT message|task`.

import { A2A_PROTOCOL_VERSION, AGENT_CARD_PATH, Role, TaskState } from "@a2a-js/sdk";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express from "express";

const [port, kind] = process.argv.slice(2);

const card = {
  name: "JavaScript",
  description: "Plays poker.",
  supportedInterfaces: [
    {
      url: `http://127.0.0.1:${port}/`,
      protocolBinding: "JSONRPC",
      tenant: "",
      protocolVersion: A2A_PROTOCOL_VERSION,
    },
  ],
  version: "1.0.0",
  capabilities: {
    streaming: false,
    pushNotifications: false,
    extensions: [],
    extendedAgentCard: false,
  },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ["text"],
  defaultOutputModes: ["text"],
  skills: [
    {
      id: "poker",
      name: "Poker",
      description: "Plays.",
      tags: ["poker"],
      examples: [],
      inputModes: ["text"],
      outputModes: ["text"],
      securityRequirements: [],
    },
  ],
  documentationUrl: "",
  signatures: [],
};

/** Check, else call, else fold; the input is the line of the question that is a JSON object. */
function replyTo(question) {
  const asked = JSON.parse(question.split("\n").find((line) => line.startsWith("{")));
  if (!asked.legalActions) return { displayName: "JavaScript" };
  return { action: ["check", "call", "fold"].find((one) => asked.legalActions.includes(one)) };
}

const textPart = (text) => ({
  content: { $case: "text", value: text },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain",
});

class PokerPlayer {
  async execute(context, eventBus) {
    const { taskId, contextId, userMessage } = context;
    const texts = userMessage.parts.filter((part) => part.content?.$case === "text");
    const answer = JSON.stringify(replyTo(texts.map((part) => part.content.value).join("\n")));
    if (kind === "message") {
      eventBus.publish(
        AgentEvent.message({
          role: Role.ROLE_AGENT,
          messageId: crypto.randomUUID(),
          parts: [textPart(answer)],
          taskId: "",
          contextId,
          extensions: [],
          metadata: {},
          referenceTaskIds: [],
        }),
      );
      return;
    }
    const status = (state) => ({
      state,
      timestamp: new Date().toISOString(),
      message: undefined,
    });
    eventBus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: status(TaskState.TASK_STATE_SUBMITTED),
        artifacts: [],
        history: [userMessage],
        metadata: {},
      }),
    );
    eventBus.publish(
      AgentEvent.artifactUpdate({
        taskId,
        contextId,
        artifact: {
          artifactId: crypto.randomUUID(),
          name: "answer",
          description: "",
          parts: [textPart(answer)],
          metadata: undefined,
          extensions: [],
        },
        lastChunk: true,
        append: false,
        metadata: undefined,
      }),
    );
    eventBus.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId,
        status: status(TaskState.TASK_STATE_COMPLETED),
        metadata: undefined,
      }),
    );
  }

  async cancelTask() {}
}

const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new PokerPlayer());
const app = express();
app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: requestHandler }));
app.use(jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
app.listen(Number(port), "127.0.0.1");
