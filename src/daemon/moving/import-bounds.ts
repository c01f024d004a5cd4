import { WaypostError } from "#/src/model/errors.ts";
import { importedFileBytesMax, importedLinesMax, importedPartsMax } from "#/src/model/limits.ts";

/** Throws `invalid`. */
export function assertFileSize(file: string, size: number): void {
  if (size > importedFileBytesMax)
    throw new WaypostError("invalid", `${file} has more than ${importedFileBytesMax} octets.`, {
      field: "/file",
      reason: "limit_reached",
    });
}

/** The octets of a message as its source announces them. Throws `policy_refused`. */
export function assertSize(size: number, bytesMax: number): void {
  if (size > bytesMax)
    throw new WaypostError("policy_refused", `It has ${size} octets; the limit is ${bytesMax}.`);
}

/** Octets and lines of a message that was read. Throws `policy_refused`. */
export function assertMessageBounds(bytes: Uint8Array, bytesMax: number): void {
  assertSize(bytes.length, bytesMax);
  if (hasTooManyLines(bytes))
    throw new WaypostError("policy_refused", `It has more than ${importedLinesMax} lines.`);
}

export function hasTooManyLines(bytes: Uint8Array): boolean {
  if (bytes.length <= importedLinesMax) return false;
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1))
    if (++lines > importedLinesMax) return true;
  return false;
}

/** A source whose next message or object would be one too many. Throws `invalid`. */
export function assertParts(count: number): void {
  if (count > importedPartsMax)
    throw new WaypostError("invalid", `There are more than ${importedPartsMax} messages or objects.`, {
      field: "/file",
      reason: "limit_reached",
      hint: "Divide the file.",
    });
}
