/** The only way to call an operation. HTTP, MCP and the command line all use it, so the same checks apply to each call, in one
 *  order: rate, name, account, scope, input, repeat protection, run. */
import type { Principal } from "#/src/accounts/accounts.ts";
import { createMarker } from "#/src/formats/text/marks.ts";
import { forCaller, forDryRun } from "#/src/model/caller.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { mailboxOwner, type Owner } from "#/src/model/owner.ts";
import { markedContent } from "../describe/marked-answer.ts";
import { notBillable } from "../errors.ts";
import { idempotencyOf } from "../idempotency.ts";
import { replayedHint, sameCallOf } from "../mcp/same-call.ts";
import type { Detail, FrameStream, Operation, OperationContext, OperationRegistry } from "../operation.ts";
import type { JsonRooms } from "../rooms.ts";
import { assertScope } from "../scopes.ts";
import { dryAnswer, readDryRun } from "./dry-run.ts";
import { createGivenMarks } from "./given-marks.ts";
import { parseInput } from "./input.ts";
import type { JsonInput } from "./json-text.ts";
import { createStreamSlots } from "./stream-slots.ts";
import { createRequestLimits } from "./token-bucket.ts";

export interface Call {
  readonly operation: string;
  readonly principal: Principal;
  readonly requestId: string;
  /** Aborts with `CallerGone` when the caller disconnects: from then on nothing is read from the store. */
  readonly signal: AbortSignal;
  /** The caller is a program that calls tools: its answers are short, and the same call twice is one call (`mcp/same-call.ts`). */
  readonly isTool?: boolean;
  /** Reads the input once the call is admitted. */
  readInput(operation: Operation): Promise<JsonInput>;
}

export type Outcome =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "stream"; readonly frames: FrameStream };

export interface Invoke {
  call(call: Call): Promise<Outcome>;
  /** Counts a request that calls no operation. Throws `rate_limited`. */
  admit(principal: Principal): void;
}

/** After how long a repeat should ask again while the first attempt runs. */
const repeatRetryMs = 250;

export function createInvoke(rooms: JsonRooms, registry: OperationRegistry): Invoke {
  const { limits, http } = rooms.settings;
  const requests = createRequestLimits(
    rooms.mail.clock,
    { perSecond: limits.requestsPerSecond, burst: limits.requestsBurst },
    { perSecond: limits.agentRequestsPerSecond, burst: limits.agentRequestsBurst },
  );
  const slots = createStreamSlots(rooms.fairness, limits.streamsPerToken, http.maxConnections);
  const running = new Set<string>();
  const marks = createGivenMarks(rooms.mail.clock);

  const admit: Invoke["admit"] = ({ credential, agent }) => {
    // The operator's own calls come over a private socket and need no limit.
    if (credential.kind !== "operator") requests.admit(nameOf(credential), String(agent));
  };

  const invoke: Invoke["call"] = async (call) => {
    const { principal } = call;
    admit(principal);
    const operation = registry.find(call.operation);
    if (!principal.isBillable && operation.isFree !== true) throw notBillable();
    assertScope(principal, operation.scope);
    const owner = (): Owner => mailboxOwner(principal);
    const { value, decoded } = await forCaller(call.signal, () => call.readInput(operation), owner);
    const { isDryRun, input } = readDryRun(operation, parseInput(operation.input, value, operation.example));
    if (operation.effect === "writes") marks.assertNoneIn(input);
    const sameCall =
      call.isTool === true && !isDryRun
        ? sameCallOf(operation, input, principal, rooms.mail.clock.now())
        : undefined;
    const detail: Detail = call.isTool === true ? "short" : "full";
    using _repeat = holdKey(running, principal, operation, input, sameCall?.key);
    const context: OperationContext = {
      rooms,
      registry,
      principal,
      requestId: call.requestId,
      signal: call.signal,
      decoded,
      holdStream: () => slots.hold(nameOf(principal.credential)),
      detail,
      marks: call.isTool === true ? "fence" : "none",
      giveMark: marks.give,
      sameCall,
    };
    const isSame = sameCall !== undefined && (await wasDone(context, operation, input));
    const run = () => runMarked(context, operation, input);
    const result = await forCaller(call.signal, isDryRun ? () => forDryRun(run) : run, owner);
    if (isDryRun) return { kind: "result", result: dryAnswer(result, input) };
    if (operation.effect === "streams") return { kind: "stream", frames: result as FrameStream };
    if (!isSame) return { kind: "result", result };
    return { kind: "result", result: { ...(result as object), replayed: true, hint: replayedHint } };
  };
  return { call: invoke, admit };
}

/** The words of others stand between marks in a refusal too, where it says what is stored. */
async function runMarked(context: OperationContext, operation: Operation, input: unknown): Promise<unknown> {
  try {
    return await operation.run(context, input);
  } catch (error) {
    if (context.marks === "none" || !isWaypostError(error) || error.details.current === undefined)
      throw error;
    const { code, message, details } = error;
    const current = markedContent(error.details.current, createMarker(context.marks, context.giveMark()));
    throw new WaypostError(code, message, { ...details, current });
  }
}

/** Whether the same call of a tool has been done already. */
async function wasDone(context: OperationContext, { name }: Operation, input: unknown): Promise<boolean> {
  const once = idempotencyOf(context, name, input as Readonly<Record<string, unknown>>)!;
  // The key itself has the whole request.
  const found = await context.rooms.mail.findRepeat("submitMessage", { ...once, replaysAnyRequest: true });
  return found !== undefined;
}

function nameOf({ kind, number }: Principal["credential"]): string {
  return `${kind}:${number}`;
}

const nothing: Disposable = { [Symbol.dispose]() {} };

/** Refuses a repeat while the first attempt runs; it has to wait ("Limits", rule 3). Keys of `send` are separate from those of other
 *  operations, as they are in the store. */
function holdKey(
  running: Set<string>,
  principal: Principal,
  operation: Operation,
  input: unknown,
  sameCall: string | undefined,
): Disposable {
  const key = (input as { readonly idempotency_key?: string }).idempotency_key ?? sameCall;
  if (key === undefined) return nothing;
  const name = `${principal.agent} ${operation.verb} ${key}`;
  if (running.has(name))
    throw new WaypostError(
      "rate_limited",
      sameCall === undefined
        ? "The first attempt with this idempotency key is still running."
        : "The same call is still running.",
      {
        retryAfterMs: repeatRetryMs,
        hint: "Repeat the same request after retry_after_ms; it returns the first attempt's result.",
      },
    );
  running.add(name);
  return { [Symbol.dispose]: () => void running.delete(name) };
}
