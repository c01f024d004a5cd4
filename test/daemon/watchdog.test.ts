/** A main thread that stands still ends its process, and the restart does not read what it stood still at. */
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { expect, it } from "vitest";
import { postJson } from "../support/clients/events.ts";
import { type ChildDaemon, startChildDaemon } from "../support/daemon.ts";

const slowStart = new URL("../support/slow-start.ts", import.meta.url).href;
const standingStill = new URL("../support/standing-still.ts", import.meta.url).href;

async function receive({ smtp: { host, port } }: ChildDaemon, to: string): Promise<void> {
  const transport = createTransport({ host, port, secure: false, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from: "stranger@example.net", to, subject: "a", text: "please stand still\n" });
  transport.close();
}

it("is ended with its stack in the log, and the next one gives the text without reading it", async () => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-watchdog-"));
  const log = path.join(data, "log");
  const start = (agents: number) =>
    startChildDaemon({
      ...{ data, agents, set: [`log.file=${log}`] },
      env: { ...process.env, NODE_OPTIONS: `--import=${standingStill}` },
    });
  try {
    const first = await start(1);
    const { address, token } = first.agents[0]!;
    await receive(first, address);
    const { content } = await postJson(first.http.url, "search", token, { folder: "inbox", limit: 1 });
    const reply = { id: content.items[0].id, part: "body", render: "reply" };
    const ended = once(first.process, "exit");
    await postJson(first.http.url, "part.describe", token, reply).catch(() => {});
    expect(await ended).toEqual([null, "SIGKILL"]);
    const lines = fs.readFileSync(log, "utf8").trim().split("\n");
    const { level, stack, quarantined } = JSON.parse(lines.at(-1)!);
    expect(level).toBe("fatal");
    expect(stack).toMatch(/^at standStill \(.*standing-still\.ts.*\n.*at cutReply/);
    expect(fs.readFileSync(path.join(data, "quarantine"), "utf8")).toContain(quarantined);

    const second = await start(0);
    const answer = await postJson(second.http.url, "part.describe", token, reply);
    expect(JSON.stringify(answer)).toContain("please stand still");
    await second.stop();
  } finally {
    fs.rmSync(data, { recursive: true, force: true });
  }
});

it("counts neither an upgrade before the ports are open nor a paused machine", async () => {
  await using daemon = await startChildDaemon({
    env: { ...process.env, NODE_OPTIONS: `--import=${slowStart}` },
  });
  expect(daemon.startMs).toBeGreaterThan(3000);
  daemon.process.kill("SIGSTOP");
  await wait(3000);
  daemon.process.kill("SIGCONT");
  await receive(daemon, daemon.agents[0]!.address);
  await wait(1000);
  expect([daemon.process.exitCode, daemon.process.signalCode]).toEqual([null, null]);
});
