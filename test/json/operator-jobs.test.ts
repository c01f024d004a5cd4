/** Every operation of the operator that is a job ends with the credential that began it. Which ones are jobs is what the source says:
 *  whatever calls `jobs.run`. */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createJobs } from "#/src/accounts/administration/jobs.ts";
import type { LargeWorks } from "#/src/accounts/administration/large-works.ts";
import type { Watcher } from "#/src/accounts/administration/operation-call.ts";
import { createOperatorDoor, remoteOperations } from "#/src/accounts/administration/operator-door.ts";
import { runPrivateOperation } from "#/src/daemon/private-operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";

let server: InProcessDaemon;
beforeAll(async () => {
  server = await startInProcessDaemon({ set: ["log.level=silent", "dns.servers=none"] });
});
afterAll(() => server[Symbol.asyncDispose]());

const files = ["src", "protocols"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name}`)
    .filter((name) => name.endsWith(".ts")),
);
const textOf = (file: string): string => readFileSync(file, "utf8");

/** What each takes beside the works, which never end by themselves. */
const inputs: Readonly<Record<string, () => Record<string, unknown>>> = {
  "collection.import": () => ({ owner: server.agents[0]!.address, file: "in.ics" }),
  "collection.export": () => ({ owner: server.agents[0]!.address, file: "out.ics" }),
  "mail.import": () => ({ owner: server.agents[0]!.address, file: "in.mbox" }),
  "mail.export": () => ({ owner: server.agents[0]!.address, file: "out.tar" }),
  "mail.trace": () => ({ id: "<x@y.example>" }),
  "store.backup": () => ({ file: "copy.db" }),
  "store.check": () => ({}),
};

/** Every work waits until it is told to end. */
const endless = new Proxy({} as LargeWorks, {
  get:
    () =>
    (...all: unknown[]) => {
      const { signal } = all.at(-1) as Watcher;
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    },
});

async function begin(operation: string) {
  const { house } = server.daemon;
  const signal = new AbortController().signal;
  const locally = (name: string, input: Record<string, unknown>) =>
    runPrivateOperation(house, { operation: name, input, signal, onProgress() {}, onFrame() {} });
  const jobs = createJobs(house.store.clock, 1, 5);
  const door = createOperatorDoor({ ...house, jobs, works: endless });
  const { number } = (await locally("operator.create", { name: operation })) as { number: number };
  const operator = (await door.find(number))!;
  let isSignedIn = true;
  const answer = await door.call({
    ...{ operator, operation, requestId: "", readInput: async () => ({}) },
    parse: () => ({ input: inputs[operation]?.() ?? {}, key: undefined }),
    isSignedIn: async () => isSignedIn,
  });
  return {
    jobs,
    answer,
    state: () => jobs.show(atCommandLine, answer.job as number),
    ends: {
      "its token is revoked": () => locally("operator.revoke", { number }),
      "its session ends": async () => {
        isSignedIn = false;
      },
    },
  };
}

const rows = Object.keys(inputs).flatMap((operation) =>
  (["its token is revoked", "its session ends"] as const).map((end) => ({ operation, end })),
);

test.each(rows)("$operation ends when $end", async ({ operation, end }) => {
  const { jobs, answer, state, ends } = await begin(operation);
  await using _ = jobs;
  expect(answer).toMatchObject({ operation, state: "running" });
  await ends[end]();
  await expect
    .poll(state, { timeout: 60_000 })
    .toMatchObject({ state: "cancelled", error: { code: "unauthorized" } });
});

test("the table has every operation that is a job", () => {
  const named = files.flatMap((file) =>
    [...textOf(file).matchAll(/\bjobs(?:Of\(rooms\))?\.run\(\s*[`"]([^`"]+)[`"]/g)].map(([, name]) => name!),
  );
  const operations = remoteOperations.map(({ name }) => name);
  const begun = operations.filter((name) =>
    named.some((one) => one === name || (one.includes("${") && name.startsWith(one.split("$")[0]!))),
  );
  expect(begun.toSorted()).toEqual(Object.keys(inputs).toSorted());
  // Whoever begins one names it there, so that this test finds it.
  const calls = files.flatMap((file) => textOf(file).match(/\bjobs(?:Of\(rooms\))?\.run\(/g) ?? []);
  expect(calls).toHaveLength(named.length);
});

test("no work of the store is asked for beside a job", () => {
  const asking = files.filter((file) =>
    /\bworks(?:Of\(rooms\))?\.(?:check|backup|verifyBackup|transferItems|importMail|exportMail|traceLog)\(/.test(
      textOf(file),
    ),
  );
  expect(asking.toSorted()).toEqual([
    "src/accounts/administration/server.ts",
    "src/accounts/administration/trace.ts",
    "src/accounts/administration/transfers.ts",
    "src/sign-in/own-export.ts",
  ]);
});
