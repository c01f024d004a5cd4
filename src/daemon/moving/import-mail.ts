/** Imports mail. Each message is stored in one transaction with the record that it was imported. So an import that was interrupted
 *  continues where it ended, and no message is stored twice. A later import brings the messages that are new. */

import { createHash } from "node:crypto";
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import type { Appended } from "#/src/mail/writes.ts";
import type { Author } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { isHoldRole, type MailboxRole, roleOfAttribute } from "#/src/model/roles.ts";
import type { Idempotency } from "#/storage/store.ts";
import { assertMessageBounds, assertParts, assertSize } from "./import-bounds.ts";
import type { MailSource, SourceMessage } from "./mail-source.ts";
import type { TransferRooms } from "./transfer-rooms.ts";
import { uidOfMail } from "./uid-of-mail.ts";

export interface MailImport {
  readonly imported: number;
  /** Stored by an earlier run. */
  readonly known: number;
  readonly refused: number;
  readonly refusals: readonly { readonly folder: string; readonly why: string }[];
}

interface ImportOptions {
  readonly by: Author;
  readonly agent: AgentNumber;
  /** Where mail goes that waited for approval; absent: into Drafts. */
  readonly holds?: TransferRooms["holds"];
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

/** So many are written in one commit, and in memory at a time; of large ones no more than have so many octets together. */
const atOnce = 16;
const bytesAtOnce = 32 * 1024 * 1024;
const shownRefusalsMax = 100;
/** An import may be taken up again so long. */
const memoryMs = 365 * 86_400_000;

/** The role of a special-use attribute (RFC 6154) that a source names in the place of a folder. */
function roleNamed(folder: string): MailboxRole | undefined {
  return folder === "\\Inbox" ? "inbox" : roleOfAttribute.get(folder.toLowerCase());
}

export async function importMail(
  mail: TransferRooms["mail"],
  source: MailSource,
  options: ImportOptions,
): Promise<MailImport> {
  const { by, agent, holds, bytesMax, signal, onProgress } = options;
  const total = await source.count();
  const boxes = new Map<string, Target>();
  const counts = { imported: 0, known: 0, refused: 0 };
  const refusals: { folder: string; why: string }[] = [];
  const running = new Set<Promise<void>>();
  let failure: unknown;

  async function targetOf(folder: string): Promise<Target> {
    const known = boxes.get(folder);
    if (known !== undefined) return known;
    const { number, role } = await findOrCreate(mail, by, agent, folder);
    // An import sends nothing and approves nothing.
    const isDrafts = role === "scheduled" || isHoldRole(role);
    const target: Target = {
      mailbox: isDrafts ? await draftsOf(mail, agent) : number,
      isHeld: role === "holds" && holds !== undefined,
    };
    boxes.set(folder, target);
    return target;
  }

  /** False if it cannot wait again: then it is a draft. */
  async function holdAgain(folder: string, message: Appended, once: Idempotency): Promise<boolean> {
    try {
      const named = { ...once, key: `hold ${once.key}` };
      const { isReplayed } = await holds!.holdImported(
        by,
        agent,
        { message, recipients: undefined, calendarUid: uidOfMail(message.bytes) },
        named,
      );
      if (isReplayed) counts.known++;
      else counts.imported++;
      return true;
    } catch (error) {
      if (!isWaypostError(error) || error.details.reason === "over_quota") throw error;
      if (refusals.length < shownRefusalsMax)
        refusals.push({ folder, why: `It became a draft: ${error.message}` });
      return false;
    }
  }

  async function store(message: SourceMessage, { mailbox, isHeld }: Target): Promise<void> {
    const key = `import ${createHash("sha256").update(`${source.name}\n${message.key}`).digest("base64url")}`;
    const once = {
      agent,
      operation: "import",
      key,
      requestHash: new Uint8Array(32),
      expiresAt: mail.clock.now() + memoryMs,
      replaysAnyRequest: true,
    };
    if ((await mail.findRepeat("appendMessages", once)) !== undefined) {
      counts.known++;
      return;
    }
    try {
      assertSize(message.size, bytesMax);
      const bytes = await message.read();
      if (bytes === undefined) return;
      assertMessageBounds(bytes, bytesMax);
      const { folder, flags, keywords, internalDate } = message;
      const appended = { bytes, flags, keywords, ...(internalDate === undefined ? {} : { internalDate }) };
      if (isHeld && (await holdAgain(folder, appended, once))) return;
      const { isReplayed } = await mail.importMessage(by, agent, mailbox, appended, once);
      if (isReplayed) counts.known++;
      else counts.imported++;
    } catch (error) {
      // A full mailbox or store refuses the next ones too.
      if (!isWaypostError(error) || error.code !== "policy_refused" || error.details.reason === "over_quota")
        throw error;
      counts.refused++;
      if (refusals.length < shownRefusalsMax) refusals.push({ folder: message.folder, why: error.message });
    } finally {
      onProgress(counts.imported + counts.known + counts.refused, total);
    }
  }

  let runningBytes = 0;
  let parts = 0;
  for await (const message of source.messages()) {
    assertParts(++parts);
    while (running.size >= atOnce || (running.size > 0 && runningBytes + message.size > bytesAtOnce))
      await Promise.race(running);
    if (signal.aborted || failure !== undefined) break;
    const target = await targetOf(message.folder);
    runningBytes += message.size;
    const work = store(message, target)
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => {
        running.delete(work);
        runningBytes -= message.size;
      });
    running.add(work);
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure;
  signal.throwIfAborted();
  return { ...counts, refusals };
}

interface Target {
  readonly mailbox: MailboxNumber;
  /** Its mail waits for approval again. */
  readonly isHeld: boolean;
}

async function draftsOf(mail: TransferRooms["mail"], agent: AgentNumber): Promise<MailboxNumber> {
  return (await mail.listMailboxes(agent)).find(({ role }) => role === "drafts")!.number;
}

async function findOrCreate(
  mail: TransferRooms["mail"],
  by: Author,
  agent: AgentNumber,
  folder: string,
): Promise<Mailbox> {
  const role = roleNamed(folder);
  const boxes = await mail.listMailboxes(agent);
  const found =
    role === undefined ? await mail.findMailbox(agent, folder) : boxes.find((box) => box.role === role);
  if (found !== undefined) return found;
  return mail.createMailbox(by, agent, role === undefined ? folder : folder.slice(1));
}
