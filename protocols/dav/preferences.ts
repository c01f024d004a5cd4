/** Prefer (RFC 7240) as WebDAV uses it (RFC 8144), and the older Brief of Microsoft and Apple. */
import type { Preferences } from "./request.ts";

const preferenceLengthMax = 1000;

export function readPreferences(prefer: string, brief: string): Preferences {
  const tokens = prefer
    .slice(0, preferenceLengthMax)
    .split(",")
    .map((one) =>
      one
        .split(";")[0]!
        .trim()
        .toLowerCase()
        .replaceAll('"', "")
        .replace(/\s*=\s*/, "="),
    );
  return {
    isMinimal: tokens.includes("return=minimal") || brief.trim().toLowerCase() === "t",
    isRepresentation: tokens.includes("return=representation"),
    isWithoutRoot: tokens.includes("depth-noroot"),
  };
}

/** What an answer says of the preference that it followed (RFC 7240 section 3); it differs by the field. */
export function preferenceApplied(preference: string): Readonly<Record<string, string>> {
  return { "Preference-Applied": preference, Vary: "Prefer, Brief" };
}
