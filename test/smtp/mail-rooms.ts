import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pino } from "pino";
import { defaultSettings, type Settings } from "#/config/schema.ts";
import type { NameNetwork } from "#/protocols/connection/connection-door.ts";
import type { Listener } from "#/protocols/connection/listener.ts";
import { listenSmtp } from "#/protocols/smtp/listen-smtp.ts";
import type { SmtpSettings } from "#/protocols/smtp/mail-port.ts";
import { type Accounts, createAccounts } from "#/src/accounts/accounts.ts";
import { deriveVerifier } from "#/src/accounts/scram.ts";
import { createPreparation } from "#/src/arrival/preparing/preparation.ts";
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import { createMail, type Mail } from "#/src/mail/mail.ts";
import type { Message } from "#/src/mail/messages.ts";
import { nobody } from "#/src/model/author.ts";
import type { Clock } from "#/src/model/clock.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { createOutbound } from "#/src/outbound/create-outbound.ts";
import type { DueDelivery, Outbound } from "#/src/outbound/outbound.ts";
import { checkStore } from "#/storage/checks/check.ts";
import { openStore } from "#/storage/open-store.ts";
import type { Store } from "#/storage/store.ts";
import { testCertificate } from "../support/certificates/certificate.ts";
import { makeTestDatabase } from "../support/engine.ts";
import { deliverQueued } from "../support/queue.ts";
import { schedulingOf } from "../support/scheduling.ts";

export const password = "correct horse battery staple";

/** A store in a temporary folder with two accounts, and the SMTP ports over it.
 *
 *  account 1: waypost.example, robin (agent), alex (person), tiny (agent with a quota of 10,000 octets),
 *  team@ for robin and alex, info@ for robin; account 2: other.example, kim (agent) and a catch-all to kim. */
export interface MailRooms extends AsyncDisposable {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly mail: Mail;
  readonly outbound: Outbound;
  readonly agents: Readonly<Record<"robin" | "alex" | "tiny" | "kim", AgentNumber>>;
  readonly ports: Readonly<Record<"smtp" | "submission" | "submissions", number>>;
  readonly listeners: readonly Listener[];
  /** Of all mailboxes of an agent, the newest first. */
  messages(agent: AgentNumber): Promise<readonly Message[]>;
  /** Puts what is queued for mailboxes here into them; answers what is for other servers. */
  deliverQueued(): Promise<readonly DueDelivery[]>;
  /** Trace and message, an octet a character. */
  source(message: Message): Promise<string>;
}

export interface MailRoomsOptions {
  readonly smtp?: Partial<SmtpSettings["smtp"]>;
  readonly outbound?: Partial<Settings["outbound"]>;
  readonly submission?: Partial<Settings["submission"]>;
  readonly limits?: Partial<Settings["limits"]>;
  readonly nameNetwork?: NameNetwork;
  readonly clock?: Clock;
  readonly fairness?: Fairness;
  readonly trustedProxies?: readonly string[];
  readonly host?: string;
}

export async function openMailRooms(options: MailRoomsOptions = {}): Promise<MailRooms> {
  const folder = await mkdtemp(path.join(tmpdir(), "waypost-smtp-"));
  const database = await makeTestDatabase();
  const store = await openStore({
    folder,
    database,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  const agents = await populate(store);
  const defaults = defaultSettings();
  const free = { host: options.host ?? "127.0.0.1", port: 0, enabled: true };
  const settings = {
    ...defaults,
    server: {
      ...defaults.server,
      hostname: "mx.waypost.example",
      domain: "waypost.example",
      trustedProxies: [...(options.trustedProxies ?? [])],
    },
    smtp: { ...defaults.smtp, ...options.smtp, ...free },
    submission: { ...defaults.submission, ...options.submission, ...free },
    submissions: free,
    outbound: { ...defaults.outbound, ...options.outbound },
    limits: { ...defaults.limits, sendsPerHour: 0, sendsPerDay: 0, ...options.limits },
  };
  const accounts = createAccounts(store, settings);
  const mail = createMail(store);
  const log = pino({ level: "silent" });
  const { hostname, domain } = settings.server;
  const dns = { servers: ["none"], timeoutMs: 1000 };
  const preparation = createPreparation({ hostname, ownNames: [hostname, domain], dns });
  const prepare = async (bytes: Uint8Array) => (await preparation.prepare(bytes)).facts;
  const outbound = createOutbound({ store, accounts, settings, prepare });
  const scheduling = schedulingOf({ store, accounts, outbound });
  const rooms = {
    store,
    accounts,
    preparation,
    settings,
    outbound,
    scheduling,
    tls: testCertificate,
    log,
    fairness: options.fairness ?? createFairness(),
  };
  const listeners = await listenSmtp({ ...rooms, nameNetwork: options.nameNetwork });
  const portOf = (name: string): number => listeners.find((listener) => listener.name === name)!.port;
  return {
    store,
    accounts,
    mail,
    outbound,
    agents,
    listeners,
    ports: { smtp: portOf("smtp"), submission: portOf("submission"), submissions: portOf("submissions") },
    messages: (agent) => mail.listNewestMessages(agent, { limit: 100 }),
    deliverQueued: () => deliverQueued({ ...rooms, recipients: accounts }),
    async source(message) {
      return (await mail.readBytes(message)).toString("latin1");
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(listeners.map((listener) => listener.close()));
      await preparation.close();
      const problems = await checkStore(store);
      await store.close();
      await database?.[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
      if (problems.length > 0) throw new Error(`The store is inconsistent:\n${problems.join("\n")}`);
    },
  };
}

async function populate(store: Store): Promise<MailRooms["agents"]> {
  const at = store.clock.now();
  const salt = new Uint8Array(16);
  const iterations = 4096;
  const verifier = await deriveVerifier(password, salt, iterations);

  async function createAgent(
    account: AccountNumber,
    kind: "agent" | "person",
    localPart: string,
    domain: string,
    quotaBytes: number | null = null,
  ): Promise<AgentNumber> {
    const address = { domain, localPart };
    const { agent } = await store.write(nobody, "createAgent", {
      account,
      kind,
      name: localPart,
      address,
      quotaBytes,
      scramSalt: salt,
      scramIterations: iterations,
      at,
    });
    await store.write(nobody, "createPassword", { agent, name: "test", ...verifier, at });
    return agent;
  }

  const { account } = await store.write(nobody, "createAccount", { name: "waypost", at });
  await store.write(nobody, "createDomain", { name: "waypost.example", account, at });
  const other = (await store.write(nobody, "createAccount", { name: "other", at })).account;
  await store.write(nobody, "createDomain", { name: "other.example", account: other, at });
  const robin = await createAgent(account, "agent", "robin", "waypost.example");
  const alex = await createAgent(account, "person", "alex", "waypost.example");
  const tiny = await createAgent(account, "agent", "tiny", "waypost.example", 10_000);
  const kim = await createAgent(other, "agent", "kim", "other.example");
  const alias = async (agent: AgentNumber, localPart: string, domain: string): Promise<void> => {
    await store.write(nobody, "addAddress", { agent, domain, localPart, isPrimary: false, at });
  };
  await alias(robin, "team", "waypost.example");
  await alias(alex, "team", "waypost.example");
  await alias(robin, "info", "waypost.example");
  await alias(kim, "*", "other.example");
  return { robin, alex, tiny, kim };
}
