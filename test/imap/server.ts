import { pino } from "pino";
import { defaultSettings, type Settings } from "#/config/schema.ts";
import type { NameNetwork } from "#/protocols/connection/connection-door.ts";
import { listenImap } from "#/protocols/imap/listen.ts";
import { createAccounts } from "#/src/accounts/accounts.ts";
import { createOwner, type NewOwner } from "#/src/accounts/administration/agents-and-people.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { createFeed } from "#/src/feed/feed.ts";
import { createMail, type Mail } from "#/src/mail/mail.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { atCommandLine, nobody } from "#/src/model/author.ts";
import { createOutbound } from "#/src/outbound/create-outbound.ts";
import { createHolds } from "#/src/outbound/holds/create-holds.ts";
import type { Store } from "#/storage/store.ts";
import { testCertificate } from "../support/certificates/certificate.ts";
import { type ConversationOptions, converse } from "../support/clients/conversation.ts";
import { openTestStore } from "../support/store.ts";

/** An IMAP server on a store of its own, with the agent robin@example.test. */
export interface ImapServer extends AsyncDisposable {
  readonly port: number;
  readonly securePort: number;
  readonly store: Store;
  readonly mail: Mail;
  readonly robin: NewOwner;
  /** Carries out a script. `{{=login}}` is the text behind LOGIN. */
  converse(script: string, options?: Partial<ConversationOptions>): Promise<Readonly<Record<string, string>>>;
}

export async function startImap(
  changed: Partial<Settings["imap"]> = {},
  wrap: (store: Store) => Store = (store) => store,
  nameNetwork?: NameNetwork,
): Promise<ImapServer> {
  const test = await openTestStore();
  const store = wrap(test.store);
  const defaults = defaultSettings();
  const settings: Settings = {
    ...defaults,
    imap: { ...defaults.imap, host: "127.0.0.1", port: 0, ...changed },
    imaps: { ...defaults.imaps, host: "127.0.0.1", port: 0 },
  };
  const { account } = await store.write(nobody, "createAccount", { name: "test", at: store.clock.now() });
  await store.write(nobody, "createDomain", { name: "example.test", account, at: store.clock.now() });
  const robin = await createOwner(atCommandLine, { store, settings }, "agent", {
    address: "robin@example.test",
  });
  const mail = createMail(store);
  const accounts = createAccounts(store, settings);
  const prepare = prepareMessage;
  const outbound = createOutbound({ store, accounts, settings, prepare });
  const holds = createHolds({ store, accounts, settings, prepare, outbound });
  const listeners = await listenImap({
    mail,
    accounts,
    feed: createFeed(store),
    holds,
    settings,
    fairness: createFairness(),
    tls: testCertificate,
    log: pino({ level: nameNetwork === undefined ? "warn" : "silent" }),
    nameNetwork,
  });
  const port = listeners.find(({ name }) => name === "imap")!.port;
  return {
    port,
    securePort: listeners.find(({ name }) => name === "imaps")!.port,
    store,
    mail,
    robin,
    converse: (script, options = {}) =>
      converse(script, {
        port,
        ...options,
        variables: { login: `robin@example.test "${robin.password}"`, ...options.variables },
      }),
    async [Symbol.asyncDispose]() {
      for (const listener of listeners) await listener.close();
      await test[Symbol.asyncDispose]();
    },
  };
}
