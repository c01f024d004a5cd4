/** An agent, robin, that may write to nobody outside, and kim, a person who approves its mail; IMAP and `/v1` over one store
 *  with a clock that the test turns. What leaves is counted in the queue. */

import { pino } from "pino";
import { defaultSettings, type Settings } from "#/config/schema.ts";
import { listenImap } from "#/protocols/imap/listen.ts";
import { listenHttp } from "#/protocols/json/carriage/listen.ts";
import { type Accounts, createAccounts } from "#/src/accounts/accounts.ts";
import type { NewOwner } from "#/src/accounts/administration/agents-and-people.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { createBusyReader } from "#/src/collections/busy-reader.ts";
import { createContactProjection } from "#/src/collections/contacts/contact-projection.ts";
import { createEventProjection } from "#/src/collections/events/event-projection.ts";
import { createHealth } from "#/src/daemon/health.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { createFeed } from "#/src/feed/feed.ts";
import { createMail, type Mail } from "#/src/mail/mail.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { type Author, atCommandLine, nobody } from "#/src/model/author.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { createOutbound } from "#/src/outbound/create-outbound.ts";
import { createHolds } from "#/src/outbound/holds/create-holds.ts";
import type { Holds } from "#/src/outbound/holds/holds.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";
import { createKeptDescriptions } from "#/src/render/kept-descriptions.ts";
import { createReading } from "#/src/threads/reading.ts";
import type { Store } from "#/storage/store.ts";
import { testCertificate } from "../support/certificates/certificate.ts";
import { type ConversationOptions, converse } from "../support/clients/conversation.ts";
import { type HttpClient, httpClient } from "../support/clients/http.ts";
import type { FakeClock } from "../support/clock.ts";
import { deliverQueued } from "../support/queue.ts";
import { calendarRooms, schedulingOf } from "../support/scheduling.ts";
import { openTestStore } from "../support/store.ts";

export interface Party extends NewOwner {
  readonly agent: AgentNumber;
}

export interface HoldHouse extends AsyncDisposable {
  readonly store: Store;
  /** What happens each time before a write of that name that `outbound` and `holds` ask for, and after all that they read for it. */
  beforeWrite(name: string, happens: (() => Promise<unknown>) | undefined): void;
  readonly clock: FakeClock;
  readonly mail: Mail;
  readonly accounts: Accounts;
  readonly outbound: Outbound;
  readonly holds: Holds;
  readonly robin: Party;
  readonly kim: Party;
  /** robin's token. */
  readonly client: HttpClient;
  readonly imapPort: number;
  /** Of the interface. */
  readonly url: string;
  clientOf(token: string): HttpClient;
  administer(name: string, input: Record<string, unknown>): Promise<Record<string, unknown>>;
  create(kind: "agent" | "person", address: string, more?: Record<string, unknown>): Promise<Party>;
  /** A mail of robin that waits. */
  send(body?: Record<string, unknown>, more?: Record<string, unknown>): Promise<Held>;
  hold(id: string): Promise<Record<string, unknown>>;
  /** Scripts of IMAP; `{{=robin}}` and `{{=kim}}` are the texts behind LOGIN, `{{=holds}}` the mailboxes as kim names them. */
  converse(script: string, options?: Partial<ConversationOptions>): Promise<Readonly<Record<string, string>>>;
  /** The clock goes on, and what has become due is done. */
  advance(ms: number): Promise<void>;
  /** Subjects of what has got into the queue since the last time. */
  left(): Promise<string[]>;
  /** Message ids in robin's folder. */
  folder(name: string): Promise<string[]>;
  events(): Promise<Record<string, unknown>[]>;
  /** The cursor at the beginning of an agent's log. */
  beginning(agent: AgentNumber): string;
  /** Mail in the queue for mailboxes of this server is put there. */
  deliverQueued(): Promise<unknown>;
}

export interface Held {
  readonly ref: string;
  readonly hold: string;
  readonly version: string;
  readonly state: string;
}

type Overrides = { readonly [Section in keyof Settings]?: Partial<Settings[Section]> };

export const graceMs = 20_000;

export async function openHoldHouse(overrides: Overrides = {}): Promise<HoldHouse> {
  const test = await openTestStore();
  const { store, clock } = test;
  const defaults = defaultSettings();
  const settings: Settings = {
    ...defaults,
    imap: { ...defaults.imap, port: 0 },
    imaps: { ...defaults.imaps, enabled: false },
    http: { ...defaults.http, port: 0 },
    https: { ...defaults.https, enabled: false },
    outbound: { ...defaults.outbound, smarthostHost: "smarthost.test", ...overrides.outbound },
    server: { ...defaults.server, ...overrides.server },
    holds: { ...defaults.holds, ...overrides.holds },
    breaker: { ...defaults.breaker, ...overrides.breaker },
    limits: {
      ...defaults.limits,
      requestsBurst: 10_000,
      sendsPerHour: 0,
      sendsPerDay: 0,
      ...overrides.limits,
    },
  };
  const accounts = createAccounts(store, settings);
  const mail = createMail(store);
  const between = createBetween(store);
  const outboundRooms = { store: between.store, accounts, settings, prepare: prepareMessage };
  const outbound = createOutbound(outboundRooms);
  const holds = createHolds({ ...outboundRooms, outbound });
  const feed = createFeed(store);
  const log = pino({ level: "warn" });
  const { collections, scheduling } = calendarRooms({ store, accounts, outbound });
  const reading = createReading();
  const contacts = createContactProjection(reading);
  const events = createEventProjection(reading);
  const busyTimes = createBusyReader(reading);
  const rooms = {
    mail,
    collections,
    contacts,
    descriptions: createKeptDescriptions(),
    events,
    busyTimes,
    scheduling,
    accounts,
    feed,
    outbound,
    holds,
    settings,
    tls: testCertificate,
    log,
    fairness: createFairness(),
    health: createHealth({ store, preparation: { async prove() {} } }),
  };
  const imap = await listenImap(rooms);
  const http = await listenHttp(rooms);
  const run = (name: string, input: Record<string, unknown>) =>
    administer(atCommandLine, { store, settings, outbound }, name, input);
  await run("account.create", { name: "ours" });
  await run("domain.add", { name: "ours.example" });

  const create = async (kind: "agent" | "person", address: string, more: Record<string, unknown> = {}) => {
    const owner = (await run(`${kind}.create`, { address, ...more })) as unknown as NewOwner;
    return { ...owner, agent: store.ids.decode(owner.id)!.agent };
  };
  const kim = await create("person", "kim@ours.example");
  const robin = await create("agent", "robin@ours.example", { approver: kim.address });
  const url = `http://127.0.0.1:${http[0]!.port}`;
  const clientOf = (token: string): HttpClient => httpClient(url, token);
  const client = clientOf(robin.token!);
  const imapPort = imap[0]!.port;
  let counted = 0;

  return {
    store,
    beforeWrite: between.beforeWrite,
    clock,
    mail,
    accounts,
    outbound,
    holds,
    robin,
    kim,
    client,
    imapPort,
    url,
    clientOf,
    administer: run,
    create,
    send: (body = {}, more = {}) =>
      client.ok("send", {
        body: { to: ["lee@elsewhere.example"], subject: "Offer", text: "Ten pieces.", ...body },
        ...more,
      }),
    hold: async (id) => (await client.ok("part.describe", { id })).content,
    converse: (script, options = {}) =>
      converse(script, {
        port: imapPort,
        ...options,
        variables: {
          robin: `robin@ours.example "${robin.password}"`,
          kim: `kim@ours.example "${kim.password}"`,
          holds: "Other Users/robin@ours.example/Holds",
          ...options.variables,
        },
      }),
    async advance(ms) {
      clock.advance(ms);
      while (await holds.runDue());
    },
    async left() {
      const rows = await store.all<{ subject: string | null }>(
        `select message.subject
        from submission left join message
          on message.agent_id = submission.agent_id and message.message_id = submission.message_id
        order by submission.agent_id, submission_id`,
      );
      const fresh = rows.slice(counted).map(({ subject }) => subject ?? "");
      counted = rows.length;
      return fresh;
    },
    async folder(name) {
      const { content } = await client.ok("search", { folder: name });
      return content.items.map((item: { id: string }) => item.id);
    },
    events: async () => (await client.ok("wait", { cursor: beginning(robin.agent) })).events,
    beginning,
    deliverQueued: () =>
      deliverQueued({
        store,
        outbound,
        recipients: accounts,
        scheduling: schedulingOf({ store, accounts, outbound }),
        preparation: { prepare: async (bytes) => ({ facts: await prepareMessage(bytes) }) },
        settings,
      }),
    async [Symbol.asyncDispose]() {
      for (const listener of [...imap, ...http]) await listener.close();
      await test[Symbol.asyncDispose]();
    },
  };

  function beginning(agent: AgentNumber): string {
    return feed.events.seal(agent, new Map([[agent, { modseq: 0 as Modseq }]]));
  }
}

/** A door to the store at which something can come between a decision and its write. */
function createBetween(store: Store) {
  const hooks = new Map<string, () => Promise<unknown>>();
  return {
    beforeWrite(name: string, happens: (() => Promise<unknown>) | undefined): void {
      if (happens === undefined) hooks.delete(name);
      else hooks.set(name, happens);
    },
    store: new Proxy(store, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        if (key !== "write" && key !== "writeOnce") return value.bind(target);
        return async (by: Author, name: string, ...rest: unknown[]) => {
          await hooks.get(name)?.();
          return value.call(target, by, name, ...rest);
        };
      },
    }),
  };
}

/** A mail to robin from lee@elsewhere.example; answers its id. */
export async function deliver(
  { store, robin, accounts }: HoldHouse,
  subject: string,
  { isAuthenticated = false, fields = "", checks = {} },
): Promise<string> {
  const at = store.clock.now();
  const text = `From: lee@elsewhere.example\r\nTo: robin@ours.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@elsewhere.example>\r\n${fields}\r\nHello.\r\n`;
  const { deliveries } = await store.write(nobody, "deliverMessage", {
    facts: await prepareMessage(Buffer.from(text)),
    recipients: [
      {
        account: (await accounts.findAgentFacts(robin.agent))!.account,
        agent: robin.agent,
        mailboxRole: "inbox",
        trace: new Uint8Array(),
        flags: 0,
        provenance: JSON.stringify({ source: "smtp", fromDomain: "elsewhere.example", checks }),
        isAuthenticated,
        source: "smtp",
      },
    ],
    internalDate: at,
    at,
  });
  return store.ids.encode("message", robin.agent, deliveries[0]!.message);
}
