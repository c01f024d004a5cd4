/** Odd values in every field of every operation, from the declarations: each is refused or answered, by a server that goes on; and other
 *  owners' ids say nothing. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { operations } from "#/protocols/json/registry.ts";
import { sampleOf } from "../support/samples.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer({ outbound: { smarthostHost: "127.0.0.1" } });
});
afterAll(() => server[Symbol.asyncDispose]());

const post = { method: "POST", headers: { "Content-Type": "application/json" } };

/** As JSON text, since some of them have no value in JavaScript. */
const oddValues: readonly string[] = [
  "null",
  "true",
  "false",
  "0",
  "-1",
  "1.5",
  "-0",
  "1e400",
  "-1e400",
  "9007199254740993",
  "123456789012345678901234567890",
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u202e\\u2066\\ufeff"',
  JSON.stringify("\u0130\ufb03\u0301".repeat(200)),
  JSON.stringify("x".repeat(60_000)),
  JSON.stringify("((((((a+)+)+)+)+)+)+!"),
  JSON.stringify("%s%n$1$&"),
  JSON.stringify("'; drop table message; --"),
  JSON.stringify("../../../etc/passwd"),
  '"0000-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59Z"',
  '"9999-12-31T23:59:59-23:59"',
  '"0000-01-01T00:00:00+23:59"',
  '"2026-02-29T00:00:00Z"',
  '"P99999999999999999D"',
  '"-PT1H"',
  '"a@b"',
  '"include"',
  "[]",
  "[null]",
  "[[[[]]]]",
  `[${Array(300).fill('"a@example.com"').join(",")}]`,
  "{}",
  '{"":0}',
  '{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}',
  '{"to":["a@example.com"],"to ":1}',
  `${'{"a":'.repeat(40)}1${"}".repeat(40)}`,
];

const ofOperation = (one: (typeof operations)[number]): string[] =>
  Object.keys((z.toJSONSchema(one.input, { io: "input" }) as { properties?: object }).properties ?? {});

const asked = operations
  .filter(({ effect }) => effect !== "streams")
  .flatMap((one) => ofOperation(one).map((field) => ({ operation: one.name, field, example: one.example })));

it("are refused or answered in every field of every operation", { timeout: 300_000 }, async () => {
  const id = await server.deliver(server.ada, plainMessage("Odd"));
  const { ref: event, version } = await server.ada.client.ok("event.create", {
    body: { title: "Odd", start: "2026-01-14T10:00:00", duration: "PT1H" },
  });
  const real: Readonly<Record<string, string>> = { message: id, event, ag: server.ada.id };
  const failed: string[] = [];
  const cases = asked.flatMap((one) => oddValues.map((value) => ({ ...one, value })));
  for (const { operation, field, example, value } of sampleOf(cases, 2500)) {
    // The example names what is there, so that the odd field is reached.
    const named = JSON.stringify({ ...(example as object), [field]: 0, ...waiting(operation, field) })
      .replaceAll(/(message|event|ag)_…/g, (_, kind: string) => real[kind]!)
      .replaceAll('"version":"…"', `"version":"${version}"`);
    const body = named.replace(`"${field}":0`, () => `"${field}":${value}`);
    const answer = await server.ada.client.request(`/v1/${operation}`, { ...post, body });
    if (answer.status >= 500 && answer.body.error?.code !== "paused")
      failed.push(
        `${operation} ${field} ${value.slice(0, 60)}: ${JSON.stringify(answer.body).slice(0, 200)}`,
      );
  }
  expect(failed).toEqual([]);
  expect((await server.ada.client.ok("health", {})).ok).toBe(true);
});

/** `wait` answers at once. */
function waiting(operation: string, field: string): object {
  return operation === "wait" && field !== "timeout_s" ? { timeout_s: 0 } : {};
}
