/** Messages between the daemon and the process of an import or export. The process asks for what it needs of the house, page by page and call by
 *  call, so neither side has more in memory than is being worked on. */
import type { Collection } from "#/src/collections/collection.ts";
import type { Author } from "#/src/model/author.ts";
import type { AccountNumber } from "#/src/model/numbers.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { PrivateError } from "../private-messages.ts";
import type { RoomName, TransferSettings } from "./transfer-rooms.ts";

export type TransferJob =
  | {
      readonly kind: "import items" | "export items";
      readonly collection: Collection;
      readonly account: AccountNumber;
      readonly file: string;
    }
  | {
      readonly kind: "import mail";
      readonly owner: AgentRow;
      /** A file, a folder or an address of IMAP. */
      readonly file: string;
      /** Of one message. */
      readonly bytesMax: number;
      readonly password: string;
      /** PEM of the authority of the server's certificate. */
      readonly authority?: string;
      /** SHA-256 of the server's certificate. */
      readonly fingerprint?: string;
      readonly isToken: boolean;
      readonly takesSettings: boolean;
    }
  | {
      readonly kind: "export mail";
      readonly owner: AgentRow;
      readonly file: string;
      readonly isMbox: boolean;
    }
  | {
      /** Whether a copy of the store is sound. */
      readonly kind: "verify backup";
      readonly file: string;
      /** Of the data. */
      readonly folder: string;
    }
  | {
      /** Lines of the log about one mail. */
      readonly kind: "trace log";
      readonly id: string;
      readonly file: string;
    };

export type ToTransfer =
  | {
      readonly kind: "begin";
      readonly job: TransferJob;
      readonly settings: TransferSettings;
      readonly by: Author;
    }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown; readonly isDone?: boolean }
  | { readonly kind: "refused"; readonly id: number; readonly error: PrivateError }
  /** The caller has gone: the process ends what it has begun. */
  | { readonly kind: "abort" };

export type FromTransfer =
  | {
      readonly kind: "call";
      readonly id: number;
      readonly room: RoomName;
      readonly name: string;
      readonly args: unknown[];
    }
  /** The next page of a list, which begins with the first. */
  | {
      readonly kind: "page";
      readonly id: number;
      readonly list: number;
      readonly room: RoomName;
      readonly name: string;
      readonly args: unknown[];
    }
  | { readonly kind: "leave"; readonly list: number }
  | { readonly kind: "progress"; readonly done: number; readonly total: number }
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "failed"; readonly error: PrivateError };

/** Values as the other side expects them: an array of octets is a Buffer, of memory that has nothing else. Structured clones are arrays of another
 *  kind, and copy all of the memory below them. */
export function carried(value: unknown): unknown {
  if (value instanceof Uint8Array) return carriedOctets(value);
  if (Array.isArray(value)) return value.map(carried);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, carried(one)]));
}

function carriedOctets(value: Uint8Array): Buffer {
  const { buffer, byteOffset, byteLength } = value;
  return 2 * byteLength < buffer.byteLength
    ? Buffer.from(value)
    : Buffer.from(buffer, byteOffset, byteLength);
}
