/** Exports everything of an agent or a person to an archive: mail, calendars, addressbooks, files and settings. Secrets are not
 *  exported: of tokens and passwords only digests are stored. An object that changes during the export is in the archive as it was
 *  before or after the change. */

import { randomBytes } from "node:crypto";
import { primaryAddress } from "#/src/accounts/principal.ts";
import type { Collection } from "#/src/collections/collection.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import { readPortions } from "#/src/collections/portions.ts";
import { itemKinds } from "#/src/collections/rows.ts";
import { carriedItem } from "#/src/collections/transfer/export-items.ts";
import type { FileEntry } from "#/src/files/files.ts";
import type { MailboxMessage } from "#/src/mail/entries.ts";
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import { keywordNumbers, systemFlagNames, systemFlags } from "#/src/model/flags.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import { sharedMessagePages } from "#/storage/queries/mail/entries.ts";
import { listLiveHolds } from "#/storage/queries/outbound/holds.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { TransferRooms } from "../transfer-rooms.ts";
import { isArchive, writeArchive } from "./archive-file.ts";
import {
  type ArchivedCollection,
  type ArchivedFolder,
  type ArchivedSettings,
  type FilePage,
  type ItemPage,
  type Manifest,
  type MessagePage,
  pageAnnotationsMax,
  pageBytesMax,
  pageEntriesMax,
  pageItemsMax,
  writeJson,
} from "./format.ts";
import { type Described, pagesOf } from "./pages.ts";
import { tarEnd, tarEntry } from "./tar.ts";

export { isArchive };

export interface ArchiveExport {
  readonly file: string;
  readonly messages: number;
  readonly items: number;
  readonly files: number;
}

interface Watcher {
  readonly signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

/** The file exists only when it is complete. Refuses a name that is taken. */
export async function exportAccount(
  rooms: TransferRooms,
  owner: AgentRow,
  file: string,
  { signal, onProgress }: Watcher,
): Promise<ArchiveExport> {
  const { mail, collections } = rooms;
  const boxes = await mail.listMailboxes(owner.agent);
  const places = await collections.listCollections(owner.agent);
  const counts = {
    messages: boxes.reduce((sum, { messageCount }) => sum + messageCount, 0),
    items: places.reduce((sum, { itemCount }) => sum + itemCount, 0),
  };
  const done = { messages: 0, items: 0, files: 0 };
  const tell = (kind: keyof typeof done, count: number): void => {
    done[kind] += count;
    onProgress(
      done.messages + done.items,
      Math.max(counts.messages + counts.items, done.messages + done.items),
    );
  };
  await writeArchive(file, entries(), signal);
  return { file, ...done };

  async function* entries(): AsyncGenerator<Uint8Array> {
    const manifest: Manifest = {
      format: "waypost-account",
      version: 1,
      id: randomBytes(16).toString("hex"),
      madeAt: new Date(rooms.store.clock.now()).toISOString(),
      address: primaryAddress(owner),
      kind: owner.kind,
      counts,
      settings: await describeSettings(rooms, owner),
      folders: await describeFolders(rooms, owner, boxes),
    };
    yield* json("manifest.json", manifest);
    yield* annotationEntries(rooms, owner, boxes);
    yield* mailEntries(rooms, owner, boxes, (count) => tell("messages", count));
    for (const [at, place] of places.entries()) {
      yield* json(`collections/${at}.json`, await describeCollection(rooms, place));
      yield* itemEntries(rooms, owner, place, `collections/${at}`, (count) => tell("items", count));
    }
    yield* fileEntries(rooms, owner, (count) => tell("files", count));
    yield tarEnd;
  }
}

function* json(path: string, value: Parameters<typeof writeJson>[1]): Generator<Uint8Array> {
  yield* tarEntry(path, writeJson(path, value), Date.now());
}

async function describeSettings(rooms: TransferRooms, owner: AgentRow): Promise<ArchivedSettings> {
  const ask = (operation: string, input: Readonly<Record<string, unknown>>) =>
    rooms.operator.administer(operation, input) as unknown as Promise<Shown>;
  const address = primaryAddress(owner);
  const shown = await ask(`${owner.kind}.show`, { owner: address });
  const grants: ArchivedSettings["grants"] = [];
  for (const [kind, plural] of [
    ["agent", "agents"],
    ["person", "people"],
  ] as const)
    for (const other of (await ask(`${kind}.list`, {}))[plural] ?? [])
      for (const grant of (await ask("grant.list", { holder: other.address })).grants ?? []) {
        const { target, scopes, mailboxes, calendars, addressbooks, expiresAt, revokedAt } = grant;
        if (target !== address || revokedAt !== null) continue;
        const named = { mailboxes, calendars: namesOf(calendars), addressbooks: namesOf(addressbooks) };
        grants.push({ holder: other.address, scopes, ...named, expiresAt });
      }
  const { name, aliases = [], quotaBytes, holdPolicy, approver, allow, block } = shown;
  return { name, aliases, quotaBytes, holdPolicy, approver, allow, block, grants };
}

/** What the operations answer that are asked. */
interface Shown extends Partial<Omit<ArchivedSettings, "grants">> {
  readonly agents?: readonly { readonly address: string }[];
  readonly people?: readonly { readonly address: string }[];
  readonly grants?: readonly (Omit<ArchivedSettings["grants"][number], "holder"> & {
    readonly target: string | null;
    readonly revokedAt: string | null;
  })[];
}

/** A grant shows a collection with its id behind the name. */
function namesOf(shown: "all" | string[]): "all" | string[] {
  return shown === "all" ? "all" : shown.map((one) => one.replace(/ \([a-z]+_[a-z0-9]+\)$/, ""));
}

async function describeFolders(
  { mail }: TransferRooms,
  { agent }: AgentRow,
  boxes: readonly Mailbox[],
): Promise<ArchivedFolder[]> {
  const subscribed = new Set(await mail.listSubscriptions(agent));
  return boxes.map(({ name, role }) => ({
    path: name,
    ...(role === undefined ? {} : { role }),
    isSubscribed: subscribed.has(name),
  }));
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
      yield* json(`annotations/${at}/${pages++}.json`, { annotations: page.map(({ entry }) => entry) });
  }
}

async function describeCollection(
  { collections }: TransferRooms,
  place: Collection,
): Promise<ArchivedCollection> {
  const { kind, role, segment, displayName, description, color, order } = place;
  const { components, timeZone, isTransparent, availability } = place;
  const dead = await collections.listDeadProperties(place.agent, place.number);
  return {
    kind,
    role,
    segment,
    displayName,
    description,
    color,
    order,
    components: components === undefined ? undefined : [...components],
    timeZone,
    isTransparent,
    availability,
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
          yield* json(`mail/${at}/${pages++}.json`, { messages: page.map(({ entry }) => entry) });
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
  const { ending } = itemKinds[kind];
  const withProperties = await collections.listItemsWithDeadProperties(agent);
  const room = { entriesMax: pageItemsMax, bytesMax: pageBytesMax };
  let pages = 0;
  for await (const listed of collections.listItems(agent, number))
    for await (const portion of readPortions(collections, agent, listed))
      for await (const page of pagesOf(describe(portion), room)) {
        yield* json(`${place}/${pages++}.json`, { items: page.map(({ entry }) => entry) });
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

async function* fileEntries(
  { files }: TransferRooms,
  { agent }: AgentRow,
  tell: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  let pages = 0;
  // A folder is written before what is in it.
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift())
    for await (const page of files.listFolder(agent, folder)) {
      for (const entry of page) {
        if (entry.mediaType === undefined) folders.push(entry.path);
        const bytes = entry.mediaType === undefined ? undefined : await files.readFile(entry);
        yield* json(`files/${pages++}.json`, { files: [await describeFile(entry, bytes !== undefined)] });
        if (bytes !== undefined) yield* tarEntry(`files/${entry.file}.bin`, bytes, entry.updatedAt);
        tell(1);
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
