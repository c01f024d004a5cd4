/** `npm ci` in the place of a running daemon, and a minute of quiet: then it takes mail, searches, reads a PDF and renews its certificate. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { assertServes, startInstalled } from "../support/installation.ts";

const top = path.resolve(import.meta.dirname, "../..");
/** Threads and readers that nobody uses have ended by then, and the certificates are looked at each minute. */
const quietMs = 60_000;

test("a daemon goes on after npm ci in its place", { timeout: 900_000 }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-installed-"));
  const npmCi = (): void =>
    void execFileSync("npm", ["ci", "--prefer-offline"], { cwd: folder, stdio: "ignore" });
  try {
    for (const name of ["config", "protocols", "src", "storage", "package.json", "package-lock.json"])
      fs.cpSync(path.join(top, name), path.join(folder, name), { recursive: true });
    npmCi();
    await using running = await startInstalled(
      [process.execPath, path.join(folder, "src/start.mjs")],
      (authority) => {
        // Two thirds of it have passed when it is looked at for the second time.
        authority.lifetimeMs = quietMs;
      },
    );
    await assertServes(running, "Before");
    const { authority, daemon } = running;
    const had = authority.given.length;
    npmCi();
    await wait(quietMs);
    expect(daemon.process.exitCode).toBeNull();
    await vi.waitUntil(() => authority.given.length > had, { timeout: 120_000, interval: 100 });
    await assertServes(running, "After");
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
