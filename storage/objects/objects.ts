/** Octets outside of the database, by name. */

/** Where the objects are, as the settings name it. */
export interface ObjectPlace {
  /** `s3://bucket/prefix?endpoint=https://s3.example.net&region=eu-1`. */
  readonly url: string;
  /** A file with the key's id in its first line and the secret in its second; without it the variables AWS_ACCESS_KEY_ID and
   *  AWS_SECRET_ACCESS_KEY have them. */
  readonly keyFile?: string | undefined;
}

/** Each of them throws `upstream_unavailable` when the object store is away or refuses. */
export interface Objects {
  /** The same octets under each of the names. The store has all of them when it resolves; nothing is under way any more when it rejects.
   *  No request begins or goes on when the deadline has come. */
  put(names: readonly string[], bytes: Uint8Array, deadline?: AbortSignal): Promise<void>;
  /** Octets `start` up to, not including, `end`. Throws `not_found` when there is no such object, or it is shorter. */
  read(name: string, start: number, end: number): Promise<Buffer>;
  /** Also of what is not there. */
  remove(name: string): Promise<void>;
}

/** `blob.object` begins so when another store may have the object too: it is never removed. */
export const sharedMark = "~";

/** What a row of `blob` points to; another one for each account, so that each can be kept where the account is. */
export function objectName(account: number, object: string): string {
  return `${account}/${object.startsWith(sharedMark) ? object.slice(sharedMark.length) : object}`;
}
