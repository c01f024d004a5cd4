/** The rooms of `src` over one open store: what the daemon serves, and what the command line uses without a daemon. */

import type { Logger } from "pino";
import { databaseOf } from "#/config/database-of.ts";
import type { Settings } from "#/config/schema.ts";
import { createLargeItems, type LargeItems } from "#/protocols/dav/filters/large-items.ts";
import type { Health } from "#/protocols/json/carriage/health.ts";
import type { Call, Invoke, Outcome } from "#/protocols/json/carriage/invoke.ts";
import type { JsonRooms } from "#/protocols/json/rooms.ts";
import type { LoadDoors } from "#/protocols/web/serve-web.ts";
import { type Accounts, createAccounts } from "#/src/accounts/accounts.ts";
import { createJobs, type Jobs } from "#/src/accounts/administration/jobs.ts";
import type { LargeWorks } from "#/src/accounts/administration/large-works.ts";
import type { AdministrationRooms } from "#/src/accounts/administration/operation.ts";
import { createOperatorDoor, type OperatorDoor } from "#/src/accounts/administration/operator-door.ts";
import { readArrivingCalendar } from "#/src/arrival/preparing/arriving.ts";
import { createPreparation, type Preparation } from "#/src/arrival/preparing/preparation.ts";
import { type BusyReader, createBusyReader } from "#/src/collections/busy-reader.ts";
import type { Collections } from "#/src/collections/collections.ts";
import {
  type ContactProjection,
  createContactProjection,
} from "#/src/collections/contacts/contact-projection.ts";
import { createCollections } from "#/src/collections/create-collections.ts";
import { createEventProjection, type EventProjection } from "#/src/collections/events/event-projection.ts";
import { createDirectPreparation, createItemPreparation } from "#/src/collections/preparing/preparation.ts";
import { withoutForgedResults } from "#/src/evidence/authentication-results.ts";
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import { receivingAmounts } from "#/src/fairness/receiving.ts";
import { createFeed, type Feed } from "#/src/feed/feed.ts";
import type { RequestOutcome } from "#/src/feed/retries.ts";
import { createWebhooks, type Webhooks } from "#/src/feed/webhooks.ts";
import { createFiles, type Files } from "#/src/files/files.ts";
import { offerThreads } from "#/src/mail/header-reading.ts";
import { createMail, type Mail } from "#/src/mail/mail.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { type PreparePut, preparePutHere } from "#/src/mail/prepare-put.ts";
import { systemClock } from "#/src/model/clock.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import { noTally, type Tally } from "#/src/model/tally.ts";
import { createOutbound } from "#/src/outbound/create-outbound.ts";
import { createHolds } from "#/src/outbound/holds/create-holds.ts";
import type { Holds } from "#/src/outbound/holds/holds.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";
import { openTextIndex } from "#/src/render/indexing/open-text-index.ts";
import { createKeptDescriptions, type KeptDescriptions } from "#/src/render/kept-descriptions.ts";
import { createReadingThreads } from "#/src/render/threads/reading-threads.ts";
import { createReportCounts, type ReportCounts } from "#/src/reports/report-counts.ts";
import { createScheduling } from "#/src/scheduling/create-scheduling.ts";
import {
  createScheduleStatusUpdates,
  type ScheduleStatusUpdates,
} from "#/src/scheduling/outgoing/schedule-status-updates.ts";
import { createDirectSchedulers, createSchedulers, type Schedulers } from "#/src/scheduling/schedulers.ts";
import type { Scheduling } from "#/src/scheduling/scheduling.ts";
import { type CollectionPushes, createCollectionPushes } from "#/src/sign-in/collection-pushes.ts";
import { createPushSubscriptions, type PushSubscriptions } from "#/src/sign-in/push-subscriptions.ts";
import type { Pushes } from "#/src/sign-in/pushes.ts";
import { createReading, type Reading } from "#/src/threads/reading.ts";
import { openStore } from "#/storage/open-store.ts";
import type { Store } from "#/storage/store.ts";

import { type Conditions, createConditions } from "./conditions/watch-conditions.ts";
import { createHealth } from "./health.ts";
import { createLastDay, type LastDay } from "./last-day.ts";
import type { Metrics } from "./metrics.ts";
import { objectsOf } from "./object-place.ts";
import { createStatus, type Status } from "./status.ts";
import { createStoreWorks } from "./store-works.ts";

export interface House extends AsyncDisposable {
  readonly settings: Settings;
  readonly log: Logger;
  readonly fairness: Fairness;
  readonly tally: Tally;
  /** Present when metrics are enabled. */
  readonly metrics: Metrics | undefined;
  readonly store: Store;
  readonly accounts: Accounts;
  readonly feed: Feed;
  readonly domainChecks: NonNullable<AdministrationRooms["domainChecks"]>;
  readonly webhooks: Webhooks & {
    /** Sends a test event now. */
    test(webhook: number): Promise<RequestOutcome>;
    /** Sends a request of the history once more. */
    resend(message: string): Promise<RequestOutcome>;
  };
  readonly pushSubscriptions: PushSubscriptions;
  readonly day: LastDay;
  readonly mail: Mail;
  readonly descriptions: KeptDescriptions;
  readonly collections: Collections;
  readonly contacts: ContactProjection;
  readonly busyTimes: BusyReader;
  readonly schedulers: Schedulers;
  readonly largeItems: LargeItems;
  readonly files: Files;
  readonly scheduling: Scheduling;
  readonly scheduleStatusUpdates: ScheduleStatusUpdates;
  readonly events: EventProjection;
  readonly outbound: Outbound;
  readonly holds: Holds;
  readonly reportCounts: ReportCounts;
  readonly preparation: Preparation;
  readonly collectionPushes: CollectionPushes;
  readonly health: Health;
  readonly conditions: Conditions;
  readonly status: Status;
  readonly jobs: Jobs;
  readonly works: LargeWorks;
  readonly operatorDoor: OperatorDoor;
  /** Loads what tells them. */
  loadPushes(): Promise<Pushes>;
  /** Loads what signs people and operators in to the pages. */
  readonly loadDoors: LoadDoors;
  /** Calls an operation of `/v1` for the operator. The operations are loaded at the first call. */
  invoke(call: Call): Promise<Outcome>;
}

export interface HouseOptions {
  /** Starts the threads that index and prepare messages: for a process that keeps running. */
  readonly isStaying?: boolean;
}

export async function openHouse(settings: Settings, log: Logger, options: HouseOptions = {}): Promise<House> {
  const fairness = createFairness((line) => log.warn(line, "refused for its share"));
  // The first call sets the amounts of the gate, so it is made here, where all settings are known.
  fairness.gate(
    "receiving",
    receivingAmounts(Math.max(settings.smtp.maxMessageBytes, settings.imap.maxAppendBytes)),
  );
  const metrics =
    options.isStaying && settings.metrics.enabled
      ? (await import("./metrics.ts")).createMetrics()
      : undefined;
  const traces =
    options.isStaying && settings.tracing.enabled
      ? (await import("./traces.ts")).createTraces(settings, (err) =>
          log.warn({ err, url: settings.tracing.url }, "the collector takes no traces"),
        )
      : undefined;
  const counts = metrics?.tally ?? noTally;
  const day = createLastDay(systemClock);
  const tally: Tally = day.beside(traces === undefined ? counts : { ...counts, span: traces.note });
  const store = await openStore({
    fairness,
    ...(metrics === undefined ? {} : { onWritten: (ms: number) => tally.time("write", ms) }),
    folder: settings.storage.folder,
    isOnlooker: options.isStaying !== true,
    database: databaseOf(settings),
    objects: objectsOf(settings.storage),
    onTrouble: (what) => log.error({ what }, "the store left something as it is; see waypost check"),
  });
  const textIndex = options.isStaying
    ? await openTextIndex(store, {
        onFailure: (reason) =>
          log.error({ reason }, "the search index ended and starts again; searches go on without it"),
        onLeftOut: (agent, message, reason) => {
          if (message === undefined)
            log.error(
              { agent: store.ids.encode("agent", agent), reason },
              "mail cannot be read for the search index",
            );
          else
            log.error(
              { message: store.ids.encode("message", agent, message), reason },
              "a message is left out of the search index",
            );
        },
      })
    : undefined;
  const accounts = createAccounts(store, settings, tally);
  const feed = createFeed(store);
  const webhooks = createWebhooks(store, feed);
  const reading = createReading(fairness);
  const readers = createReadingThreads(fairness, reading);
  const preparation = options.isStaying ? openPreparation(settings, fairness) : onThisThread(settings);
  const mail = createMail(store, textIndex, readers, putter(settings, preparation), fairness);
  const offers = options.isStaying ? offerHeaderThreads(reading, preparation) : [];
  const descriptions = createKeptDescriptions();
  const itemPreparation = options.isStaying ? createItemPreparation(reading) : createDirectPreparation();
  const collections = createCollections(store, itemPreparation);
  const contacts = createContactProjection(reading);
  const busyTimes = createBusyReader(reading);
  const largeItems = createLargeItems(reading);
  const events = createEventProjection(reading);
  const prepare = async (bytes: Uint8Array) => (await preparation.prepare(bytes)).facts;
  const outbound = createOutbound({ store, accounts, settings, prepare, fairness });
  const holds = createHolds({ store, accounts, settings, prepare, outbound });
  const schedulers = options.isStaying ? createSchedulers(reading) : createDirectSchedulers();
  const scheduling = createScheduling({ accounts, ids: store.ids, collections, schedulers, outbound });
  const scheduleStatusUpdates = createScheduleStatusUpdates({ store, collections, schedulers });
  const pushSubscriptions = createPushSubscriptions(store, settings);
  const rooms = {
    settings,
    log,
    fairness,
    tally,
    accounts,
    feed,
    mail,
    descriptions,
    collections,
    contacts,
    busyTimes,
    schedulers,
    largeItems,
    events,
    outbound,
    holds,
    scheduling,
    collectionPushes: createCollectionPushes(store, pushSubscriptions),
    health: createHealth({ store, preparation }),
  };
  const loadDomainChecks = async () => {
    const [checks, { createResolve }, { withRareTypes }] = await Promise.all([
      import("#/src/domain-check/check-domain.ts"),
      import("#/src/evidence/dns.ts"),
      import("#/src/evidence/secure-dns.ts"),
    ]);
    return [checks, withRareTypes(createResolve(settings.dns), settings.dns)] as const;
  };
  const domainChecks: House["domainChecks"] = {
    async check(domain, keys, otherDomain) {
      const [{ checkDomain }, resolve] = await loadDomainChecks();
      const now = store.clock.now();
      return { ...(await checkDomain({ domain, keys, settings, resolve, now, otherDomain })) };
    },
    async listSecureRecords() {
      const [[, resolve], { secureRecords }, { loadCertificate }] = await Promise.all([
        loadDomainChecks(),
        import("#/src/domain-check/secure-records.ts"),
        import("./certificate.ts"),
      ]);
      const { cert } = await loadCertificate(settings, store.clock);
      return secureRecords(settings.server.hostname, cert, resolve);
    },
    async findUnpublished(domain, keys) {
      const [{ findUnpublished }, resolve] = await loadDomainChecks();
      return findUnpublished(domain, keys, { settings, resolve, now: store.clock.now() });
    },
  };
  const webhooksWithTest: House["webhooks"] = {
    ...webhooks,
    async test(webhook) {
      const { testWebhook } = await import("#/protocols/webhooks/send-events.ts");
      return testWebhook({ webhooks, settings, log }, webhook);
    },
    async resend(message) {
      const { resendWebhook } = await import("#/protocols/webhooks/send-events.ts");
      return resendWebhook({ webhooks, settings, log }, message);
    },
  };
  const conditions = createConditions({ store, accounts, settings, prepare, log });
  const administration = {
    store,
    settings,
    outbound,
    domainChecks,
    webhooks: webhooksWithTest,
    status: createStatus({ store, accounts, fairness, conditions, day, health: rooms.health }),
    jobs: createJobs(store.clock),
    works: createStoreWorks(() => house),
  };
  const operatorDoor = createOperatorDoor(administration);
  let invoke: Promise<Invoke> | undefined;
  const house: House = {
    ...rooms,
    ...administration,
    conditions,
    pushSubscriptions,
    day,
    metrics,
    scheduleStatusUpdates,
    reportCounts: createReportCounts(store),
    files: createFiles(store),
    preparation,
    operatorDoor,
    async loadPushes() {
      const { createPushes } = await import("#/src/sign-in/pushes.ts");
      return createPushes({ store, accounts, collections, settings });
    },
    async loadDoors() {
      const [{ createSignIn }, { createOperatorSignIn }, { createTeller }, { createOwnExports }] =
        await Promise.all([
          import("#/src/sign-in/sign-in.ts"),
          import("#/src/sign-in/operator-sign-in.ts"),
          import("#/src/sign-in/tell-of-sign-in.ts"),
          import("#/src/sign-in/own-export.ts"),
        ]);
      const exports = createOwnExports(administration);
      const tell = createTeller({ store, accounts, prepare });
      const people = { store, accounts, settings, tell, outbound, prepare, exports, pushSubscriptions };
      return (httpPort) => ({
        people: createSignIn(people, httpPort),
        operators: createOperatorSignIn({ store, settings, operators: operatorDoor }, httpPort),
      });
    },
    async invoke(call) {
      invoke ??= loadInvoke(rooms);
      return (await invoke).call(call);
    },
    async [Symbol.asyncDispose]() {
      await administration.jobs[Symbol.asyncDispose]();
      for (const offer of offers) offer[Symbol.dispose]();
      await preparation.close();
      await reading[Symbol.asyncDispose]();
      await readers[Symbol.asyncDispose]();
      await textIndex?.[Symbol.asyncDispose]();
      await traces?.[Symbol.asyncDispose]();
      await store.close();
    },
  };
  return house;
}

/** Names of this server: a foreign Authentication-Results field that claims one of them is forged. */
function ownNames({ server }: Pick<Settings, "server">): readonly string[] {
  return [server.hostname, server.domain];
}

function openPreparation({ server, dns }: Settings, fairness: Fairness): Preparation {
  return createPreparation({ hostname: server.hostname, ownNames: ownNames({ server }), dns }, fairness);
}

/** A small message is prepared at once. */
function putter(settings: Settings, preparation: Preparation): PreparePut {
  const here = preparePutHere(ownNames(settings));
  return (bytes, put) =>
    bytes.byteLength <= mainBytesMax ? here(bytes, put) : preparation.preparePut(bytes, put);
}

function offerHeaderThreads(reading: Reading, preparation: Preparation): readonly Disposable[] {
  return [
    offerThreads("arrival", preparation.ask),
    offerThreads("reading", (_, bytes) =>
      reading.read("headers", new Uint8Array(bytes), { bytes: bytes.byteLength }),
    ),
  ];
}

/** Prepares messages on this thread: a command that ends soon needs no threads for it. */
function onThisThread(settings: Settings): Preparation {
  return {
    async prepare(bytes) {
      const facts = await prepareMessage(withoutForgedResults(bytes, ownNames(settings)));
      const calendar = readArrivingCalendar(bytes, facts);
      return { facts, ...(calendar === undefined ? {} : { calendar }) };
    },
    preparePut: preparePutHere(ownNames(settings)),
    ask: async () => undefined,
    async prove() {},
    async close() {},
  };
}

/** The operations take longer to load than all other rooms, and most commands do not need them. */
async function loadInvoke(rooms: JsonRooms): Promise<Invoke> {
  const [{ createInvoke }, { createRegistry }] = await Promise.all([
    import("#/protocols/json/carriage/invoke.ts"),
    import("#/protocols/json/registry.ts"),
  ]);
  return createInvoke(rooms, createRegistry(rooms.settings.json.unservedOperations));
}
