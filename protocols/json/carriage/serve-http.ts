/** `/v1` over HTTP: credentials, bodies and answers. `invoke` checks the rights of a call and runs it.
 *
 *  POST /v1/<operation>   Authorization: Bearer, application/json; operations that stream are in serve-stream.ts
 *  GET  /health           200 if the service takes mail, 503 with the reasons if not; no credential
 *  GET  /openapi.json     the interface, for programs; no credential */

import type { HttpContext, HttpRoute } from "#/protocols/http/app.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { jsonBodyBytesMax } from "#/src/model/limits.ts";
import { giveBackMemory } from "#/src/model/octet-memory.ts";
import type { Operation, OperationRegistry } from "../operation.ts";
import type { JsonRooms } from "../rooms.ts";
import { assertJson, authenticateBearer, refuse, sendJson } from "./answers.ts";
import type { Health } from "./health.ts";
import type { Invoke } from "./invoke.ts";
import { copiesOf, type JsonInput, readJson } from "./json-text.ts";
import { openApiDocument } from "./openapi.ts";

const prefix = "/v1/";

/** The last route of the HTTP ports: it also answers requests for unknown paths. */
export function createJsonRoute(
  rooms: JsonRooms & { readonly health: Health },
  registry: OperationRegistry,
  invoke: Invoke,
): HttpRoute {
  // Bytes, so that pending answers share them. Made at the first request: most daemons never get one.
  let openApi: Buffer | undefined;

  async function answer(context: HttpContext): Promise<void> {
    const { koa } = context;
    const isRead = koa.method === "GET" || koa.method === "HEAD";
    if (koa.path.startsWith(prefix)) return answerOperation(context);
    if (isRead && koa.path === "/health") {
      const problems = await rooms.health.findProblems();
      if (problems.length === 0) return sendJson(context, 200, '{"status":"ok"}');
      return sendJson(context, 503, JSON.stringify({ status: "unready", problems }));
    }
    if (isRead && koa.path === "/openapi.json") {
      openApi ??= Buffer.from(JSON.stringify(openApiDocument(registry)));
      return sendJson(context, 200, openApi);
    }
    throw new WaypostError("not_found", "There is nothing at this address.", {
      hint: "Operations are at POST /v1/<operation>; GET /openapi.json describes them.",
    });
  }

  async function answerOperation(context: HttpContext): Promise<void> {
    const { koa, requestId, signal } = context;
    const principal = await authenticateBearer(rooms, koa.get("Authorization"), context, "v1");
    const name = koa.path.slice(prefix.length);
    if (koa.method !== "POST") {
      registry.find(name);
      koa.set("Allow", "POST");
      throw new WaypostError("invalid", "Every operation is a POST, also one that only reads.", {
        field: "",
        hint: `Send POST ${prefix}${name} with a JSON object.`,
      });
    }
    using memory = new DisposableStack();
    const outcome = await invoke.call({
      operation: name,
      principal,
      requestId,
      signal,
      readInput: (operation) => readInput(context, operation, memory),
    });
    // Streams have their own route.
    if (outcome.kind === "stream") throw new TypeError("the operation streams");
    sendJson(context, 200, JSON.stringify(outcome.result));
  }

  return {
    accepts: () => true,
    async serve(context) {
      try {
        await answer(context);
      } catch (error) {
        refuse(rooms.log, context, error);
      }
    },
  };
}

/** `memory`: frees the memory of the body when the call is answered. */
async function readInput(
  { koa, readBody }: HttpContext,
  { bodyBytesMax = jsonBodyBytesMax }: Operation,
  memory: DisposableStack,
): Promise<JsonInput> {
  assertJson(koa.get("Content-Type"), koa.get("Content-Encoding"));
  return readJson(memory.adopt(await readBody(bodyBytesMax, copiesOf(bodyBytesMax)), giveBackMemory));
}
