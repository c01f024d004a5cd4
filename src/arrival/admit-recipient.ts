import type { Accounts } from "#/src/accounts/accounts.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { findAgent } from "#/storage/queries/agents.ts";
import type { Store } from "#/storage/store.ts";

/** One mailbox that a message goes to. */
export interface Recipient {
  readonly account: AccountNumber;
  readonly agent: AgentNumber;
  /** As the sender wrote it: the alias or the tag that was used is worth knowing. */
  readonly address: string;
}

export interface AdmissionRooms {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly settings: { readonly server: { readonly hostname: string; readonly domain: string } };
}

export interface AdmissionFacts {
  /** What the client announces; 0 for nothing. A hint: the write decides. */
  readonly sizeBytes: number;
  /** Whether it comes from somebody who lives here, and so could expect to reach the world. */
  readonly isSubmission: boolean;
}

/** The mailboxes behind a forward path: itself, an alias, a tagged address, the catch-all.
 *  Refuses an unknown one (`no_such_recipient`), a domain that is not ours (`relay_refused`), and a mailbox that is full
 *  (`over_quota`). */
export async function admitRecipient(
  rooms: AdmissionRooms,
  address: string,
  { sizeBytes, isSubmission }: AdmissionFacts,
): Promise<readonly Recipient[]> {
  const resolution = isPostmaster(address)
    ? await resolvePostmaster(rooms, address)
    : await rooms.accounts.resolveRecipient(address);
  if (resolution.kind === "remote")
    throw new WaypostError(
      "policy_refused",
      isSubmission
        ? "This server does not send mail to other servers yet; only its own domains can be reached."
        : "Mail for that domain is not taken here.",
      { reason: "relay_refused" },
    );
  if (resolution.kind === "unknown")
    throw new WaypostError("not_found", "There is no such mailbox.", { reason: "no_such_recipient" });
  for (const recipient of resolution.recipients) await assertRoom(rooms.store, recipient.agent, sizeBytes);
  return resolution.recipients.map(({ account, agent }) => ({ account, agent, address }));
}

function isPostmaster(address: string): boolean {
  return /^postmaster(?:@|$)/i.test(address);
}

async function assertRoom(store: Store, agent: AgentNumber, sizeBytes: number): Promise<void> {
  const row = await findAgent(store, agent);
  if (row?.quotaBytes && row.byteCount + sizeBytes > row.quotaBytes)
    throw new WaypostError("policy_refused", "The mailbox is full.", { reason: "over_quota" });
}
