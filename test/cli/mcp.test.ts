/** The MCP tools over standard input and output, for clients that start their server. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startScript } from "../support/daemon.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";
import { unmarked } from "../support/unmarked.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const [program, script] = startScript as readonly [string, string];

async function connect(token: string, mode: "legacy" | "auto"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const env = { ...(process.env as Record<string, string>), WAYPOST_URL: server.url, WAYPOST_TOKEN: token };
  await client.connect(new StdioClientTransport({ command: program, args: [script, "mcp"], env }));
  return client;
}

function textOf({ content }: Awaited<ReturnType<Client["callTool"]>>): unknown {
  return unmarked((content as { text: string }[])[0]!.text);
}

describe("waypost mcp", () => {
  it.each(["legacy", "auto"] as const)(
    "has the tools of the token, and answers as /v1 does (%s)",
    async (mode) => {
      const id = await server.deliver(server.ada, plainMessage("Over stdio"));
      const { token } = await server.token(server.ada, ["mail:read"]);
      const client = await connect(token, mode);
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toContain("part_describe");
      expect(names).not.toContain("message_update");
      const read = await client.callTool({ name: "part_describe", arguments: { id } });
      expect(textOf(read)).toMatchObject({ kind: "message", text: "How are you?\n" });
      const refused = await client.callTool({ name: "part_describe", arguments: { id: "message_nothing" } });
      expect([refused.isError, textOf(refused)]).toMatchObject([true, { error: { code: "not_found" } }]);
      await client.close();
    },
  );

  it("does a call that creates once when it is made twice without a key", async () => {
    const client = await connect(server.bob.token, "auto");
    const call = async (arguments_: Record<string, unknown>) =>
      textOf(await client.callTool({ name: "contact_create", arguments: arguments_ })) as { ref: string };
    const input = { body: { name: "Ada" } };
    const first = await call(input);
    expect(await call(input)).toEqual({
      ...first,
      replayed: true,
      hint: expect.stringContaining("idempotency_key"),
    });
    expect((await call({ ...input, idempotency_key: "another" })).ref).not.toBe(first.ref);
    await client.close();
  });

  it("reports at once that the credential is refused", async () => {
    const run = promisify(execFile)(program, [script, "mcp", "--url", server.url, "--token", "wp_wrong"]);
    await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("credential") });
  });
});
