/** Listings of messages, newest first. A cursor is bound to the request, and names the last message that was read. So no message is
 *  repeated or left out when mail is added or removed between two pages. */

import type { Message } from "#/src/mail/messages.ts";
import type { NewestResult } from "#/src/mail/search/search.ts";
import type { SearchKey } from "#/src/mail/search/search-keys.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, ThreadNumber } from "#/src/model/numbers.ts";
import type { ReachedData } from "#/src/reach/agents.ts";
import { isVisible, reachName } from "#/src/reach/messages.ts";
import { messageState } from "#/src/render/message-state.ts";
import { makePreview } from "#/src/render/preview.ts";
import { type ShortFacts, type ShortForm, shortFacts, shortForm } from "#/src/render/short-form.ts";
import { type OtherNames, otherNames } from "./describe/other-names.ts";
import type { OperationContext } from "./operation.ts";

export interface ListingRequest {
  readonly key: SearchKey;
  readonly mailbox?: MailboxNumber | undefined;
  /** The conversation to list. It is found by its index, and `key` is not used. */
  readonly thread?: ThreadNumber | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly charactersMax: number;
  /** Text of the request to which the cursor is bound. */
  readonly scope: string;
}

/** A message in a listing, with its ids as a draft or hold. */
export type ListedForm = ShortForm & OtherNames;

export interface Listing {
  readonly items: readonly ListedForm[];
  readonly cursor?: string;
}

export async function listMessages(
  context: OperationContext,
  reached: ReachedData,
  request: ListingRequest,
): Promise<Listing> {
  const { mail, feed } = context.rooms;
  const seal = feed.seal("listing");
  const found = await findMessages();
  const form = await createListedForm(context, reached, found.messages, request.mailbox);
  const items: ListedForm[] = [];
  let characters = 0;
  let next: MessageNumber | undefined = found.next;
  for (const message of found.messages) {
    if (!message.places.some((place) => isVisible(reached, place.mailbox))) continue;
    const item = await form(message);
    characters += JSON.stringify(item).length;
    if (characters > request.charactersMax && items.length > 0) {
      next = (message.number + 1) as MessageNumber;
      break;
    }
    items.push(item);
  }
  return next === undefined ? { items } : { items, cursor: seal.seal([...boundTo(), next]) };

  async function findMessages(): Promise<NewestResult> {
    const { mailbox, thread, limit } = request;
    const options = {
      limit,
      ...(mailbox === undefined ? {} : { mailbox }),
      ...(request.cursor ? { before: readCursor(request.cursor) } : {}),
    };
    if (thread === undefined)
      return mail.searchNewest(reached.agent, request.key, {
        ...options,
        isVisible: (folder) => isVisible(reached, folder),
      });
    const messages = await mail.listNewestMessages(reached.agent, { ...options, thread });
    const last = messages.at(-1);
    return messages.length < limit || last === undefined ? { messages } : { messages, next: last.number };
  }

  function boundTo(): (string | number)[] {
    return [context.principal.agent, reachName(reached), request.scope];
  }

  function readCursor(cursor: string): MessageNumber {
    const value = seal.open(cursor);
    const bound = boundTo();
    if (
      value === undefined ||
      value.length !== bound.length + 1 ||
      bound.some((one, index) => one !== value[index])
    )
      throw new WaypostError("invalid", "The cursor is not from this listing.", {
        field: "/cursor",
        hint: "Repeat the request that gave the cursor, with nothing changed but cursor, limit and max_chars.",
      });
    return value.at(-1) as MessageNumber;
  }
}

/** One message as listings show it. */
export async function listedForm(
  context: OperationContext,
  reached: ReachedData,
  message: Message,
): Promise<ListedForm> {
  return (await createListedForm(context, reached, [message]))(message);
}

/** `messages`: the listed messages, or some of them. `shown`: the folder that is listed. */
async function createListedForm(
  context: OperationContext,
  reached: ReachedData,
  messages: readonly Message[],
  shown?: MailboxNumber,
): Promise<(message: Message) => Promise<ListedForm>> {
  const { mail } = context.rooms;
  const keywords = await mail.keywordNames(reached.agent);
  const mailboxes = await mail.listMailboxes(reached.agent);
  const factsOf = await readShortFacts(context, reached.agent, messages);
  return async (message) => {
    const state = messageState(mail.ids, message, keywords, (folder) =>
      shown === undefined ? isVisible(reached, folder) : folder === shown,
    );
    return {
      ...shortForm(message, state, await factsOf(message)),
      ...(await otherNames(context, message, mailboxes)),
    };
  };
}

/** The facts of messages that never change: remembered from an earlier listing, or with the stored preview, or with one made now. */
async function readShortFacts(
  { rooms: { mail, descriptions } }: OperationContext,
  agent: AgentNumber,
  messages: readonly Message[],
): Promise<(message: Message) => Promise<ShortFacts>> {
  const known = new Map<MessageNumber, ShortFacts>();
  for (const { number } of messages) {
    const facts = descriptions.recallFacts({ agent, message: number });
    if (facts !== undefined) known.set(number, facts);
  }
  const unknown = messages.filter(({ number }) => !known.has(number));
  const previews =
    unknown.length === 0
      ? undefined
      : await mail.findPreviews(
          agent,
          unknown.map(({ number }) => number),
        );
  return async (message) => {
    const { number } = message;
    const facts = known.get(number);
    if (facts !== undefined) return facts;
    const stored = previews?.get(number);
    // An empty one may be that of a message that could not be read and is tried again.
    const read =
      stored === undefined ? await makePreview(mail, message) : { preview: stored, isLasting: stored !== "" };
    const made = shortFacts(message, read.preview);
    if (read.isLasting) descriptions.keepFacts({ agent, message: number }, made);
    return made;
  };
}

/** One search key that requires all of the given ones. */
export function allOf(keys: readonly SearchKey[]): SearchKey {
  if (keys.length === 0) return { kind: "all" };
  return keys.length === 1 ? keys[0]! : { kind: "and", keys };
}
