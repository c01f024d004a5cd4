/** Request bodies that are large because of base64 in them. */
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readJson } from "#/protocols/json/carriage/json-text.ts";
import { jsonBodyBytesMax, jsonMembersMax, jsonValuesMax } from "#/src/model/limits.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

const bytes = randomBytes(1_500_001);
const base64 = bytes.toString("base64");
const standIn = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const read = (text: string) => readJson(Buffer.from(new TextEncoder().encode(text)));

describe("a body over the size of most", () => {
  it("has its data decoded, and a stand-in string in its place", async () => {
    const { value, decoded } = await read(`{"name" : "a", "data" :\n "${base64}" , "type":"b"}`);
    expect(value).toEqual({ name: "a", data: standIn, type: "b" });
    expect(decoded.get(standIn)?.equals(bytes)).toBe(true);
  });

  it("may have several data members", async () => {
    const other = randomBytes(200_000);
    const { value, decoded } = await read(
      JSON.stringify([{ data: base64 }, { data: other.toString("base64") }, { data: "AA==" }]),
    );
    const [first, second, third] = value as { data: string }[];
    expect(decoded.get(first!.data)?.equals(bytes)).toBe(true);
    expect(decoded.get(second!.data)?.equals(other)).toBe(true);
    expect(third!.data).toBe("AA==");
  });

  it("may have escapes in the data, also across two pieces", async () => {
    const escapes: Readonly<Record<string, string>> = { "/": "\\/", "+": "\\u002b", A: "\\u0041" };
    const text = base64.replace(/[/+A]/g, (sign) => escapes[sign]!);
    const { decoded } = await read(`{"data":"${text}"}`);
    expect(decoded.get(standIn)?.equals(bytes)).toBe(true);
  });

  it.each([
    ["a sign of no base64", `${base64.slice(0, 70_000)}!${base64.slice(70_001)}`],
    ["a padding in between", `${base64.slice(0, 65_534)}==${base64}`],
    ["a length that is none", base64.slice(0, -1)],
    ["an escape that is none", `\\x${base64}`],
    ["a quote with an escape", `${base64}\\"${base64}`],
    ["a line end", `${base64}\n`],
  ])("is refused at its data for %s", async (_what, text) => {
    await expect(read(`{"data":"${text}"}`)).rejects.toMatchObject({
      code: "invalid",
      details: { field: "/data" },
    });
  });

  it.each([
    ["text", JSON.stringify({ text: "x".repeat(jsonBodyBytesMax) })],
    ["text with quotes", JSON.stringify({ text: '"'.repeat(jsonBodyBytesMax) })],
    ["many members", JSON.stringify(Array.from({ length: 300_000 }, () => "a"))],
    ["space", `{"data":"${base64}"${" ".repeat(jsonBodyBytesMax)}}`],
    ["space before it", `{"data":${" ".repeat(jsonBodyBytesMax)}"${base64}"}`],
    ["text that does not end", `{"data":"${base64}","a":"${"x".repeat(jsonBodyBytesMax)}`],
  ])("is too large with %s", async (_what, text) => {
    await expect(read(text)).rejects.toMatchObject({ code: "invalid", details: { reason: "too_large" } });
  });

  it("is invalid when its data string does not end", async () => {
    await expect(read(`{"data":"${base64}`)).rejects.toMatchObject({ code: "invalid" });
  });
});

it.each([
  ["of quotes", '"'.repeat(1000)],
  ["of backslashes", "\\".repeat(1001)],
  ["of both", '\\"\\\\""\\'.repeat(100)],
  ["that ends with one", "a\\"],
])("reads a string %s, and the member behind it", async (_what, text) => {
  const value = { a: text, b: { c: [text, { d: text }] } };
  expect((await read(JSON.stringify(value))).value).toEqual(value);
  await expect(read(`{"a":${JSON.stringify(text)},"b":1,"b":2}`)).rejects.toMatchObject({
    details: { field: "/b" },
  });
});

describe("a body of many values", () => {
  it.each([
    ["in an array", `[${"1,".repeat(jsonValuesMax)}1]`],
    ["in objects", `[${'{"a":[]},'.repeat(jsonValuesMax / 2)}1]`],
  ])("is refused, %s", async (_what, text) => {
    await expect(read(text)).rejects.toMatchObject({
      code: "invalid",
      message: `The body has more than ${jsonValuesMax} values.`,
    });
  });

  it("is refused with too many in one object, wherever it stands", async () => {
    const members = Array.from({ length: jsonMembersMax + 1 }, (_, at) => `"n${at}":1`);
    for (const text of [`{${members.join(",")}}`, `[[1,2],{"a":{${members.join(",")}}},3]`])
      await expect(read(text)).rejects.toMatchObject({
        code: "invalid",
        message: `An object in the body has more than ${jsonMembersMax} members.`,
      });
    const { value } = await read(`[{"a":1},{${members.slice(1).join(",")}}]`);
    expect(Object.keys((value as object[])[1]!)).toHaveLength(jsonMembersMax);
  });

  it("is read up to the limit", async () => {
    const { value } = await read(`[${"1,".repeat(jsonValuesMax - 10)}1]`);
    expect(value).toHaveLength(jsonValuesMax - 9);
  });
});

describe("blob.create", () => {
  let server: JsonServer;
  beforeAll(async () => {
    server = await openJsonServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("stores large bytes, and the same key with the same bytes again, and not with others", async () => {
    const { client } = server.ada;
    const body = { data: base64, name: "a.bin", idempotency_key: "once" };
    const blob = await client.ok("blob.create", body);
    expect(blob.size).toBe(bytes.length);
    expect(await client.ok("blob.create", body)).toMatchObject({ ref: blob.ref });
    const other = { ...body, data: randomBytes(1_500_001).toString("base64") };
    expect((await client.call("blob.create", other)).status).toBe(400);
    const raw = await server.token(server.ada, ["mail:read", "raw"]);
    const { content } = await raw.client.ok("part.describe", { id: blob.ref, render: "raw" });
    const stored = Buffer.from(content.data, "base64");
    expect(stored.length).toBeGreaterThan(100);
    expect(stored.equals(bytes.subarray(0, stored.length))).toBe(true);
  });

  it("refuses a stand-in string that the client sends itself", async () => {
    const answer = await server.ada.client.call("blob.create", { data: standIn });
    expect(answer.status).toBe(400);
  });
});

it("gives the loop its turns while it reads a large body", async () => {
  const body = Buffer.from(
    new TextEncoder().encode(JSON.stringify({ data: randomBytes(11_000_000).toString("base64") })),
  );
  let turns = 0;
  const count = (): void => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await readJson(body);
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(3);
});
