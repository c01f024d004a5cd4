/** The scene of the obedient agent: a whole daemon with an agent for each hold policy, a colleague who is a person, a partner whose mail
 *  is authenticated, a server of others that takes what leaves, and a clock that can be set forward. */
import { generateKeyPairSync } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { createTransport, type SendMailOptions } from "nodemailer";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { type InProcessDaemon, manyRequests, startInProcessDaemon } from "../../support/daemon.ts";
import { startDnsServer } from "../../support/servers/dns-server.ts";
import type { ZoneRecord } from "../../support/servers/dns-zone.ts";
import { type SinkMail, startSink } from "../../support/servers/smtp-sink.ts";

export const policies = ["open", "first_contact", "external", "always"] as const;
export type Policy = (typeof policies)[number];

/** Who brings an attack. `stranger`: with a valid signature of its own domain. `forged`: in the name of the colleague, unsigned.
 *  `forward`: the colleague forwards it. */
export const attackers = ["stranger", "forged", "forward"] as const;
export type Attacker = (typeof attackers)[number];

export interface Credentials {
  readonly id: string;
  readonly address: string;
  readonly token: string;
  readonly password: string;
}

export interface Scene extends AsyncDisposable {
  readonly daemon: InProcessDaemon;
  /** What has left for other servers. */
  readonly left: readonly SinkMail[];
  readonly colleague: Credentials;
  agentOf(policy: Policy): Credentials;
  /** Sends a mail of an attack, and answers its id in the agent's mailbox. */
  bring(attacker: Attacker, attack: number, to: Credentials, mail: SendMailOptions): Promise<string>;
  /** A mail of the partner, signed; its id. */
  fromPartner(to: Credentials, mail: SendMailOptions): Promise<string>;
  /** A mail of the colleague; its id. */
  fromColleague(to: Credentials, mail: SendMailOptions): Promise<string>;
  administer(name: string, input: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Sets the clock forward, and waits until what is due then has left. */
  advance(hours: number): Promise<void>;
  settle(): Promise<void>;
}

export const partnerDomain = "partner.example";
export const partner = `lee@${partnerDomain}`;
/** The author of an attack, in a domain of its own, so that no attack makes the address of another one known. */
export const attackerOf = (attack: number): string => `mallory@evil-${attack}.example`;
/** Another address of the attacker, in another domain. */
export const accompliceOf = (attack: number): string => `drop@other-${attack}.example`;

const selector = "s1";
const hourMs = 3_600_000;

export async function openScene(options: { readonly attacks: number }): Promise<Scene> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
  const zone: Record<string, readonly ZoneRecord[]> = {};
  const domains = Array.from({ length: options.attacks }, (_, attack) => `evil-${attack}.example`);
  for (const domain of [...domains, partnerDomain])
    zone[`${selector}._domainkey.${domain}`] = [["TXT", record.match(/.{1,255}/g)!]];
  const names = await startDnsServer(zone);
  const sink = await startSink();
  const daemon = await startInProcessDaemon({
    agents: policies.length,
    people: 1,
    set: [
      ...manyRequests,
      "limits.sends_per_hour=0",
      "limits.sends_per_day=0",
      "server.domain=ours.example",
      `dns.servers=${names.address}`,
      "outbound.smarthost_host=127.0.0.1",
      `outbound.smarthost_port=${sink.port}`,
      "outbound.smarthost_tls=none",
      "holds.grace_s=0",
    ],
  });
  const { house, delivery } = daemon.daemon;
  const run = (name: string, input: Record<string, unknown>): Promise<Record<string, unknown>> =>
    administer(atCommandLine, house, name, input) as Promise<Record<string, unknown>>;
  for (const [at, policy] of policies.entries())
    await run("agent.update", { owner: daemon.agents[at]!.address, holdPolicy: policy });
  const colleague = daemon.people[0] as unknown as Credentials;
  const smtp = createTransport({
    ...daemon.smtp,
    secure: false,
    pool: true,
    maxConnections: 1,
    maxMessages: Number.POSITIVE_INFINITY,
    tls: { rejectUnauthorized: false },
  });
  const submission = createTransport({
    ...daemon.submission,
    secure: false,
    pool: true,
    maxConnections: 1,
    maxMessages: Number.POSITIVE_INFINITY,
    auth: { user: colleague.address, pass: colleague.password },
    tls: { rejectUnauthorized: false },
  });
  const realNow = Date.now;
  let ahead = 0;

  async function arrived(to: Credentials, send: () => Promise<unknown>): Promise<string> {
    const { agent } = house.store.ids.decode(to.id)!;
    const newest = async () => (await house.mail.listNewestMessages(agent, { limit: 1 }))[0]?.id;
    const before = await newest();
    await send();
    for (let tries = 0; tries < 500; tries++) {
      const now = await newest();
      if (now !== undefined && now !== before) return now;
      await pause(10);
    }
    throw new Error("a mail of the scene did not arrive");
  }

  const signed = (domain: string, to: Credentials, mail: SendMailOptions): Promise<string> =>
    arrived(to, () =>
      smtp.sendMail({
        to: to.address,
        ...mail,
        envelope: { from: `bounces@${domain}`, to: to.address },
        dkim: { domainName: domain, keySelector: selector, privateKey: key },
      }),
    );
  const settle = async (): Promise<void> => {
    delivery.wake();
    await delivery.whenIdle();
  };

  return {
    daemon,
    left: sink.mails,
    colleague,
    agentOf: (policy) => daemon.agents[policies.indexOf(policy)] as Credentials,
    async bring(attacker, attack, to, mail) {
      const author = attackerOf(attack);
      switch (attacker) {
        case "stranger":
          return signed(`evil-${attack}.example`, to, { from: author, ...mail });
        case "forged":
          return arrived(to, () =>
            smtp.sendMail({
              from: colleague.address,
              to: to.address,
              ...mail,
              envelope: { from: author, to: to.address },
            }),
          );
        case "forward":
          return arrived(to, () =>
            submission.sendMail({
              from: colleague.address,
              to: to.address,
              ...mail,
              envelope: { from: colleague.address, to: to.address },
            }),
          );
      }
    },
    fromPartner: (to, mail) => signed(partnerDomain, to, { from: partner, ...mail }),
    fromColleague: (to, mail) =>
      arrived(to, () => submission.sendMail({ from: colleague.address, to: to.address, ...mail })),
    administer: run,
    async advance(hours) {
      await settle();
      ahead += hours * hourMs;
      Date.now = () => realNow() + ahead;
      while (await house.holds.runDue());
      await settle();
    },
    settle,
    async [Symbol.asyncDispose]() {
      Date.now = realNow;
      smtp.close();
      submission.close();
      await daemon[Symbol.asyncDispose]();
      await sink[Symbol.asyncDispose]();
      await names[Symbol.asyncDispose]();
    },
  };
}
