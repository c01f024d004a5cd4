/** The rooms of floor 2 over one open store: what the daemon serves, and what the command line uses without a daemon. */
import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { Call, Invoke, Outcome } from "#/protocols/json/invoke.ts";
import type { JsonRooms } from "#/protocols/json/rooms.ts";
import { type Accounts, createAccounts } from "#/src/accounts/accounts.ts";
import { createPreparation, type Preparation } from "#/src/arrival/preparing/preparation.ts";
import { createFeed, type Feed } from "#/src/feed/feed.ts";
import { createWebhooks, type WebhookOutcome, type Webhooks } from "#/src/feed/webhooks.ts";
import { createMail, type Mail } from "#/src/mail/mail.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { createHolds, type Holds } from "#/src/outbound/holds/holds.ts";
import { createOutbound, type Outbound } from "#/src/outbound/outbound.ts";
import { openTextIndex } from "#/src/render/indexing/open-text-index.ts";
import { createReadingThreads } from "#/src/render/threads/reading-threads.ts";
import { openStore, type Store } from "#/storage/store.ts";

export interface House extends AsyncDisposable {
  readonly settings: Settings;
  readonly log: Logger;
  readonly store: Store;
  readonly accounts: Accounts;
  readonly feed: Feed;
  readonly webhooks: Webhooks & {
    /** Sends an event of nothing, now. */
    test(webhook: number): Promise<WebhookOutcome>;
  };
  readonly mail: Mail;
  readonly outbound: Outbound;
  readonly holds: Holds;
  readonly preparation: Preparation;
  /** Operations of `/v1` as the operator calls them; made when first asked for. */
  invoke(call: Call): Promise<Outcome>;
}

export interface HouseOptions {
  /** With threads that keep the search index and understand messages: for who stays. */
  readonly isStaying?: boolean;
}

export async function openHouse(settings: Settings, log: Logger, options: HouseOptions = {}): Promise<House> {
  const store = await openStore({ folder: settings.storage.folder });
  const textIndex = options.isStaying
    ? await openTextIndex(store, {
        onFailure: (reason) => log.error({ reason }, "the search index failed; searches go on without it"),
      })
    : undefined;
  const accounts = createAccounts(store, settings);
  const feed = createFeed(store);
  const webhooks = createWebhooks(store, feed);
  const readers = createReadingThreads();
  const mail = createMail(store, textIndex, readers);
  const preparation = options.isStaying ? openPreparation(settings) : onThisThread;
  const prepare = async (bytes: Uint8Array) => (await preparation.prepare(bytes)).facts;
  const outbound = createOutbound({ store, accounts, settings, prepare });
  const holds = createHolds({ store, accounts, settings, prepare, outbound });
  const rooms = { settings, log, accounts, feed, mail, outbound, holds };
  let invoke: Promise<Invoke> | undefined;
  return {
    ...rooms,
    store,
    preparation,
    webhooks: {
      ...webhooks,
      async test(webhook) {
        const { testWebhook } = await import("#/protocols/webhooks/send-events.ts");
        return testWebhook({ webhooks, settings, log }, webhook);
      },
    },
    async invoke(call) {
      invoke ??= loadInvoke(rooms);
      return (await invoke).call(call);
    },
    async [Symbol.asyncDispose]() {
      await preparation.close();
      await readers[Symbol.asyncDispose]();
      await textIndex?.[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

function openPreparation({ server, dns }: Settings): Preparation {
  return createPreparation({
    hostname: server.hostname,
    ownNames: [server.hostname, server.domain],
    dns,
  });
}

/** A command that ends soon needs no threads for it. */
const onThisThread: Preparation = {
  prepare: async (bytes) => ({ facts: await prepareMessage(bytes) }),
  async close() {},
};

/** The operations take longer to load than the rest of the house, and most commands need none of them. */
async function loadInvoke(rooms: JsonRooms): Promise<Invoke> {
  const [{ createInvoke }, { createRegistry }] = await Promise.all([
    import("#/protocols/json/invoke.ts"),
    import("#/protocols/json/registry.ts"),
  ]);
  return createInvoke(rooms, createRegistry(rooms.settings.json.unservedOperations));
}
