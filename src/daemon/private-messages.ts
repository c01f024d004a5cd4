/** The protocol of the private socket: one JSON value a line. A request, then any number of progress and frame lines, then a
 *  result or an error, after which the connection ends. */

import path from "node:path";
import { type ErrorCode, type ErrorDetails, errorCodes, WaypostError } from "#/src/model/errors.ts";

export interface PrivateRequest {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type PrivateAnswer =
  | { readonly progress: readonly [done: number, total: number] }
  | { readonly frame: unknown }
  | { readonly result: unknown }
  | { readonly error: PrivateError };

export interface PrivateError {
  readonly code: string;
  readonly message: string;
  readonly details: Omit<ErrorDetails, "cause">;
}

/** The longest line that is accepted from a peer: an operation's input may hold a message. */
export const requestBytesMax = 32 * 1024 * 1024;

/** Longest path of a Unix socket: `sun_path` has 108 bytes on Linux and 104 on macOS, with a NUL at the end. */
const socketPathBytesMax = 103;

/** The path at which the daemon of a data folder listens. Throws `invalid` when every path to it is too long for a socket. */
export function privateSocketPath(folder: string): string {
  const absolute = path.resolve(folder, "waypost.sock");
  const relative = path.relative(process.cwd(), absolute);
  const shorter = Buffer.byteLength(relative) < Buffer.byteLength(absolute) ? relative : absolute;
  if (Buffer.byteLength(shorter) > socketPathBytesMax)
    throw new WaypostError("invalid", `The path ${absolute} is too long for a socket.`, {
      hint: "Choose a data folder with a shorter path, or start from a folder near it.",
    });
  return shorter;
}

export function errorOf(error: unknown): PrivateError {
  if (!(error instanceof WaypostError)) return { code: "internal", message: String(error), details: {} };
  const { cause: _, ...details } = error.details;
  return { code: error.code, message: error.message, details };
}

export function errorFrom({ code, message, details }: PrivateError): WaypostError {
  const known = errorCodes.find((one): one is ErrorCode => one === code) ?? "internal";
  return new WaypostError(known, message, details);
}

/** Whole lines of a stream of bytes; throws `invalid` when one is longer than `limitBytes`. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      yield Buffer.concat(parts).toString("utf8");
      parts = [];
      size = 0;
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > limitBytes) throw new WaypostError("invalid", "The line is too long.");
  }
}
