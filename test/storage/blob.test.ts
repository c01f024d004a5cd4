import { createHash, randomBytes } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import zlib, { zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { nobody } from "#/src/model/author.ts";
import { loopTurn } from "#/src/model/background.ts";
import type { AccountNumber, BlobNumber } from "#/src/model/numbers.ts";
import {
  bodyOf,
  encodeBlob,
  rawCodec,
  readBlobRange,
  transferableBuffers,
  zstdCodec,
} from "#/storage/blob.ts";
import type { Store } from "#/storage/store.ts";
import { openTestStore, type Seed, seedAgent, testFacts } from "../support/store.ts";

async function storeBytes(
  store: Store,
  seed: Seed,
  bytes: Uint8Array,
  headerSize: number,
): Promise<[AccountNumber, BlobNumber]> {
  const facts = { ...(await testFacts()), blob: await encodeBlob(bytes, headerSize, "{}") };
  const { messages } = await store.write(
    nobody,
    "appendMessages",
    {
      actor: nobody,
      agent: seed.agent,
      mailbox: seed.inbox,
      messages: [
        { facts, flags: 0, keywords: [], internalDate: 0, provenance: "{}", isAuthenticated: false },
      ],
      at: 0,
    },
    { transfer: transferableBuffers(facts.blob) },
  );
  const row = await store.get<{ account: AccountNumber; blob: BlobNumber }>(
    "select account_id as account, blob_id as blob from message where message_id = ?",
    messages[0]!,
  );
  return [row!.account, row!.blob];
}

it.each([
  ["nothing", new Uint8Array(), 0],
  ["only a header", Buffer.from("Subject: a\r\n\r\n"), 14],
  ["a small body", Buffer.from("Subject: a\r\n\r\nHello\r\n"), 14],
  ["no header", Buffer.from("Hello\r\n"), 0],
  ["a compressible body of several chunks", Buffer.alloc(900_000, "hello "), 1000],
  ["an incompressible body of several chunks", randomBytes(700_000), 1000],
  ["a body that ends with its chunk", randomBytes(262_144 + 10), 10],
  ["a header longer than any honest one", Buffer.alloc(400_000, "X-Junk: y\r\n"), 390_000],
])("reads %s octet for octet", async (_, bytes, headerSize) => {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store);
  const [account, blob] = await storeBytes(test.store, ada, bytes, headerSize);
  expect((await readBlobRange(test.store, account, blob, 0, bytes.length + 5)).equals(bytes)).toBe(true);
});

it("reads any range with the same octets as the whole", async () => {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store);
  const bytes = Buffer.concat([Buffer.alloc(600_000, "some words that repeat "), randomBytes(50_000)]);
  const [account, blob] = await storeBytes(test.store, ada, bytes, 1200);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length + 10), fc.nat(bytes.length + 10), async (a, b) => {
      const [start, end] = a < b ? [a, b] : [b, a];
      const range = await readBlobRange(test.store, account, blob, start, end);
      expect(range.equals(bytes.subarray(start, end))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it("keeps the caller's bytes when the stored form is handed to another thread", async () => {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store);
  const bytes = new Uint8Array(randomBytes(300_000));
  await storeBytes(test.store, ada, bytes, 0);
  expect(bytes.byteLength).toBe(300_000);
});

it("compresses a body only if it becomes smaller", async () => {
  expect((await encodeBlob(Buffer.alloc(7000, "a"), 0, "{}")).codec).toBe(zstdCodec);
  expect((await encodeBlob(randomBytes(7000), 0, "{}")).codec).toBe(rawCodec);
});

it("keeps short bodies as they are", async () => {
  expect((await encodeBlob(Buffer.alloc(7144, "a"), 1000, "{}")).codec).toBe(rawCodec);
  expect((await encodeBlob(Buffer.alloc(7145, "a"), 1000, "{}")).codec).toBe(zstdCodec);
});

it("does not compress a body whose first chunk does not become smaller", async () => {
  const noise = randomBytes(300_000);
  const blob = await encodeBlob(Buffer.concat([noise, Buffer.alloc(300_000, "words ")]), 0, "{}");
  expect(blob).toMatchObject({ codec: rawCodec, storedSize: 600_000 });
  const base64 = Buffer.from(noise.toString("base64"));
  expect((await encodeBlob(base64, 0, "{}")).codec).toBe(zstdCodec);
});

it.each([true, false])("stores the same octets, on a thread of its own: %s", async (isOwnThread) => {
  const bytes = Buffer.concat([Buffer.alloc(600_000, "some words that repeat "), randomBytes(50_000)]);
  const blob = await encodeBlob(bytes, 10, "{}", isOwnThread);
  expect(blob).toMatchObject({ codec: zstdCodec, size: bytes.length, headerSize: 10, structure: "{}" });
  const stored = Buffer.concat([blob.header, ...blob.chunks.map((chunk) => zstdDecompressSync(chunk))]);
  expect(stored.equals(bytes)).toBe(true);
  expect(blob.sha256).toEqual(new Uint8Array(createHash("sha256").update(bytes).digest()));
  for (const array of [blob.header, blob.sha256, ...blob.chunks])
    expect(array.byteLength).toBe(array.buffer.byteLength);
});

it("gives back the memory of zlib, which holds it until all garbage is collected", async () => {
  const bytes = Buffer.alloc(100_000, "some words that repeat ");
  const { codec, size, headerSize, chunks } = await encodeBlob(bytes, 10, "{}");
  const inflated: Buffer[] = [];
  const inflate = zlib.zstdDecompressSync;
  zlib.zstdDecompressSync = (...options) => {
    inflated.push(inflate(...options));
    return inflated.at(-1)! as ReturnType<typeof inflate>;
  };
  syncBuiltinESMExports();
  let body: Uint8Array;
  try {
    body = bodyOf({ codec, size, headerSize, data: chunks[0]! });
  } finally {
    zlib.zstdDecompressSync = inflate;
    syncBuiltinESMExports();
  }
  expect(bytes.subarray(10).equals(body)).toBe(true);
  expect(inflated.map((one) => one.byteLength)).toEqual([0]);
});

it("takes no turn of the loop for a message on a thread that prepares messages", async () => {
  let isTurned = false;
  const turned = loopTurn().then(() => {
    isTurned = true;
  });
  const { blob } = await prepareMessage(
    Buffer.concat([Buffer.from("Subject: a\r\n\r\n"), Buffer.alloc(8_000_000, "some words ")]),
    true,
  );
  expect([isTurned, blob.chunks.length]).toEqual([false, 31]);
  await turned;
});
