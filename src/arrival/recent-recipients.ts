import type { Accounts, Resolution } from "#/src/accounts/accounts.ts";

/** Finds the mailboxes of an address. */
export type RecipientLookup = Pick<Accounts, "resolveRecipient">;

/** How long an answer is kept: a change by the operator takes effect at most so much later. */
const freshMs = 100;
const entriesMax = 10_000;
/** A mailbox with less room left is looked up each time, because its quota is near. */
const roomBytesMin = 1024 * 1024 * 1024;

/** The same look-up, which keeps found recipients for a moment. Senders with a queue name the same mailboxes again and again, and after
 *  each commit a read of the store costs as much as the rest of the envelope. */
export function rememberRecipients(accounts: RecipientLookup): RecipientLookup {
  const known = new Map<string, { readonly resolution: Resolution; readonly until: number }>();
  return {
    async resolveRecipient(address) {
      const now = performance.now();
      const recent = known.get(address);
      if (recent !== undefined && recent.until > now) return recent.resolution;
      const resolution = await accounts.resolveRecipient(address);
      if (known.size >= entriesMax) known.clear();
      if (hasRoom(resolution)) known.set(address, { resolution, until: now + freshMs });
      return resolution;
    },
  };
}

function hasRoom(resolution: Resolution): boolean {
  if (resolution.kind !== "local") return false;
  return resolution.recipients.every(
    ({ byteCount, quotaBytes }) => !quotaBytes || quotaBytes - byteCount >= roomBytesMin,
  );
}
