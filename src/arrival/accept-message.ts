import type { Settings } from "#/config/schema.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import { fromDomainOf } from "#/src/evidence/shown-address.ts";
import type { Provenance } from "#/src/mail/messages.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Tally } from "#/src/model/tally.ts";
import { refusalOf } from "#/src/outbound/gate/decide.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";
import type { Store } from "#/storage/store.ts";
import type { Delivery, DeliverySender } from "#/storage/transactions/mail/deliver-message.ts";
import { type Copy, copiesFor, type Recipient } from "./admit-recipient.ts";
import { arrivingAuthor } from "./author-facts.ts";
import { completeSubmission } from "./complete-submission.ts";
import { type CalendarRooms, deliverWithCalendar, uidOf } from "./deliver-with-calendar.ts";
import { type ExaminationRooms, type Examined, examineArrival } from "./examination.ts";
import { keepReports } from "./keep-reports.ts";
import { recordReport } from "./recognise-report.ts";
import { roomInStore } from "./room-in-store.ts";
import { assertAcceptableHeader } from "./scan-header.ts";
import { formatTrace } from "./trace.ts";
import type { Transport } from "./transport.ts";

export type { Delivery } from "#/storage/transactions/mail/deliver-message.ts";

export interface ArrivalRooms extends ExaminationRooms, CalendarRooms {
  readonly tally?: Tally;
  readonly store: Store;
  readonly accounts: Accounts;
  readonly settings: ExaminationRooms["settings"] & Pick<Settings, "breaker">;
  readonly outbound: Pick<Outbound, "askHere">;
}

export interface IncomingMessage {
  /** Must not change until the promise resolves. */
  readonly bytes: Uint8Array;
  /** Empty for the null reverse path. */
  readonly reversePath: string;
  readonly recipients: readonly Recipient[];
  readonly transport: Transport;
  readonly dsn: DsnRequest | undefined;
}

/** The delivery status notifications that the client requested (RFC 3461), as it wrote them. */
export interface DsnRequest {
  readonly ret?: string | undefined;
  readonly envid?: string | undefined;
  readonly recipients: readonly {
    readonly address: string;
    readonly notify: readonly string[];
    readonly orcpt?: string | undefined;
  }[];
}

export interface Accepted {
  readonly deliveries: readonly Delivery[];
  /** Of mail from another server. */
  readonly verdict?: Verdict;
}

export interface Verdict {
  readonly authenticated: boolean;
  readonly spf: string;
  readonly dkim: string;
  readonly dmarc: string;
  readonly spam?: boolean;
  readonly folder: Examined["mailboxRole"];
}

/** Takes responsibility for a message: one copy for each mailbox, all of them or none, durable when this resolves.
 *  The bytes are stored as they came, without forged Authentication-Results fields, behind the trace fields of the copy. The same write
 *  applies what an invitation or a reply in them changes in calendars. A report about mail that was sent from here may go to no mailbox:
 *  then its content is recorded durably, and no copy is stored. */
export async function acceptMessage(rooms: ArrivalRooms, message: IncomingMessage): Promise<Accepted> {
  const { store, accounts, preparation, settings } = rooms;
  const { transport } = message;
  await assertAcceptableHeader(message.bytes);
  if (transport.principal === undefined && (await recordReport(rooms, message))) return { deliveries: [] };
  const at = store.clock.now();
  const {
    facts,
    calendar,
    reports,
    checks,
    addressees,
    isAuthenticated,
    mailboxRole,
    authenticationResults,
  } = await understand();
  const provenance: Provenance & { readonly dsn?: DsnRequest | undefined } = {
    source: transport.source,
    ...fromDomainOf(facts.fromAddress),
    checks,
    dsn: message.dsn,
    ...uidOf(calendar, isAuthenticated && mailboxRole === "inbox"),
  };
  const copies = copiesFor(message.recipients);
  const unaddressed = await unaddressedOf(accounts, copies, addressees);
  const author = transport.principal === undefined ? await arrivingAuthor(facts, isAuthenticated) : undefined;
  const recipients = copies.map(({ account, agent, addresses }) => {
    const trace = formatTrace({
      reversePath: message.reversePath,
      deliveredTo: addresses,
      hostname: settings.server.hostname,
      transport,
      authenticationResults,
      at,
    });
    return {
      account,
      agent,
      mailboxRole,
      trace,
      flags: 0,
      provenance: JSON.stringify({
        ...provenance,
        ...(unaddressed.has(agent) ? { addressed: false } : {}),
      }),
      isAuthenticated,
      source: transport.source,
    };
  });
  const senders = await askAsSender();
  const args = { at, internalDate: at, facts, author, recipients, senders };
  await roomInStore(store);
  await keepReports(store, reports, facts.fromAddress, message.recipients, at);
  const { source } = transport;
  const startedAt = performance.now();
  const deliveries = await deliverWithCalendar(rooms, args, {
    calendar,
    copies,
    isAuthenticated,
    mailboxRole,
    provenance: {
      source: source === "smtp" ? source : "submission",
      ...fromDomainOf(facts.fromAddress),
      checks,
    },
  });
  rooms.tally?.span?.({
    name: "delivery",
    startedAt,
    trace: transport.id,
    isFailed: false,
    words: {
      id: transport.id,
      messages: deliveries.map(({ agent, message }) => store.ids.encode("message", agent, message)),
    },
  });
  if (addressees === undefined) return { deliveries };
  return { deliveries, verdict: verdictOf(checks, isAuthenticated, mailboxRole) };

  /** A login's mail to mailboxes here asks the same rules as mail that leaves. */
  async function askAsSender(): Promise<readonly DeliverySender[] | undefined> {
    const { principal } = transport;
    if (principal === undefined) return undefined;
    const addresses = message.recipients.map(({ address }) => address);
    const { refused, ...sender } = await rooms.outbound.askHere(principal.agent, principal, addresses);
    for (const [address, reason] of refused) throw refusalOf(address, reason);
    return [sender];
  }

  async function understand(): Promise<Examined> {
    const { bytes, reversePath } = message;
    const named = message.recipients.map(({ address }) => address);
    if (transport.principal === undefined) return examineArrival(rooms, bytes, transport, reversePath, named);
    const submission = await completeSubmission(accounts, transport.principal, bytes, at);
    const { facts, calendar } = await preparation.prepare(submission.bytes);
    const { isAuthenticated } = submission;
    return {
      facts,
      calendar,
      reports: [],
      checks: {},
      isAuthenticated,
      mailboxRole: "inbox",
      authenticationResults: "",
    };
  }
}

/** What the log says of mail from another server: each check in one word, and the folder. */
function verdictOf(
  { spf, dkim = [], dmarc, spam }: Examined["checks"],
  isAuthenticated: boolean,
  folder: Examined["mailboxRole"],
): Verdict {
  return {
    authenticated: isAuthenticated,
    spf: spf?.result ?? "none",
    dkim: (dkim.find(({ result }) => result === "pass") ?? dkim[0])?.result ?? "none",
    dmarc: dmarc?.result ?? "none",
    ...(spam === undefined ? {} : { spam: spam.isSpam }),
    folder,
  };
}

/** The mailboxes that stand in no To or Cc by any of their addresses, tags aside. */
async function unaddressedOf(
  accounts: ArrivalRooms["accounts"],
  copies: readonly Copy[],
  addressees: readonly string[] | undefined,
): Promise<ReadonlySet<AgentNumber>> {
  const unaddressed = new Set<AgentNumber>();
  if (addressees === undefined) return unaddressed;
  const named = new Set(addressees.flatMap((one) => [one, withoutTag(one)]));
  for (const { agent, addresses } of copies) {
    if (addresses.some((one) => named.has(one.toLowerCase()))) continue;
    const facts = await accounts.findAgentFacts(agent);
    if (!facts?.addresses.some((one) => named.has(one.toLowerCase()))) unaddressed.add(agent);
  }
  return unaddressed;
}

function withoutTag(address: string): string {
  const at = address.lastIndexOf("@");
  const plus = address.indexOf("+");
  return plus > 0 && plus < at ? address.slice(0, plus) + address.slice(at) : address;
}
