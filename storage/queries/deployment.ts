/** What is known of the deployment as a whole. */
import type { Reader } from "../sql.ts";

export const zonesDigestName = "time zones of periods";

/** Of the time zones that the periods of items rest on; undefined before the first maintenance. */
export async function findZonesDigest(reader: Reader): Promise<string | undefined> {
  const row = await reader.get<{ value: Uint8Array }>(
    "select value from deployment where name = ?",
    zonesDigestName,
  );
  return row && Buffer.from(row.value).toString();
}
