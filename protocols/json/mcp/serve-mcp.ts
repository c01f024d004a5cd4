/** `/mcp`: the Model Context Protocol over streamable HTTP, with the bearer token of `/v1`. There are no sessions: every request
 *  stands for itself, so none can be stolen, resumed by another token or left open.
 *
 *  POST /mcp   one message or a batch */
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { HttpContext, HttpRoute } from "#/protocols/http/app.ts";
import { newRequestId } from "#/protocols/http/request-id.ts";
import type { Principal } from "#/src/accounts/accounts.ts";
import { nextTurn } from "#/src/fairness/loop-turns.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { jsonBlobBodyBytesMax, jsonBodyBytesMax } from "#/src/model/limits.ts";
import { giveBackMemory } from "#/src/model/octet-memory.ts";
import { mailboxOwner } from "#/src/model/owner.ts";
import { authenticateBearer, refuse } from "../carriage/answers.ts";
import type { Invoke } from "../carriage/invoke.ts";
import { copiesOf, readJson } from "../carriage/json-text.ts";
import type { DecodedData } from "../carriage/large-data.ts";
import { asRefusal, errorObject } from "../errors.ts";
import type { Operation, OperationRegistry } from "../operation.ts";
import type { JsonRooms } from "../rooms.ts";
import { canCall } from "../scopes.ts";
import { assertKnownPlace } from "./known-place.ts";
import { isTool, toolName } from "./tool.ts";
import type { ToolDoor } from "./tool-server.ts";

const path = "/mcp";
const batchMax = 20;
/** Up to this, that an input is too large is told as the result of the tool, which a model reads. */
const toldBytesMax = 4 * jsonBodyBytesMax;

/** One request and who makes it, as it passes through the SDK. */
interface Caller {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly bodyBytes: number;
  readonly decoded: DecodedData;
}

export function createMcpRoute(rooms: JsonRooms, registry: OperationRegistry, invoke: Invoke): HttpRoute {
  let handler: Promise<McpHttpHandler> | undefined;

  /** The SDK is loaded with the first request that asks for it. */
  async function loadHandler(): Promise<McpHttpHandler> {
    const [{ createMcpHandler }, { createToolServer }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      import("./tool-server.ts"),
    ]);
    return createMcpHandler((context) => createToolServer(doorOf(context.authInfo!.extra as never)), {
      // No list of ours changes while a client looks on, so there is nothing to subscribe to.
      maxSubscriptions: 0,
      onerror: (error) => rooms.log.debug({ err: error }, "mcp request refused"),
    });
  }

  const listCallable = (principal: Principal): readonly Operation[] =>
    registry.served.filter((one) => isTool(one) && canCall(principal, one));

  function doorOf({ principal, signal, bodyBytes, decoded }: Caller): ToolDoor {
    return {
      listOperations: async () => listCallable(principal),
      async call(operation, input, cancelled) {
        const requestId = newRequestId();
        try {
          assertFits(operation, bodyBytes);
          const outcome = await invoke.call({
            operation: operation.name,
            principal,
            requestId,
            signal: endedBy(signal, cancelled),
            readInput: async () => ({ value: input, decoded }),
          });
          if (outcome.kind === "result") return { result: outcome.result };
          throw new WaypostError("internal", "A stream is no tool.");
        } catch (error) {
          const refusal = asRefusal(error);
          if (refusal.code === "internal" && !(error instanceof CallerGone))
            rooms.log.error({ err: error, requestId }, "operation failed");
          return { error: errorObject(refusal, requestId) };
        }
      },
    };
  }

  async function answer(context: HttpContext): Promise<void> {
    const { koa, signal } = context;
    assertKnownPlace(koa.req, rooms.settings);
    const principal = await authenticateBearer(rooms, koa.get("Authorization"), context);
    if (koa.method !== "POST") {
      koa.set("Allow", "POST");
      return refuse(rooms.log, context, notPost, 405);
    }
    using memory = new DisposableStack();
    const body = memory.adopt(
      await context.readBody(jsonBlobBodyBytesMax, copiesOf(jsonBlobBodyBytesMax)),
      giveBackMemory,
    );
    const { value: message, decoded } = await forCaller(
      signal,
      () => readJson(body, toldBytesMax),
      () => mailboxOwner(principal),
    );
    assertFew(message);
    if (!isToolCall(message, listCallable(principal))) invoke.admit(principal);
    const caller: Caller = { principal, signal, bodyBytes: body.length, decoded };
    // A batch of lists takes 30 ms: of several requests that come at once, one in a turn of the loop.
    await forCaller(signal, nextTurn, () => mailboxOwner(principal));
    handler ??= loadHandler();
    const response = await (await handler).fetch(
      new Request(`http://localhost${path}`, { method: "POST", headers: headersOf(koa.req.headers), signal }),
      {
        parsedBody: message,
        authInfo: {
          token: "",
          clientId: principal.address,
          scopes: [...principal.scopes],
          extra: caller as never,
        },
      },
    );
    koa.set("Cache-Control", "no-store");
    const type = response.headers.get("content-type");
    if (type !== null) koa.set("Content-Type", type);
    // A stream of the SDK has one answer in it and ends; here its end is waited for, so that who goes away ends the call.
    koa.body = await response.text();
    // An empty body has set another one.
    koa.status = response.status;
  }

  return {
    accepts: (requested) => requested === path,
    async serve(context) {
      try {
        await answer(context);
      } catch (error) {
        refuse(rooms.log, context, error);
      }
    },
  };
}

/** Aborts when the connection closes or the call is cancelled: then no caller waits for the answer. */
function endedBy(signal: AbortSignal, cancelled: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => gone.abort(signal.aborted ? signal.reason : new CallerGone());
  if (cancelled.aborted) leave();
  else cancelled.addEventListener("abort", leave, { once: true });
  return AbortSignal.any([signal, gone.signal]);
}

const notPost = new WaypostError("invalid", "The Model Context Protocol is spoken by POST here.", {
  field: "",
  hint: "There are no sessions to open with GET or to end with DELETE.",
});

/** The call of a tool that is there is admitted by `invoke`; everything else costs a request here. */
function isToolCall(message: unknown, callable: readonly Operation[]): boolean {
  const { method, params } = (message ?? {}) as { readonly method?: unknown; readonly params?: unknown };
  const { name } = (params ?? {}) as { readonly name?: unknown };
  return method === "tools/call" && callable.some((one) => toolName(one.name) === name);
}

/** A batch (JSON-RPC 2.0 section 6, until the revision of March 2025) is answered whole. */
function assertFew(message: unknown): void {
  if (!Array.isArray(message) || message.length <= batchMax) return;
  throw new WaypostError("invalid", `The batch has more than ${batchMax} messages.`, {
    field: "",
    hint: "Send one message a request.",
  });
}

function assertFits(operation: Operation, bodyBytes: number): void {
  const limitBytes = operation.bodyBytesMax ?? jsonBodyBytesMax;
  if (bodyBytes <= limitBytes) return;
  throw new WaypostError("invalid", `The request body is over ${limitBytes} bytes.`, {
    reason: "too_large",
    field: "",
    hint: "Send less in one call; the limits are in catalog_describe.",
  });
}

function headersOf(fields: NodeJS.Dict<string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields))
    if (name !== "authorization" && typeof value === "string") headers.set(name, value);
  return headers;
}
