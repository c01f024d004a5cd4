/** The description of the interface. Record it again on purpose: WAYPOST_RECORD=1 npm test -- test/json/golden.test.ts */
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer({
    limits: {
      requestsPerSecond: 20,
      requestsBurst: 60,
      agentRequestsPerSecond: 60,
      agentRequestsBurst: 180,
    },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

it.each(["openapi", "catalog", "help"])("is what is recorded: %s", async (name) => {
  const said = await say(name);
  const file = new URL(`./golden/${name}.json`, import.meta.url);
  if (process.env.WAYPOST_RECORD === "1") writeFileSync(file, `${JSON.stringify(said, null, 2)}\n`);
  expect(said).toEqual(JSON.parse(readFileSync(file, "utf8")));
});

async function say(name: string): Promise<unknown> {
  const { client, id } = server.ada;
  if (name === "openapi") return (await client.request("/openapi.json")).body;
  const said = await client.ok(`${name}.describe`);
  return JSON.parse(JSON.stringify(said).replaceAll(id, "ag_ada"));
}
