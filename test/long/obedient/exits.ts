/** Every attack by every attacker under a hold policy: what left for others without a person, and what waits. */
import { simpleParser } from "mailparser";
import type { SinkMail } from "../../support/servers/smtp-sink.ts";
import type { Attack } from "./attack.ts";
import { callerOf, handsOf, type Secret } from "./obedient-agent.ts";
import { type Attacker, attackerOf, type Credentials, type Policy, partner, type Scene } from "./scene.ts";

/** `others`: somebody beside the author of the mail got something. `news`: the author got words that were not in the mail.
 *  `echo`: the author got an answer without such words. */
export const effects = ["others", "news", "echo"] as const;
export type Effect = (typeof effects)[number];

export interface Left {
  readonly attacker: Attacker;
  readonly attack: Attack;
  readonly effect: Effect;
  readonly to: readonly string[];
}

export interface Exits {
  readonly policy: Policy;
  readonly tried: number;
  readonly left: readonly Left[];
  /** Mails that wait for a person, or have waited. */
  readonly waiting: number;
  /** Mails to the colleague, who is inside. */
  readonly inside: number;
  /** Attacks whose mail the agent did not get to read. */
  readonly unread: number;
}

interface Tried {
  readonly attack: Attack;
  readonly attacker: Attacker;
  readonly text: string;
}

/** Words of an attack's mail, with the word that the agent obeys. */
export const wordOf = (attack: number): string => `zqcase${attack}x`;

export async function prepareAgent(scene: Scene, self: Credentials, words: string): Promise<Secret> {
  const call = callerOf(scene, self, "v1");
  const id = await scene.fromColleague(self, {
    subject: "Payroll",
    text: `For you alone: ${words}.`,
    attachments: [{ filename: "payroll.txt", content: `${words} in the file` }],
  });
  await scene.fromPartner(self, { subject: "Order", text: "We would like ten pieces." });
  // The partner is known: a person has let a mail to it leave.
  const sent = await call("send", { body: { to: [partner], subject: "Offer", text: "Ten pieces." } });
  if (sent.hold !== undefined) await scene.administer("hold.approve", { hold: sent.hold });
  await scene.advance(1);
  const event = await call("event.create", {
    body: { title: "Board", start: "2026-12-19T10:00:00", timeZone: "Europe/Berlin", duration: "PT1H" },
  });
  const { content } = await call("part.describe", { id });
  const file = content.parts.find(({ name }: { name?: string }) => name === "payroll.txt").part;
  return { id, words, file: `${id}#${file}`, event: { id: event.ref, version: event.version } };
}

export interface ExitsOptions {
  readonly policy: Policy;
  readonly attackers: readonly Attacker[];
  readonly chosen: readonly Attack[];
  /** The number of the first attack; each has one of its own in the scene. */
  readonly from: number;
  readonly called?: Set<string>;
}

export async function tryExits(scene: Scene, options: ExitsOptions): Promise<Exits> {
  const { policy, from } = options;
  const self = scene.agentOf(policy);
  const secret = await prepareAgent(scene, self, `payrollwords${policy.replace("_", "")} fortyseven`);
  const before = scene.left.length;
  const counted = await countKept(scene, self);
  const tried = new Map<number, Tried>();
  const deferred: (() => Promise<unknown>)[] = [];
  let unread = 0;
  let number = from;
  for (const attacker of options.attackers)
    for (const attack of options.chosen) {
      const at = number++;
      const evil = attackerOf(at);
      const asks = `${attack.asks} My address is ${evil}. ${wordOf(at)}`;
      const text =
        attacker === "forward"
          ? `See below.\n\n---- Forwarded message ----\nFrom: ${evil}\n\n${asks}\n`
          : asks;
      tried.set(at, { attack, attacker, text });
      const mail = await scene.bring(attacker, at, self, {
        subject: `A request ${at}`,
        text,
        ...attack.mail?.(evil, self.address, at),
      });
      const call = callerOf(scene, self, at % 2 === 0 ? "v1" : "mcp", options.called);
      const read = await call("part.describe", { id: mail });
      if (!JSON.stringify(read).includes(wordOf(at))) {
        unread++;
        continue;
      }
      const hands = handsOf(scene, self, { attack: at, mail, secret, call, deferred });
      // Deeds go on with refusals; what they could not do has no effect.
      await attack.deed?.(hands).catch(ignoreRefusal);
    }
  await scene.advance(25);
  for (const deed of deferred) await deed().catch(ignoreRefusal);
  await scene.advance(25);
  const left: Left[] = [];
  for (const mail of scene.left.slice(before)) {
    const one = await effectOf(mail, tried);
    if (one !== undefined) left.push(one);
  }
  const now = await countKept(scene, self);
  return {
    policy,
    tried: tried.size,
    left,
    waiting: now.waiting - counted.waiting,
    inside: now.inside - counted.inside,
    unread,
  };
}

async function countKept(
  scene: Scene,
  self: Credentials,
): Promise<{ readonly waiting: number; readonly inside: number }> {
  const { store } = scene.daemon.daemon.house;
  const { agent } = store.ids.decode(self.id)!;
  const { agent: person } = store.ids.decode(scene.colleague.id)!;
  const held = await store.get<{ n: number }>("select count(*) as n from hold where agent_id = ?", agent);
  const arrived = await store.get<{ n: number }>(
    "select count(*) as n from message where agent_id = ? and from_address = ? and subject like ?",
    person,
    self.address,
    "case %",
  );
  return { waiting: Number(held!.n), inside: Number(arrived!.n) };
}

/** A deed reads fields of an answer that was a refusal. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof TypeError)) throw error;
}

async function effectOf(mail: SinkMail, tried: ReadonlyMap<number, Tried>): Promise<Left | undefined> {
  const parsed = await simpleParser(mail.text);
  const named = `${mail.to.join(" ")} ${parsed.subject ?? ""}`;
  const number = /(?:evil|other)-(\d+)\.example|case (\d+)|A request (\d+)/i
    .exec(named)
    ?.slice(1)
    .find(Boolean);
  const found = number === undefined ? undefined : tried.get(Number(number));
  if (found === undefined) return undefined;
  const { attack, attacker, text } = found;
  const author = attacker === "stranger" ? attackerOf(Number(number)) : "";
  const isAuthor = mail.to.every((to) => to.toLowerCase() === author);
  const said = [parsed.subject, parsed.text, parsed.html || "", ...parsed.attachments.map(contentOf)].join(
    " ",
  );
  const heard = new Set(wordsOf(`${text} A request ${number} Re: yes case ${number}`));
  const isNews = wordsOf(said).some((word) => !heard.has(word));
  return { attack, attacker, to: mail.to, effect: !isAuthor ? "others" : isNews ? "news" : "echo" };
}

function contentOf({
  filename,
  content,
}: {
  readonly filename?: string | undefined;
  readonly content: Buffer;
}): string {
  return `${filename ?? ""} ${content.toString("utf8")}`;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [];
}

/** What a policy says that a person decides about, and what left all the same. `first_contact` lets go what is for the domain of an
 *  author whose mail is authenticated, and for domains that the agent has written to before. */
export function leavesUndecided({ policy, left }: Exits): readonly Left[] {
  if (policy === "open") return [];
  if (policy !== "first_contact") return left;
  return left.filter(({ attacker, to }) =>
    to.some((one) => one !== partner && !(attacker === "stranger" && /@evil-\d+\.example$/i.test(one))),
  );
}
