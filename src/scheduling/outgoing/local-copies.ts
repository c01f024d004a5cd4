/** Messages of one change as they reach calendars of this account: each calendar's copy of the object, as the messages leave it, and
 *  the messages in the scheduling inbox (RFC 6638 section 4). Nothing is written here. */
import type { Accounts, AgentFacts } from "#/src/accounts/accounts.ts";
import type { AgentActions, Collections, ItemAction } from "#/src/collections/collections.ts";
import type { ItemProvenance, StoredItem } from "#/src/collections/item.ts";
import type { Actor } from "#/src/model/author.ts";
import { schedulingInboxItemsMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { IgnoredReason } from "../arriving/applied.ts";
import { isFromOrganizer } from "../arriving/apply.ts";
import { type CalendarAddress, mailAddressOf } from "../calendar-address.ts";
import { type CalendarUserRooms, listOwnAddresses } from "../calendar-users.ts";
import type { MessageContent } from "../jobs.ts";
import type { Schedulers } from "../schedulers.ts";

export interface LocalRooms extends CalendarUserRooms {
  readonly accounts: Accounts;
  readonly collections: Collections;
  readonly schedulers: Schedulers;
}

/** The object as one agent has it. */
interface LocalCopy {
  readonly item: StoredItem | undefined;
  /** The state after the messages so far. */
  bytes: Uint8Array | undefined;
  keepsScheduleTag: boolean;
  /** The organizer wrote what stands there now, and no assistant. */
  isProved: boolean;
  readonly inbox: Uint8Array[];
}

export interface ArrivingMessage {
  readonly content: Pick<MessageContent, "method" | "bytes">;
  /** The authenticated sender. */
  readonly author: CalendarAddress;
  /** Addresses of the recipient to which it was sent. */
  readonly known: readonly string[];
  readonly isSignificant: boolean;
  /** The message comes from the change of this write. Otherwise it comes from a mail, which may be old or arrive twice. */
  readonly isDirect?: boolean;
  /** The author may be an assistant of the organizer (SENT-BY). */
  readonly mayAssist?: boolean;
}

export interface AppliedLocally {
  readonly outcome: "changed" | "told" | "ignored";
  readonly reason?: IgnoredReason;
  /** The object before and after the messages, if it existed before. */
  readonly old?: Uint8Array;
  readonly now?: Uint8Array;
}

/** The organizer's object before and after an answer. */
export interface AnsweredObject {
  readonly old: Uint8Array;
  readonly now: Uint8Array;
}

export interface LocalCopies {
  apply(agent: AgentNumber, message: ArrivingMessage): Promise<AppliedLocally>;
  /** Shows others' answers in the copy of an attendee, if there is one. `known`: the address by which it takes part. */
  show(agent: AgentNumber, answered: AnsweredObject, known: readonly string[]): Promise<void>;
  /** `sender`: the copies may name the attachments of this member of the account. */
  listActions(actor: Actor, provenance: ItemProvenance, sender?: AgentNumber): Promise<AgentActions[]>;
}

export function createLocalCopies(rooms: LocalRooms, uid: string): LocalCopies {
  const { collections, accounts, schedulers } = rooms;
  const copies = new Map<AgentNumber, LocalCopy>();

  async function copyOf(agent: AgentNumber): Promise<LocalCopy> {
    const held = copies.get(agent);
    if (held !== undefined) return held;
    const items = await collections.findItemsByUid(agent, uid, { kind: "calendar" });
    const found = items.find((one) => one.scheduleTag !== undefined) ?? items[0];
    const [item] = found === undefined ? [] : await collections.readItems(agent, [found.number]);
    const copy: LocalCopy = { item, bytes: item?.bytes, keepsScheduleTag: true, isProved: true, inbox: [] };
    copies.set(agent, copy);
    return copy;
  }

  return {
    async apply(agent, { content, author, known, isSignificant, isDirect, mayAssist = false }) {
      const facts = await accounts.findAgentFacts(agent);
      if (facts === undefined) return { outcome: "ignored", reason: "unknown" };
      const copy = await copyOf(agent);
      const who = await listOwnAddresses(rooms, facts, [content.bytes], known);
      // What a message of the same change has cancelled stays cancelled.
      const isUntouched = copy.bytes === copy.item?.bytes;
      const isRenewed =
        isDirect && isUntouched && (await isNewAgain(schedulers, copy.bytes, content, author));
      const stored = isRenewed ? undefined : copy.bytes;
      const message = content.bytes;
      // Whom an attendee names as its delegate, the person has not invited.
      const isAnswer = content.method === "REPLY" && facts.kind === "person";
      const addedBy = isAnswer ? await delegatorOf(accounts, facts, author) : undefined;
      const result = await schedulers.run({
        kind: "apply",
        stored,
        message,
        who,
        author,
        mayAssist,
        addedBy,
      });
      if (result.outcome === "changed") {
        copy.isProved = result.isByAssistant !== true;
        copy.bytes = result.bytes;
        // RFC 6638 section 3.2.10: an answer does not change the organizer's tag, nor do answers of others an attendee's.
        if (isFromOrganizer(content.method) && content.method !== "DECLINECOUNTER" && isSignificant)
          copy.keepsScheduleTag = false;
        if (isSignificant) copy.inbox.push(content.bytes);
        return { outcome: "changed", ...(stored === undefined ? {} : { old: stored }), now: result.bytes };
      }
      if (result.outcome === "told") {
        copy.inbox.push(content.bytes);
        return { outcome: "told" };
      }
      return { outcome: "ignored", reason: result.outcome === "ignored" ? result.reason : "malformed" };
    },

    async show(agent, { old, now }, known) {
      const facts = await accounts.findAgentFacts(agent);
      const copy = facts && (await copyOf(agent));
      if (copy?.bytes === undefined) return;
      const who = await listOwnAddresses(rooms, facts!, [now], known);
      const result = await schedulers.run({ kind: "show", stored: copy.bytes, old, now, who });
      if (result.outcome === "changed") copy.bytes = result.bytes;
    },

    async listActions(actor, provenance, sender) {
      const all: AgentActions[] = [];
      for (const [agent, copy] of copies) {
        const actions = [
          ...(await putCopy(collections, agent, copy, provenance, sender)),
          ...(await putInbox(collections, agent, copy, provenance)),
        ];
        if (actions.length > 0) all.push({ agent, actor, actions });
      }
      return all;
    },
  };
}

/** Undefined for people of the same account, whose delegates the organizer's next change tells as it tells them. */
async function delegatorOf(
  accounts: Accounts,
  { account }: AgentFacts,
  author: CalendarAddress,
): Promise<string | undefined> {
  const mail = mailAddressOf(author);
  if (mail === undefined) return undefined;
  const found = await accounts.findOwner(mail);
  return found?.kind === "person" && found.account === account ? undefined : mail;
}

/** Whether a REQUEST stores an event again that its author had cancelled. */
async function isNewAgain(
  schedulers: Schedulers,
  stored: Uint8Array | undefined,
  { method, bytes: message }: Pick<MessageContent, "method" | "bytes">,
  author: CalendarAddress,
): Promise<boolean> {
  if (stored === undefined || method !== "REQUEST") return false;
  const result = await schedulers.run({ kind: "renew", stored, message, author });
  return result.outcome === "renewed" && result.isNewAgain;
}

async function putCopy(
  collections: Collections,
  agent: AgentNumber,
  { item, bytes, keepsScheduleTag, isProved }: LocalCopy,
  provenance: ItemProvenance,
  sender: AgentNumber | undefined,
): Promise<ItemAction[]> {
  if (bytes === undefined || bytes === item?.bytes) return [];
  const attachments = sender === undefined ? undefined : { attachmentsOf: [sender] };
  if (item !== undefined) {
    const expected = { version: String(item.modseq) };
    const { collection, number, provenance: own } = item;
    // A REPLY changes the organizer's event, which keeps its provenance.
    const origin = keepsScheduleTag
      ? { provenance: own, isAuthenticated: item.isAuthenticated }
      : { provenance, isAuthenticated: isProved };
    const put = { collection, item: number, bytes, ...origin, expected, keepsScheduleTag, attachments };
    return [{ kind: "put", ...put }];
  }
  const calendar = await collections.findCollectionOfRole(agent, "calendar", "default");
  if (calendar === undefined) return [];
  return [
    {
      kind: "put",
      collection: calendar.number,
      bytes,
      provenance,
      isAuthenticated: isProved,
      hasUniqueUid: true,
      attachments,
    },
  ];
}

/** Clients that use the scheduling inbox delete messages that they have shown. If no client does, the oldest messages are deleted. */
async function putInbox(
  collections: Collections,
  agent: AgentNumber,
  { inbox }: LocalCopy,
  provenance: ItemProvenance,
): Promise<ItemAction[]> {
  if (inbox.length === 0) return [];
  const collection = await collections.findCollectionOfRole(agent, "calendar", "inbox");
  if (collection === undefined) return [];
  const actions: ItemAction[] = [];
  const surplus = collection.itemCount + inbox.length - schedulingInboxItemsMax;
  if (surplus > 0)
    for await (const page of collections.listItems(agent, collection.number)) {
      for (const { number } of page.slice(0, surplus)) actions.push({ kind: "remove", item: number });
      break;
    }
  for (const bytes of inbox)
    actions.push({ kind: "put", collection: collection.number, bytes, provenance, isAuthenticated: true });
  return actions;
}
