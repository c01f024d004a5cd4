/** Prefer (RFC 7240) in WebDAV (RFC 8144), and the older field Brief of Microsoft and Apple. */
import type { Preferences } from "./request.ts";

const preferenceLengthMax = 1000;

export function readPreferences(prefer: string, brief: string): Preferences {
  const tokens = prefer
    .slice(0, preferenceLengthMax)
    .split(",")
    .map((one) =>
      one
        .split(";")[0]!
        .toLowerCase()
        .replaceAll('"', "")
        .split("=")
        .map((part) => part.trim())
        .join("="),
    );
  return {
    isMinimal: tokens.includes("return=minimal") || brief.trim().toLowerCase() === "t",
    isRepresentation: tokens.includes("return=representation"),
    isWithoutRoot: tokens.includes("depth-noroot"),
  };
}

/** Fields of a response that followed a preference (RFC 7240 section 3): Preference-Applied, and Vary because the response depends on
 *  the request field. */
export function preferenceApplied(preference: string): Readonly<Record<string, string>> {
  return { "Preference-Applied": preference, Vary: "Prefer, Brief" };
}
