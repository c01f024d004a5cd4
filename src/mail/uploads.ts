/** Blobs of the interface: bytes that an agent stores before it attaches them. They can be read like an attachment. */

import { type MimePart, parseStructure, serializeStructure } from "#/src/formats/mime/structure.ts";
import type { Author } from "#/src/model/author.ts";
import { uploadDays } from "#/src/model/limits.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { type EncodedBlob, encodeBlob, transferableBuffers } from "#/storage/blob.ts";
import { findUpload } from "#/storage/queries/mail/uploads.ts";
import type { ResultOf, Store } from "#/storage/store.ts";
import type { StoredBytes } from "./message-bytes.ts";
import { type Idempotency, type Once, writeOnce } from "./write-once.ts";

export interface NewUpload {
  readonly bytes: Uint8Array;
  /** "" if it has no name. */
  readonly name: string;
  /** Media type, as Content-Type has it. */
  readonly type: string;
}

/** Its bytes are read as those of a message that has one part and no header. */
export interface Upload extends StoredBytes {
  readonly agent: AgentNumber;
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly sha256: Uint8Array;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Never changes, since the bytes never change. */
  readonly version: string;
}

export interface Uploads {
  findUpload(agent: AgentNumber, upload: number): Promise<Upload | undefined>;
  /** Throws `policy_refused` (limit_reached). */
  createUpload(
    by: Author,
    agent: AgentNumber,
    upload: NewUpload,
    idempotency?: Idempotency,
  ): Promise<Once<ResultOf<"createUpload">>>;
  deleteUpload(
    by: Author,
    agent: AgentNumber,
    upload: number,
    version: string | undefined,
    idempotency?: Idempotency,
  ): Promise<Once<{ readonly modseq: Modseq }>>;
}

const dayMs = 86_400_000;

export function createUploads(store: Store): Uploads {
  const at = (): number => store.clock.now();
  return {
    async findUpload(agent, number) {
      const row = await findUpload(store, agent, number, at());
      if (row === undefined) return undefined;
      const { upload, ...facts } = row;
      return {
        ...facts,
        agent,
        number: upload,
        id: store.ids.encode("blob", agent, upload),
        trace: new Uint8Array(),
        version: String(upload),
      };
    },
    async createUpload(by, agent, upload, idempotency) {
      const { name, type } = upload;
      const blob = await encodeUpload(upload);
      const now = at();
      const args = { agent, blob, name, type, expiresAt: now + uploadDays * dayMs, at: now };
      return writeOnce(store, by, "createUpload", args, idempotency, { transfer: transferableBuffers(blob) });
    },
    deleteUpload: (by, agent, upload, version, idempotency) =>
      writeOnce(store, by, "deleteUpload", { agent, upload, version, at: at() }, idempotency),
  };
}

/** Encodes an upload as a message with one part and no header. */
export function encodeUpload(upload: NewUpload): Promise<EncodedBlob> {
  return encodeBlob(upload.bytes, 0, serializeStructure(onePart(upload)));
}

/** The only part of an upload. It is not parsed, whatever its type is. The name may say more about the content than the type. */
function onePart({ type, name, bytes }: NewUpload): MimePart {
  // RFC 8187 section 3.2: encodeURIComponent leaves these characters, which an ext-value must not have.
  const quoted = encodeURIComponent(name).replace(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  const disposition = name === "" ? "" : `Content-Disposition: attachment; filename*=utf-8''${quoted}\r\n`;
  const header = `Content-Type: ${type}\r\nContent-Transfer-Encoding: binary\r\n${disposition}\r\n`;
  return {
    ...parseStructure(Buffer.from(header)),
    headerStart: 0,
    bodyStart: 0,
    bodyEnd: bytes.byteLength,
    lines: 0,
    parts: [],
    message: undefined,
    envelope: undefined,
  };
}
