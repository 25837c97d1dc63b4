// A client of the A2A JavaScript SDK that asks a lobby for its rooms: `client.mjs LOBBY_URL BINDING`;
// prints the reply.

import { Role } from "@a2a-js/sdk";
import {
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
  ServiceParameters,
  withA2AExtensions,
} from "@a2a-js/sdk/client";

const EXTENSION = "urn:a2a-casino:typed-entrypoints:v1";
const TRANSPORTS = { JSONRPC: JsonRpcTransportFactory, "HTTP+JSON": RestTransportFactory };
const [lobby, binding] = process.argv.slice(2);

const factory = new ClientFactory({ transports: [new TRANSPORTS[binding]()] });
const client = await factory.createFromUrl(lobby);
const reply = await client.sendMessage(
  {
    tenant: "",
    metadata: {},
    message: {
      messageId: crypto.randomUUID(),
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: "data", value: {} },
          metadata: undefined,
          filename: "",
          mediaType: "application/json",
        },
      ],
      taskId: "",
      contextId: "",
      extensions: [EXTENSION],
      metadata: { [EXTENSION]: { skill: "listRooms" } },
      referenceTaskIds: [],
    },
    configuration: undefined,
  },
  { serviceParameters: ServiceParameters.create(withA2AExtensions(EXTENSION)) },
);
const [part] = reply.parts;
if (part.content.$case !== "data") throw new Error(`the reply holds ${part.content.$case}`);
process.stdout.write(JSON.stringify(part.content.value));
