/** Reads the headers of messages. One of at most 4 KiB is read at once. A longer one is read on a thread, which also reads the addresses,
 *  identifiers and texts of its fields: whoever writes to us chooses how long they are. */

import { inTurns } from "#/src/fairness/loop-turns.ts";
import { listMailAddresses } from "#/src/formats/mime/addresses.ts";
import { decodeWords } from "#/src/formats/mime/encoded-words.ts";
import {
  findHeaderEnd,
  type HeaderField,
  type HeaderPicker,
  type KnownValue,
  readHeaderFields,
} from "#/src/formats/mime/header.ts";
import { hasAddresses, hasIds } from "#/src/formats/mime/header-values.ts";
import { parseMessageIds } from "#/src/formats/mime/message-ids.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { headerBytesMax, mainBytesMax } from "#/src/model/limits.ts";

/** Which threads read it: mail that comes in, or is on its way out, does not wait behind what somebody looks at. */
export type HeaderClass = "arrival" | "reading";
export type HeaderWant = "binary" | "envelope" | "fields" | "report" | "signed";
/** Undefined for what exceeds a limit. The octets may be part of a larger buffer. */
export type AskThread = (
  want: HeaderWant,
  bytes: Uint8Array,
) => Promise<{ readonly answer: unknown } | undefined>;

const offered: Readonly<Record<HeaderClass, AskThread[]>> = { arrival: [], reading: [] };

/** From now on long headers are read by these threads. Without any they are read at once: a command and a thread keep nobody waiting. */
export function offerThreads(name: HeaderClass, ask: AskThread): Disposable {
  offered[name].push(ask);
  return {
    [Symbol.dispose]() {
      offered[name].splice(offered[name].indexOf(ask), 1);
    },
  };
}

/** The fields of a message, or of its header. */
export async function readHeader(
  bytes: Uint8Array,
  from: HeaderClass = "arrival",
): Promise<readonly HeaderField[]> {
  return readApart("fields", headerBlock(bytes), (block) => readHeaderFields(block), from);
}

/** The octets of a message that are read as its header. */
export function headerBlock(message: Uint8Array): Uint8Array {
  return message.subarray(0, findHeaderEnd(message, headerBytesMax));
}

/** Fields out of a header block; other work runs between the pieces of a long one. */
export async function pickInTurns(picker: HeaderPicker, header: string): Promise<string> {
  return header.length <= mainBytesMax ? picker.pick(header) : inTurns(picker.pickInPieces(header));
}

/** What `read` gives. Throws `invalid` where it takes a thread too long: it would at every further try. */
export async function readApart<Answer>(
  want: HeaderWant,
  bytes: Uint8Array,
  read: (bytes: Uint8Array) => Answer,
  from: HeaderClass = "arrival",
): Promise<Answer> {
  const ask = offered[from].at(-1);
  if (ask === undefined || bytes.byteLength <= mainBytesMax) return read(bytes);
  const said = await ask(want, bytes);
  if (said === undefined) throw new WaypostError("invalid", "The message takes too long to be read.");
  return said.answer as Answer;
}

/** In a thread: with the values that the main thread does not read. */
export function readKnownFields(bytes: Uint8Array): HeaderField[] {
  return readHeaderFields(bytes).map((field) => ({ ...field, known: knownValue(field) }));
}

function knownValue({ name, value }: HeaderField): KnownValue {
  return {
    text: decodeWords(value),
    ...(hasAddresses(name) ? { addresses: listMailAddresses(value) } : {}),
    ...(hasIds(name) ? { ids: parseMessageIds(value) } : {}),
  };
}

/** The reader `headers` of the reading class. */
export function doHeaderJob(bytes: Uint8Array): { readonly answer: HeaderField[] } {
  return { answer: readKnownFields(bytes) };
}
