/** Facts about the whole deployment. */
import type { Reader } from "../sql.ts";

export const zonesDigestName = "time zones of periods";

/** The digest of the time zones from which the periods of items were computed; undefined before the first maintenance. */
export async function findZonesDigest(reader: Reader): Promise<string | undefined> {
  const row = await reader.get<{ value: Uint8Array }>(
    "select value from deployment where name = ?",
    zonesDigestName,
  );
  return row && Buffer.from(row.value).toString();
}
