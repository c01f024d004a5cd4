import { nobody } from "#/src/model/author.ts";
import type { AuthorFacts } from "#/src/model/author-facts.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type {
  AccountNumber,
  AgentNumber,
  BlobNumber,
  MailboxNumber,
  MessageNumber,
  Modseq,
  ThreadNumber,
  Uid,
} from "#/src/model/numbers.ts";
import type { MailboxRole } from "#/src/model/roles.ts";
import type { CalendarArrival } from "../../queries/collections/calendar-arrivals.ts";
import type { SendingBasis } from "../../queries/outbound/sending-basis.ts";
import type { MessageFacts } from "../../rows.ts";
import { insertion } from "../../schema/insertion.ts";
import { type Transaction, together } from "../../sql.ts";
import { assertNotPaused } from "../../writing/accounts/pauses.ts";
import { type AgentTransaction, beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { claimBlob, insertBlob } from "../../writing/blob-rows.ts";
import { type ArrivingAuthor, type ReadFacts, readAuthorFacts } from "../../writing/mail/author-facts.ts";
import { noteAuthor } from "../../writing/mail/author-keys.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { type MailboxState, readMailboxOfRole } from "../../writing/mail/mailbox-write.ts";
import { insertMessage } from "../../writing/mail/message-rows.ts";
import { findThread, keepThreadKeys } from "../../writing/mail/threads.ts";
import { countSend, type SendLimits } from "../../writing/outbound/send-times.ts";
import { assertSendingBasis } from "../../writing/outbound/sending-basis.ts";

export interface DeliveryRecipient {
  readonly account: AccountNumber;
  readonly agent: AgentNumber;
  readonly mailboxRole: MailboxRole;
  /** Octets before the message in this copy: its trace fields. */
  readonly trace: Uint8Array;
  /** System flags. */
  readonly flags: number;
  /** JSON. What the mailbox knows of the author is added to it. */
  readonly provenance: string;
  readonly isAuthenticated: boolean;
  /** The way by which it came in, as a word of Waypost for the event. */
  readonly source: string;
}

/** The login that sends it, with the basis of the decision that it may. It counts as one send. */
export interface DeliverySender {
  readonly agent: AgentNumber;
  readonly basis: SendingBasis;
  readonly limits: SendLimits;
}

/** An iTIP message of an authenticated author. */
export interface DeliveredCalendar extends Pick<CalendarArrival, "uid" | "method" | "author" | "octets"> {
  /** JSON of the items that it makes. What the mailbox knows of the author is added to it. */
  readonly provenance: string;
  readonly recipients: readonly Pick<CalendarArrival, "agent" | "addresses">[];
}

export interface DeliverMessage {
  readonly facts: MessageFacts;
  /** Of mail from another server. */
  readonly author?: ArrivingAuthor | undefined;
  /** One, or none for mail that no login sends. */
  readonly senders?: readonly DeliverySender[] | undefined;
  /** Where the same bytes are already: copies in that account share them. Something else has a claim on them. */
  readonly stored?: { readonly account: AccountNumber; readonly blob: BlobNumber };
  readonly recipients: readonly DeliveryRecipient[];
  /** The iTIP message in it, which is applied to the calendars of these recipients afterwards. */
  readonly calendar?: DeliveredCalendar | undefined;
  readonly internalDate: number;
  readonly at: number;
}

export interface Delivery {
  readonly agent: AgentNumber;
  readonly message: MessageNumber;
  readonly thread: ThreadNumber;
  readonly mailbox: MailboxNumber;
  readonly uid: Uid;
  readonly modseq: Modseq;
}

/** A message from outside to its local recipients, all or none; the copies in one account share their bytes.
 *  Quota is looked at when a recipient is named, not here: mail that was accepted is stored. */
export async function deliverMessage(
  tx: Transaction,
  args: DeliverMessage,
): Promise<{ deliveries: Delivery[] }> {
  const recipients = args.recipients.toSorted((a, b) => a.agent - b.agent);
  // Agents are locked first, then accounts, each in the same order in every write, so that transactions cannot deadlock.
  // Each statement is sent before the results of the earlier ones have come.
  const [writes, blobs, places, authors] = await together([
    beginWrites(tx, args),
    insertBlobs(tx, args),
    readPlaces(tx, args),
    readAuthors(tx, args),
  ]);
  for (const sender of args.senders ?? []) {
    await assertNotPaused(tx, sender.agent);
    await assertSendingBasis(tx, sender.basis);
    await countSend(writes.get(sender.agent)!, sender.limits);
  }
  const deliveries = new Map<DeliveryRecipient, Delivery>();
  for (const recipient of recipients) {
    const { agent, account } = recipient;
    // A second copy for the same agent joins the write of the first.
    const write = writes.get(agent) ?? (await beginAgentTransaction(tx, agent, args.at, nobody, 1));
    writes.delete(agent);
    // What the first copy for an agent has changed is read again for the next one.
    const place = places.get(agent) ?? (await readPlace(tx, args, recipient));
    places.delete(agent);
    deliveries.set(
      recipient,
      await deliverTo(write, args, recipient, place, blobs.get(account)!, authors.get(agent)),
    );
  }
  for (const write of writes.values()) await write.finish();
  return { deliveries: args.recipients.map((recipient) => deliveries.get(recipient)!) };
}

async function beginWrites(
  tx: Transaction,
  { facts, senders = [], recipients, at }: DeliverMessage,
): Promise<Map<AgentNumber, AgentTransaction>> {
  const sizes = new Map(
    recipients
      .toReversed()
      .map(({ agent, trace }) => [agent, { bytes: sizeOf(facts, trace), messages: 1 }] as const),
  );
  const counts = new Map<AgentNumber, number>(senders.map(({ agent }) => [agent, 0]));
  for (const { agent } of recipients) counts.set(agent, 1);
  const begun = [...counts]
    .sort(([one], [other]) => one - other)
    .map(([agent, count]) => beginAgentTransaction(tx, agent, at, nobody, count, sizes.get(agent)));
  return new Map((await together(begun)).map((write) => [write.agent, write]));
}

interface Place {
  readonly mailbox: MailboxState | undefined;
  readonly thread: ThreadNumber | undefined;
}

/** Where the first copy for each agent goes. */
async function readPlaces(tx: Transaction, args: DeliverMessage): Promise<Map<AgentNumber, Place>> {
  const first = new Map(args.recipients.toReversed().map((recipient) => [recipient.agent, recipient]));
  const places = await together([...first.values()].map((recipient) => readPlace(tx, args, recipient)));
  return new Map([...first.keys()].map((agent, at) => [agent, places[at]!]));
}

async function readPlace(
  tx: Transaction,
  { facts }: DeliverMessage,
  { agent, mailboxRole }: DeliveryRecipient,
): Promise<Place> {
  const [mailbox, thread] = await together([
    readMailboxOfRole(tx, agent, mailboxRole),
    findThread(tx, agent, facts.threadKeys),
  ]);
  return { mailbox, thread };
}

/** What each mailbox knows of the author before this mail. */
async function readAuthors(
  tx: Transaction,
  { author, recipients }: DeliverMessage,
): Promise<Map<AgentNumber, ReadFacts>> {
  if (author === undefined) return new Map();
  const mailboxes = [...new Map(recipients.map((one) => [one.agent, one])).values()];
  const found = await together(mailboxes.map((mailbox) => readAuthorFacts(tx, mailbox, author)));
  return new Map(mailboxes.map(({ agent }, at) => [agent, found[at]!]));
}

async function insertBlobs(
  tx: Transaction,
  { facts, recipients, stored }: DeliverMessage,
): Promise<Map<AccountNumber, BlobNumber>> {
  const copies = new Map<AccountNumber, number>();
  for (const { account } of recipients) copies.set(account, (copies.get(account) ?? 0) + 1);
  const blobs = new Map<AccountNumber, BlobNumber>();
  for (const account of [...copies.keys()].sort((a, b) => a - b)) {
    const count = copies.get(account)!;
    if (account === stored?.account) await claimBlob(tx, account, stored.blob, count);
    blobs.set(
      account,
      account === stored?.account ? stored.blob : await insertBlob(tx, account, facts.blob, count),
    );
  }
  return blobs;
}

async function deliverTo(
  write: AgentTransaction,
  args: DeliverMessage,
  recipient: DeliveryRecipient,
  place: Place,
  blob: BlobNumber,
  { author, replyTo, isNew }: Partial<ReadFacts> = {},
): Promise<Delivery> {
  const { facts, internalDate, at } = args;
  const { agent, trace } = recipient;
  const { tx } = write;
  if (write.account !== recipient.account)
    throw new WaypostError("not_found", "The recipient is not of this account", {
      reason: "no_such_recipient",
    });
  const message = write.takeNumber() as MessageNumber;
  const mail = mailOf(write);
  const mailbox = mail.mailboxAsRead(place.mailbox);
  const thread = place.thread ?? (message as number as ThreadNumber);
  await keepThreadKeys(tx, agent, thread, facts.threadKeys);
  await insertMessage(tx, {
    agent,
    message,
    account: write.account,
    blob,
    thread,
    receivedAt: at,
    trace,
    facts,
    isAuthenticated: recipient.isAuthenticated,
    provenance: withFacts(recipient.provenance, { author, replyTo }),
    versionOf: null,
    properties: {},
  });
  // Mail that was judged unwanted makes nobody familiar.
  if (isNew && recipient.mailboxRole === "inbox") await noteAuthor(tx, agent, args.author!.address, at);
  const size = sizeOf(facts, trace);
  const entry = { message, flags: recipient.flags, keywords: null, internalDate, size };
  const uid = mail.addEntry(mailbox, entry, true);
  write.tell("mail.received", message, {
    mailbox: mailbox.mailbox,
    thread,
    source: recipient.source,
    authenticated: recipient.isAuthenticated,
    agentPart: facts.hasAgentPart,
  });
  const to = args.calendar?.recipients.find((one) => one.agent === agent);
  if (to !== undefined) await insertArrival(write, message, args.calendar!, to, author);
  return { agent, message, thread, mailbox: mailbox.mailbox, uid, modseq: await write.finish() };
}

async function insertArrival(
  { tx, agent }: AgentTransaction,
  message: MessageNumber,
  { uid, method, author, provenance, octets }: DeliveredCalendar,
  to: DeliveredCalendar["recipients"][number],
  facts: AuthorFacts | undefined,
): Promise<void> {
  await tx.run(
    ...insertion("calendar_arrival", {
      agent_id: agent,
      message_id: message,
      uid,
      method,
      author,
      addresses: JSON.stringify(to.addresses),
      provenance: withFacts(provenance, { author: facts }),
      octets,
    }),
  );
}

/** Adds members to the JSON of a provenance, which is not read for it. */
function withFacts(provenance: string, known: Partial<Pick<ReadFacts, "author" | "replyTo">>): string {
  const added = JSON.stringify(known).slice(1);
  if (added === "}") return provenance;
  return `${provenance.slice(0, -1)}${provenance === "{}" ? "" : ","}${added}`;
}

function sizeOf(facts: MessageFacts, trace: Uint8Array): number {
  return trace.byteLength + facts.blob.size;
}
