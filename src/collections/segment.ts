import { WaypostError } from "#/src/model/errors.ts";
import { segmentBytesMax } from "#/src/model/limits.ts";

/** The last segment of an href, decoded: what a client may choose. */
export function assertSegment(segment: string): void {
  const isBad =
    segment === "" ||
    segment === "." ||
    segment === ".." ||
    /[/\0]/.test(segment) ||
    Buffer.byteLength(segment) > segmentBytesMax;
  if (isBad)
    throw new WaypostError("invalid", `A name has 1 to ${segmentBytesMax} octets, without a slash and NUL.`);
}
