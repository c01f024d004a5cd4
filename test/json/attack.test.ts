/** Every operation gets the hostile bodies of the shared corpus. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "#/protocols/json/registry.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

const folder = path.resolve(import.meta.dirname, "../../../shared/corpus/attack/json");
const cases = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => name.endsWith(".expect.json"))
      .map((name) => JSON.parse(readFileSync(path.join(folder, name), "utf8")))
      // Its addresses are for webhooks.
      .filter((one) => one.id !== "outgoing-urls")
  : [];

describe.skipIf(cases.length === 0)("hostile bodies (skipped where ../shared is absent)", () => {
  let server: JsonServer;
  beforeAll(async () => {
    server = await openJsonServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each(cases)("are refused: $id", async ({ file }) => {
    const body = readFileSync(path.join(folder, file));
    for (const name of operations.map((one) => one.name)) {
      const answer = await server.ada.client.request(`/v1/${name}`, { method: "POST", body });
      expect([400, 501]).toContain(answer.status);
    }
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });
});
