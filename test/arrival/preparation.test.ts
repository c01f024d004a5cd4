import dgram from "node:dgram";
import { once } from "node:events";
import { afterAll, expect, test } from "vitest";
import { loadSettings } from "#/config/load.ts";
import { examineArrival } from "#/src/arrival/examination.ts";
import { createPreparation } from "#/src/arrival/preparing/preparation.ts";
import { unexamined } from "#/src/arrival/preparing/unexamined.ts";
import type { Transport } from "#/src/arrival/transport.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { sharedMemory } from "#/src/threads/shared-memory.ts";
import { expensiveMails } from "../support/expensive-mail.ts";

const settings = {
  hostname: "mx.example",
  ownNames: ["mx.example"],
  dns: { servers: ["none"], timeoutMs: 1000 },
};
const preparation = createPreparation(settings, createFairness(), { quickThreads: 2 });
afterAll(() => preparation.close());

function message(number: number, bodyBytes: number): Buffer {
  return Buffer.from(`Subject: ${number}\r\nMessage-ID: <${number}@x>\r\n\r\n${"x".repeat(bodyBytes)}\r\n`);
}

test("computes the same facts as the main thread", async () => {
  for (const bodyBytes of [0, 1000, 100_000, 1_000_000])
    expect((await preparation.prepare(message(1, bodyBytes))).facts).toEqual(
      await prepareMessage(message(1, bodyBytes), true),
    );
});

test("answers each of many messages at once with its own facts", async () => {
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, number) => preparation.prepare(message(number, (number % 7) * 9000))),
  );
  expect(answers.map(({ facts }) => Number(facts.subject))).toEqual(Array.from({ length: 200 }, (_, n) => n));
});

test("does not transfer small arrays, which may be part of a shared pool", async () => {
  const bytes = Buffer.from(message(1, 100));
  await preparation.prepare(bytes);
  expect(bytes.toString()).toContain("Subject: 1");
});

test("prepares the same octets several times at once, and does not transfer them", async () => {
  const bytes = message(1, 300_000);
  const expected = (await prepareMessage(bytes, true)).blob.sha256;
  const answers = await Promise.all([1, 2, 3].map(() => preparation.prepare(bytes)));
  for (const { facts } of answers) expect(facts.blob.sha256).toEqual(expected);
  expect(bytes.byteLength).toBeGreaterThan(300_000);
});

test("does not read the octets of a message after its answer", async () => {
  // Jobs leave their thread all the time, and are given to another while the first may still answer.
  const moving = createPreparation(settings, createFairness(), { quickThreads: 2, slowMs: 1, lookMs: 1 });
  const answers = Array.from({ length: 40 }, async (_, number) => {
    const bytes = Buffer.from(new Uint8Array(message(number, 400_000)).buffer);
    const { facts } = await moving.prepare(bytes);
    bytes.buffer.transfer(0);
    return Number(facts.subject);
  });
  expect(await Promise.all(answers)).toEqual(answers.map((_, number) => number));
  await moving.close();
});

test("does not read octets of an earlier message in reused memory", async () => {
  const moving = createPreparation(settings, createFairness(), { quickThreads: 2, slowMs: 1, lookMs: 1 });
  const answers = Array.from({ length: 40 }, async (_, number) => {
    const octets = message(number, 400_000);
    const bytes = sharedMemory.take(octets.length).subarray(0, octets.length);
    bytes.set(octets);
    const { facts } = await moving.prepare(bytes);
    bytes.fill("!");
    sharedMemory.giveBack(bytes);
    return [Number(facts.subject), facts.blob.size];
  });
  expect(await Promise.all(answers)).toEqual(
    answers.map((_, number) => [number, message(number, 400_000).length]),
  );
  await moving.close();
});

test("answers for a small message before a large one that was given first", async () => {
  const answered: string[] = [];
  const large = preparation.prepare(message(1, 30_000_000)).then(() => answered.push("large"));
  const small = preparation.prepare(message(2, 100)).then(() => answered.push("small"));
  await Promise.all([large, small]);
  expect(answered).toEqual(["small", "large"]);
});

test("prepares a message without evidence when the checks do not end", async () => {
  // A name server that never answers.
  const silent = dgram.createSocket("udp4").bind(0, "127.0.0.1");
  await once(silent, "listening");
  const dns = { servers: [`127.0.0.1:${silent.address().port}`], timeoutMs: 10_000 };
  const limited = createPreparation({ ...settings, dns }, createFairness(), { wallMs: 2000, lookMs: 10 });
  const origin = { remoteAddress: "192.0.2.1", heloName: "peer.example", reversePath: "a@peer.example" };
  const { facts, evidence } = await limited.prepare(message(1, 100), origin);
  expect(evidence).toEqual(unexamined);
  expect(facts).toEqual(await prepareMessage(message(1, 100)));
  // Whoever is expensive goes round no policy of the domain that they name.
  const rooms = {
    preparation: limited,
    settings: loadSettings({ environment: {}, set: ["server.hostname=mx.example"] }),
  };
  const transport: Transport = {
    ...{ ...origin, source: "smtp", id: "t-1", principal: undefined },
    ...{ isEsmtp: true, isTls: false, isUtf8: false },
  };
  expect(await examineArrival(rooms, message(2, 100), transport, "a@peer.example", [])).toMatchObject({
    isAuthenticated: false,
    mailboxRole: "junk",
  });
  await limited.close();
  silent.close();
});

test("refuses a message permanently when its structure alone is too much work", async () => {
  const limited = createPreparation(settings, createFairness(), { jobMs: 5, jobMsPerMiB: 0, lookMs: 5 });
  const { message: expensive } = expensiveMails(8_000_000).find(({ kind }) => kind === "parts with headers")!;
  await expect(limited.prepare(expensive)).rejects.toMatchObject({ code: "invalid" });
  await limited.close();
});

test("refuses running jobs as temporary when it closes", async () => {
  const closing = createPreparation(settings);
  const answer = closing.prepare(message(1, 5_000_000));
  const refused = expect(answer).rejects.toMatchObject({ code: "upstream_unavailable" });
  await closing.close();
  await refused;
});
