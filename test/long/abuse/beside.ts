/** A second daemon with a quiet user that nobody attacks, on the same machine at the same time: what that user waits is what the machine
 *  does, and not the product. */
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
