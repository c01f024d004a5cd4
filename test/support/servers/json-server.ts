/** The HTTP ports on a real store with two accounts: agents ada and bob in the first, agent eve in the second. */

import { pino } from "pino";
import { defaultSettings, type Settings } from "#/config/schema.ts";
import type { NameNetwork } from "#/protocols/connection/connection-door.ts";
import type { Listener } from "#/protocols/connection/listener.ts";
import { createLargeItems, type LargeItems } from "#/protocols/dav/filters/large-items.ts";
import { createDavRoute } from "#/protocols/dav/serve-dav.ts";
import { listenHttp } from "#/protocols/json/carriage/listen.ts";
import { type Accounts, createAccounts } from "#/src/accounts/accounts.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { type BusyReader, createBusyReader } from "#/src/collections/busy-reader.ts";
import type { Collections } from "#/src/collections/collections.ts";
import {
  type ContactProjection,
  createContactProjection,
} from "#/src/collections/contacts/contact-projection.ts";
import { createEventProjection, type EventProjection } from "#/src/collections/events/event-projection.ts";
import { createHealth } from "#/src/daemon/health.ts";
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import { createFeed, type Feed } from "#/src/feed/feed.ts";
import { createFiles } from "#/src/files/files.ts";
import { createMail, type Mail } from "#/src/mail/mail.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { atCommandLine, nobody } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { createOutbound } from "#/src/outbound/create-outbound.ts";
import { createHolds } from "#/src/outbound/holds/create-holds.ts";
import type { Holds } from "#/src/outbound/holds/holds.ts";
import type { DueDelivery, Outbound } from "#/src/outbound/outbound.ts";
import { createKeptDescriptions, type KeptDescriptions } from "#/src/render/kept-descriptions.ts";
import type { Schedulers } from "#/src/scheduling/schedulers.ts";
import type { Scheduling } from "#/src/scheduling/scheduling.ts";
import { createCollectionPushes } from "#/src/sign-in/collection-pushes.ts";
import { createPushSubscriptions } from "#/src/sign-in/push-subscriptions.ts";
import { createReading } from "#/src/threads/reading.ts";
import type { Store } from "#/storage/store.ts";
import { testCertificate } from "../certificates/certificate.ts";
import { type HttpClient, httpClient } from "../clients/http.ts";
import type { FakeClock } from "../clock.ts";
import { readersHere } from "../documents.ts";
import { directPreparation } from "../preparation.ts";
import { deliverQueued } from "../queue.ts";
import { calendarRooms } from "../scheduling.ts";
import { openTestStore } from "../store.ts";

export interface Owner {
  readonly id: string;
  readonly agent: AgentNumber;
  readonly address: string;
  readonly token: string;
  readonly client: HttpClient;
}

export interface JsonServer extends AsyncDisposable {
  readonly store: Store;
  readonly mail: Mail;
  readonly descriptions: KeptDescriptions;
  readonly collections: Collections;
  readonly feed: Feed;
  readonly outbound: Outbound;
  readonly holds: Holds;
  readonly accounts: Accounts;
  readonly fairness: Fairness;
  readonly contacts: ContactProjection;
  readonly events: EventProjection;
  readonly busyTimes: BusyReader;
  readonly largeItems: LargeItems;
  readonly scheduling: Scheduling;
  readonly schedulers: Schedulers;
  readonly clock: FakeClock;
  readonly settings: Settings;
  readonly url: string;
  readonly ada: Owner;
  readonly bob: Owner;
  readonly eve: Owner;
  readonly listeners: readonly Listener[];
  /** Delivers a message to an owner as SMTP stores it. Returns its id. */
  deliver(to: Owner, message: string | Buffer, options?: DeliverOptions): Promise<string>;
  /** Delivers queued mail for mailboxes on this server. Returns the deliveries to other servers. */
  deliverQueued(): Promise<readonly DueDelivery[]>;
  /** A token of this owner with these scopes. */
  token(
    owner: Owner,
    scopes: readonly string[],
  ): Promise<{ token: string; client: HttpClient; number: number }>;
  administer(operation: string, input: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>>;
  /** Closes the ports and the store and opens both again, on another port. Old clients and objects can no longer be used. */
  restart(): Promise<void>;
}

export interface DeliverOptions {
  readonly isAuthenticated?: boolean;
  readonly role?: "inbox" | "junk";
  /** What was found out about its origin. */
  readonly checks?: object;
}

const unlimited = {
  requestsPerSecond: 1e6,
  requestsBurst: 1e6,
  agentRequestsPerSecond: 1e6,
  agentRequestsBurst: 1e6,
};

type Overrides = { readonly [Section in keyof Settings]?: Partial<Settings[Section]> };

export async function openJsonServer(
  overrides: Overrides = {},
  wrap: (store: Store) => Store = (store) => store,
  nameNetwork?: NameNetwork,
): Promise<JsonServer> {
  const opened = await openTestStore();
  const defaults = defaultSettings();
  const settings: Settings = {
    ...defaults,
    server: { ...defaults.server, ...overrides.server },
    http: { ...defaults.http, port: 0, ...overrides.http },
    https: { ...defaults.https, enabled: false, ...overrides.https },
    json: { ...defaults.json, ...overrides.json },
    smtp: { ...defaults.smtp, ...overrides.smtp },
    outbound: { ...defaults.outbound, ...overrides.outbound },
    webhooks: { ...defaults.webhooks, ...overrides.webhooks },
    limits: { ...defaults.limits, ...unlimited, ...overrides.limits },
    breaker: { ...defaults.breaker, ...overrides.breaker },
  };
  let rooms = { ...makeRooms(wrap(opened.store), settings), nameNetwork };
  let listeners = await listenHttp(rooms, [createDavRoute(rooms)]);
  const urlOf = (): string => `http://127.0.0.1:${listeners[0]!.port}`;
  const run = (name: string, input: Record<string, unknown>) =>
    administer(atCommandLine, { store: opened.store, settings, outbound: rooms.outbound }, name, input);

  for (const name of ["first", "second"]) await run("account.create", { name });
  await run("domain.add", { name: "first.example", account: "first" });
  await run("domain.add", { name: "second.example", account: "second" });
  const created = {
    ada: await createOwner("ada@first.example"),
    bob: await createOwner("bob@first.example"),
    eve: await createOwner("eve@second.example"),
  };

  async function createOwner(address: string): Promise<Omit<Owner, "client">> {
    const { id, token } = (await run("agent.create", { address })) as { id: string; token: string };
    return { id, token, address, agent: opened.store.ids.decode(id)!.agent };
  }
  const withClient = (owner: Omit<Owner, "client">): Owner => ({
    ...owner,
    client: httpClient(urlOf(), owner.token),
  });

  return {
    get store() {
      return opened.store;
    },
    get mail() {
      return rooms.mail;
    },
    get descriptions() {
      return rooms.descriptions;
    },
    get collections() {
      return rooms.collections;
    },
    get feed() {
      return rooms.feed;
    },
    get outbound() {
      return rooms.outbound;
    },
    get holds() {
      return rooms.holds;
    },
    get events() {
      return rooms.events;
    },
    get schedulers() {
      return rooms.schedulers;
    },
    get scheduling() {
      return rooms.scheduling;
    },
    get largeItems() {
      return rooms.largeItems;
    },
    get busyTimes() {
      return rooms.busyTimes;
    },
    get contacts() {
      return rooms.contacts;
    },
    get accounts() {
      return rooms.accounts;
    },
    get fairness() {
      return rooms.fairness;
    },
    get listeners() {
      return listeners;
    },
    clock: opened.clock,
    settings,
    get url() {
      return urlOf();
    },
    get ada() {
      return withClient(created.ada);
    },
    get bob() {
      return withClient(created.bob);
    },
    get eve() {
      return withClient(created.eve);
    },
    async deliver(to, message, options = {}) {
      const bytes = Buffer.from(typeof message === "string" ? message.replace(/\r?\n/g, "\r\n") : message);
      const facts = await prepareMessage(bytes);
      const at = opened.clock.now();
      const { deliveries } = await opened.store.write(nobody, "deliverMessage", {
        facts,
        recipients: [
          {
            account: (await rooms.accounts.findAgentFacts(to.agent))!.account,
            agent: to.agent,
            mailboxRole: options.role ?? "inbox",
            trace: Buffer.from(`Return-Path: <sender@elsewhere.example>\r\nDelivered-To: ${to.address}\r\n`),
            flags: 0,
            provenance: JSON.stringify({
              source: "smtp",
              fromDomain: "elsewhere.example",
              ...(options.checks === undefined ? {} : { checks: options.checks }),
            }),
            isAuthenticated: options.isAuthenticated ?? false,
            source: "smtp",
          },
        ],
        internalDate: at,
        at,
      });
      return opened.store.ids.encode("message", to.agent, deliveries[0]!.message);
    },
    deliverQueued: () =>
      deliverQueued({
        store: opened.store,
        outbound: rooms.outbound,
        recipients: rooms.accounts,
        scheduling: rooms.scheduling,
        preparation: directPreparation,
        settings,
      }),
    async token(owner, scopes) {
      const made = (await run("token.create", { agent: owner.address, scopes, name: "other" })) as {
        token: string;
        number: number;
      };
      return { ...made, client: httpClient(urlOf(), made.token) };
    },
    administer: run,
    async restart() {
      for (const listener of listeners) await listener.close();
      await rooms.reading[Symbol.asyncDispose]();
      rooms = { ...makeRooms(await opened.reopen(), settings), nameNetwork };
      listeners = await listenHttp(rooms, [createDavRoute(rooms)]);
    },
    async [Symbol.asyncDispose]() {
      for (const listener of listeners) await listener.close();
      await rooms.reading[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

function makeRooms(store: Store, settings: Settings) {
  const accounts = createAccounts(store, settings);
  const outboundRooms = { store, accounts, settings, prepare: prepareMessage };
  const outbound = createOutbound(outboundRooms);
  const reading = createReading();
  return {
    reading,
    mail: createMail(store, undefined, readersHere),
    health: createHealth({ store, preparation: { async prove() {} } }),
    descriptions: createKeptDescriptions(),
    contacts: createContactProjection(reading),
    busyTimes: createBusyReader(reading),
    largeItems: createLargeItems(reading),
    files: createFiles(store),
    collectionPushes: createCollectionPushes(store, createPushSubscriptions(store, settings)),
    ...calendarRooms({ store, accounts, outbound }),
    events: createEventProjection(reading),
    accounts,
    outbound,
    holds: createHolds({ ...outboundRooms, outbound }),
    feed: createFeed(store),
    settings,
    tls: testCertificate,
    log: pino({ level: "silent" }),
    fairness: createFairness(),
  };
}

export function plainMessage(subject = "Hello", text = "How are you?\n"): string {
  return `From: Mel Sender <mel@elsewhere.example>
To: ada@first.example
Subject: ${subject}
Message-ID: <${subject.replace(/\W/g, "-")}@elsewhere.example>
Date: Mon, 5 Jan 2026 10:00:00 +0000
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

${text}`;
}
