/** `/mcp`: the Model Context Protocol over streamable HTTP, with the bearer token of `/v1`. There are no sessions, so no session can
 *  be stolen, resumed with another token or left open.
 *
 *  POST /mcp   one message or a batch */
import type { ParsedUrlQuery } from "node:querystring";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { HttpContext, HttpRoute } from "#/protocols/http/app.ts";
import { newRequestId } from "#/protocols/http/request-id.ts";
import type { Principal } from "#/src/accounts/accounts.ts";
import { nextTurn } from "#/src/fairness/loop-turns.ts";
import { loopTurn } from "#/src/model/background.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { jsonBlobBodyBytesMax, jsonBodyBytesMax } from "#/src/model/limits.ts";
import { giveBackMemory } from "#/src/model/octet-memory.ts";
import { mailboxOwner } from "#/src/model/owner.ts";
import { assertJson, authenticateBearer, refuse, sendJson } from "../carriage/answers.ts";
import type { Invoke } from "../carriage/invoke.ts";
import { copiesOf, type JsonInput, readJson } from "../carriage/json-text.ts";
import type { DecodedData } from "../carriage/large-data.ts";
import { asRefusal, errorObject } from "../errors.ts";
import type { Operation, OperationRegistry } from "../operation.ts";
import type { JsonRooms } from "../rooms.ts";
import { canCall } from "../scopes.ts";
import { assertKnownPlace } from "./known-place.ts";
import { isTool, toolName } from "./tool.ts";
import { readSelection, type ToolSelection } from "./tool-selection.ts";
import type { ToolDoor } from "./tool-server.ts";

const path = "/mcp";
const batchMax = 20;
/** Up to this body size, an input that is too large is refused in the result of the tool, which the model reads. */
const toldBytesMax = 4 * jsonBodyBytesMax;

/** A request and its caller, passed through the SDK. */
interface Caller {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly bodyBytes: number;
  readonly decoded: DecodedData;
  readonly selection: ToolSelection;
  /** Calls under way. */
  readonly working: Promise<unknown>[];
}

export function createMcpRoute(rooms: JsonRooms, registry: OperationRegistry, invoke: Invoke): HttpRoute {
  let handler: Promise<McpHttpHandler> | undefined;

  /** Loads the SDK, at the first request: some 50 ms, 15 ms for its schemas and 70 ms for those of the tools. In between others have a turn. */
  async function loadHandler(): Promise<McpHttpHandler> {
    const { createMcpHandler, preloadSchemas } = await import("@modelcontextprotocol/server");
    await loopTurn();
    preloadSchemas();
    await loopTurn();
    const { createToolServer, knownTool } = await import("./tool-server.ts");
    for (const operation of registry.served.filter(isTool)) {
      knownTool(operation);
      await loopTurn();
    }
    return createMcpHandler((context) => createToolServer(doorOf(context.authInfo!.extra as never)), {
      // The lists do not change during a connection: a subscription is acknowledged with nothing in it, and ends at once.
      maxSubscriptions: 1,
      onerror: (error) => rooms.log.debug({ err: error }, "mcp request refused"),
    });
  }

  const listCallable = (principal: Principal, { isSelected }: ToolSelection): readonly Operation[] =>
    registry.served.filter((one) => isTool(one) && isSelected(one) && canCall(principal, one));

  function doorOf({ principal, signal, bodyBytes, decoded, selection, working }: Caller): ToolDoor {
    return {
      listOperations: async () => listCallable(principal, selection),
      withSchemas: selection.withSchemas,
      async call(operation, input, cancelled) {
        const requestId = newRequestId();
        try {
          assertFits(operation, bodyBytes);
          const work = invoke.call({
            operation: operation.name,
            principal,
            requestId,
            isTool: true,
            signal: endedBy(signal, cancelled),
            readInput: async () => ({ value: input, decoded }),
          });
          working.push(work);
          const outcome = await work;
          if (outcome.kind === "result") return { result: outcome.result };
          throw new WaypostError("internal", "An operation that streams is not a tool.");
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
    const principal = await authenticateBearer(rooms, koa.get("Authorization"), context, "mcp");
    if (koa.method !== "POST") {
      koa.set("Allow", "POST");
      return refuse(rooms.log, context, notPost, 405);
    }
    assertJson(undefined, koa.get("Content-Encoding"));
    const selection = selectionOf(koa.query, koa.get("MCP-Protocol-Version"));
    using memory = new DisposableStack();
    const body = memory.adopt(
      await context.readBody(jsonBlobBodyBytesMax, copiesOf(jsonBlobBodyBytesMax)),
      giveBackMemory,
    );
    const { value: message, decoded } = await forCaller(
      signal,
      () => readMessage(body),
      () => mailboxOwner(principal),
    );
    assertFew(message);
    const isCall = isToolCall(message, listCallable(principal, selection));
    if (!isCall) invoke.admit(principal);
    const working: Promise<unknown>[] = [];
    const caller: Caller = { principal, signal, bodyBytes: body.length, decoded, selection, working };
    // The SDK answers a caller that has gone at once. Its calls look at the body until they end.
    await using calls = new AsyncDisposableStack();
    calls.defer(async () => void (await Promise.allSettled(working)));
    handler ??= loadHandler();
    const { fetch } = await handler;
    // A batch of tools/list takes 30 ms, so each request is handled in its own turn of the event loop, those that waited for the SDK too.
    await forCaller(signal, nextTurn, () => mailboxOwner(principal));
    const response = await fetch(
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
    // A call that the SDK has refused counts as a request, too.
    if (isCall && working.length === 0) invoke.admit(principal);
    koa.set("Cache-Control", "no-store");
    const type = response.headers.get("content-type");
    if (type !== null) koa.set("Content-Type", type);
    // The SDK's stream has one answer and ends. Its end is awaited here, so that a caller that disconnects ends the call.
    koa.body = await response.text();
    // Setting an empty body has changed the status.
    koa.status = response.status;
  }

  return {
    accepts: (requested) => requested === path,
    async serve(context) {
      try {
        await answer(context);
      } catch (error) {
        if (error instanceof BrokenMessage) sendJson(context, 400, error.answer);
        else refuse(rooms.log, context, error);
      }
    },
  };
}

/** JSON-RPC 2.0 section 5.1. */
const parseError = -32700;
const invalidRequest = -32600;

/** A message that is answered before the SDK sees it. Its id is not known (JSON-RPC 2.0 section 5). */
class BrokenMessage extends Error {
  readonly answer: string;
  constructor(code: number, refusal: WaypostError) {
    super(refusal.message);
    const { message, ...data } = errorObject(refusal);
    this.answer = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message, data } });
  }
}

async function readMessage(body: Buffer<ArrayBuffer>): Promise<JsonInput> {
  if (body.length === 0) throw new BrokenMessage(parseError, noMessage);
  try {
    return await readJson(body, toldBytesMax);
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "invalid") throw error;
    throw new BrokenMessage(parseError, error);
  }
}

const noMessage = new WaypostError("invalid", "The body is empty.", {
  field: "",
  hint: "Send one message of JSON-RPC.",
});

/** Revisions have results with a structure from that of June 2025 on. Each says itself in a header field. */
function selectionOf(query: ParsedUrlQuery, revision: string): ToolSelection {
  const selection = readSelection(new URLSearchParams(query as Record<string, string>));
  return { ...selection, withSchemas: selection.withSchemas && revision >= "2025-06-18" };
}

/** Aborts when the connection closes or the call is cancelled. */
function endedBy(signal: AbortSignal, cancelled: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => gone.abort(signal.aborted ? signal.reason : new CallerGone());
  if (cancelled.aborted) leave();
  else cancelled.addEventListener("abort", leave, { once: true });
  return AbortSignal.any([signal, gone.signal]);
}

const notPost = new WaypostError("invalid", "The Model Context Protocol is served by POST only.", {
  field: "",
  hint: "There are no sessions to open with GET or to end with DELETE.",
});

/** Whether the message calls a known tool. `invoke` counts such a call as a request; all other messages are counted here. */
function isToolCall(message: unknown, callable: readonly Operation[]): boolean {
  const { method, params } = (message ?? {}) as { readonly method?: unknown; readonly params?: unknown };
  const { name } = (params ?? {}) as { readonly name?: unknown };
  return method === "tools/call" && callable.some((one) => toolName(one.name) === name);
}

/** Bounds a batch (JSON-RPC 2.0 section 6, until the revision of March 2025), which gets one answer. */
function assertFew(message: unknown): void {
  if (!Array.isArray(message) || message.length <= batchMax) return;
  throw new BrokenMessage(
    invalidRequest,
    new WaypostError("invalid", `The batch has more than ${batchMax} messages.`, {
      field: "",
      hint: "Send one message a request.",
    }),
  );
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
