/** Producers of single writes that change several places: invitations (the organizer's event, an attendee's copy, the mail to another
 *  attendee) and mails that bring an event. After any end of the process, a write is either whole or absent, and an acknowledged write
 *  is there. */

import fs from "node:fs";
import { nobody } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { listAgents } from "#/storage/queries/accounts/agents.ts";
import type { Store } from "#/storage/store.ts";
import { eventText } from "../support/item-texts.ts";
import { envelopeTo } from "../support/submission.ts";
import { collectionsOf } from "./item-load.ts";
import { formatLine, type JournalLine } from "./journal.ts";
import { factsOf } from "./made-facts.ts";

const producers = 4;
const provenance = { source: "dav" } as const;

/** Runs the producers. `attempt` makes each write and waits after a temporary refusal. */
export async function startInvitationLoad(
  store: Store,
  journal: number,
  tag: string,
  attempt: <R>(write: () => Promise<R>) => Promise<R | undefined>,
  isStopping: () => boolean,
): Promise<void> {
  const collections = collectionsOf(store);
  const agents = await listAgents(store);
  const say = (line: JournalLine): void => void fs.writeSync(journal, formatLine(line));
  const calendarOf = (agent: AgentNumber) =>
    attempt(() => collections.findCollectionOfRole(agent, "calendar", "default"));
  const actionsOf = async (agent: AgentNumber, uid: string) => {
    const calendar = await calendarOf(agent);
    const bytes = eventText(uid, `SUMMARY:${uid}`);
    const action = {
      kind: "put",
      collection: calendar!.number,
      bytes,
      provenance,
      isAuthenticated: true,
    } as const;
    return { agent, actor: { ...nobody, agent, canApprove: false }, actions: [action] };
  };

  async function invite(number: number, round: number): Promise<void> {
    const { agent } = agents[(number + round) % agents.length]!;
    const { agent: other } = agents[(number + round + 1) % agents.length]!;
    if ((await calendarOf(agent)) === undefined || (await calendarOf(other)) === undefined) return;
    const uid = `invite-${tag}-${number}-${round}`;
    const at = store.clock.now();
    const mail = {
      agent,
      requestedBy: agent,
      facts: await factsOf(uid, 1500),
      trace: new Uint8Array(),
      provenance: "{}",
      isAuthenticated: true,
      envelope: { ...envelopeTo("mel@far.example"), calendarUid: uid },
      hasCopy: round % 2 === 0,
      sendAt: at,
      expiresAt: at + 3_600_000,
      draft: null,
      decision: { kind: "queue" as const, basis: { addresses: [], domains: [], senders: [] } },
      limits: { perHour: 0, perDay: 0 },
    };
    const actions = [await actionsOf(agent, uid), await actionsOf(other, uid)];
    const done = await attempt(() => collections.changeItems(nobody, actions, undefined, { mails: [mail] }));
    if (done === undefined) return;
    say({ action: "invite", agent, uid: done.agents[0]!.items[0]!.item, mark: uid, isDone: true });
  }

  async function arrive(number: number, round: number): Promise<void> {
    const { agent, account } = agents[(number + round) % agents.length]!;
    const uid = `arrive-${tag}-${number}-${round}`;
    const at = store.clock.now();
    const calendar = {
      uid,
      method: "REQUEST",
      author: "mel@far.example",
      provenance: "{}",
      octets: Buffer.from(uid),
      recipients: [{ agent, addresses: [] }],
    };
    const recipient = {
      account,
      agent,
      mailboxRole: "inbox" as const,
      trace: Buffer.from("Return-Path: <>\r\n"),
      flags: 0,
      provenance: "{}",
      isAuthenticated: true,
      source: "load",
    };
    const facts = await factsOf(uid, 1500);
    const done = await attempt(() =>
      store.write(nobody, "deliverMessage", {
        facts,
        recipients: [recipient],
        calendar,
        internalDate: at,
        at,
      }),
    );
    if (done === undefined) return;
    say({ action: "arrive", agent, uid: done.deliveries[0]!.uid, mark: uid, isDone: true });
  }

  async function produce(number: number): Promise<void> {
    for (let round = 0; !isStopping(); round++)
      await (round % 2 === 0 ? invite(number, round) : arrive(number, round));
  }
  await Promise.all(Array.from({ length: producers }, (_, number) => produce(number)));
}

/** Writes that are not whole, and acknowledged writes that are absent, as sentences. */
export async function findInvitationLosses(store: Store, lines: readonly JournalLine[]): Promise<string[]> {
  const count = async (sql: string): Promise<ReadonlyMap<string, number>> => {
    const rows = await store.all<{ name: string; count: number }>(sql);
    return new Map(rows.map((row) => [row.name, row.count]));
  };
  const items = await count(
    `select uid as name, count(*) as count from item where uid like 'invite-%' group by uid
    union all
    select uid as name, count(*) as count from calendar_arrival where uid like 'arrive-%' group by uid`,
  );
  const mails = await count(
    "select calendar_uid as name, count(*) as count from submission where calendar_uid is not null group by calendar_uid",
  );
  const messages = await count(
    "select subject as name, count(*) as count from message where subject like 'arrive-%' group by subject",
  );
  const losses: string[] = [];
  const acknowledged = lines.filter(({ action }) => action === "invite" || action === "arrive");
  const all = new Set([
    ...items.keys(),
    ...mails.keys(),
    ...messages.keys(),
    ...acknowledged.map(({ mark }) => mark),
  ]);
  for (const name of all) {
    const found = [items.get(name) ?? 0, mails.get(name) ?? 0, messages.get(name) ?? 0].join(" ");
    const whole = name.startsWith("invite-") ? "2 1 0" : "1 0 1";
    if (found !== whole)
      losses.push(`${name} is "${found}" (items, mails, messages), and whole is "${whole}"`);
  }
  return losses;
}
