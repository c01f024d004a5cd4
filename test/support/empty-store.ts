/** An empty store with a secret of its own. The schema is made once for all tests of a process. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { databaseFile, openWriting } from "#/storage/sqlite/connection.ts";
import { migrate } from "#/storage/sqlite/migrate.ts";
import { engine } from "./engine.ts";

interface EmptyStore {
  readonly octets: Buffer;
  /** The position of the secret in the file. Each store gets a secret of its own. */
  readonly secretAt: number;
  readonly secretLength: number;
}

let empty: Promise<EmptyStore> | undefined;

/** Writes an empty store into the folder. On PostgreSQL it does nothing. */
export async function layEmptyStore(folder: string): Promise<void> {
  if (engine !== "sqlite") return;
  empty ??= makeEmptyStore();
  const { octets, secretAt, secretLength } = await empty;
  randomBytes(secretLength).copy(octets, secretAt);
  fs.writeFileSync(databaseFile(folder), octets, { mode: 0o600 });
}

async function makeEmptyStore(): Promise<EmptyStore> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-empty-"));
  try {
    const database = openWriting(folder);
    await migrate(database, folder, 0);
    const secret = database
      .prepare("select value from deployment where name = 'secret'")
      .pluck()
      .get() as Buffer;
    database.close();
    const octets = fs.readFileSync(databaseFile(folder));
    return { octets, secretAt: octets.indexOf(secret), secretLength: secret.byteLength };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
