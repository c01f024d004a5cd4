/** The mail that tells whoever may approve them which mails wait. It is plain text. Of the agent's own text it only has the subject: on one line,
 *  of bounded length, without characters that shape or hide text, and without anything that a mail program makes a link of. */

import type { AgentFacts } from "#/src/accounts/accounts.ts";
import { sharedMailboxName } from "#/src/accounts/other-users.ts";
import type { HoldReason } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { mailboxRoles } from "#/src/model/roles.ts";
import { listApprovedBy, listApprovers } from "#/src/reach/approvers.ts";
import { cleanLine } from "#/src/render/clean-text.ts";
import { createRemovalTally } from "#/src/render/removal.ts";
import type { HoldRow } from "#/storage/holds.ts";
import { findMessage } from "#/storage/queries/mail/messages.ts";
import {
  findLastToldAt,
  listUntoldMail,
  listWaitingHolds,
  type MailOfMailbox,
} from "#/storage/queries/outbound/holds.ts";
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

export function createHoldNotices(rooms: HoldRooms): {
  runDue(): Promise<void>;
  nextDueAt(): Promise<number | undefined>;
} {
  const { store, settings } = rooms;
  const intervalMs = settings.holds.noticeMinutes * minuteMs;

  /** People who can decide about mail of which nobody was told, with the time at which they may be told. */
  async function listUntold(): Promise<readonly { readonly person: AgentFacts; readonly dueAt: number }[]> {
    const people = new Map<AgentNumber, AgentFacts>();
    for (const waiting of await listUntoldMail(store))
      for (const person of await listApprovers(rooms, waiting)) people.set(person.agent, person);
    const untold = [];
    for (const person of people.values()) {
      const mail = await listMailOf(person);
      if (mail.length === 0) continue;
      const toldAt = await findLastToldAt(store, mail);
      untold.push({ person, dueAt: toldAt === undefined ? 0 : toldAt + intervalMs });
    }
    return untold;
  }

  async function listMailOf({ agent }: AgentFacts): Promise<readonly MailOfMailbox[]> {
    return (await listApprovedBy(rooms, agent)).map(({ agent, isOwn }) => ({ agent, isOwn }));
  }

  /** All who can decide about the same mail are told with the first of them. */
  async function tell(person: AgentFacts): Promise<void> {
    const holds = await listWaitingHolds(store, await listMailOf(person));
    const untold = holds.filter(({ toldAt }) => toldAt === null);
    if (untold.length === 0) return;
    const others = new Map<AgentNumber, AgentFacts>();
    for (const hold of untold)
      for (const other of await listApprovers(rooms, hold))
        if (other.agent !== person.agent) others.set(other.agent, other);
    const notices: DeliverMessage[] = [];
    for (const other of others.values()) {
      const approved = await listApprovedBy(rooms, other.agent);
      const theirs = holds.filter((hold) => approved.some(({ decides }) => decides(hold)));
      notices.push(await compose(other, theirs));
    }
    await tellApprover(store, {
      ...(await compose(person, holds)),
      others: notices,
      holds: untold.map(({ agent, hold }) => ({ agent, hold })),
      pauses: [],
    });
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
      // A failure for one approver does not stop the notices to others.
      for (const { person, dueAt } of await listUntold())
        if (dueAt <= store.clock.now()) await tell(person).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw new AggregateError(failures, "Some approvers could not be told");
    },
    async nextDueAt() {
      const untold = await listUntold();
      return untold.length === 0 ? undefined : Math.min(...untold.map(({ dueAt }) => dueAt));
    },
  };
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
