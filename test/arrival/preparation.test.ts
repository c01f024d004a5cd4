import { afterAll, expect, test } from "vitest";
import { createPreparation } from "#/src/arrival/preparing/preparation.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";

const settings = {
  hostname: "mx.example",
  ownNames: ["mx.example"],
  dns: { servers: ["none"], timeoutMs: 1000 },
};
const preparation = createPreparation(settings, 2);
afterAll(() => preparation.close());

function message(number: number, bodyBytes: number): Buffer {
  return Buffer.from(`Subject: ${number}\r\nMessage-ID: <${number}@x>\r\n\r\n${"x".repeat(bodyBytes)}\r\n`);
}

test("says of a message what the main thread would say of it", async () => {
  for (const bodyBytes of [0, 1000, 100_000, 1_000_000])
    expect((await preparation.prepare(message(1, bodyBytes))).facts).toEqual(
      await prepareMessage(message(1, bodyBytes)),
    );
});

test("gives each of many at once its own answer", async () => {
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, number) => preparation.prepare(message(number, (number % 7) * 9000))),
  );
  expect(answers.map(({ facts }) => Number(facts.subject))).toEqual(Array.from({ length: 200 }, (_, n) => n));
});

test("leaves small arrays to the caller, which may lie in a pool that others use", async () => {
  const bytes = Buffer.from(message(1, 100));
  await preparation.prepare(bytes);
  expect(bytes.toString()).toContain("Subject: 1");
});

test("refuses for the time being what is under way when it closes", async () => {
  const closing = createPreparation(settings, 1);
  const answer = closing.prepare(message(1, 5_000_000));
  const refused = expect(answer).rejects.toMatchObject({ code: "upstream_unavailable" });
  await closing.close();
  await refused;
});
