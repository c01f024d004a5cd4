/** Compare-and-swap on a stored object ("Versioning" of the interface): without the version that it has now nothing is
 *  changed, and the refusal says which that is. */
import { WaypostError } from "#/src/model/errors.ts";

export function assertVersion(given: string | undefined, version: string, what: string): void {
  if (given === version) return;
  throw new WaypostError(
    "precondition_failed",
    given === undefined
      ? `Changing this ${what} needs the version that was read`
      : `The ${what} has changed since that version`,
    { version, hint: "Read it again, or send this version." },
  );
}
