/** A source of mail to import. */
import { isKeyword } from "#/src/model/flags.ts";

const keywordsOfMessageMax = 100;

export interface SourceMessage {
  /** Levels divided by `/`; what is INBOX there is INBOX here. */
  readonly folder: string;
  /** Names the message in its source, the same at each run. */
  readonly key: string;
  /** Bits of the system flags. */
  readonly flags: number;
  readonly keywords: readonly string[];
  readonly internalDate?: number;
  /** Octets in the source, before anything is read. */
  readonly size: number;
  /** The message, if it is wanted; undefined when it has gone meanwhile. */
  read(): Promise<Uint8Array | undefined>;
}

export interface MailSource extends AsyncDisposable {
  /** The same at each run; a message is known by it and its own key. */
  readonly name: string;
  /** How many there are, as far as it is known beforehand. */
  count(): Promise<number>;
  messages(): AsyncIterable<SourceMessage>;
}

/** Of the names in a file, those that can be keywords. */
export function keptKeywords(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter(isKeyword))].slice(0, keywordsOfMessageMax);
}

/** Lines of a file of Unix end with LF, those of a message with CRLF (RFC 5322 section 2.1). */
export function withCrlf(bytes: Buffer): Buffer {
  let bare = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1))
    if (at === 0 || bytes[at - 1] !== 13) bare++;
  if (bare === 0) return bytes;
  const result = Buffer.allocUnsafe(bytes.length + bare);
  let written = 0;
  let from = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (at > 0 && bytes[at - 1] === 13) continue;
    written += bytes.copy(result, written, from, at);
    result[written++] = 13;
    from = at;
  }
  bytes.copy(result, written, from);
  return result;
}
