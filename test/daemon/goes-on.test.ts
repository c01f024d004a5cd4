/** A daemon goes on after everything that a client can do, also when the client has gone and everything idle has ended. */
import fs from "node:fs";
import { expect, test, vi } from "vitest";
import { type ChildDaemon, manyRequests, startChildDaemon } from "../support/daemon.ts";
import { cutAfter, doors, knockAt } from "../support/every-verb.ts";
import { threadNames } from "../support/threads/process-family.ts";

const hasProc = fs.existsSync("/proc/self/task");
const fromHere = (file: string): string => new URL(file, import.meta.url).pathname;

/** From source, so that idle times can be set. */
const impatient = [
  process.execPath,
  "--disable-warning=ExperimentalWarning",
  "--import",
  fromHere("../support/scaled-idle.ts"),
  fromHere("../../src/main.ts"),
];

/** Threads that end when nobody uses them. */
function idleThreads({ process: { pid } }: ChildDaemon): string[] {
  return threadNames(pid!).filter((name) =>
    /^(search-index|store-reader|preparer|html|documents)/.test(name),
  );
}

async function untilIdle(daemon: ChildDaemon): Promise<void> {
  await vi.waitUntil(() => daemon.process.exitCode !== null || idleThreads(daemon).length === 0, {
    timeout: 60_000,
    interval: 20,
  });
}

async function search(daemon: ChildDaemon): Promise<unknown> {
  const response = await fetch(`${daemon.http.url}/v1/search`, {
    method: "POST",
    headers: { Authorization: `Bearer ${daemon.agents[0]!.token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ q: "hello" }),
  });
  return response.json();
}

test.runIf(hasProc)("goes on after a search whose client has gone, when the search index ends", async () => {
  await using daemon = await startChildDaemon({ command: impatient });
  const { address, password, token } = daemon.agents[0]!;
  await untilIdle(daemon);
  const login = `a LOGIN ${address} "${password}"\r\nb SELECT INBOX\r\n`;
  expect(await cutAfter(daemon.imap.port, `${login}c SEARCH FROM x\r\nd LOGOUT\r\n`, /^d OK/m)).toContain(
    "c OK",
  );
  await untilIdle(daemon);
  expect(daemon.process.exitCode).toBeNull();
  const { port } = new URL(daemon.http.url);
  for (const [path, body] of [
    ["/v1/search", { q: "x" }],
    [
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search", arguments: { q: "x" } } },
    ],
  ] as const) {
    const text = JSON.stringify(body);
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${text.length}\r\n\r\n`;
    expect(await cutAfter(Number(port), head + text, /^HTTP\/1.1 /)).toContain("200 OK");
    await untilIdle(daemon);
    expect(daemon.process.exitCode).toBeNull();
  }
  expect(await search(daemon)).toMatchObject({ kind: "listing" });
});

test.runIf(hasProc)("goes on after every verb of every door", { timeout: 120_000 }, async () => {
  await using daemon = await startChildDaemon({ command: impatient, set: manyRequests });
  for (const door of doors) await knockAt(door, { daemon });
  await untilIdle(daemon);
  expect(daemon.process.exitCode).toBeNull();
  expect(await search(daemon)).toMatchObject({ kind: "listing" });
});
