/** The daemon is killed while a folder with more members than one write changes is copied, moved or deleted. No member is lost or doubled: a
 *  move goes on, by itself or by the same request, a copy is taken back, and a deletion leaves what it has not come to. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { itemChangesMax } from "#/src/model/limits.ts";
import { basic, type DavClient, davClient, readResponses } from "../support/clients/dav-client.ts";
import { type ChildDaemon, manyRequests, startChildDaemon } from "../support/daemon.ts";

const count = itemChangesMax + 100;
let daemon: ChildDaemon;
let home: string;
let ada: DavClient;

beforeAll(async () => {
  daemon = await startChildDaemon({ set: [...manyRequests] });
  home = `/dav/files/${daemon.agents[0]!.id}/`;
  connect();
});
afterAll(() => daemon[Symbol.asyncDispose]());

function connect(): void {
  const { address, password } = daemon.agents[0]!;
  ada = davClient(daemon.http.url, basic(address, password));
}

/** Files of 200 octets, half of them in a folder of its own. */
async function fill(folder: string): Promise<readonly string[]> {
  for (const one of [folder, `${folder}/deep`])
    expect((await ada.request("MKCOL", `${home}${one}/`)).status).toBe(201);
  const names = Array.from({ length: count }, (_, n) => `${n % 2 ? "deep/" : ""}${n}`);
  for (let at = 0; at < count; at += 50)
    await Promise.all(
      names
        .slice(at, at + 50)
        .map((name) => ada.request("PUT", `${home}${folder}/${name}`, name.padEnd(200, "."))),
    );
  return names.toSorted();
}

/** The files below a folder; undefined for none. */
async function list(folder: string): Promise<readonly string[] | undefined> {
  const found: string[] = [];
  for (const one of [`${folder}/`, `${folder}/deep/`]) {
    const answer = await ada.request("PROPFIND", `${home}${one}`, undefined, { Depth: "1" });
    if (answer.status === 404 && one === `${folder}/`) return undefined;
    if (answer.status === 404) continue;
    for (const { href } of readResponses(answer))
      if (!href.endsWith("/")) found.push(href.slice(`${home}${folder}/`.length));
  }
  return found.toSorted();
}

/** Sends a request, and kills the daemon when its first slice is written: `first` is there, or not there any more. The answer that its
 *  caller got. */
async function killIn(method: string, folder: string, headers: Record<string, string>, first: string) {
  const status = async () => (await ada.request("HEAD", `${home}${first}`)).status;
  const before = await status();
  let answer: number | "none" | undefined;
  const answered = ada.request(method, `${home}${folder}/`, undefined, headers).then(
    (got) => {
      answer = got.status;
    },
    () => {
      answer = "none";
    },
  );
  while (answer === undefined && (await status()) === before);
  await daemon.restart("SIGKILL");
  await answered;
  connect();
  return answer;
}

const to = (folder: string) => ({ Destination: `${home}${folder}/` });

test("a move goes on at the next start", async () => {
  const names = await fill("a");
  expect(await killIn("MOVE", "a", to("a-moved"), "a-moved/0")).toBe("none");
  const kept = [...((await list("a")) ?? []), ...((await list("a-moved")) ?? [])];
  expect(kept.toSorted()).toEqual(names);
  await vi.waitUntil(async () => (await list("a")) === undefined, { timeout: 60_000, interval: 100 });
  expect(await list("a-moved")).toEqual(names);
  const read = await ada.request("GET", `${home}a-moved/deep/1`);
  expect(read.text).toBe("deep/1".padEnd(200, "."));
});

test("a move that is asked for again, and may overwrite, loses nothing that was moved before", async () => {
  const names = await fill("b");
  expect(await killIn("MOVE", "b", to("b-moved"), "b-moved/0")).toBe("none");
  const again = await ada.request("MOVE", `${home}b/`, undefined, { ...to("b-moved"), Overwrite: "T" });
  // The start may have been quicker.
  expect([201, 204, 404]).toContain(again.status);
  await vi.waitUntil(async () => (await list("b")) === undefined, { timeout: 60_000, interval: 100 });
  expect(await list("b-moved")).toEqual(names);
});

test("a copy is taken back, and can be asked for again", async () => {
  const names = await fill("c");
  expect(await killIn("COPY", "c", to("c-copy"), "c-copy/0")).toBe("none");
  expect(await list("c")).toEqual(names);
  await vi.waitUntil(async () => (await list("c-copy")) === undefined, { timeout: 60_000, interval: 100 });
  expect((await ada.request("COPY", `${home}c/`, undefined, to("c-copy"))).status).toBe(201);
  expect([await list("c"), await list("c-copy")]).toEqual([names, names]);
});

test("a deletion leaves the rest, and completes when it is asked for again", async () => {
  const names = await fill("d");
  // The last members are one slice.
  expect(["none", 204]).toContain(await killIn("DELETE", "d", {}, "d/deep/999"));
  const left = await list("d");
  if (left !== undefined) {
    expect(new Set(names).isSupersetOf(new Set(left))).toBe(true);
    expect((await ada.request("DELETE", `${home}d/`)).status).toBe(204);
  }
  expect(await list("d")).toBeUndefined();
});

test("a move goes on to its end when its client has gone", async () => {
  const names = await fill("e");
  const gone = new AbortController();
  const { address, password } = daemon.agents[0]!;
  const answer = fetch(`${daemon.http.url}${home}e/`, {
    method: "MOVE",
    headers: { ...to("e-moved"), Authorization: `Basic ${btoa(`${address}:${password}`)}` },
    signal: gone.signal,
  }).catch(() => "gone");
  await vi.waitUntil(async () => ((await list("e-moved"))?.length ?? 0) > 0, {
    timeout: 60_000,
    interval: 5,
  });
  gone.abort();
  await answer;
  await vi.waitUntil(async () => (await list("e")) === undefined, { timeout: 60_000, interval: 100 });
  expect(await list("e-moved")).toEqual(names);
});
