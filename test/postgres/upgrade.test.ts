/** A database with the schema of an earlier version, on which daemons of that version may still run. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { migrations } from "#/storage/migrations/index.ts";
import { openStore } from "#/storage/open-store.ts";
import { beginAnew } from "#/storage/postgres/begin-anew.ts";
import { connect } from "#/storage/postgres/connection.ts";
import { migrate } from "#/storage/postgres/migrate.ts";
import { openPostgresSide } from "#/storage/postgres/moving-side.ts";
import { prepareUpgrade } from "#/storage/upgrading/upgrade.ts";
import { change, dropDatabase, makeDatabase, serverUrl } from "./database.ts";

const newest = migrations.length;

async function schemaOf(url: string): Promise<number> {
  const sql = await connect({ url });
  const [version] = await sql.column<number>("select max(version) as version from schema_version");
  await sql.close();
  return version!;
}

describe.skipIf(serverUrl === undefined)("a database of a former schema", () => {
  it("is not changed by upgrade, move or begin-anew while a daemon runs on it", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-store-"));
    const url = await makeDatabase();
    const store = await openStore({ folder, database: { url } });
    await change(url, `delete from schema_version where version = ${newest}`);
    const refusal = "A daemon runs on postgres://";
    await using upgrade = await prepareUpgrade({ folder, database: { url } });
    expect(upgrade.plan.steps.map(({ step }) => step)).toEqual([newest]);
    await Promise.all([
      expect(upgrade.carryOut()).rejects.toThrow(refusal),
      expect(beginAnew({ url }, Date.now())).rejects.toThrow(refusal),
    ]);
    await expect(openPostgresSide({ url })).rejects.toThrow(refusal);
    expect(await schemaOf(url)).toBe(newest - 1);
    await store.close();
    await upgrade[Symbol.asyncDispose]();
    await dropDatabase(url);
    fs.rmSync(folder, { recursive: true });
  });

  it("is upgraded when its daemons have ended, also those that were killed", async () => {
    const url = await makeDatabase();
    const sql = await connect({ url });
    await migrate(sql, Date.now(), migrations.slice(0, -1));
    await sql.run("insert into daemon (daemon, beat) values ('killed', 7)");
    await sql.close();
    {
      await using upgrade = await prepareUpgrade({ folder: "", database: { url } });
      await upgrade.carryOut();
    }
    expect(await schemaOf(url)).toBe(newest);
    await dropDatabase(url);
  });
});
