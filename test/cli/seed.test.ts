/** The first start creates an account, an agent and a person, also when it is ended on the way. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { seedFirstRun } from "#/src/cli/seed.ts";
import { startDaemon } from "#/src/daemon/daemon.ts";
import type { House } from "#/src/daemon/house.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { testSettings } from "../support/daemon.ts";

/** A house whose store refuses every write after so many. */
function refusingAfter(house: House, count: number): House {
  let written = 0;
  const store = new Proxy(house.store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name !== "write") return member.bind(target);
      return (...args: unknown[]) => {
        if (++written > count) throw new Error("the process ends here");
        return member.apply(target, args);
      };
    },
  });
  return { ...house, store };
}

async function withHouse(work: (house: House) => Promise<void>): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-seed-"));
  const daemon = await startDaemon(testSettings(folder, ["server.domain=waypost.test"]));
  try {
    await work(daemon.house);
  } finally {
    await daemon.close();
    fs.rmSync(folder, { recursive: true });
  }
}

it("is continued by the next start, wherever it ended, and then done", async () => {
  for (let count = 0; ; count++) {
    let isWhole = false;
    await withHouse(async (house) => {
      const first = await seedFirstRun(refusingAfter(house, count)).catch(() => undefined);
      isWhole = first !== undefined;
      const made = first ?? (await seedFirstRun(house));
      expect(made.map(({ address }) => address)).toEqual(["agent@waypost.test", "person@waypost.test"]);
      const [, person] = await Promise.all(
        made.map(({ address, password }) =>
          house.accounts.authenticatePassword(address, password, "127.0.0.1"),
        ),
      );
      expect(person!.scopes).toContain("approve");
      await house.accounts.authenticateToken(made[0]!.token!, "127.0.0.1");
      const shown = await administer(atCommandLine, house, "agent.show", { owner: "agent@waypost.test" });
      expect(shown.approver).toBe("person@waypost.test");
      expect(await seedFirstRun(house)).toEqual([]);
    });
    if (isWhole) break;
    expect(count).toBeLessThan(50);
  }
});

it("creates nothing where an operator has made an account", async () => {
  await withHouse(async (house) => {
    await administer(atCommandLine, house, "account.create", { name: "ours" });
    expect(await seedFirstRun(house)).toEqual([]);
  });
});
