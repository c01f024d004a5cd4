import { WaypostError } from "#/src/model/errors.ts";
import { segmentBytesMax } from "#/src/model/limits.ts";

/** The last segment of an href, decoded: what a client may choose. */
export function assertSegment(segment: string): void {
  const isBad =
    segment === "" ||
    segment === "." ||
    segment === ".." ||
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    /[/\0-\x1f\x7f]/.test(segment) ||
    Buffer.byteLength(segment) > segmentBytesMax;
  if (isBad)
    throw new WaypostError(
      "invalid",
      `A name has 1 to ${segmentBytesMax} octets, without a slash and control characters.`,
    );
}
