/** The object store: octets outside of the database, by name. */

/** Location of the objects, from the settings. */
export interface ObjectPlace {
  /** `s3://bucket/prefix?endpoint=https://s3.example.net&region=eu-1`. */
  readonly url: string;
  /** A file with the key's id in its first line and the secret in its second; without it the variables AWS_ACCESS_KEY_ID and
   *  AWS_SECRET_ACCESS_KEY have them. */
  readonly keyFile?: string | undefined;
}

/** Each method throws `upstream_unavailable` if the object store is not reachable or refuses. */
export interface Objects {
  /** Stores the same octets under each of the names. When it resolves the store has all of them; when it rejects no request is in
   *  progress any more. The deadline ends all requests. */
  put(names: readonly string[], bytes: Uint8Array, deadline?: AbortSignal): Promise<void>;
  /** Octets `start` up to, not including, `end`. Throws `not_found` when there is no such object, or it is shorter. */
  read(name: string, start: number, end: number): Promise<Buffer>;
  /** Succeeds also if there is no such object. */
  remove(name: string): Promise<void>;
}

/** `blob.object` begins with this mark if another store may use the object too: such an object is never removed. */
export const sharedMark = "~";

/** The object of a row of `blob`; each account has its own, so that it can be stored where the account is. */
export function objectName(account: number, object: string): string {
  return `${account}/${object.startsWith(sharedMark) ? object.slice(sharedMark.length) : object}`;
}
