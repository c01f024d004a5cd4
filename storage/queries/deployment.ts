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

const authorityPrefix = "authority ";

export function authorityRowName(name: string): string {
  return authorityPrefix + name;
}

/** What the daemons on one store share about their certificate authority (`keepAuthorityRow`). */
export async function findAuthorityRow(reader: Reader, name: string): Promise<string | undefined> {
  const row = await reader.get<{ value: Uint8Array }>(
    "select value from deployment where name = ?",
    authorityRowName(name),
  );
  return row && Buffer.from(row.value).toString();
}

export const seedingName = "seeding";
export type Seeding = "begun" | "done";

/** How far the first start has come; undefined before it. */
export async function findSeeding(reader: Reader): Promise<Seeding | undefined> {
  const row = await reader.get<{ value: Uint8Array }>(
    "select value from deployment where name = ?",
    seedingName,
  );
  return row && (Buffer.from(row.value).toString() as Seeding);
}

export const conditionsName = "conditions";

/** The conditions that stood at the last look, as JSON (`src/daemon/conditions`); undefined before the first one. */
export async function findConditions(reader: Reader): Promise<string | undefined> {
  const row = await reader.get<{ value: Uint8Array }>(
    "select value from deployment where name = ?",
    conditionsName,
  );
  return row && Buffer.from(row.value).toString();
}
