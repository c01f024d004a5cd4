import type { Accounts, Resolution } from "#/src/accounts/accounts.ts";
import { RecentValues } from "#/src/model/recent-values.ts";
import type { Store } from "#/storage/store.ts";

/** Finds the mailboxes of an address. */
export type RecipientLookup = Pick<Accounts, "resolveRecipient">;

/** How long an answer is kept at most: the size of a mailbox grows meanwhile, and which account has a domain is not told. */
const keptMs = 5000;
const entriesMax = 10_000;
/** A mailbox with less room left is looked up each time, because its quota is near. More than this may still come within `keptMs`, as COPY takes
 *  quota and moves no octets: what is accepted by then is stored over quota. */
const roomBytesMin = 1024 * 1024 * 1024;

interface Kept {
  readonly resolution: Resolution;
  readonly until: number;
}

/** The same look-up, which keeps found recipients until access changes. Senders with a queue name the same mailboxes again and again, and
 *  after each commit a read of the store costs as much as the rest of the envelope. */
export function rememberRecipients(
  accounts: RecipientLookup,
  store: Pick<Store, "onAccess" | "hearsAccess">,
): RecipientLookup {
  let known = new RecentValues<Kept>(entriesMax / 2);
  store.onAccess(() => {
    known = new RecentValues(entriesMax / 2);
  });
  return {
    async resolveRecipient(address) {
      // What is read while access changes is kept among what is forgotten.
      const kept = known;
      const recent = store.hearsAccess() ? kept.find(address) : undefined;
      if (recent !== undefined && recent.until > performance.now()) return recent.resolution;
      const until = performance.now() + keptMs;
      const resolution = await accounts.resolveRecipient(address);
      if (hasRoom(resolution)) kept.keep(address, { resolution, until });
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
