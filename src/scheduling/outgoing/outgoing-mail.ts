/** Messages to calendar users without a calendar on this server. They are iMIP mails (RFC 6047) from the owner of the calendar, and
 *  pass the same queue, policy and holds as all mail. Equal messages to several recipients are one mail. */
import { randomUUID } from "node:crypto";
import type { AgentFacts } from "#/src/accounts/accounts.ts";
import { isEightBit } from "#/src/formats/mime/line-ends.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { composeMessage } from "#/src/outbound/composition.ts";
import type { GateAnswer, RefusedReason } from "#/src/outbound/gate/answers.ts";
import { needsSmtputf8, normalAddress } from "#/src/outbound/mail-address.ts";
import type { Asker, Outbound } from "#/src/outbound/outbound.ts";
import type { CalendarMessage } from "#/storage/calendar-messages.ts";
import type { SubmitMessage } from "#/storage/transactions/outbound/submit-message.ts";
import { type CalendarAddress, mailAddressOf } from "../calendar-address.ts";
import type { MessageContent, WrittenMessage } from "../jobs.ts";
import type { Schedulers } from "../schedulers.ts";
import { type MailedContent, mailedContent, type ReadAttached } from "./mailed-attachments.ts";

export interface OutgoingRooms {
  readonly outbound: Pick<Outbound, "plan" | "recipientsMax">;
  readonly schedulers: Schedulers;
}

export interface Sender {
  readonly owner: AgentFacts;
  readonly principal: Asker;
  /** The UID of the object. */
  readonly uid: string;
  /** The authenticated author that this mail answers: the organizer of an invitation, or an attendee who requests the event. */
  readonly inviter: string | undefined;
  readonly nowMs: number;
  readonly readAttached: ReadAttached;
  /** The mail repeats what its recipients were told. */
  readonly isRepeat?: boolean;
  /** An agent or a program has written a part of what a person sends: it waits for the person. */
  readonly isUnapproved?: boolean;
}

export interface OutgoingMails {
  readonly mails: readonly SubmitMessage[];
  /** The recipients of each mail. */
  readonly recipients: readonly (readonly CalendarAddress[])[];
  readonly answers: ReadonlyMap<CalendarAddress, GateAnswer>;
}

export async function planMails(
  rooms: OutgoingRooms,
  sender: Sender,
  messages: readonly WrittenMessage[],
): Promise<OutgoingMails> {
  const mails: SubmitMessage[] = [];
  const recipients: (readonly CalendarAddress[])[] = [];
  const answers = new Map<CalendarAddress, GateAnswer>();
  const groups = Map.groupBy(messages, ({ content }) => content);
  for (const [content, group] of groups) {
    const { from } = group[0]!;
    const leaving = { ...content, ...(await mailedContent(rooms.schedulers, content, sender.readAttached)) };
    const all = group.map((one) => one.to);
    // More recipients than one mail may have get it in several, and each of them counts.
    for (let first = 0; first < all.length; first += rooms.outbound.recipientsMax) {
      const some = all.slice(first, first + rooms.outbound.recipientsMax);
      for (const { mail, answer, to } of await planGroup(rooms, sender, leaving, from, some)) {
        if (mail !== undefined) {
          mails.push(mail);
          recipients.push(to);
        }
        for (const address of to) answers.set(address, answer);
      }
    }
  }
  return { mails, recipients, answers };
}

type LeavingContent = MessageContent & MailedContent;

interface Planned {
  readonly mail: SubmitMessage | undefined;
  readonly answer: GateAnswer;
  readonly to: readonly CalendarAddress[];
}

/** One mail to all recipients. If it is refused because of a recipient, each recipient is tried alone. */
async function planGroup(
  rooms: OutgoingRooms,
  sender: Sender,
  content: LeavingContent,
  from: CalendarAddress,
  to: readonly CalendarAddress[],
): Promise<Planned[]> {
  try {
    const mail = await planMail(rooms, sender, content, from, to);
    return [{ mail, answer: answerOf(mail, sender), to }];
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === undefined) throw error;
    const [first] = to;
    if (to.length === 1) return [{ mail: undefined, answer: { state: "refused", reason }, to: [first!] }];
  }
  const half = Math.ceil(to.length / 2);
  const parts = [to.slice(0, half), to.slice(half)];
  return (await Promise.all(parts.map((part) => planGroup(rooms, sender, content, from, part)))).flat();
}

function answerOf({ decision }: SubmitMessage, { isUnapproved }: Sender): GateAnswer {
  if (decision.kind === "queue") return { state: "sent" };
  return { state: "held", reason: isUnapproved === true ? "not_approved" : decision.reason };
}

/** Refusals because of one recipient. All others (paused, a policy that changes) are refusals of the whole change. */
function refusalOf(error: unknown): RefusedReason | undefined {
  const reason = isWaypostError(error) ? error.details.reason : undefined;
  switch (reason) {
    case "recipient_blocked":
    case "approval_needed":
    case "recipient_suppressed":
    case "relay_refused":
    case "no_such_recipient":
      return reason;
    default:
      return undefined;
  }
}

async function planMail(
  { outbound }: OutgoingRooms,
  { owner, principal, uid, inviter, nowMs, isRepeat = false, isUnapproved = false }: Sender,
  content: LeavingContent,
  from: CalendarAddress,
  to: readonly CalendarAddress[],
): Promise<SubmitMessage> {
  const address = normalAddress(mailAddressOf(from) ?? owner.address) ?? owner.address;
  const recipients = to.map((one) => {
    const mail = mailAddressOf(one) ?? "";
    return { name: "", address: normalAddress(mail) ?? mail };
  });
  const message: CalendarMessage = {
    uid,
    method: content.method,
    instances: content.instances,
    recipients: to.map((one, at) => [one, recipients[at]!.address]),
    octets: Uint8Array.from(content.bytes),
  };
  const bytes = await composeMessage(
    {
      to: recipients,
      cc: [],
      bcc: [],
      subject: content.subject,
      text: content.text,
      attachments: content.attachments,
      calendarPart: { method: content.method, content: Buffer.from(content.bytes) },
    },
    {
      from: { name: owner.name, address },
      date: nowMs,
      messageId: `${randomUUID()}@${address.slice(address.lastIndexOf("@") + 1)}`,
      references: [],
      autoSubmitted: principal.kind === "agent" ? "auto-generated" : undefined,
    },
  );
  return outbound.plan({
    principal,
    mailbox: owner.agent,
    bytes,
    envelope: {
      from: address,
      recipients,
      envid: null,
      ret: null,
      bodyType: isEightBit(bytes) ? "8BITMIME" : "7BIT",
      isSmtputf8: [address, ...recipients.map((one) => one.address)].some(needsSmtputf8),
    },
    isAuthenticated: true,
    holdWish: isUnapproved ? "unapproved" : "policy",
    source: principal.kind === "agent" ? "send" : "submission",
    // A person sees the own invitation in the calendar. What an agent sends in a person's name has a copy in Sent.
    hasNoCopy: principal.kind === "person",
    invitation: { answers: inviter, uid, ...(isRepeat ? {} : { message }) },
  });
}
