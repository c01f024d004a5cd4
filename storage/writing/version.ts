/** Compare-and-swap on a stored object ("Versioning" of the interface): without the version that it has now nothing is
 *  changed, and the refusal says which that is. */
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { alreadySent } from "#/src/model/scheduled.ts";
import { findLeftModseq } from "../queries/submissions.ts";
import type { Sql } from "../sql.ts";

/** Of a message: the highest MODSEQ of its places. Mail that was scheduled in that version and has left since is refused as that. */
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
