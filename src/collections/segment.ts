import { WaypostError } from "#/src/model/errors.ts";
import { segmentBytesMax } from "#/src/model/limits.ts";

/** Checks the decoded last segment of an href that a client has chosen. */
export function assertSegment(segment: string): void {
  const isBad =
    segment === "" ||
    segment === "." ||
    segment === ".." ||
    /[/\0]/.test(segment) ||
    Buffer.byteLength(segment) > segmentBytesMax;
  if (isBad)
    throw new WaypostError("invalid", `A name has 1 to ${segmentBytesMax} octets, without slash and NUL.`);
}
