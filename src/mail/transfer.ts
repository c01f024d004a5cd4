import type { Actor } from "#/src/model/author.ts";
import { headerBytesMax } from "#/src/model/limits.ts";
import type { NumberSet } from "#/src/model/number-set.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import type { Store } from "#/storage/store.ts";
import type { Entries } from "./entries.ts";
import { readHeader } from "./header-reading.ts";
import { type TransferResult, transferInPieces } from "./long-writes.ts";
import type { Mailbox } from "./mailboxes.ts";
import type { MessageBytes } from "./message-bytes.ts";
import { readThreadKeys } from "./prepare-message.ts";
import type { MailWrites } from "./writes.ts";

interface Place extends Pick<Mailbox, "agent" | "number"> {
  /** The actor of the write in this mailbox. */
  readonly actor: Actor;
}

export interface MailTransfer {
  /** Copies or moves between mailboxes, also of two agents of one account. */
  transferMessages(source: Place, target: Place, uids: NumberSet, isMove: boolean): Promise<TransferResult>;
}

export function createMailTransfer(
  store: Store,
  entries: Entries,
  bytes: MessageBytes,
  writes: MailWrites,
): MailTransfer {
  /** Reads the keys that join each message to a conversation. They are in the header; nothing else of the bytes is read. */
  async function readKeys(source: Place, uids: NumberSet) {
    const keys = new Map<MessageNumber, Uint8Array[]>();
    for await (const page of entries.messagePages(source.agent, source.number, uids))
      for (const message of page) {
        if (keys.has(message.message)) continue;
        const structure = await bytes.readStructure(message);
        const range = bytes.findSection(message, structure, "HEADER")!;
        const end = Math.min(range.end, range.start + headerBytesMax);
        const header = await bytes.readBytes(message, { start: range.start, end });
        keys.set(message.message, readThreadKeys(await readHeader(header)));
      }
    return [...keys].map(([message, ofMessage]) => ({ message, keys: ofMessage }));
  }

  return {
    async transferMessages(source, target, uids, isMove) {
      if (source.agent === target.agent) {
        const transfer = isMove ? writes.moveMessages : writes.copyMessages;
        return transfer(source.actor, source.agent, source.number, target.number, uids);
      }
      const places = {
        source: { agent: source.agent, mailbox: source.number, actor: source.actor },
        target: { agent: target.agent, mailbox: target.number, actor: target.actor },
      };
      return transferInPieces(store, { ...places, uids, isMove }, (piece) => readKeys(source, piece));
    },
  };
}
