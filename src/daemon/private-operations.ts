/** The operations of the command line, which run in the daemon or in the command's own process: everything of
 *  `administration`, and operations on the whole store. */

import path from "node:path";
import { framesOf } from "#/protocols/json/carriage/frames.ts";
import { noDecodedData } from "#/protocols/json/carriage/large-data.ts";
import { audited, commandLine } from "#/src/accounts/administration/audit.ts";
import { administer, findOperation } from "#/src/accounts/administration/operations.ts";
import { selectOwner } from "#/src/accounts/administration/selectors.ts";
import { operatorPrincipal, type Principal } from "#/src/accounts/principal.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { readSetAside } from "#/storage/search/search-trials.ts";
import { selectCollection } from "./collection-files.ts";
import type { House } from "./house.ts";
import { runTransfer } from "./moving/run-transfer.ts";

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
  const entry = { ...commandLine, operation, input: auditedFields(call), isRead: isRead(operation) };
  return audited(house.store, entry, () => run(house, call));
}

/** Whether an operation changes nothing. `call` counts as a change, also where the operation of `/v1` is a read. */
function isRead(operation: string): boolean {
  const reading = ["store.check", "store.backup", "collection.export", "mail.export"];
  return reading.includes(operation) || findOperation(operation)?.isRead === true;
}

/** The fields of the operation that are recorded: without tokens and without the content of mail. */
function auditedFields({ operation, input }: PrivateCall): Readonly<Record<string, unknown>> {
  const shape = findOperation(operation)?.input.shape;
  const told = (name: string): boolean =>
    shape === undefined
      ? ["operation", "agent", "owner", "collection", "file"].includes(name)
      : name in shape;
  return Object.fromEntries(Object.entries(input).filter(([name]) => told(name)));
}

async function run(house: House, call: PrivateCall): Promise<unknown> {
  switch (call.operation) {
    case "store.check":
      return { problems: await house.store.check(call.onProgress), notes: leftOut(house) };
    case "store.backup": {
      const file = path.resolve(textField(call, "file"));
      await house.store.backup(file, call.onProgress);
      return { file };
    }
    case "collection.import":
    case "collection.export":
      return transferItems(house, call);
    case "mail.import":
    case "mail.export":
      return transferMail(house, call);
    case "call":
      return invokeOperation(house, call);
    default:
      return administer(atCommandLine, house, call.operation, call.input);
  }
}

async function transferItems(house: House, call: PrivateCall): Promise<unknown> {
  const file = path.resolve(textField(call, "file"));
  const named = call.input.collection === undefined ? undefined : textField(call, "collection");
  const owner = await selectOwner(house.store, textField(call, "owner"));
  const collection = await selectCollection(house.collections, owner.agent, file, named);
  const kind = call.operation === "collection.import" ? "import items" : "export items";
  const result = await runTransfer(house, { kind, collection, account: owner.account, file }, call);
  const { agent, number } = collection;
  return { collection: house.collections.ids.encode(collection.kind, agent, number), ...(result as object) };
}

async function transferMail(house: House, call: PrivateCall): Promise<unknown> {
  const owner = await selectOwner(house.store, textField(call, "owner"));
  const text = textField(call, "file");
  const file = /^imaps?:/i.test(text) ? text : path.resolve(text);
  const { password, isToken, takesSettings, isMbox, authority, fingerprint } = call.input;
  if (call.operation === "mail.export")
    return runTransfer(house, { kind: "export mail", owner, file, isMbox: isMbox === true }, call);
  return runTransfer(
    house,
    {
      kind: "import mail",
      owner,
      file,
      bytesMax: house.settings.imap.maxAppendBytes,
      password: typeof password === "string" ? password : "",
      isToken: isToken === true,
      ...(typeof authority === "string" ? { authority } : {}),
      ...(typeof fingerprint === "string" ? { fingerprint } : {}),
      takesSettings: takesSettings === true,
    },
    call,
  );
}

/** Notes that are not problems of the store: messages that are not in the search index. */
function leftOut({ store }: House): string[] {
  return readSetAside(store.folder).map(
    ({ agent, message, reason }) =>
      `${store.ids.encode("message", agent, message)} is left out of the search index: ${reason}`,
  );
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
