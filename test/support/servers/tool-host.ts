/** A server of MCP made of the same parts as the product's, for tools of a test. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { defaultSettings } from "#/config/schema.ts";
import { assertKnownPlace } from "#/protocols/json/mcp/known-place.ts";
import { createToolServer, type ToolDoor } from "#/protocols/json/mcp/tool-server.ts";

export interface ToolHost extends AsyncDisposable {
  readonly url: string;
}

/** `said`: what GET answers. `/mcp?schemas=1` has schemas of results. */
export async function openToolHost(door: ToolDoor, said = ""): Promise<ToolHost> {
  const handlerOf = (withSchemas: boolean) =>
    createMcpHandler(() => createToolServer({ ...door, withSchemas }), { maxSubscriptions: 1 });
  const [plain, withSchemas] = [handlerOf(false), handlerOf(true)];
  const settings = defaultSettings();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") {
      response.end(said);
      return;
    }
    try {
      assertKnownPlace(request, settings);
    } catch {
      response.writeHead(403).end();
      return;
    }
    let body = "";
    for await (const piece of request) body += piece;
    const headers = Object.entries(request.headers).filter(([, value]) => typeof value === "string");
    const asked = new Request("http://localhost/mcp", {
      method: "POST",
      headers: Object.fromEntries(headers) as Record<string, string>,
      body,
    });
    const answered = await (request.url!.endsWith("schemas=1") ? withSchemas : plain).fetch(asked);
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    response.end(await answered.text());
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  // A client may use a connection again at the moment at which it is ended.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
