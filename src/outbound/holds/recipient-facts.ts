/** What whoever decides about a mail has to know of its recipients: where the mailbox's last mail failed for good, and who may be taken for
 *  somebody whom the mailbox knows. It is looked up with what is known when somebody asks. */
import type { Resemblance } from "#/src/model/author-facts.ts";
import { type DeliveryReason, deliveryReasonOf } from "#/src/model/delivery.ts";
import type { HoldRow } from "#/storage/holds.ts";
import { listFailedAddresses } from "#/storage/queries/outbound/failed-addresses.ts";
import { readAuthorFacts } from "#/storage/writing/mail/author-facts.ts";
import { addressKey } from "../mail-address.ts";
import { namedAddress } from "../named-address.ts";
import type { OutboundRooms } from "../outbound.ts";

export interface RecipientFacts {
  readonly address: string;
  /** Why the last mail of the mailbox to it failed for good. */
  readonly failure: DeliveryReason | undefined;
  /** Whom it may be taken for and is not. */
  readonly resembles: readonly Resemblance[];
}

export interface FactsOfRecipients {
  /** Of those of whom there is something to say. */
  readonly facts: readonly RecipientFacts[];
  /** How many of the recipients were compared, in their order: each one takes some statements. */
  readonly compared: number;
}

export const comparedRecipientsMax = 100;

/** `nameOf`: the name that the mail gives an address. */
export async function listRecipientFacts(
  { store, accounts }: Pick<OutboundRooms, "store" | "accounts">,
  { agent, envelope: { recipients } }: Pick<HoldRow, "agent" | "envelope">,
  nameOf: (address: string) => string,
): Promise<FactsOfRecipients> {
  const owner = await accounts.findAgentFacts(agent);
  if (owner === undefined) return { facts: [], compared: 0 };
  const keys = recipients.map(({ address }) => addressKey(address));
  const failed = new Map(
    (await listFailedAddresses(store, agent, keys)).map(({ address, status }) => [address, status]),
  );
  const facts: RecipientFacts[] = [];
  for (const [at, { address }] of recipients.entries()) {
    const status = failed.get(keys[at]!);
    const failure = status === undefined ? undefined : deliveryReasonOf(status);
    const named = { ...(await namedAddress(address, nameOf(address))), replyTo: [], isAuthenticated: false };
    const known = at < comparedRecipientsMax ? await readAuthorFacts(store, owner, named) : undefined;
    const resembles = known?.author?.resembles ?? [];
    if (failure !== undefined || resembles.length > 0) facts.push({ address, failure, resembles });
  }
  return { facts, compared: Math.min(recipients.length, comparedRecipientsMax) };
}
