/** Listings of messages, newest first. A cursor is bound to the request, and names the last message that was read. So no message is
 *  repeated or left out when mail is added or removed between two pages. */

import type { Message } from "#/src/mail/messages.ts";
import type { NewestResult } from "#/src/mail/search/search.ts";
import type { SearchKey } from "#/src/mail/search/search-keys.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, ThreadNumber } from "#/src/model/numbers.ts";
import type { MailboxRole } from "#/src/model/roles.ts";
import type { ReachedData } from "#/src/reach/agents.ts";
import { isVisible, reachName } from "#/src/reach/messages.ts";
import { messageState } from "#/src/render/message-state.ts";
import { firstCharacters } from "#/src/render/page-text.ts";
import { makePreview } from "#/src/render/preview.ts";
import { type ShortFacts, type ShortForm, shortFacts, shortForm } from "#/src/render/short-form.ts";
import { authorFactsOf, type ShownAuthorFacts } from "./describe/author-facts.ts";
import { eventOfMail } from "./describe/event-of-mail.ts";
import { type Excerpt, excerptOf, excerptsMax } from "./describe/excerpt.ts";
import { defaultCharacters } from "./describe/limits.ts";
import { type OtherNames, otherNames } from "./describe/other-names.ts";
import { roleField } from "./folders/folder-role.ts";
import type { OperationContext } from "./operation.ts";

export interface ListingRequest {
  readonly key: SearchKey;
  readonly mailbox?: MailboxNumber | undefined;
  /** The conversation to list. It is found by its index, and `key` is not used. */
  readonly thread?: ThreadNumber | undefined;
  /** Words that are searched: the text around them is shown. */
  readonly words?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Absent: previews become shorter, so that each item is given. */
  readonly charactersMax?: number | undefined;
  /** Text of the request to which the cursor is bound. */
  readonly scope: string;
}

/** A message in a listing, with its ids as a draft or hold, and where it is. */
export type ListedForm = ShortForm &
  OtherNames & {
    readonly folder_role?: MailboxRole;
    readonly folder_path?: string;
    readonly excerpt?: Excerpt;
    readonly event?: string;
    readonly author_facts?: ShownAuthorFacts;
    readonly reply_to_facts?: ShownAuthorFacts;
  };

export interface Listing {
  /** What cut it. */
  readonly more?: "limit" | "max_chars";
  /** Previews are shorter than they are. */
  readonly shortened?: "preview";
  readonly items: readonly ListedForm[];
  readonly cursor?: string;
}

/** The content of a listing: what cut it stands first. */
export function listedContent<Item>({
  more,
  shortened,
  items,
}: {
  readonly more?: Listing["more"];
  readonly shortened?: Listing["shortened"];
  readonly items: readonly Item[];
}) {
  return {
    ...(more === undefined ? {} : { more }),
    ...(shortened === undefined ? {} : { shortened }),
    items: [...items],
  };
}

/** Beyond it a listing is cut, though nobody asked for that. */
const unaskedMax = 200_000;

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
  const charactersMax = request.charactersMax ?? unaskedMax;
  let more: Listing["more"];
  let characters = 0;
  let next: MessageNumber | undefined = found.next;
  for (const message of found.messages) {
    if (!message.places.some((place) => isVisible(reached, place.mailbox))) continue;
    const { words } = request;
    const isRead = words !== undefined && items.length < excerptsMax;
    const excerpt = isRead ? await excerptOf(context, message, words) : undefined;
    const item = { ...(await form(message)), ...(excerpt === undefined ? {} : { excerpt }) };
    characters += JSON.stringify(item).length;
    if (characters > charactersMax && items.length > 0) {
      more = "max_chars";
      next = (message.number + 1) as MessageNumber;
      break;
    }
    items.push(item);
  }
  if (more === undefined && next !== undefined && items.length >= request.limit) more = "limit";
  return {
    ...(more === undefined ? {} : { more }),
    ...(request.charactersMax === undefined ? withinDefault(items, characters) : { items }),
    ...(next === undefined ? {} : { cursor: seal.seal([...boundTo(), next]) }),
  };

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
    const asked = { ...options, limit: limit + 1, thread };
    const listed = await mail.listNewestMessages(reached.agent, asked);
    const messages = listed.slice(0, limit);
    return listed.length <= limit ? { messages } : { messages, next: messages.at(-1)!.number };
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

/** What is left of a preview at least. Without any, a mail would look as if it had no text. */
const previewLeftMin = 60;

/** With shorter previews, where the whole ones would make the listing longer than an answer is by default. */
function withinDefault(
  items: readonly ListedForm[],
  characters: number,
): Pick<Listing, "items" | "shortened"> {
  if (characters <= defaultCharacters) return { items };
  const previews = items.reduce((sum, { preview }) => sum + preview.length, 0);
  const each = Math.floor((defaultCharacters - characters + previews) / items.length);
  const shorter = items.map((item) => ({
    ...item,
    preview: firstCharacters(item.preview, Math.max(previewLeftMin, each)),
  }));
  return shorter.some(({ preview }, at) => preview.length < items[at]!.preview.length)
    ? { shortened: "preview", items: shorter }
    : { items };
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
    const { role, name } = mailboxes.find(({ id }) => id === state.folder) ?? {};
    return {
      ...shortForm(message, state, await factsOf(message)),
      ...("role" in roleField(role) ? { folder_role: role! } : {}),
      ...(name === undefined ? {} : { folder_path: name }),
      ...(await otherNames(context, message, mailboxes)),
      ...(await eventOfMail(context, message)),
      ...(await authorFactsOf(context, message)),
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
    const made = shortFacts(message, read.preview, await mail.readStructure(message));
    if (read.isLasting) descriptions.keepFacts({ agent, message: number }, made);
    return made;
  };
}

/** One search key that requires all of the given ones. */
export function allOf(keys: readonly SearchKey[]): SearchKey {
  if (keys.length === 0) return { kind: "all" };
  return keys.length === 1 ? keys[0]! : { kind: "and", keys };
}
