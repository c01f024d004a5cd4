/** A database that was restored from a backup: identifiers that were given out since the backup get no second meaning. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { checkStore } from "#/storage/checks/check.ts";
import { openStore } from "#/storage/open-store.ts";
import { beginAnew } from "#/storage/postgres/begin-anew.ts";
import { findPosition } from "#/storage/queries/accounts/agents.ts";
import { listChanges } from "#/storage/queries/changes.ts";
import { listUids } from "#/storage/queries/mail/entries.ts";
import { findMailbox } from "#/storage/queries/mail/mailboxes.ts";
import { deliver } from "../support/delivery.ts";
import { seedAgent } from "../support/store.ts";
import { dropDatabase, makeDatabase, nameOf, serverUrl } from "./database.ts";

describe.skipIf(serverUrl === undefined)("a database that was put back", () => {
  it("begins anew: UIDVALIDITYs and positions were never used before, and the check finds no fault", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-store-"));
    const url = await makeDatabase();
    let store = await openStore({ folder, database: { url } });
    const ada = await seedAgent(store);
    await deliver(store, [ada]);
    await store.close();
    const backup = await makeDatabase(nameOf(url));
    store = await openStore({ folder, database: { url } });
    const [later] = await deliver(store, [ada]);
    const before = (await findMailbox(store, ada.agent, ada.inbox))!;
    await expect(beginAnew({ url }, Date.now())).rejects.toThrow("A daemon runs on postgres://");
    await store.close();

    await beginAnew({ url: backup }, Date.now());
    store = await openStore({ folder, database: { url: backup } });
    expect(await listUids(store, ada.agent, ada.inbox)).toEqual([1]);
    expect((await findMailbox(store, ada.agent, ada.inbox))!.uidValidity).toBeGreaterThan(before.uidValidity);
    const position = (await findPosition(store, ada.agent))!;
    expect(position.logFloor).toBe(position.modseq - 1);
    expect(position.modseq).toBeGreaterThan(later!.modseq);
    expect(await listChanges(store, ada.agent, position.logFloor, position.modseq, 9)).toMatchObject([
      { kind: "event", event: "mailbox.restored", ids: "0" },
    ]);
    const [next] = await deliver(store, [ada]);
    expect(next!.message).toBeGreaterThan(later!.message);
    expect(await checkStore(store)).toEqual([]);
    await store.close();
    for (const name of [url, backup]) await dropDatabase(name);
    fs.rmSync(folder, { recursive: true });
  });
});
