/** The daemon stays up: after each tool of MCP and a search whose client has gone, and when another command takes away its program, its libraries and Node. On both
 *  engines. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test, vi } from "vitest";
import type { OperationName } from "#/protocols/json/registry.ts";
import { type ChildDaemon, startChildDaemon } from "../support/daemon.ts";
import { cutAfter, operationInputs } from "../support/every-verb.ts";
import {
  assertServes,
  call,
  deliver,
  install,
  installed,
  layLibraries,
  startInstalled,
} from "../support/installation.ts";
import { threadNames } from "../support/threads/process-family.ts";

const fromHere = (file: string): string => new URL(file, import.meta.url).pathname;
/** From source, where idle times are a thousandth. */
const impatient = [
  process.execPath,
  "--disable-warning=ExperimentalWarning",
  "--import",
  fromHere("../support/scaled-idle.ts"),
  fromHere("../../src/main.ts"),
];

/** Until each thread that nobody uses has ended: then every idle time is over. */
async function untilIdle(daemon: ChildDaemon): Promise<void> {
  const { pid } = daemon.process;
  const isIdle = (): boolean =>
    threadNames(pid!).every((name) => !/^(search-index|store-reader|preparer|texts)/.test(name));
  await vi.waitUntil(() => daemon.process.exitCode !== null || isIdle(), {
    timeout: 60_000,
    interval: 20,
  });
  expect(daemon.process.exitCode, daemon.stderr()).toBeNull();
}

async function answersLater(daemon: ChildDaemon): Promise<void> {
  expect(await deliver(daemon, "Afterwards")).toMatch(/^250 /);
  await vi.waitFor(
    async () => expect(await call(daemon, "search", { q: "afterwards" })).toContain("Afterwards"),
    { timeout: 60_000, interval: 50 },
  );
}

const hasTasks = fs.existsSync("/proc/self/task");

test.runIf(hasTasks)("goes on after each tool of MCP, and quiet", async () => {
  await using daemon = await startChildDaemon({ command: impatient });
  expect(await deliver(daemon, "Before")).toMatch(/^250 /);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${daemon.http.url}/mcp?tools=all`), {
      requestInit: { headers: { Authorization: `Bearer ${daemon.agents[0]!.token}` } },
    }),
  );
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["search", "part_describe", "send"]));
  // Many are refused, because what they name is not there; each is answered.
  for (const { name } of tools) {
    const input = operationInputs[name.replaceAll("_", ".") as OperationName](daemon.agents[0]!.id);
    await client.callTool({ name, arguments: input as never }).catch(() => {});
  }
  await untilIdle(daemon);
  // The one tool that has ended a daemon, alone.
  await client.callTool({ name: "search", arguments: { q: "before" } });
  await client.close();
  await untilIdle(daemon);
  await answersLater(daemon);
});

test.runIf(hasTasks)("goes on after SEARCH FROM, LOGOUT or a cut, and quiet", async () => {
  await using daemon = await startChildDaemon({ command: impatient, set: ["metrics.enabled=true"] });
  const { address, password } = daemon.agents[0]!;
  const search = `a LOGIN ${address} "${password}"\r\nb SELECT INBOX\r\nc SEARCH FROM x\r\n`;
  for (const [text, until] of [
    [`${search}d LOGOUT\r\n`, /^d OK/m],
    [search, /^c OK/m],
    // Gone before the answer.
    [search, /^b OK/m],
  ] as const) {
    await cutAfter(daemon.imap.port, text, until);
    await untilIdle(daemon);
  }
  await answersLater(daemon);
  for (const { url } of [daemon.http, daemon.metrics])
    await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(200);
});

test("needs nothing of what npm ci, other starts or an upgrade of Node take away", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-own-files-"));
  try {
    const { node, start } = install(folder);
    const laid = Promise.withResolvers<void>();
    await using running = await startInstalled([node, start], (authority) => {
      // Its first certificate is obtained after all that follows.
      authority.opened = laid.promise;
    });
    layLibraries(folder);
    // Others start from changed source meanwhile.
    const changed = path.join(folder, "src/cli/program.ts");
    for (let version = 0; version < 2; version++) {
      fs.appendFileSync(changed, "\n");
      execFileSync(process.execPath, [start, "--version"], { stdio: "ignore" });
    }
    fs.renameSync(path.join(folder, "node_modules"), path.join(folder, "elsewhere"));
    for (const name of installed) fs.rmSync(path.join(folder, name), { recursive: true, force: true });
    laid.resolve();
    await assertServes(running, "Zeppelin");
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
