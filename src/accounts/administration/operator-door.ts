/** The operations of the operator for programs with an operator token: the same as on the command line. Every call is checked in one
 *  order: rate, name, scope, input, protection against repeats. Then it runs. It is logged as soon as its name is known. */

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { type Author, type Door, server } from "#/src/model/author.ts";
import { pause } from "#/src/model/background.ts";
import { assertCallerThere } from "#/src/model/caller.ts";
import { ifAvailable, isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { FormerCall } from "#/storage/transactions/operators/begin-operator-call.ts";
import { allowsOperation, type OperatorNeed, scopeOf } from "../operator-scopes.ts";
import { createOperators, type Operator, type Operators } from "../operators.ts";
import { createTokenBuckets } from "../token-buckets.ts";
import { auditedInput, outcomeOf } from "./audit.ts";
import { createExchange } from "./exchange.ts";
import { isBegunJob } from "./jobs.ts";
import type { AdministrationOperation, AdministrationRooms } from "./operation.ts";
import { type AdministrationResult, type OperationCall, plainCall } from "./operation-call.ts";
import { administrationOperations } from "./operations.ts";

export interface OperatorCall {
  readonly operator: Operator;
  readonly operation: string;
  readonly requestId: string;
  /** Where the call comes in; `operator`. */
  readonly door?: Door;
  /** Whether the session of an operator at the pages still stands. */
  isSignedIn?(): Promise<boolean>;
  /** Waits when the operator asks faster than the rate, instead of being refused: a page makes a call for each of its rows. */
  readonly isPatient?: boolean;
  /** Called when the name is known. */
  readInput(): Promise<unknown>;
  /** The input of an operation, from the request. Throws `invalid`. */
  parse(operation: AdministrationOperation, input: unknown): ParsedInput;
}

export interface ParsedInput {
  /** The input, checked by the operation's schema. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly key: string | undefined;
}

export interface OperatorDoor extends Operators {
  /** The operations that can be called. */
  readonly operations: readonly AdministrationOperation[];
  /** Throws `rate_limited`, `not_found`, `forbidden_scope`, `invalid`, and what the operation refuses. */
  call(call: OperatorCall): Promise<AdministrationResult>;
}

/** The same time as for keys of `/v1`. */
const keyMemoryMs = 60 * 60 * 1000;
const repeatRetryMs = 250;
const patienceMsMax = 30_000;

export const remoteOperations = administrationOperations.filter(({ isLocal }) => !isLocal);

export function createOperatorDoor(rooms: AdministrationRooms): OperatorDoor {
  const { store, settings } = rooms;
  const operators = createOperators(store, settings);
  const byName = new Map(remoteOperations.map((operation) => [operation.name, operation]));
  const rates = createTokenBuckets(store.clock, {
    perSecond: settings.limits.requestsPerSecond,
    burst: settings.limits.requestsBurst,
  });
  const placeOf = createExchange(settings);
  /** Token and key of the calls that run now. */
  const running = new Set<string>();

  async function admit({ operator, isPatient = false }: OperatorCall): Promise<void> {
    const number = String(operator.number);
    for (let waitedMs = 0; ; ) {
      const retryAfterMs = rates.waitMs(number);
      if (retryAfterMs <= 0) return rates.take(number);
      if (!isPatient || waitedMs > patienceMsMax)
        throw new WaypostError("rate_limited", "Too many requests with this token.", { retryAfterMs });
      await pause(retryAfterMs);
      waitedMs += retryAfterMs;
      assertCallerThere();
    }
  }

  /** As at the beginning of the call: who asks is live, and has the scopes that it needs. */
  async function mayGoOn(
    { operator, isSignedIn }: OperatorCall,
    needs: readonly OperatorNeed[],
  ): Promise<boolean> {
    const now = await operators.find(operator.number);
    if (now === undefined || !needs.every((need) => allowsOperation(now.scopes, need))) return false;
    return (await isSignedIn?.()) ?? true;
  }

  function endOf(call: number, outcome: string, answer: Uint8Array | null): Promise<unknown> {
    return store.write(server, "endOperatorCall", { call, outcome, answer, at: store.clock.now() });
  }

  /** Logs the call, refuses or runs it, and logs the result. */
  async function run(
    call: OperatorCall,
    operation: AdministrationOperation,
    { input, key }: ParsedInput,
  ): Promise<AdministrationResult> {
    const { number, secret } = call.operator;
    // A repeat of an operation that changes nothing runs again.
    const once =
      key === undefined || operation.isRead
        ? undefined
        : { key, requestHash: hashOf(operation.name, input), expiresAt: store.clock.now() + keyMemoryMs };
    const beginning = store.write(server, "beginOperatorCall", {
      token: number,
      requestId: call.requestId,
      operation: operation.name,
      input: auditedInput(operation, input),
      ...(once === undefined ? {} : { once }),
      at: store.clock.now(),
    });
    const begun = await (operation.isRead ? ifAvailable(beginning) : beginning);
    if (begun !== undefined && "former" in begun)
      return repeated(begun.former, once!.requestHash, secret, once!.key);
    // What was done counts as done.
    const end = async (outcome: string, answer: Uint8Array | null): Promise<void> => {
      if (begun !== undefined) await ifAvailable(endOf(begun.call, outcome, answer));
    };
    const needs = [operation, ...operation.alsoNeeds(input)];
    const remoteCall: OperationCall = { ...plainCall, placeOf, mayGoOn: () => mayGoOn(call, needs) };
    let result: AdministrationResult;
    try {
      result = await operation.run(rooms, input, authorOf(call), remoteCall);
    } catch (error) {
      await end(outcomeOf(error), null);
      throw error;
    }
    await end(
      operation.kind !== "any" && isBegunJob(result) ? "begun" : "done",
      once === undefined ? null : seal(secret, once.key, JSON.stringify(result)),
    );
    return result;
  }

  async function refused(
    { operator, requestId }: OperatorCall,
    operation: string,
    error: unknown,
  ): Promise<never> {
    const at = store.clock.now();
    const facts = { token: operator.number, requestId, operation, input: "{}", at };
    const begun = await ifAvailable(store.write(server, "beginOperatorCall", facts));
    if (begun !== undefined && "call" in begun) await ifAvailable(endOf(begun.call, outcomeOf(error), null));
    throw error;
  }

  return {
    ...operators,
    operations: remoteOperations,
    async call(call) {
      const { operator } = call;
      await admit(call);
      const operation = byName.get(call.operation);
      if (operation === undefined)
        throw new WaypostError("not_found", "There is no such operation.", {
          hint: "GET /operator/openapi.json names the operations.",
        });
      let parsed: ParsedInput;
      try {
        assertScope(operator, operation);
        parsed = call.parse(operation, await call.readInput());
        for (const need of operation.alsoNeeds(parsed.input)) assertScope(operator, need);
      } catch (error) {
        // A caller that went away is not refused: its error is thrown.
        if (!isWaypostError(error)) throw error;
        return refused(call, operation.name, error);
      }
      const name = parsed.key === undefined ? undefined : `${operator.number} ${parsed.key}`;
      if (name === undefined) return run(call, operation, parsed);
      if (running.has(name))
        throw new WaypostError(
          "rate_limited",
          "The first attempt with this idempotency key is still running.",
          { retryAfterMs: repeatRetryMs },
        );
      running.add(name);
      try {
        return await run(call, operation, parsed);
      } finally {
        running.delete(name);
      }
    },
  };
}

function assertScope({ scopes }: Operator, need: OperatorNeed): void {
  if (allowsOperation(scopes, need)) return;
  const scope = scopeOf(need);
  throw new WaypostError("forbidden_scope", `This operator token has no scope ${scope}.`, {
    hint: `waypost operator create --scopes ${scope} makes one that has it.`,
  });
}

function authorOf({ operator, requestId, door = "operator" }: OperatorCall): Author {
  return { kind: "operator", agent: 0, credential: operator.number, door, request: requestId };
}

/** The answer of the first attempt. An attempt that was interrupted is not repeated, as it may have run in part. */
function repeated(
  { requestHash, outcome, answer }: FormerCall,
  asked: Uint8Array,
  secret: string,
  key: string,
): AdministrationResult {
  if (Buffer.compare(requestHash, asked) !== 0)
    throw new WaypostError("invalid", "This idempotency key was used for another request.", {
      field: "/idempotency_key",
      hint: "Use a new key for each request.",
    });
  if (outcome === null || answer === null)
    throw new WaypostError("precondition_failed", "The first attempt with this key did not finish.", {
      hint: "Check what exists (agent.list, webhook.list), and use another key.",
    });
  return JSON.parse(open(secret, key, answer)) as AdministrationResult;
}

function hashOf(operation: string, input: unknown): Uint8Array {
  const text = JSON.stringify([operation, input], (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
  return createHash("sha256").update(text).digest();
}

/** Answers may have tokens and passwords, which are not stored. So a kept answer is encrypted with the operator's token, of which the
 *  store has only the hash. AES-256-GCM (NIST SP 800-38D), nonce and tag before the text; the key by HKDF (RFC 5869). */
const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

function keyOf(secret: string, key: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, key, "waypost operator answer", 32));
}

function seal(secret: string, key: string, text: string): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, keyOf(secret, key), nonce);
  const sealed = Buffer.concat([sealing.update(text, "utf8"), sealing.final()]);
  return Buffer.concat([nonce, sealing.getAuthTag(), sealed]);
}

function open(secret: string, key: string, answer: Uint8Array): string {
  const bytes = Buffer.from(answer);
  const opening = createDecipheriv(cipher, keyOf(secret, key), bytes.subarray(0, nonceBytes));
  opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()]).toString();
}
