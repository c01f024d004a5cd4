/** help.describe {operation}: what a program needs to call one operation. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseInput } from "#/protocols/json/carriage/input.ts";
import { operations } from "#/protocols/json/registry.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

describe.each(operations.map((one) => [one.name, one] as const))("%s", (name, operation) => {
  it("is explained in at most 4,000 octets, with an example that it takes", async () => {
    const { content } = await server.ada.client.ok("help.describe", { operation: name });
    const [help] = content.operations;
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThanOrEqual(4000);
    expect(help).toMatchObject({
      operation: name,
      scope: expect.any(String),
      errors: expect.arrayContaining(["invalid"]),
    });
    expect(() => parseInput(operation.input, help.example)).not.toThrow();
    for (const field of help.needed) expect(Object.keys(help.fields)).toContain(field);
    for (const field of Object.keys(help.example)) expect(Object.keys(help.fields)).toContain(field);
  });
});

it("explains several at once, by the names of tools too", async () => {
  const { content } = await server.ada.client.ok("help.describe", { operation: ["send", "part_describe"] });
  expect(content.operations.map((one: { operation: string }) => one.operation)).toEqual([
    "send",
    "part.describe",
  ]);
  expect(content.operations[0].fields).toMatchObject({
    body: expect.stringContaining("object"),
    "body/to": expect.stringContaining("Name <name@domain>"),
    "body/attachments[]/blob": "string",
    "body/reply_all": expect.stringContaining("boolean"),
    hold: expect.stringContaining('"policy" | "always"'),
  });
});

it("points to an unknown name", async () => {
  const one = await server.ada.client.call("help.describe", { operation: "mail.write" });
  expect([one.status, one.body.error]).toMatchObject([
    400,
    { field: "/operation", hint: expect.stringContaining("message.update") },
  ]);
  const several = await server.ada.client.call("help.describe", { operation: ["send", "x"] });
  expect(several.body.error.field).toBe("/operation/1");
});

it("has a line for each operation and its main fields without a name", async () => {
  const { text } = await server.ada.client.ok("help.describe");
  for (const { name } of operations) expect(text).toContain(`\n${name} {`);
  for (const field of ["forward_of", "reply_all", "folder", "ids"]) expect(text).toContain(field);
});

describe("a field that is not known", () => {
  it.each([
    ["search", { folders: "inbox" }, "/folder was meant?"],
    ["send", { subject: "Hello" }, "/body/subject was meant?"],
    ["send", { body: { hold: "always" } }, "/hold was meant?"],
    ["send", { body: { subject: "Hi", attachment: [] } }, "/body/attachments was meant?"],
    ["search", { in: "inbox" }, '{"folder": "inbox"}'],
    ["search", { in: "folder_1" }, '{"folder": "inbox"}'],
  ])("is told as the one that was meant: %s %j", async (name, input, hint) => {
    const { status, body } = await server.ada.client.call(name, input);
    expect([status, body.error.hint]).toEqual([400, expect.stringContaining(hint)]);
  });
});
