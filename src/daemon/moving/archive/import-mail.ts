/** Imports mail of an archive: first the folders, then the messages in the order of the archive, which is that of their UIDs. */

import type { Idempotency } from "#/src/mail/write-once.ts";
import type { Appended } from "#/src/mail/writes.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { isKeyword, systemFlagNamed, systemFlags } from "#/src/model/flags.ts";
import { folderProperties } from "#/src/model/folder-properties.ts";
import { importedLinesMax } from "#/src/model/limits.ts";
import { messageProperties } from "#/src/model/message-properties.ts";
import type { MailboxNumber, Uid } from "#/src/model/numbers.ts";
import { isHoldRole } from "#/src/model/roles.ts";
import { hasTooManyLines } from "../import-bounds.ts";
import { uidOfMail } from "../uid-of-mail.ts";
import { type EntryImport, type OpenArchive, onceOf } from "./entry-import.ts";
import {
  type ArchivedFolder,
  annotationPage,
  jsonBytesMax,
  type MessagePage,
  messagePage,
  readJson,
} from "./format.ts";

/** Messages of one commit, and their octets together. */
const batchMax = 16;
const batchBytesMax = 8 * 1024 * 1024;

type Described = MessagePage["messages"][number];
type File = Extract<Described, { file: string }>;
type Copy = Extract<Described, { copyOf: string }>;

interface Waiting {
  readonly place: string;
  /** Its place in the batch. */
  readonly at: number;
  readonly described: File;
  readonly bytes: Buffer;
  readonly digest: string;
}

interface Stored {
  readonly mailbox: MailboxNumber;
  readonly uid: Uid;
  readonly digest: string;
}

export async function createMailImport(archive: OpenArchive): Promise<EntryImport> {
  const { rooms, owner, head, counts, bytesMax, refuse } = archive;
  const { mail, holds, by } = rooms;
  const { agent, kind } = owner;
  const mailboxes: MailboxNumber[] = [];
  /** Folders whose messages come into Drafts. */
  const toDrafts = new Set<number>();
  const there = await mail.listMailboxes(agent);
  for (const [at, folder] of head.folders.entries()) mailboxes.push(await makeFolder(folder, at));
  /** What the files of the page are that was read last. */
  let page = new Map<string, File>();
  let pageFolder = "";
  let batch: Waiting[] = [];
  let batchBytes = 0;
  /** Messages of the batch, those that are too large for this store among them: which are, a later run may see differently. */
  let batchCount = 0;
  let batchPlace = "";
  let batchDigests: string[] = [];
  /** Where messages are now that others are copies of. */
  const stored = new Map<string, Stored>();

  async function makeFolder(folder: ArchivedFolder, at: number): Promise<MailboxNumber> {
    const { path, role, isSubscribed } = folder;
    // Nothing is sent or approved by an import.
    const wanted = role === "scheduled" || isHoldRole(role) ? "drafts" : role;
    const found =
      wanted === undefined ? await mail.findMailbox(agent, path) : there.find((box) => box.role === wanted);
    const box = found ?? (await mail.createMailbox(by, agent, path));
    if (wanted !== role) toDrafts.add(at);
    else {
      await mail.setSubscription(by, agent, box.name, isSubscribed);
      const properties = folderProperties.alone(folder);
      if (folderProperties.names.some((one) => properties[one] !== box.properties[one]))
        await mail.updateFolder(by, agent, box.number, { name: box.name, properties }, box.version);
    }
    return box.number;
  }

  async function annotate(folder: number, path: string, bytes: Buffer | undefined): Promise<void> {
    const name = head.folders[folder]!.path;
    if (bytes === undefined || bytes.length > jsonBytesMax) return refuse(name, `${path} is too large.`);
    const { annotations } = readJson(annotationPage, path, bytes);
    if (toDrafts.has(folder) || annotations.length === 0) return;
    const entries = annotations.map((one) => ({ name: one.name, value: Buffer.from(one.value, "base64") }));
    await mail
      .setMetadata(by, { agent, number: mailboxes[folder]! }, agent, entries)
      .catch((error: unknown) => {
        if (!isWaypostError(error)) throw error;
        refuse(name, error.message);
      });
  }

  /** These octets at this place of the archive. */
  const onceAt = (name: string, digests: readonly string[]): Idempotency =>
    onceOf(archive, `${name}\n${digests.join(" ")}`);

  async function flush(): Promise<void> {
    const messages = batch;
    const count = batchCount;
    const whole = onceAt(`batch ${batchPlace}`, batchDigests);
    batch = [];
    batchDigests = [];
    batchBytes = 0;
    batchCount = 0;
    if (messages.length === 0) return;
    const isKnown = count > 1 && (await mail.findRepeat("appendMessages", whole)) !== undefined;
    const hasHolds = messages.some(({ described }) => described.hold !== undefined);
    const isWhole =
      isKnown || (!hasHolds && count > 1 && messages.length === count && !(await anyOf(messages)));
    if (isWhole && (await storeAll(messages, whole))) return;
    for (const one of messages) await storeAll([{ ...one, at: 0 }], undefined);
  }

  /** A batch that was refused as a whole, or that had a message that is too large, has been stored one by one. */
  async function anyOf(messages: readonly Waiting[]): Promise<boolean> {
    for (const { place, digest } of messages)
      if ((await mail.findRepeat("appendMessages", onceAt(place, [digest]))) !== undefined) return true;
    return false;
  }

  /** False when a batch is refused. */
  async function storeAll(messages: readonly Waiting[], whole: Idempotency | undefined): Promise<boolean> {
    const [first] = messages as [Waiting];
    const mailbox = mailboxes[Number(first.place.split("/")[1])]!;
    const folder = head.folders[Number(first.place.split("/")[1])]!.path;
    const once = whole ?? onceAt(first.place, [first.digest]);
    if (whole === undefined && first.described.hold !== undefined && (await holdAgain(first, once)))
      return true;
    try {
      const appended = messages.map(({ bytes, described }) => appendedOf(bytes, described));
      const known = await mail.findRepeat("appendMessages", once);
      const { uids, isReplayed } = known ?? (await mail.restoreMessages(by, agent, mailbox, appended, once));
      counts[isReplayed ? "known" : "imported"] += messages.length;
      for (const { place, at, described, digest } of messages)
        if (described.isShared) stored.set(place, { mailbox, uid: uids[at]!, digest });
      return true;
    } catch (error) {
      if (!isWaypostError(error) || error.details.reason === "over_quota" || !isOfMessage(error.code))
        throw error;
      if (whole !== undefined) return false;
      refuse(folder, error.message);
      return true;
    }
  }

  /** Mail of an agent that waited for approval waits again. False if it cannot: then it is a draft. */
  async function holdAgain(
    { place, bytes, described, digest }: Waiting,
    once: Idempotency,
  ): Promise<boolean> {
    if (kind !== "agent") return false;
    // It became a draft in an earlier run.
    if ((await mail.findRepeat("appendMessages", once)) !== undefined) return false;
    const folder = head.folders[Number(place.split("/")[1])]!.path;
    try {
      const message = appendedOf(bytes, described);
      const held = { message, recipients: described.hold!.recipients, calendarUid: uidOfMail(bytes) };
      const named = onceAt(`hold ${place}`, [digest]);
      const { isReplayed } = await holds.holdImported(by, agent, held, named);
      counts[isReplayed ? "known" : "imported"]++;
      return true;
    } catch (error) {
      if (!isWaypostError(error) || error.details.reason === "over_quota") throw error;
      refuse(folder, `It became a draft: ${error.message}`);
      return false;
    }
  }

  async function copy({ copyOf, flags }: Copy, place: string): Promise<void> {
    const target = mailboxes[Number(place.split("/")[1])]!;
    const folder = head.folders[Number(place.split("/")[1])]!.path;
    const from = stored.get(copyOf);
    if (from === undefined) return refuse(folder, "The message that it is a copy of is not there.");
    const once = onceAt(place, [from.digest]);
    const isKnown = (await mail.findRepeat("copyMessages", once)) !== undefined;
    // With its flags in one write: a later run changes none, as they may have been changed since.
    await mail.copyOnce(by, agent, from.mailbox, target, from.uid, flagsOf(flags), once);
    counts[isKnown ? "known" : "imported"]++;
  }

  return {
    async take({ path, bytes, size, digest }) {
      const [, annotated] = /^annotations\/(\d{1,5})\/\d{1,10}\.json$/.exec(path) ?? [];
      if (annotated !== undefined && mailboxes[Number(annotated)] !== undefined) {
        await flush();
        await annotate(Number(annotated), path, bytes);
        return true;
      }
      const [, folder, number, ending] = /^mail\/(\d{1,5})\/(\d{1,10})\.(json|eml)$/.exec(path) ?? [];
      if (folder === undefined || mailboxes[Number(folder)] === undefined) {
        await flush();
        return false;
      }
      if (ending === "json") {
        await flush();
        if (bytes === undefined || bytes.length > jsonBytesMax) {
          refuse(head.folders[Number(folder)]!.path, `${path} is too large.`);
          return true;
        }
        const { messages } = readJson(messagePage, path, bytes);
        pageFolder = folder;
        page = new Map(messages.flatMap((one) => ("file" in one ? [[one.file, one] as const] : [])));
        for (const [at, one] of messages.entries())
          if ("copyOf" in one) await copy(one, `mail/${folder}/copy ${number} ${at}`);
        return true;
      }
      const file = `${number}.eml`;
      const described = pageFolder === folder ? page.get(file) : undefined;
      const name = head.folders[Number(folder)]!.path;
      if (described === undefined) {
        refuse(name, `${path} stands on no page.`);
        return true;
      }
      // A file twice is one message.
      page.delete(file);
      if (batchBytes + size > batchBytesMax) await flush();
      if (batchCount === 0) batchPlace = path;
      if (bytes === undefined || size > bytesMax) refuse(name, `${path} has more octets than ${bytesMax}.`);
      else if (hasTooManyLines(bytes)) refuse(name, `${path} has more lines than ${importedLinesMax}.`);
      else batch.push({ place: path, at: batchCount, described, bytes, digest });
      batchDigests.push(digest);
      batchBytes += size;
      if (++batchCount >= batchMax) await flush();
      return true;
    },
    finish: flush,
  };
}

function isOfMessage(code: string): boolean {
  return code === "invalid" || code === "policy_refused";
}

function appendedOf(bytes: Buffer, described: File): Appended {
  const { flags, internalDate } = described;
  return { bytes, ...flagsOf(flags), internalDate, properties: messageProperties.alone(described) };
}

function flagsOf(names: readonly string[]): { readonly flags: number; readonly keywords: readonly string[] } {
  let flags = 0;
  for (const name of names) {
    const system = systemFlagNamed(name);
    if (system !== undefined) flags |= systemFlags[system];
  }
  return { flags, keywords: names.filter(isKeyword) };
}
