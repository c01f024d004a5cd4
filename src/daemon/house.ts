/** The rooms of floor 2 over one open store: what the daemon serves, and what the command line uses without a daemon. */
import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { Call, Invoke, Outcome } from "#/protocols/json/invoke.ts";
import type { JsonRooms } from "#/protocols/json/rooms.ts";
import { type Accounts, createAccounts } from "#/src/accounts/accounts.ts";
import { createFeed, type Feed } from "#/src/feed/feed.ts";
import { openTextIndex } from "#/src/mail/indexing/text-index.ts";
import { createMail, type Mail } from "#/src/mail/mail.ts";
import { openStore, type Store } from "#/storage/store.ts";

export interface House extends AsyncDisposable {
  readonly settings: Settings;
  readonly log: Logger;
  readonly store: Store;
  readonly accounts: Accounts;
  readonly feed: Feed;
  readonly mail: Mail;
  /** Operations of `/v1` as the operator calls them; made when first asked for. */
  invoke(call: Call): Promise<Outcome>;
}

export interface HouseOptions {
  /** With a thread that keeps the search index: for who stays. */
  readonly hasTextIndex?: boolean;
}

export async function openHouse(settings: Settings, log: Logger, options: HouseOptions = {}): Promise<House> {
  const store = await openStore({ folder: settings.storage.folder });
  const textIndex = options.hasTextIndex
    ? await openTextIndex(store, {
        onFailure: (reason) => log.error({ reason }, "the search index failed; searches go on without it"),
      })
    : undefined;
  const accounts = createAccounts(store, settings);
  const feed = createFeed(store);
  const mail = createMail(store, textIndex);
  const rooms = { settings, log, accounts, feed, mail };
  let invoke: Promise<Invoke> | undefined;
  return {
    ...rooms,
    store,
    async invoke(call) {
      invoke ??= loadInvoke(rooms);
      return (await invoke).call(call);
    },
    async [Symbol.asyncDispose]() {
      await (await invoke)?.[Symbol.asyncDispose]();
      await textIndex?.[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

/** The operations take longer to load than the rest of the house, and most commands need none of them. */
async function loadInvoke(rooms: JsonRooms): Promise<Invoke> {
  const [{ createInvoke }, { createRegistry }] = await Promise.all([
    import("#/protocols/json/invoke.ts"),
    import("#/protocols/json/registry.ts"),
  ]);
  return createInvoke(rooms, createRegistry(rooms.settings.json.unservedOperations));
}
