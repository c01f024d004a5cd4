/** Every refusal that an operation declares reaches the model that called its tool, through the published client of version 2; version 1 does
 *  the same in `test/long/suites/mcp-conformance.ts`, against the same server. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isTool, toolName } from "#/protocols/json/mcp/tool.ts";
import { operations } from "#/protocols/json/registry.ts";
import { openRefusingTools, refusals } from "../support/servers/refusing-tools.ts";
import type { ToolHost } from "../support/servers/tool-host.ts";

let server: ToolHost;
beforeAll(async () => {
  server = await openRefusingTools();
});
afterAll(() => server[Symbol.asyncDispose]());

async function connect(mode: "legacy" | "auto", query: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp${query}`)));
  await client.listTools();
  return client;
}

it("has six refusals and more of each tool", () => {
  for (const { name } of operations.filter(isTool))
    expect(refusals.filter(({ tool }) => tool === toolName(name)).length).toBeGreaterThanOrEqual(6);
});

it.each([
  ["legacy", "?schemas=1"],
  ["auto", ""],
] as const)("reaches a client that negotiates %s at /mcp%s as it is, of every tool", async (mode, query) => {
  const client = await connect(mode, query);
  for (const { tool, error } of refusals) {
    const { isError, content, structuredContent } = await client.callTool({
      name: tool,
      arguments: { code: error.code },
    });
    expect([isError, structuredContent]).toEqual([true, undefined]);
    expect(content).toEqual([{ type: "text", text: JSON.stringify({ error }) }]);
  }
  await client.close();
});

it("ends a subscription at once for the published client, which is told that nothing will come", async () => {
  const client = await connect("auto", "");
  const { honoredFilter, closed } = await client.listen({
    toolsListChanged: true,
    promptsListChanged: true,
  });
  expect(honoredFilter).toEqual({});
  expect(await closed).not.toBe("local");
  // Nor does it try again by itself.
  expect(client.autoOpenedSubscription).toBeUndefined();
  await client.close();
});
