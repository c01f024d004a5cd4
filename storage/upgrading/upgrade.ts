/** `waypost upgrade`: what the steps of the schema will do to a store that nobody has open, and then the steps. */
import fs from "node:fs";
import path from "node:path";
import { WaypostError } from "#/src/model/errors.ts";
import { lockStore } from "../folder-lock.ts";
import { databaseFile, openReading, SqliteSql } from "../sqlite/connection.ts";
import { backupFile, freeBytes, planOf } from "../sqlite/migrate.ts";
import { openWriter } from "../sqlite/open-writer.ts";
import { dropForeignLog } from "../sqlite/restore.ts";
import type { DatabasePlace, Progress, StorePlace } from "../store.ts";
import type { UpgradePlan } from "./upgrade-plan.ts";

export interface Upgrade extends AsyncDisposable {
  readonly plan: UpgradePlan;
  /** The copy that is made before the first step; undefined where the engine makes its own backups. */
  readonly backup: { readonly file: string; readonly bytes: number; readonly freeBytes: number } | undefined;
  /** Makes the copy, then takes the steps. What was done of them stays when a later one fails. Throws `precondition_failed`, and takes none, where
   *  daemons run on the database. */
  carryOut(onProgress?: Progress): Promise<void>;
}

/** Holds a store in a file until it is disposed of, so that nobody starts it meanwhile. Throws what `lockStore` does, and for a store from a newer version.
 *  `backup`: another place for the copy. */
export async function prepareUpgrade(place: StorePlace, backup?: string): Promise<Upgrade> {
  if (place.database !== undefined) return prepareOnPostgres(place.database);
  const { folder } = place;
  if (!fs.existsSync(databaseFile(folder)))
    throw new WaypostError("not_found", `There is no store in ${folder}.`);
  const lock = lockStore(folder);
  try {
    // A copy that was put back here may have the log of another store beside it.
    dropForeignLog(folder);
    const database = openReading(folder);
    const plan = await planOf(new SqliteSql(database), folder).finally(() => database.close());
    const file = backup ?? backupFile(folder, plan.from, Date.now());
    const copy = {
      file,
      bytes: fs.statSync(databaseFile(folder)).size,
      freeBytes: freeBytes(path.dirname(file)),
    };
    return {
      plan,
      backup: copy,
      async carryOut(onProgress) {
        const options = {
          isAsked: true,
          backup: copy.file,
          ...(onProgress === undefined ? {} : { onProgress }),
        };
        (await openWriter(folder, options)).close();
      },
      async [Symbol.asyncDispose]() {
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function prepareOnPostgres(database: DatabasePlace): Promise<Upgrade> {
  const [{ connect }, { migrate, planOf: planOnPostgres }, heartbeats] = await Promise.all([
    import("../postgres/connection.ts"),
    import("../postgres/migrate.ts"),
    import("../postgres/heartbeats.ts"),
  ]);
  const { assertNoDaemons, listenMs, nameOfDatabase } = heartbeats;
  const sql = await connect(database);
  try {
    return {
      plan: await planOnPostgres(sql),
      backup: undefined,
      async carryOut() {
        // Not earlier: between the plan and the answer of the operator there may be hours.
        await assertNoDaemons(sql, nameOfDatabase(database.url), listenMs);
        await migrate(sql, Date.now(), undefined, { isAsked: true });
      },
      [Symbol.asyncDispose]: () => sql.close(),
    };
  } catch (error) {
    await sql.close();
    throw error;
  }
}
