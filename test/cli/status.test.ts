/** An operator sees what was refused and to whom, in a log line each minute and as counts. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { startInProcessDaemon } from "../support/daemon.ts";

test("shows the number of refusals of each share, and the log has one line for each owner and minute", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-status-"));
  const log = path.join(folder, "log");
  try {
    await using server = await startInProcessDaemon({
      data: path.join(folder, "data"),
      set: ["limits.streams_per_token=1", `log.file=${log}`],
    });
    const { token } = server.agents[0]!;
    const gone = new AbortController();
    const watch = (signal?: AbortSignal) =>
      fetch(`${server.http.url}/v1/watch`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: "{}",
        ...(signal === undefined ? {} : { signal }),
      });
    const stream = await watch(gone.signal);
    expect(stream.status).toBe(200);
    for (let count = 0; count < 3; count++) {
      const refused = await watch();
      expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("rate_limited")]);
    }
    const { stdout } = await runCommand(folder, ["status", "--json", "--data", path.join(folder, "data")]);
    expect(JSON.parse(stdout)).toMatchObject({
      pid: process.pid,
      listeners: { smtp: server.smtp },
      refused: [{ share: "streams", reason: "share", count: 3 }],
    });
    gone.abort();
    await server.daemon.close();
    const lines = fs.readFileSync(log, "utf8").split("\n");
    const told = lines.filter((line) => line.includes("refused for its share"));
    expect(told.map((line) => JSON.parse(line))).toMatchObject([{ share: "streams", reason: "share" }]);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
