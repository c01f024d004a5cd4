/** `/v1` over HTTP: credentials, bodies and answers. `invoke` checks the rights of a call and runs it.
 *
 *  POST /v1/<operation>   Authorization: Bearer, application/json; operations that stream are in serve-stream.ts
 *  GET  /health           200 if the service takes mail, 503 with the reasons if not; no credential
 *  GET  /openapi.json     the interface, for programs; no credential */

import type { PlainAnswer, PlainRoute } from "#/protocols/http/app.ts";
import type { Exchange } from "#/protocols/http/exchange.ts";
import { requestPath } from "#/protocols/http/request-path.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { jsonBodyBytesMax } from "#/src/model/limits.ts";
import { giveBackMemory } from "#/src/model/octet-memory.ts";
import type { Operation, OperationRegistry } from "../operation.ts";
import type { JsonRooms } from "../rooms.ts";
import { assertJson, authenticateBearer, jsonAnswer, refusalAnswer } from "./answers.ts";
import type { Health } from "./health.ts";
import type { Invoke } from "./invoke.ts";
import { copiesOf, type JsonInput, readJson } from "./json-text.ts";
import { openApiDocument } from "./openapi.ts";

const prefix = "/v1/";

/** Answers requests for unknown paths too. */
export function createJsonRoute(
  rooms: JsonRooms & { readonly health: Health },
  registry: OperationRegistry,
  invoke: Invoke,
): PlainRoute {
  // Bytes, so that pending answers share them. Made at the first request: most daemons never get one.
  let openApi: Buffer | undefined;

  async function answer(exchange: Exchange): Promise<PlainAnswer> {
    const { request } = exchange;
    const path = requestPath(request);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (path.startsWith(prefix)) return answerOperation(exchange, path.slice(prefix.length));
    if (isRead && path === "/health") {
      const problems = await rooms.health.findProblems();
      if (problems.length === 0) return jsonAnswer(200, '{"status":"ok"}');
      return jsonAnswer(503, JSON.stringify({ status: "unready", problems }));
    }
    if (isRead && path === "/openapi.json") {
      openApi ??= Buffer.from(JSON.stringify(openApiDocument(registry)));
      return jsonAnswer(200, openApi);
    }
    throw new WaypostError("not_found", "There is nothing at this address.", {
      hint: "Operations are at POST /v1/<operation>; GET /openapi.json describes them.",
    });
  }

  async function answerOperation(exchange: Exchange, name: string): Promise<PlainAnswer> {
    const { request, requestId, signal } = exchange;
    const principal = await authenticateBearer(rooms, request.headers.authorization, exchange, "v1");
    if (request.method !== "POST") {
      registry.find(name);
      const notPost = new WaypostError("invalid", "Every operation is a POST, also one that only reads.", {
        field: "",
        hint: `Send POST ${prefix}${name} with a JSON object.`,
      });
      return refusalAnswer(rooms.log, exchange, notPost, { Allow: "POST" });
    }
    using memory = new DisposableStack();
    const outcome = await invoke.call({
      operation: name,
      principal,
      requestId,
      signal,
      readInput: (operation) => readInput(exchange, operation, memory),
    });
    // Streams have their own route.
    if (outcome.kind === "stream") throw new TypeError("the operation streams");
    return jsonAnswer(200, JSON.stringify(outcome.result));
  }

  return {
    async serve(exchange) {
      try {
        return await answer(exchange);
      } catch (error) {
        return refusalAnswer(rooms.log, exchange, error);
      }
    },
  };
}

/** `memory`: frees the memory of the body when the call is answered. */
async function readInput(
  { request, readBody }: Exchange,
  { bodyBytesMax = jsonBodyBytesMax }: Operation,
  memory: DisposableStack,
): Promise<JsonInput> {
  assertJson(request.headers["content-type"], request.headers["content-encoding"]);
  return readJson(memory.adopt(await readBody(bodyBytesMax, copiesOf(bodyBytesMax)), giveBackMemory));
}
