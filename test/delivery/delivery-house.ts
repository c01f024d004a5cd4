/** Everything that mail passes on its way out: store, queue, runner; a DNS that is a table, and a clock that the test turns. */

import pino from "pino";
import { loadSettings } from "#/config/load.ts";
import type { Settings } from "#/config/schema.ts";
import type { AttemptTimes } from "#/protocols/delivery/attempt-times.ts";
import { type Delivery, startDelivery } from "#/protocols/delivery/start-delivery.ts";
import { type Accounts, createAccounts } from "#/src/accounts/accounts.ts";
import { principalOf } from "#/src/accounts/principal.ts";
import { createSecureDns } from "#/src/evidence/secure-dns.ts";
import type { Fairness } from "#/src/fairness/fairness.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { nobody } from "#/src/model/author.ts";
import type { TlsSession } from "#/src/model/tls-result.ts";
import { createOutbound } from "#/src/outbound/create-outbound.ts";
import { createDispatch, type Dispatch } from "#/src/outbound/dispatch.ts";
import type { Outbound, SubmitEnvelope } from "#/src/outbound/outbound.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { listRecipients } from "#/storage/queries/outbound/submissions.ts";
import type { SubmissionSource } from "#/storage/submission.ts";
import { schedulingOf } from "../support/scheduling.ts";
import { type Zone, zoneResolve } from "../support/servers/dns-zone.ts";
import { openTestStore, type Seed, seedAgent, type TestStore } from "../support/store.ts";

export interface DeliveryHouse extends AsyncDisposable {
  readonly test: TestStore;
  readonly accounts: Accounts;
  readonly outbound: Outbound;
  readonly dispatch: Dispatch;
  /** Of `ours.org`: an agent that may write to everybody, and a person. */
  readonly agent: Seed;
  readonly person: Seed;
  readonly logLines: readonly Readonly<Record<string, unknown>>[];
  readonly settings: Settings;
  /** TLS with other servers, as their domains are told of it. */
  readonly sessions: readonly TlsSession[];
  delivery: Delivery;
  start(): Delivery;
  /** The clock goes on, and everything that has become due is tried. */
  advance(ms: number): Promise<void>;
  send(options: SendOptions): Promise<number>;
  recipients(submission: number, from?: Seed): ReturnType<typeof listRecipients>;
  events(): Promise<readonly string[]>;
  /** Messages in INBOX of the person, the newest last. */
  letters(): Promise<readonly string[]>;
}

export interface SendOptions extends Partial<Omit<SubmitEnvelope, "recipients">> {
  readonly by?: "agent" | "person" | Seed;
  readonly to: readonly (string | SubmitEnvelope["recipients"][number])[];
  readonly text?: string;
  readonly source?: SubmissionSource;
}

export interface HouseOptions {
  readonly zone?: Zone;
  /** Settings, as `outbound.mx_port=2525`. */
  readonly set?: readonly string[];
  readonly policyPort?: number;
  /** The address of a name server whose AD bit is believed; it is asked about servers instead of `zone`. */
  readonly secureServer?: string;
  /** How long it is waited for. */
  readonly secureServerMs?: number;
  readonly isStopped?: boolean;
  readonly times?: Partial<AttemptTimes>;
  readonly fairness?: Fairness;
}

export const plainText =
  "From: Ada <ada@ours.org>\r\nSubject: Hello\r\nMessage-ID: <1@ours.org>\r\n\r\nHello.\r\n";

export async function openDeliveryHouse(options: HouseOptions = {}): Promise<DeliveryHouse> {
  const test = await openTestStore();
  const { store, clock } = test;
  const settings = loadSettings({
    set: [
      "outbound.allow_private_addresses=true",
      "server.hostname=mx.ours.org",
      // Nothing that a busy machine reaches.
      "outbound.connect_timeout_ms=60000",
      "outbound.reply_timeout_ms=60000",
      `storage.folder=${test.folder}`,
      ...(options.set ?? []),
    ],
  });
  const agent = await seedAgent(store, "ada", { account: "ours" });
  const person = await seedAgent(store, "pat", { account: "ours", kind: "person" });
  await store.write(nobody, "setSendingPolicy", {
    agent: agent.agent,
    policy: "open",
    approver: null,
    allowed: [],
    blocked: [],
    at: clock.now(),
  });
  const logLines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => void logLines.push(JSON.parse(line)) });
  const accounts = createAccounts(store, settings);
  const prepare = (bytes: Uint8Array) => prepareMessage(bytes);
  const outbound = createOutbound({ store, accounts, settings, prepare });
  const dispatch = createDispatch({ store, outbound, settings });
  const secureDns =
    options.secureServer === undefined
      ? undefined
      : createSecureDns({
          servers: [options.secureServer],
          timeoutMs: options.secureServerMs ?? 60_000,
          trustAd: "auto",
        });
  const sessions: TlsSession[] = [];
  const start = (): Delivery =>
    startDelivery({
      settings,
      log,
      store,
      recipients: accounts,
      outbound,
      dispatch,
      resolve: zoneResolve(options.zone ?? {}),
      scheduling: schedulingOf({ store, accounts, outbound }),
      preparation: { prepare: async (bytes) => ({ facts: await prepareMessage(bytes) }) },
      ...(options.times === undefined ? {} : { times: options.times }),
      ...(options.fairness === undefined ? {} : { fairness: options.fairness }),
      ...(secureDns === undefined ? {} : { secureDns }),
      onTls: (session) => void sessions.push(session),
      ...(options.policyPort === undefined ? {} : { policyPort: options.policyPort }),
    });
  const stopped: Delivery = { wake() {}, async whenIdle() {}, async [Symbol.asyncDispose]() {} };
  const house: DeliveryHouse = {
    test,
    accounts,
    outbound,
    dispatch,
    agent,
    person,
    logLines,
    settings,
    sessions,
    delivery: options.isStopped === true ? stopped : start(),
    start() {
      house.delivery = start();
      return house.delivery;
    },
    async advance(ms) {
      clock.advance(ms);
      house.delivery.wake();
      await house.delivery.whenIdle();
    },
    async send({ by = "agent", to, text = plainText, source, ...envelope }) {
      const sender = by === "agent" ? agent : by === "person" ? person : by;
      const row = (await findAgent(store, sender.agent))!;
      const result = await outbound.submit(nobody, {
        principal: principalOf(row, { kind: "password", number: 1 }),
        mailbox: sender.agent,
        bytes: Buffer.from(text),
        envelope: {
          from: sender.address,
          envid: null,
          ret: null,
          bodyType: "7BIT",
          isSmtputf8: false,
          ...envelope,
          recipients: to.map((one) => (typeof one === "string" ? { address: one } : one)),
        },
        isAuthenticated: true,
        holdWish: "policy",
        source: source ?? (by === "agent" ? "send" : "submission"),
        hasNoCopy: by === "person",
      });
      await house.delivery.whenIdle();
      return result.submission!;
    },
    recipients: (submission, from = agent) => listRecipients(store, from.agent, submission),
    async events() {
      const rows = await store.all<{ event: string; data: string | null }>(
        "select event, data from change where agent_id = ? and event is not null order by modseq, ordinal",
        agent.agent,
      );
      return rows.map(({ event, data }) => {
        const { recipient, outcome } = JSON.parse(data ?? "{}");
        return `${event} ${recipient ?? ""} ${outcome?.status ?? ""} ${outcome?.code ?? ""}`.trim();
      });
    },
    async letters() {
      const rows = await store.all<{ account: number; blob: number; size: number }>(
        `select m.account_id as account, m.blob_id as blob, m.size
        from entry as e join message as m on m.agent_id = e.agent_id and m.message_id = e.message_id
        where e.agent_id = ? and e.mailbox_id = ?
        order by e.uid`,
        person.agent,
        person.inbox,
      );
      return Promise.all(
        rows.map(async ({ account, blob, size }) =>
          (await outbound.readMessage({ account, blob, size } as never)).toString(),
        ),
      );
    },
    async [Symbol.asyncDispose]() {
      await house.delivery[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
    },
  };
  return house;
}
