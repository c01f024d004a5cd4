/** Uploads of long bodies to a slow object store: a server on loopback that answers a PUT when the test allows it. */

import { randomBytes } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { objectPutsAtOnce } from "#/src/model/limits.ts";
import { openS3Objects } from "#/storage/objects/s3-objects.ts";
import { deliver } from "../support/delivery.ts";
import { openTestStore, seedAgent, testFacts } from "../support/store.ts";

/** Of a machine with much other work. */
const patience = { timeout: 60_000 };

async function openSlowServer() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-objects-"));
  const keyFile = path.join(folder, "key");
  fs.writeFileSync(keyFile, "id\nsecret\n");
  const held: ((status: number) => void)[] = [];
  const seen: string[] = [];
  const bodies = new Map<string, Buffer>();
  const listener = http.createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method, url = "", headers } = request;
      if (method === "PUT") {
        bodies.set(url, Buffer.concat(pieces));
        held.push((status) => response.writeHead(status).end());
      } else if (method === "GET") {
        const [, start, last] = /^bytes=([0-9]+)-([0-9]+)$/.exec(headers.range!)!;
        response.writeHead(206).end(bodies.get(url)!.subarray(Number(start), Number(last) + 1));
      } else response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  return {
    place: { url: `s3://mail/a?endpoint=http://127.0.0.1:${port}`, keyFile },
    held,
    count: (method: string) => seen.filter((line) => line.startsWith(method)).length,
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
      fs.rmSync(folder, { recursive: true });
    },
  };
}

it("counts their octets with the waiting writes, and refuses more as busy", async () => {
  await using server = await openSlowServer();
  await using test = await openTestStore({ objects: server.place });
  const { store } = test;
  const ada = await seedAgent(store);
  const facts = await testFacts(
    randomBytes(8 * 1024 * 1024)
      .toString("latin1")
      .slice(0, 6 * 1024 * 1024),
  );
  const appendOne = () =>
    store.write(nobody, "appendMessages", {
      actor: nobody,
      agent: ada.agent,
      mailbox: ada.inbox,
      messages: [
        { facts, flags: 0, keywords: [], internalDate: 0, provenance: "{}", isAuthenticated: false },
      ],
      at: 0,
    });
  const octets = facts.blob.chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const writes: Promise<unknown>[] = [];
  for (let under = 0; under < 64 * 1024 * 1024; under += 2 * octets) {
    expect(store.isBusy()).toBe(false);
    writes.push(appendOne());
  }
  expect(store.isBusy()).toBe(true);
  await expect(appendOne()).rejects.toMatchObject({ details: { reason: "busy" } });
  await expect.poll(() => server.held.length, patience).toBe(writes.length);
  for (const answer of server.held) answer(200);
  await Promise.all(writes);
  expect(store.isBusy()).toBe(false);
});

it("puts a body for several accounts, a few at a time, and removes all of them when one is refused", async () => {
  await using server = await openSlowServer();
  await using test = await openTestStore({ objects: server.place });
  const { store } = test;
  const people = [];
  for (let at = 0; at < objectPutsAtOnce + 2; at++)
    people.push(await seedAgent(store, `p${at}`, { account: `a${at}` }));
  const text = randomBytes(300_000).toString("base64");
  const delivered = deliver(store, people, text);
  await expect.poll(() => server.held.length, patience).toBe(objectPutsAtOnce);
  server.held.shift()!(200);
  await expect.poll(() => server.count("PUT"), patience).toBe(objectPutsAtOnce + 1);
  for (const answer of server.held.splice(0, objectPutsAtOnce - 1)) answer(200);
  await expect.poll(() => server.held.length, patience).toBe(2);
  for (const answer of server.held.splice(0)) answer(200);
  expect(await delivered).toHaveLength(people.length);

  const refused = expect(deliver(store, people, text)).rejects.toMatchObject({
    code: "upstream_unavailable",
  });
  await expect.poll(() => server.held.length, patience).toBe(objectPutsAtOnce);
  for (const [at, answer] of server.held.splice(0).entries()) answer(at === 0 ? 403 : 200);
  await refused;
  await expect.poll(() => server.count("DELETE"), patience).toBe(people.length);
});

it("starts no request after the deadline", async () => {
  await using server = await openSlowServer();
  const put = openS3Objects(server.place).put(["1/x", "2/x"], Buffer.from("x"), AbortSignal.abort());
  await expect(put).rejects.toMatchObject({ code: "upstream_unavailable" });
  expect(server.count("PUT")).toBe(0);
});
