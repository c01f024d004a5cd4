/** A second daemon on the same machine at the same time, with a quiet user and no attack. The waits of that user show how much the
 *  machine itself delays. */
import fs from "node:fs";
import os from "node:os";
import { startChildDaemon } from "../../support/daemon.ts";
import type { Measured } from "./victim.ts";
import { startVictim } from "./victim-process.ts";

export interface Beside extends AsyncDisposable {
  measure(forMs: number): Promise<Measured>;
}

export async function startBeside(): Promise<Beside> {
  const data = fs.mkdtempSync(`${os.tmpdir()}/waypost-beside-`);
  const daemon = await startChildDaemon({ data, agents: 1, set: ["log.level=error", "dns.servers=none"] });
  const { smtp, submission, imap, imaps, http } = daemon;
  const places = { smtp, submission, imap, imaps, http };
  const user = startVictim({ daemon: places, agent: daemon.agents[0]!, actions: [] });
  return {
    measure: (forMs) => user.measure(forMs),
    async [Symbol.asyncDispose]() {
      user.end();
      await daemon.stop();
      fs.rmSync(data, { recursive: true, force: true });
    },
  };
}
