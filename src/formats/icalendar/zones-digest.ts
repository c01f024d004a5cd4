/** A digest of all time zones of this process: it differs if any zone has a different offset at any time. A newer tz database of
 *  the runtime may change past offsets, future offsets or none. */
import { createHash } from "node:crypto";

/** The tz database lists single changes up to 2037; later changes follow the rules of the years before. */
const fromMs = Date.UTC(1900, 0);
const toMs = Date.UTC(2050, 0);

/** About 0.2 s of work; `turn` is awaited between two zones. */
export async function digestZones(turn: () => Promise<void>): Promise<string> {
  const hash = createHash("sha256");
  const from = Temporal.Instant.fromEpochMilliseconds(fromMs);
  for (const name of Intl.supportedValuesOf("timeZone")) {
    let at: Temporal.ZonedDateTime | null = from.toZonedDateTimeISO(name);
    hash.update(`${name}\n`);
    while (at !== null && at.epochMilliseconds < toMs) {
      hash.update(`${at.epochMilliseconds} ${at.offsetNanoseconds}\n`);
      at = at.getTimeZoneTransition("next");
    }
    await turn();
  }
  return hash.digest("base64url");
}
