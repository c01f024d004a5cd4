/** The mail that tells whoever may approve them which mails wait. It is plain text. Of the agent's own text it only has the subject: on one line,
 *  of bounded length, without characters that shape or hide text, and without anything that a mail program makes a link of. */

import type { AgentFacts } from "#/src/accounts/accounts.ts";
import { sharedMailboxName } from "#/src/accounts/other-users.ts";
import { leftUntil } from "#/src/model/clock.ts";
import type { HoldReason, Waiting } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { mailboxRoles } from "#/src/model/roles.ts";
import { type Approved, listApprovedBy, listDeciders } from "#/src/reach/approvers.ts";
import { cleanLine } from "#/src/render/clean-text.ts";
import { createRemovalTally } from "#/src/render/removal.ts";
import type { HoldRow } from "#/storage/holds.ts";
import { findMessage } from "#/storage/queries/mail/messages.ts";
import { findNoticedAt, listUntoldMail, listWaitingHolds } from "#/storage/queries/outbound/holds.ts";
import type { DeliverMessage } from "#/storage/transactions/mail/deliver-message.ts";
import { tellApprover } from "../gate/gate.ts";
import { composeNotice } from "./approver-mail.ts";
import type { HoldRooms } from "./holds.ts";

const minuteMs = 60_000;
/** Mails that one notice names; of further ones it only gives the number. */
const namedMax = 20;
const recipientsMax = 5;

const reasonTexts = {
  always: "every mail of this agent is to be approved",
  first_contact: "its first mail to this domain",
  external: "it leaves the account",
  answering_unauthenticated: "it answers a mail whose sender is not proven",
  automated: "it answers an automatic mail",
  loop: "agents and programs have written to each other for long here, without a person",
  bulk: "it has many recipients",
  invitation: "it is an invitation",
  requested: "the agent asks for it",
  unapproved: "an agent or a program has written a part of it, and it goes out in your name",
} as const satisfies Record<HoldReason, string>;

interface Approver {
  readonly facts: AgentFacts;
  readonly mail: readonly Approved[];
}

/** Mail of which nobody was told, and all who decide about some of it. They are told at once, each of all that waits for them, when none
 *  of them has had a notice within the interval. Nobody is in two of these. */
interface Untold {
  readonly people: ReadonlyMap<AgentNumber, Approver>;
  readonly mail: readonly Waiting[];
}

export function createHoldNotices(rooms: HoldRooms): {
  runDue(): Promise<void>;
  nextDueAt(): Promise<number | undefined>;
} {
  const { store, settings } = rooms;
  const intervalMs = settings.holds.noticeMinutes * minuteMs;

  async function listUntold(): Promise<readonly Untold[]> {
    const approved = new Map<AgentNumber, readonly Approved[]>();
    let groups: Untold[] = [];
    for (const waiting of await listUntoldMail(store)) {
      const people = new Map<AgentNumber, Approver>();
      for (const facts of await listDeciders(rooms, waiting)) {
        const mail = approved.get(facts.agent) ?? (await listApprovedBy(rooms, facts.agent));
        approved.set(facts.agent, mail);
        // Whoever does not see the mail is not told of it.
        if (mail.some(({ decides }) => decides(waiting))) people.set(facts.agent, { facts, mail });
      }
      if (people.size === 0) continue;
      const isMet = (one: Untold) => [...one.people.keys()].some((agent) => people.has(agent));
      const met = groups.filter(isMet);
      groups = groups.filter((one) => !met.includes(one));
      groups.push({
        people: new Map([...met.flatMap((one) => [...one.people]), ...people]),
        mail: [...met.flatMap(({ mail }) => mail), waiting],
      });
    }
    return groups;
  }

  async function dueAt({ people }: Untold): Promise<number> {
    const at = await findNoticedAt(store, [...people.keys()]);
    const now = store.clock.now();
    return at === undefined ? now : now + leftUntil(at + intervalMs, now, intervalMs);
  }

  async function tell({ people, mail }: Untold): Promise<void> {
    const untold = new Map<string, HoldRow>();
    const notices: DeliverMessage[] = [];
    for (const person of people.values()) {
      const all = await listWaitingHolds(store, person.mail);
      const holds = all.filter((hold) => person.mail.some(({ decides }) => decides(hold)));
      if (holds.length > 0) notices.push(await compose(person.facts, holds));
      for (const hold of holds)
        if (hold.toldAt === null && mail.some((one) => isSameMail(one, hold)))
          untold.set(`${hold.agent} ${hold.hold}`, hold);
    }
    const [first, ...others] = notices;
    if (first === undefined || untold.size === 0) return;
    const holds = [...untold.values()].map(({ agent, hold }) => ({ agent, hold }));
    await tellApprover(store, { ...first, others, holds, pauses: [] });
  }

  async function compose(approver: AgentFacts, holds: readonly HoldRow[]): Promise<DeliverMessage> {
    return composeNotice(rooms, approver, {
      subject: `Waiting for your approval: ${holds.length} ${holds.length === 1 ? "mail" : "mails"}`,
      text: await noticeText(rooms, approver.agent, holds),
    });
  }

  return {
    async runDue() {
      const failures: unknown[] = [];
      // A failure for some approvers does not stop the notices to others.
      for (const untold of await listUntold())
        if ((await dueAt(untold)) <= store.clock.now())
          await tell(untold).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw new AggregateError(failures, "Some approvers could not be told");
    },
    async nextDueAt() {
      const times = [];
      for (const untold of await listUntold()) times.push(await dueAt(untold));
      return times.length === 0 ? undefined : Math.min(...times);
    },
  };
}

/** Whether the same people decide about both. */
function isSameMail(one: Waiting, other: Waiting): boolean {
  const isOwners = ({ reason }: Waiting) => reason === "unapproved";
  return (
    one.agent === other.agent && one.requestedBy === other.requestedBy && isOwners(one) === isOwners(other)
  );
}

async function noticeText(
  rooms: HoldRooms,
  approver: AgentNumber,
  holds: readonly HoldRow[],
): Promise<string> {
  const { graceS } = rooms.settings.holds;
  const { publicUrl } = rooms.settings.server;
  const described: string[] = [];
  for (const hold of holds.slice(-namedMax)) described.push(await describe(rooms, approver, hold));
  const isOne = holds.length === 1;
  const left = holds.length - described.length;
  return [
    isOne
      ? "A mail waits for you to approve it."
      : `${holds.length} mails wait for you to approve them.${left > 0 ? ` The newest ${described.length}:` : ""}`,
    ...described,
    [
      "Read the mail itself before you decide: it is in the mailbox named above, in your mail program.",
      `To approve it, move it to ${lastLevel("holds_approved")} beside that mailbox${graceS > 0 ? `; for ${graceS} seconds you can move it back` : ""}.`,
      `To decline it, move it to ${lastLevel("holds_declined")} or delete it. What nobody decides about is declined.`,
      "To change it, edit it there; the new version waits again.",
      // Whoever opens the link signs in first, so it allows nothing.
      ...(publicUrl === "" ? [] : [`Or in the browser: ${new URL("/approvals", publicUrl)}`]),
    ].join("\n"),
  ].join("\n\n");
}

function lastLevel(role: "holds_approved" | "holds_declined"): string {
  return mailboxRoles[role].name.split("/").at(-1)!;
}

async function describe(
  { store, accounts }: HoldRooms,
  approver: AgentNumber,
  hold: HoldRow,
): Promise<string> {
  const owner = await accounts.findAgentFacts(hold.agent);
  const message = await findMessage(store, hold.agent, hold.message);
  const addresses = hold.envelope.recipients.map(({ address }) => plainLine(address, 254));
  const more = addresses.length - recipientsMax;
  const to = addresses.slice(0, recipientsMax).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return [
    `From: ${owner?.address ?? "?"}`,
    `To: ${to}`,
    `Subject: ${plainLine(message?.subject ?? "", 100)}`,
    `Waits because: ${reasonTexts[hold.reason]}`,
    `Until: ${new Date(hold.expiresAt).toUTCString()}`,
    `Mailbox: ${hold.agent === approver ? mailboxRoles.holds.name : sharedMailboxName(owner?.address ?? "", mailboxRoles.holds.name)}`,
  ].join("\n");
}

/** Text of somebody else, without links: mail programs make links of text with a URI scheme and of text after "www.". */
function plainLine(text: string, charactersMax: number): string {
  const line = cleanLine(text, "", createRemovalTally(), charactersMax);
  return line
    .replace(/:\/\//g, ": //")
    .replace(/\bwww\./gi, "www .")
    .replace(/\bmailto:/gi, "mailto :");
}
