/** `/v1` over HTTP: credentials, bodies and answers; what a call may do and does is behind `invoke`.
 *
 *  POST /v1/<operation>   Authorization: Bearer, application/json
 *  GET  /health           the service is up; no credential
 *  GET  /openapi.json     the interface, for programs; no credential */

import type { HttpContext, HttpRoute } from "#/protocols/http/app.ts";
import { discardBody, RequestAborted, readBody } from "#/protocols/http/body.ts";
import { type EventFrame, writeEventStream } from "#/protocols/http/event-stream.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { jsonBodyBytesMax } from "#/src/model/limits.ts";
import { authenticateBearer, refuse, sendJson } from "./answers.ts";
import type { Invoke } from "./invoke.ts";
import { parseJson } from "./json-text.ts";
import { openApiDocument } from "./openapi.ts";
import type { Operation, StreamFrame } from "./operation.ts";
import type { OperationRegistry } from "./registry.ts";
import type { JsonRooms } from "./rooms.ts";

const prefix = "/v1/";

/** The last route of the HTTP ports: it also answers for paths that nobody serves. */
export function createJsonRoute(rooms: JsonRooms, registry: OperationRegistry, invoke: Invoke): HttpRoute {
  const openApi = JSON.stringify(openApiDocument(registry));

  async function answer(context: HttpContext): Promise<void> {
    const { koa } = context;
    const isRead = koa.method === "GET" || koa.method === "HEAD";
    if (koa.path.startsWith(prefix)) return answerOperation(context);
    if (isRead && koa.path === "/health") return sendJson(context, 200, '{"status":"ok"}');
    if (isRead && koa.path === "/openapi.json") return sendJson(context, 200, openApi);
    throw new WaypostError("not_found", "There is nothing at this address.", {
      hint: "Operations are at POST /v1/<operation>; GET /openapi.json describes them.",
    });
  }

  async function answerOperation(context: HttpContext): Promise<void> {
    const { koa, requestId, signal } = context;
    const principal = await authenticateBearer(rooms.accounts, context);
    const name = koa.path.slice(prefix.length);
    if (koa.method !== "POST") {
      registry.find(name);
      koa.set("Allow", "POST");
      throw new WaypostError("invalid", "Every operation is a POST, also one that only reads.", {
        field: "",
        hint: `Send POST ${prefix}${name} with a JSON object.`,
      });
    }
    const outcome = await invoke.call({
      operation: name,
      principal,
      requestId,
      signal,
      readInput: (operation) => readInput(context, operation),
    });
    if (outcome.kind === "result") return sendJson(context, 200, JSON.stringify(outcome.result));
    koa.respond = false;
    discardBody(koa.req);
    await writeEventStream(koa.res, eventFrames(outcome.frames));
  }

  return {
    accepts: () => true,
    async serve(context) {
      try {
        await answer(context);
      } catch (error) {
        if (error instanceof RequestAborted) throw error;
        refuse(rooms.log, context, error);
      }
    },
  };
}

async function readInput({ koa }: HttpContext, operation: Operation): Promise<unknown> {
  assertJson(koa.get("Content-Type"), koa.get("Content-Encoding"));
  const input = parseJson(await readBody(koa.req, operation.bodyBytesMax ?? jsonBodyBytesMax));
  if (operation.effect !== "streams") return input;
  // An EventSource reconnects with what it saw last; a cursor in the body is the newer word.
  const lastEventId = koa.get("Last-Event-ID");
  const isOpen = lastEventId === "" || typeof input !== "object" || input === null || "cursor" in input;
  return isOpen ? input : { ...input, cursor: lastEventId };
}

const jsonType = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** No type at all is taken for JSON. */
function assertJson(type: string, encoding: string): void {
  if (type !== "" && !jsonType.test(type))
    throw new WaypostError("invalid", "The request body is not said to be JSON.", {
      field: "",
      hint: "Send the header Content-Type: application/json.",
    });
  if (encoding !== "" && encoding.toLowerCase() !== "identity")
    throw new WaypostError("invalid", "The request body is encoded.", {
      field: "",
      hint: "Send the body without Content-Encoding.",
    });
}

async function* eventFrames(frames: AsyncIterable<StreamFrame>): AsyncGenerator<EventFrame> {
  for await (const frame of frames)
    yield frame.isKeepalive === true
      ? { comment: "keepalive" }
      : {
          event: frame.event ?? "batch",
          ...(frame.cursor === undefined ? {} : { id: frame.cursor }),
          data: JSON.stringify(frame.data),
        };
}
