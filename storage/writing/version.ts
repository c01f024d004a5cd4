/** Compare-and-swap on a stored object ("Versioning" of the interface): nothing is changed unless the request has the current version.
 *  The refusal has the current version. */
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { alreadySent } from "#/src/model/scheduled.ts";
import { findLeftModseq } from "../queries/outbound/submissions.ts";
import type { Sql } from "../sql.ts";

/** The version of a message is the highest MODSEQ of its entries. If the mail was scheduled in the given version and has been sent
 *  since, the refusal says so. */
export async function assertMessageVersion(
  tx: Sql,
  { agent, message }: { readonly agent: AgentNumber; readonly message: MessageNumber },
  given: string | undefined,
  entries: readonly { readonly modseq: Modseq }[],
): Promise<void> {
  const version = String(entries.reduce((highest, { modseq }) => Math.max(highest, modseq), 0));
  if (given !== undefined && given !== version) {
    const left = await findLeftModseq(tx, agent, message);
    if (left !== undefined && Number(given) < left) throw alreadySent();
  }
  assertVersion(given, version, "message");
}

export function assertVersion(given: string | undefined, version: string, what: string): void {
  if (given === version) return;
  throw new WaypostError(
    "precondition_failed",
    given === undefined
      ? `Changing this ${what} needs the version that was read`
      : `The ${what} has changed since that version`,
    { version, hint: "Read it again, or send this version." },
  );
}
