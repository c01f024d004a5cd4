/** The audit log: each operation of an operator is logged before it runs, and its result after it. */
import { server } from "#/src/model/author.ts";
import { ifAvailable, WaypostError } from "#/src/model/errors.ts";
import type { Store } from "#/storage/store.ts";
import type { BeginOperatorCall } from "#/storage/transactions/operators/begin-operator-call.ts";
import type { AdministrationOperation } from "./operation.ts";

/** Characters of input that are logged. Of longer input, the log has only the length. */
const inputCharactersMax = 8000;

/** For the command line. */
export const commandLine = { token: null, requestId: "req_operator" } as const;

export type AuditedCall = Pick<BeginOperatorCall, "token" | "requestId" | "operation"> & {
  /** Without secrets. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The operation changes nothing. It runs even if the log cannot be written, as when the disk is full. */
  readonly isRead: boolean;
};

/** Logs an operation and runs it. Throws what `run` throws. */
export async function audited<T>(store: Store, call: AuditedCall, run: () => Promise<T>): Promise<T> {
  const number = await begin(store, call);
  let outcome = "internal";
  try {
    const result = await run();
    outcome = "done";
    return result;
  } catch (error) {
    outcome = outcomeOf(error);
    throw error;
  } finally {
    await end(store, number, outcome);
  }
}

async function begin(store: Store, { isRead, input, ...facts }: AuditedCall): Promise<number | undefined> {
  const beginning = store.write(server, "beginOperatorCall", {
    ...facts,
    input: auditedInput({ secrets: [] }, input),
    at: store.clock.now(),
  });
  const begun = await (isRead ? ifAvailable(beginning) : beginning);
  return begun !== undefined && "call" in begun ? begun.call : undefined;
}

/** If the result cannot be logged now, the operation still counts as done. */
async function end(store: Store, call: number | undefined, outcome: string): Promise<void> {
  if (call === undefined) return;
  const at = store.clock.now();
  await ifAvailable(store.write(server, "endOperatorCall", { call, outcome, answer: null, at }));
}

export function auditedInput(
  { secrets }: Pick<AdministrationOperation, "secrets">,
  input: Readonly<Record<string, unknown>>,
): string {
  const text = JSON.stringify(input, (name, value: unknown) => (secrets.includes(name) ? undefined : value));
  return text.length > inputCharactersMax ? JSON.stringify({ characters: text.length }) : text;
}

export function outcomeOf(error: unknown): string {
  return error instanceof WaypostError ? error.code : "internal";
}
