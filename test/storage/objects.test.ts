/** Long bodies in an object store: a real S3 server on loopback (s3rver). It does not verify signatures; another test does. */

import { createHash, createHmac, randomBytes } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import S3rver from "s3rver";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { forDryRun } from "#/src/model/caller.ts";
import { deletedFlag } from "#/src/model/flags.ts";
import { freedObjectMs, objectBytesMin } from "#/src/model/limits.ts";
import type { AccountNumber, BlobNumber, MessageNumber } from "#/src/model/numbers.ts";
import { encodeBlob, readBlobRange } from "#/storage/blob.ts";
import { checkStore } from "#/storage/checks/check.ts";
import { openS3Objects, readPlace } from "#/storage/objects/s3-objects.ts";
import type { Store } from "#/storage/store.ts";
import { append, deliver } from "../support/delivery.ts";
import { itOnSqlite, openTestStore, type Seed, seedAgent, testFacts } from "../support/store.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-objects-"));
const keyFile = path.join(folder, "key");
let server: S3rver;
let port = 0;

async function start(): Promise<void> {
  server = new S3rver({
    address: "127.0.0.1",
    port,
    silent: true,
    directory: path.join(folder, "objects"),
    configureBuckets: [{ name: "mail" }],
  });
  ({ port } = await server.run());
}

beforeAll(async () => {
  fs.writeFileSync(keyFile, "S3RVER\nS3RVER\n");
  await start();
});
afterAll(async () => {
  await server.close();
  fs.rmSync(folder, { recursive: true });
});

function placeOf(prefix: string, key = keyFile) {
  return { url: `s3://mail/${prefix}?endpoint=http://127.0.0.1:${port}`, keyFile: key };
}

/** Names of what is there. */
function listObjects(prefix: string): string[] {
  const top = path.join(folder, "objects", "mail", prefix);
  if (!fs.existsSync(top)) return [];
  return fs
    .readdirSync(top, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("._S3rver_object"))
    .map((name) => name.replace("._S3rver_object", ""));
}

async function storeText(
  store: Store,
  seed: Seed,
  text: string,
): Promise<{ account: AccountNumber; blob: BlobNumber }> {
  const { modseq } = await append(store, seed, 1, { text });
  return (await store.get<{ account: AccountNumber; blob: BlobNumber }>(
    "select account_id as account, blob_id as blob from message where agent_id = ? and message_id = ?",
    seed.agent,
    modseq as number as MessageNumber,
  ))!;
}

const header = "Subject: Test\r\n\r\n";
/** Compressed it is about three quarters as long; and what compresses well, and what does not at all. */
const texts = {
  base64: randomBytes(3_000_000).toString("base64"),
  octets: randomBytes(1_500_000).toString("latin1").replaceAll("\0", "x"),
  short: "Hello.\r\n",
  repeated: "Hello.\r\n".repeat(100_000),
};

it("stores long bodies as objects and short ones in rows, and reads every range alike", async () => {
  await using test = await openTestStore({ objects: placeOf("ranges") });
  const { store } = test;
  const ada = await seedAgent(store);
  for (const [name, text] of Object.entries(texts)) {
    const { account, blob } = await storeText(store, ada, text);
    const whole = Buffer.from(header + text);
    const row = await store.get<{ object: string | null; chunks: number }>(
      `select object, (select count(*) from blob_chunk as c where c.account_id = blob.account_id and c.blob_id = blob.blob_id) as chunks from blob where account_id = ? and blob_id = ?`,
      account,
      blob,
    );
    const isOutside = name === "base64" || name === "octets";
    expect([name, row!.object !== null]).toEqual([name, isOutside]);
    if (isOutside) expect(row!.chunks).toBe(0);
    expect((await readBlobRange(store, account, blob, 0, 1e9)).equals(whole)).toBe(true);
    const places = [
      0,
      1,
      header.length - 1,
      header.length,
      262_143 + header.length,
      262_144 + header.length,
      1_000_000,
      whole.length - 1,
      whole.length,
    ];
    for (const from of places)
      for (const length of [1, 17, 262_144, 300_000])
        expect(
          (await readBlobRange(store, account, blob, from, from + length)).equals(
            whole.subarray(from, from + length),
          ),
          `${name} ${from} ${length}`,
        ).toBe(true);
  }
  expect(listObjects("ranges")).toHaveLength(2);
});

it("puts nothing outside in a dry run, and drops the rows and the numbers that it took", async () => {
  await using test = await openTestStore({ objects: placeOf("dry") });
  const { store } = test;
  const ada = await seedAgent(store);
  await storeText(store, ada, texts.short);
  const rows = async () => ({
    ...(await store.get<object>(
      "select modseq, byte_count, message_count from agent where agent_id = ?",
      ada.agent,
    )),
    ...(await store.get<object>("select next_blob_id from account where account_id = ?", ada.account)),
    ...(await store.get<object>("select count(*) as blobs from blob")),
  });
  const before = await rows();
  const first = await forDryRun(() => append(store, ada, 1, { text: texts.base64 }));
  // A second write of the same dry run goes on from the first one.
  const [one, two] = await forDryRun(async () => [
    await append(store, ada, 1, { text: texts.base64 }),
    await append(store, ada, 1, { text: texts.octets }),
  ]);
  expect([one!.modseq, two!.modseq]).toEqual([first.modseq, first.modseq + 1]);
  expect(await rows()).toEqual(before);
  expect(listObjects("dry")).toEqual([]);
  const refused = forDryRun(() => append(store, { ...ada, inbox: 999 as never }, 1, { text: texts.base64 }));
  await expect(refused).rejects.toMatchObject({ code: "not_found" });
  expect((await append(store, ada, 1, { text: texts.base64 })).modseq).toBe(first.modseq);
  expect(listObjects("dry")).toHaveLength(1);
});

it("keeps an object for each account, frees it with its row, and removes it a month later", async () => {
  await using test = await openTestStore({ objects: placeOf("freed") });
  const { store, clock } = test;
  const ada = await seedAgent(store, "ada", { account: "one" });
  const bob = await seedAgent(store, "bob", { account: "two" });
  const [toAda] = await deliver(store, [ada, bob], texts.base64);
  const names = listObjects("freed");
  expect(names.map((name) => name.split("/")[0]).sort()).toEqual(
    [String(ada.account), String(bob.account)].sort(),
  );
  const deleted = { agent: ada.agent, message: toAda!.message, at: clock.now() };
  // Into the trash, and out of it.
  for (const state of ["trashed", "removed"]) {
    const version = String(
      (await store.get<{ modseq: number }>(
        "select max(modseq) as modseq from entry where agent_id = ?",
        ada.agent,
      ))!.modseq,
    );
    expect(await store.write(nobody, "deleteMessage", { actor: nobody, ...deleted, version })).toMatchObject({
      state,
    });
  }
  const maintain = () => store.maintain({ changesMs: 1e12 });
  await maintain();
  expect(listObjects("freed")).toHaveLength(2);
  clock.advance(freedObjectMs + 1);
  await maintain();
  expect(listObjects("freed").map((name) => name.split("/")[0])).toEqual([String(bob.account)]);
  expect(await checkStore(store)).toEqual([]);
});

itOnSqlite("never removes an object from under the store that a copy was made of", async () => {
  const copied = path.join(folder, "copied");
  fs.mkdirSync(copied);
  await using test = await openTestStore({ objects: placeOf("copied") });
  const ada = await seedAgent(test.store);
  const { account, blob } = await storeText(test.store, ada, texts.base64);
  await storeText(test.store, ada, texts.octets);
  await test.store.backup(path.join(copied, "waypost.db"));
  {
    await using copy = await openTestStore({ folder: copied, objects: placeOf("copied") });
    const { store, clock } = copy;
    expect((await readBlobRange(store, account, blob, 0, 1e9)).length).toBe(
      header.length + texts.base64.length,
    );
    await storeText(store, ada, randomBytes(200_000).toString("base64"));
    await store.write(nobody, "storeFlags", {
      actor: nobody,
      agent: ada.agent,
      mailbox: ada.inbox,
      uids: [[1, 9]],
      mode: "add",
      flags: deletedFlag,
      keywords: [],
      at: 0,
    });
    await store.write(nobody, "expungeMessages", {
      actor: nobody,
      agent: ada.agent,
      mailbox: ada.inbox,
      at: 0,
    });
    await store.maintain({ changesMs: 1e12 });
    clock.advance(freedObjectMs + 1);
    await store.maintain({ changesMs: 1e12 });
    expect(await store.column("select object from blob")).toEqual([]);
  }
  // Its own went.
  expect(listObjects("copied")).toHaveLength(2);
  expect(await checkStore(test.store)).toEqual([]);
});

it("refuses writes of long bodies as temporary while the object store is unreachable, and stores nothing of them", async () => {
  await using test = await openTestStore({ objects: placeOf("away") });
  const { store } = test;
  const ada = await seedAgent(store);
  const { account, blob } = await storeText(store, ada, texts.octets);
  await server.close();
  const refusal = { code: "upstream_unavailable" };
  await expect(deliver(store, [ada], texts.base64)).rejects.toMatchObject(refusal);
  await expect(readBlobRange(store, account, blob, 0, 1e9)).rejects.toMatchObject(refusal);
  // What is short needs none.
  await deliver(store, [ada]);
  await start();
  expect(await readBlobRange(store, account, blob, 0, 1e9)).toHaveLength(
    header.length + Buffer.byteLength(texts.octets),
  );
  await deliver(store, [ada], texts.base64);
  const { messages } = (await store.get<{ messages: number }>("select count(*) as messages from message"))!;
  expect(messages).toBe(3);
});

it("removes the objects of a refused write, and reports what the object store refuses", async () => {
  await using test = await openTestStore({ objects: placeOf("refused") });
  const { store } = test;
  const ada = await seedAgent(store, "ada", { quotaBytes: 1000 });
  await expect(append(store, ada, 1, { text: texts.base64 })).rejects.toMatchObject({
    code: "policy_refused",
  });
  await expect.poll(() => listObjects("refused")).toEqual([]);
  const unknown = path.join(folder, "unknown");
  fs.writeFileSync(unknown, "nobody\nwrong\n");
  const put = openS3Objects(placeOf("refused", unknown)).put(["1/x"], Buffer.from("x"));
  await expect(put).rejects.toMatchObject({ details: { cause: "it answered 403" } });
});

it("signs each request as an independent calculation of the signature does (version 4)", async () => {
  const seen: string[] = [];
  const listener = http.createServer((request, response) => {
    const { authorization, host } = request.headers;
    const [, scope, names, given] =
      /Credential=id\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]+)/.exec(authorization ?? "")!;
    const fields = names!.split(";").map((name) => `${name}:${request.headers[name]}\n`);
    const digest = request.headers["x-amz-content-sha256"];
    const canonical = [request.method, request.url, "", fields.join(""), names, digest].join("\n");
    const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
    const text = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, sha256(canonical)].join("\n");
    const sign = (key: string | Buffer, part: string) => createHmac("sha256", key).update(part).digest();
    const key = scope!.split("/").reduce<string | Buffer>(sign, "AWS4secret");
    const isSigned = ["host", "x-amz-content-sha256", "x-amz-date"].every((name) =>
      names!.split(";").includes(name),
    );
    seen.push(
      `${request.method} ${isSigned && host !== undefined && sign(key, text).toString("hex") === given}`,
    );
    response.writeHead(request.method === "GET" ? 206 : 200).end(request.method === "GET" ? "x" : "");
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const own = path.join(folder, "own");
  fs.writeFileSync(own, "id\nsecret\n");
  const { port: ownPort } = listener.address() as AddressInfo;
  const objects = openS3Objects({
    url: `s3://mail/a?endpoint=http://127.0.0.1:${ownPort}&region=eu-1`,
    keyFile: own,
  });
  await objects.put(["1/x"], Buffer.from("x"));
  await objects.read("1/x", 0, 1);
  await objects.remove("1/x");
  expect(seen).toEqual(["PUT true", "GET true", "DELETE true"]);
  listener.close();
});

it("check finds an object that is missing or has other octets", async () => {
  await using test = await openTestStore({ objects: placeOf("lost") });
  const { store } = test;
  const ada = await seedAgent(store);
  await storeText(store, ada, texts.base64);
  const objects = openS3Objects(placeOf("lost"));
  const [name] = listObjects("lost");
  const whole = await objects.read(
    name!,
    0,
    fs.statSync(path.join(folder, "objects", "mail", "lost", `${name}._S3rver_object`)).size,
  );
  expect(await store.check()).toEqual([]);
  whole[whole.length - 5]! ^= 1;
  await objects.put([name!], whole);
  expect(await store.check()).toEqual([
    expect.stringMatching(/^blob 1 of account 1 (does not have the octets|cannot be read)/),
  ]);
  await objects.remove(name!);
  expect(await store.check()).toEqual([
    expect.stringMatching(/^blob 1 of account 1 cannot be read: .* not in the object store/),
  ]);
  whole[whole.length - 5]! ^= 1;
  await objects.put([name!], whole);
});

it("reads the URL of a place in S3, and a blob has no object before one is put there", async () => {
  expect(readPlace("s3://mail/a/b?endpoint=https://s3.example.net/&region=eu-1")).toEqual({
    base: "https://s3.example.net/mail/a/b",
    region: "eu-1",
  });
  expect(readPlace("s3://mail").base).toBe("https://s3.us-east-1.amazonaws.com/mail");
  expect(() => readPlace("s3://mail?endpoint=file:///etc")).toThrow("s3://bucket/prefix");
  expect((await encodeBlob(Buffer.alloc(objectBytesMin), 0, "{}")).chunks).toHaveLength(1);
  expect((await testFacts()).blob.object).toBeUndefined();
});
