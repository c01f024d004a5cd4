/** The operations of the command line, which run in the daemon or in the command's own process: everything of
 *  `administration`, and `call`, which is any operation of `/v1`. */

import path from "node:path";
import { framesOf } from "#/protocols/json/carriage/frames.ts";
import { noDecodedData } from "#/protocols/json/carriage/large-data.ts";
import { audited, commandLine } from "#/src/accounts/administration/audit.ts";
import { administer, findOperation } from "#/src/accounts/administration/operations.ts";
import { selectOwner } from "#/src/accounts/administration/selectors.ts";
import { operatorPrincipal, type Principal } from "#/src/accounts/principal.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { House } from "./house.ts";

export interface PrivateCall {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
  onProgress(done: number, total: number): void;
  /** Sends a frame of a stream, before the result. */
  onFrame(frame: unknown): void;
}

/** Runs a call, records it in the audit log, and answers the result to print. Throws `WaypostError`. */
export function runPrivateOperation(house: House, call: PrivateCall): Promise<unknown> {
  const { operation } = call;
  const entry = {
    ...commandLine,
    operation,
    input: auditedFields(call),
    isRead: findOperation(operation)?.isRead === true,
  };
  return audited(house.store, entry, () => run(house, call));
}

/** The fields of the operation that are recorded: without tokens and without the content of mail. */
function auditedFields({ operation, input }: PrivateCall): Readonly<Record<string, unknown>> {
  const known = findOperation(operation);
  const told = (name: string): boolean =>
    known === undefined
      ? ["operation", "agent"].includes(name)
      : name in known.input.shape && !known.secrets.includes(name);
  return Object.fromEntries(Object.entries(input).filter(([name]) => told(name)));
}

async function run(house: House, { operation, input, ...call }: PrivateCall): Promise<unknown> {
  if (operation === "call") return invokeOperation(house, { operation, input, ...call });
  // Paths were made absolute by the command, whose folder may be another one.
  return administer(atCommandLine, house, operation, input, {
    ...call,
    placeOf: path.resolve,
    isPatient: true,
    // It ends with its caller.
    mayGoOn: async () => true,
  });
}

/** Calls an operation of `/v1`, with a token or as an agent. */
async function invokeOperation(house: House, call: PrivateCall): Promise<unknown> {
  const outcome = await house.invoke({
    operation: textField(call, "operation"),
    principal: await principalOf(house, call.input),
    requestId: "req_operator",
    signal: call.signal,
    readInput: async () => ({ value: call.input.json ?? {}, decoded: noDecodedData }),
  });
  if (outcome.kind === "result") return outcome.result;
  for await (const frame of framesOf(outcome.frames, call.signal))
    if (frame.isKeepalive !== true) call.onFrame(frame);
  return {};
}

async function principalOf(house: House, input: Readonly<Record<string, unknown>>): Promise<Principal> {
  // The socket is reached only from this host, so a wrong token counts for the loopback address.
  if (typeof input.token === "string") return house.accounts.authenticateToken(input.token, "127.0.0.1");
  if (typeof input.agent === "string") return operatorPrincipal(await selectOwner(house.store, input.agent));
  throw new WaypostError("invalid", "Say as whom: --agent <address> or --token <token>.");
}

function textField(call: PrivateCall, name: string): string {
  const value = call.input[name];
  if (typeof value !== "string" || value === "")
    throw new WaypostError("invalid", `${name} is missing.`, { field: `/${name}` });
  return value;
}
