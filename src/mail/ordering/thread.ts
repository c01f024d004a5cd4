/** THREAD (RFC 5256): the messages of a set as threads. */

import { parseSubject } from "#/src/formats/mime/subject.ts";
import type { NumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { threadPages } from "#/storage/queries/mail/entries.ts";
import type { EntryThreadRow } from "#/storage/rows.ts";
import type { Reader } from "#/storage/store.ts";
import { readHeader } from "../header-reading.ts";
import type { MessageBytes } from "../message-bytes.ts";
import {
  formatReferenceIds,
  parseReferenceIds,
  type ReferenceIds,
  referenceIdsOf,
} from "../reference-ids.ts";
import { collationKey, sentTime } from "./sort-keys.ts";
import { type ThreadedMessage, type ThreadNode, threadByReferences, threadBySubject } from "./thread-tree.ts";

export type ThreadAlgorithm = "orderedSubject" | "references";

export async function threadMessages(
  store: Reader,
  bytes: MessageBytes,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  uids: NumberSet,
  algorithm: ThreadAlgorithm,
): Promise<readonly ThreadNode[]> {
  const messages: ThreadedMessage[] = [];
  for await (const page of threadPages(store, agent, mailbox, uids))
    for (const row of page) {
      const { base, isReply } = parseSubject(row.subject);
      let ids = "";
      if (algorithm === "references") ids = row.referenceIds ?? formatReferenceIds(await readIds(bytes, row));
      const time = sentTime(row.date, row.internalDate);
      messages.push(new StoredMessage(row.uid, time, collationKey(base), isReply, ids));
    }
  return algorithm === "references" ? threadByReferences(messages) : threadBySubject(messages);
}

/** The identifiers are kept as one text, because they are used only once. */
class StoredMessage implements ThreadedMessage {
  readonly uid: number;
  readonly time: number;
  readonly subject: string;
  readonly isReply: boolean;
  readonly #ids: string;

  constructor(uid: number, time: number, subject: string, isReply: boolean, ids: string) {
    this.uid = uid;
    this.time = time;
    this.subject = subject;
    this.isReply = isReply;
    this.#ids = ids;
  }

  get id(): string {
    return parseReferenceIds(this.#ids).own;
  }

  get references(): readonly string[] {
    return parseReferenceIds(this.#ids).references;
  }
}

/** Messages older than the column of identifiers have them only in their header. */
async function readIds(bytes: MessageBytes, row: EntryThreadRow): Promise<ReferenceIds> {
  const message = { ...row, trace: row.trace! };
  const structure = await bytes.readStructure(message);
  const header = await bytes.readBytes(message, bytes.findSection(message, structure, "HEADER"));
  return referenceIdsOf(await readHeader(header, "reading"));
}
