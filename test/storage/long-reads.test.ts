/** Long reads run on threads that exist only while they are needed. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LongReads } from "#/storage/threads/long-reads.ts";
import { itOnSqlite, openTestStore } from "../support/store.ts";
import { useFreshWriters } from "../support/threads/kept-writers.ts";
import { familyOf } from "../support/threads/process-family.ts";

useFreshWriters();

let started: Worker[];
const note = (worker: Worker): void => void started.push(worker);

beforeEach(() => {
  started = [];
  process.on("worker", note);
});
afterEach(() => void process.off("worker", note));

const scan = (reads: LongReads): Promise<unknown> =>
  reads.scan("deletedBytes", { agent: 1, mailbox: 1 }).then(
    () => "answered",
    (error: { code?: string }) => error.code,
  );

itOnSqlite("opens a store without a thread for long reads", async () => {
  await using test = await openTestStore();
  await test.store.all("select 1");
  expect(started.map(({ threadName }) => threadName)).toEqual(["store-writer"]);
});

it("answers scans on one thread, which ends after a pause, and starts another for the next scan", async () => {
  await using test = await openTestStore();
  started = [];
  const reads = new LongReads(test.store.place, 1);
  expect(await Promise.all([scan(reads), scan(reads)])).toEqual(["answered", "answered"]);
  const [first] = started;
  await once(first!, "exit");
  expect(await scan(reads)).toBe("answered");
  expect(started).toHaveLength(2);
  await reads.close();
});

it("starts another thread after one that failed", async () => {
  await using test = await openTestStore();
  started = [];
  const reads = new LongReads(test.store.place);
  expect(await scan(reads)).toBe("answered");
  await started[0]!.terminate();
  expect(await scan(reads)).toBe("answered");
  await reads.close();
});

it("answers a running scan when it is closed, and refuses later ones", async () => {
  await using test = await openTestStore();
  const reads = new LongReads(test.store.place);
  expect(await scan(reads)).toBe("answered");
  const underWay = scan(reads);
  await Promise.resolve();
  await reads.close();
  expect(await underWay).toBe("answered");
  expect(await scan(reads)).toBe("upstream_unavailable");
});

it("ends a check that is under way when it is closed", async () => {
  await using test = await openTestStore();
  const reads = new LongReads(test.store.place);
  const check = reads.check().catch((error: { code?: string }) => error.code);
  await reads.close();
  expect(await check).toBe("upstream_unavailable");
});

it.runIf(existsSync("/proc/self/task"))(
  "says of a check that its process had not enough memory",
  async () => {
    await using test = await openTestStore();
    const before = new Set(familyOf(process.pid));
    const reads = new LongReads(test.store.place);
    const check = reads.check().catch((error: Error) => error.message);
    const started = await vi.waitUntil(() => familyOf(process.pid).find((pid) => !before.has(pid)), {
      timeout: 60_000,
      interval: 1,
    });
    // As V8 ends it.
    process.kill(started, "SIGABRT");
    expect(await check).toBe(
      "The check needs more memory than its process may have (1024 MiB), and was ended.",
    );
    expect(await reads.check()).toEqual([]);
    await reads.close();
  },
);
