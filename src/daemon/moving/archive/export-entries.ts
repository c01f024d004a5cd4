/** The entries of an archive (`format.ts`): pages and the files behind them, of each kind of objects. An object that changes during the export
 *  is in the archive as it was before or after the change. */
import type { Collection } from "#/src/collections/collection.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import { readPortions } from "#/src/collections/portions.ts";
import { itemEndings } from "#/src/collections/rows.ts";
import { carriedItem } from "#/src/collections/transfer/export-items.ts";
import type { FileEntry } from "#/src/files/files.ts";
import type { MailboxMessage } from "#/src/mail/entries.ts";
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import { collectionProperties } from "#/src/model/collection-properties.ts";
import { keywordNumbers, systemFlagNames, systemFlags } from "#/src/model/flags.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import { sharedMessagePages } from "#/storage/queries/mail/entries.ts";
import { listLiveHolds } from "#/storage/queries/outbound/holds.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { TransferRooms } from "../transfer-rooms.ts";
import {
  type AnnotationPage,
  type ArchivedCollection,
  type FilePage,
  type ItemPage,
  type MessagePage,
  pageAnnotationsMax,
  pageBytesMax,
  pageEntriesMax,
  pageItemsMax,
  writeJson,
} from "./format.ts";
import { type Described, pagesOf } from "./pages.ts";
import { tarEntry } from "./tar.ts";

/** What is exported, as the manifest counts it. */
export interface OpenExport {
  readonly rooms: TransferRooms;
  readonly owner: AgentRow;
  readonly boxes: readonly Mailbox[];
  readonly places: readonly Collection[];
  tell(kind: "messages" | "items" | "files", count: number): void;
}

export function* json(path: string, value: object): Generator<Uint8Array> {
  yield* tarEntry(path, writeJson(path, value), Date.now());
}

/** Annotations of folders, and then messages. */
export async function* exportMail({ rooms, owner, boxes, tell }: OpenExport): AsyncGenerator<Uint8Array> {
  yield* annotationEntries(rooms, owner, boxes);
  yield* mailEntries(rooms, owner, boxes, (count) => tell("messages", count));
}

export async function* exportCollections({
  rooms,
  owner,
  places,
  tell,
}: OpenExport): AsyncGenerator<Uint8Array> {
  for (const [at, place] of places.entries()) {
    yield* json(`collections/${at}.json`, await describeCollection(rooms, place));
    yield* itemEntries(rooms, owner, place, `collections/${at}`, (count) => tell("items", count));
  }
}

async function* annotationEntries(
  { mail }: TransferRooms,
  { agent }: AgentRow,
  boxes: readonly Mailbox[],
): AsyncGenerator<Uint8Array> {
  for (const [at, { number }] of boxes.entries()) {
    const found = await mail.listMetadata({ agent, number }, agent);
    const described = found.map((one) => ({
      one,
      entry: { name: one.name, value: Buffer.from(one.value).toString("base64") },
    }));
    let pages = 0;
    for await (const page of pagesOf(described, { entriesMax: pageAnnotationsMax, bytesMax: pageBytesMax }))
      yield* json(`annotations/${at}/${pages++}.json`, {
        annotations: page.map(({ entry }) => entry),
      } satisfies AnnotationPage);
  }
}

async function describeCollection(
  { collections }: TransferRooms,
  place: Collection,
): Promise<ArchivedCollection> {
  const { kind, role, segment, components } = place;
  const dead = await collections.listDeadProperties(place.agent, place.number);
  return {
    kind,
    role,
    segment,
    components: components === undefined ? undefined : [...components],
    ...collectionProperties.alone(place),
    ...(dead.length === 0 ? {} : { deadProperties: [...dead] }),
  };
}

async function* mailEntries(
  { mail, store }: TransferRooms,
  { agent }: AgentRow,
  boxes: readonly Mailbox[],
  tell: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  /** Messages in several places, and where the first of them was written. */
  const shared = new Map<MessageNumber, string | undefined>();
  for await (const page of sharedMessagePages(store, agent))
    for (const one of page) shared.set(one, undefined);
  const keywords = await mail.keywordNames(agent);
  const holds = new Map((await listLiveHolds(store, agent)).map((hold) => [hold.message, hold]));
  const room = { entriesMax: pageEntriesMax, bytesMax: pageBytesMax };
  for (const [at, { number }] of boxes.entries()) {
    let pages = 0;
    // A copy stands in a page of its own, so that it is stored behind what it copies, and at its place in the folder.
    for await (const found of mail.messagePages(agent, number, [[1, 2 ** 32 - 1]]))
      for (const part of partsOf(found, shared, `mail/${at}`))
        for await (const page of pagesOf(part.map(describe), room)) {
          yield* json(`mail/${at}/${pages++}.json`, {
            messages: page.map(({ entry }) => entry),
          } satisfies MessagePage);
          for (const { one } of page)
            if (one.copyOf === undefined)
              yield* tarEntry(
                `mail/${at}/${one.file}`,
                await mail.readBytes(one.message),
                one.message.internalDate,
              );
          tell(page.length);
        }
  }

  function describe(one: Placed): Described<Placed, MessagePage["messages"][number]> {
    const { message, file, copyOf } = one;
    const flags = flagNames(message, keywords);
    if (copyOf !== undefined) return { one, entry: { copyOf, flags } };
    const isShared = shared.has(message.message) ? { isShared: true as const } : {};
    const hold = holds.get(message.message);
    const recipients = hold?.envelope.recipients.map(({ address }) => address);
    return {
      one,
      entry: {
        file,
        flags,
        internalDate: message.internalDate,
        ...message.properties,
        ...isShared,
        ...(recipients === undefined ? {} : { hold: { recipients } }),
      },
    };
  }
}

interface Placed {
  readonly message: MailboxMessage;
  readonly file: string;
  readonly copyOf: string | undefined;
}

function* partsOf(
  page: readonly MailboxMessage[],
  shared: Map<MessageNumber, string | undefined>,
  folder: string,
): Generator<readonly Placed[]> {
  let part: Placed[] = [];
  for (const message of page) {
    const file = `${message.uid}.eml`;
    const copyOf = shared.get(message.message);
    if (part.length > 0 && (copyOf === undefined) !== (part[0]!.copyOf === undefined)) {
      yield part;
      part = [];
    }
    if (shared.has(message.message) && copyOf === undefined) shared.set(message.message, `${folder}/${file}`);
    part.push({ message, file, copyOf });
  }
  if (part.length > 0) yield part;
}

function flagNames({ flags }: MailboxMessage, keywords: readonly string[]): string[] {
  return [
    ...systemFlagNames.filter((name) => flags.mask & systemFlags[name]),
    ...keywordNumbers(flags).map((number) => keywords[number]!),
  ];
}

async function* itemEntries(
  { collections }: TransferRooms,
  { account }: AgentRow,
  { agent, number, kind }: Collection,
  place: string,
  tell: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  const ending = itemEndings[kind];
  const withProperties = await collections.listItemsWithDeadProperties(agent);
  const room = { entriesMax: pageItemsMax, bytesMax: pageBytesMax };
  let pages = 0;
  for await (const listed of collections.listItems(agent, number))
    for await (const portion of readPortions(collections, agent, listed))
      for await (const page of pagesOf(describe(portion), room)) {
        yield* json(`${place}/${pages++}.json`, { items: page.map(({ entry }) => entry) } satisfies ItemPage);
        for (const { one, entry } of page)
          yield* tarEntry(
            `${place}/${entry.file}`,
            await carriedItem(collections, account, one),
            one.updatedAt,
          );
        tell(page.length);
      }

  /** The properties of an item are read when its page is reached: those of many are long. */
  async function* describe(
    portion: readonly StoredItem[],
  ): AsyncGenerator<Described<StoredItem, ItemPage["items"][number]>> {
    for (const one of portion) {
      const dead = withProperties.has(one.number)
        ? await collections.listItemDeadProperties(agent, one.number)
        : [];
      const entry = {
        file: `${one.number}${ending}`,
        ...(one.segment === undefined ? {} : { segment: one.segment }),
        ...(dead.length === 0 ? {} : { deadProperties: [...dead] }),
      };
      yield { one, entry };
    }
  }
}

export async function* exportFiles({
  rooms: { files },
  owner: { agent },
  tell,
}: OpenExport): AsyncGenerator<Uint8Array> {
  let pages = 0;
  // A folder is written before what is in it.
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift())
    for await (const page of files.listFolder(agent, folder)) {
      for (const entry of page) {
        if (entry.mediaType === undefined) folders.push(entry.path);
        const bytes = entry.mediaType === undefined ? undefined : await files.readFile(entry);
        yield* json(`files/${pages++}.json`, {
          files: [await describeFile(entry, bytes !== undefined)],
        } satisfies FilePage);
        if (bytes !== undefined) yield* tarEntry(`files/${entry.file}.bin`, bytes, entry.updatedAt);
        tell("files", 1);
      }
    }

  async function describeFile(entry: FileEntry, hasBytes: boolean): Promise<FilePage["files"][number]> {
    const dead = await files.listDeadProperties(entry);
    return {
      path: entry.path,
      ...(hasBytes ? { file: `${entry.file}.bin`, mediaType: entry.mediaType! } : {}),
      ...(dead.length === 0 ? {} : { deadProperties: [...dead] }),
    };
  }
}
