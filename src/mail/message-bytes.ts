import { octetBytes, octetString } from "#/src/formats/mime/octets.ts";
import { type MimePart, readStructure, sectionRange } from "#/src/formats/mime/structure.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber, BlobNumber } from "#/src/model/numbers.ts";
import {
  bodyOf,
  readBlobHeader,
  readBlobRange,
  readShortBlob,
  type StoredBlob,
  shortBytesMax,
} from "#/storage/blob.ts";
import { findBlob } from "#/storage/queries/mail/messages.ts";
import type { Reader } from "#/storage/store.ts";

/** The bytes of a message: its own trace header, then the blob, which the recipients of one account share. */
export interface StoredBytes {
  readonly account: AccountNumber;
  readonly blob: BlobNumber;
  readonly trace: Uint8Array;
  /** Octets of trace and blob together. */
  readonly size: number;
  /** Bytes that were read together with the message. */
  readonly held?: HeldBytes | undefined;
}

/** Bytes of a message that are already in memory: all of a short one, of others those that are used most. */
export interface HeldBytes {
  /** The header block of the blob, as an octet string. */
  readonly header?: string | undefined;
  /** What follows it, as an octet string; or how it is stored. */
  readonly body?: string | Omit<StoredBlob, "header"> | undefined;
  /** JSON. */
  readonly structure?: string | undefined;
}

/** The same message with its bytes in memory, if it is short: for whoever reads its structure, its header and its parts one after the other. */
export async function holdShort<Message extends StoredBytes>(
  reader: Reader,
  message: Message,
): Promise<Message> {
  if (message.size - message.trace.byteLength > shortBytesMax) return message;
  const row = await readShortBlob(reader, message.account, message.blob);
  if (row === undefined) return message;
  const { header, structure } = row;
  return { ...message, held: { header: octetString(header), body: octetString(bodyOf(row)), structure } };
}

/** Octets, or as many characters. */
export type OctetPiece = string | Uint8Array;

/** Octets of a stored message, `end` exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface MessageBytes {
  /** The tree of parts. Its offsets count from the start of the blob, which is after the trace. */
  readStructure(message: StoredBytes): Promise<MimePart>;
  /** Where an IMAP section lies ("", "HEADER", "TEXT", "1.2", "1.2.MIME", "3.HEADER"; RFC 9051 section 6.4.5.1), or
   *  undefined if the message has no such part. */
  findSection(message: StoredBytes, structure: MimePart, section: string): ByteRange | undefined;
  /** The message's own header with its empty line, without reading its structure; undefined when it is very long. */
  readHeader(message: StoredBytes): Promise<Buffer | undefined>;
  /** The same without waiting, as an octet string, if it is in memory. */
  heldHeader(message: StoredBytes): string | undefined;
  /** All octets as a string, if they are in memory. */
  heldOctets(message: StoredBytes): string | undefined;
  /** The same in pieces, as they are in memory. */
  heldPieces(message: StoredBytes): readonly OctetPiece[] | undefined;
  /** Octets of the range; what lies outside of the message is left out. */
  readBytes(message: StoredBytes, range?: ByteRange): Promise<Buffer>;
}

export function createMessageBytes(store: Reader): MessageBytes {
  const heldHeader = ({ trace, held }: StoredBytes): string | undefined => {
    if (held?.header === undefined) return undefined;
    return trace.byteLength === 0 ? held.header : octetString(trace) + held.header;
  };
  const heldPieces = ({ trace, held }: StoredBytes): OctetPiece[] | undefined => {
    if (held?.body === undefined) return undefined;
    const { header, body } = held;
    const pieces = [header!, typeof body === "string" ? body : bodyOf(body)];
    return trace.byteLength === 0 ? pieces : [trace, ...pieces];
  };
  const heldOctets = (message: StoredBytes): string | undefined =>
    heldPieces(message)
      ?.map((piece) => (typeof piece === "string" ? piece : octetString(piece)))
      .join("");
  const heldBytes = (message: StoredBytes): Buffer | undefined => {
    const body = message.held?.body;
    if (body === undefined) return undefined;
    const header = octetBytes(heldHeader(message)!);
    return Buffer.concat([header, typeof body === "string" ? octetBytes(body) : bodyOf(body)]);
  };
  return {
    heldHeader,
    heldOctets,
    heldPieces,
    async readStructure(message) {
      if (message.held?.structure !== undefined) return readStructure(message.held.structure);
      const row = await findBlob(store, message.account, message.blob);
      if (row === undefined) throw new WaypostError("not_found", "The message is no longer there");
      return readStructure(row.structure);
    },
    findSection(message, structure, section) {
      const traceSize = message.trace.byteLength;
      if (section === "") return { start: 0, end: message.size };
      const range = sectionRange(structure, section);
      if (range === undefined) return undefined;
      // Only the message's own header begins with the trace.
      const start = section === "HEADER" ? 0 : range.start + traceSize;
      return { start, end: range.end + traceSize };
    },
    async readHeader(message) {
      const held = heldHeader(message);
      if (held !== undefined) return octetBytes(held);
      const header = await readBlobHeader(store, message.account, message.blob);
      return header && Buffer.concat([message.trace, header]);
    },
    async readBytes(message, range = { start: 0, end: message.size }) {
      const traceSize = message.trace.byteLength;
      const start = Math.max(0, Math.min(range.start, message.size));
      const end = Math.max(start, Math.min(range.end, message.size));
      const held = heldBytes(message);
      if (held !== undefined) return held.subarray(start, end);
      const head = message.trace.subarray(Math.min(start, traceSize), Math.min(end, traceSize));
      if (end <= traceSize) return Buffer.from(head);
      const blobStart = Math.max(0, start - traceSize);
      const tail = await readBlobRange(store, message.account, message.blob, blobStart, end - traceSize);
      return head.byteLength === 0 ? tail : Buffer.concat([head, tail]);
    },
  };
}
