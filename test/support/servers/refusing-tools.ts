/** The tools of MCP, each of which refuses as it is asked: every refusal that its operation declares, and those of all operations. The answers
 *  are made by the same parts as the server's. `GET /refusals` names them all. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { type ErrorObject, errorObject } from "#/protocols/json/errors.ts";
import { isTool, toolName } from "#/protocols/json/mcp/tool.ts";
import { createToolServer } from "#/protocols/json/mcp/tool-server.ts";
import { commonErrors } from "#/protocols/json/operation.ts";
import { operations } from "#/protocols/json/registry.ts";
import { type ErrorCode, type ErrorDetails, WaypostError } from "#/src/model/errors.ts";

export interface Refusal {
  readonly tool: string;
  readonly error: ErrorObject;
}

/** What refusals of a code say beside their message. */
const detailsOf: Partial<Record<ErrorCode, ErrorDetails>> = {
  invalid: { field: "/body/to/0", hint: "Correct the address." },
  precondition_failed: { version: "17", current: { version: "17" } },
  policy_refused: { reason: "recipient_suppressed" },
  rate_limited: { retryAfterMs: 1500 },
};

/** From the declarations of the operations. */
export const refusals: readonly Refusal[] = operations.filter(isTool).flatMap((operation) =>
  [...new Set<ErrorCode>([...commonErrors, ...operation.errors])].map((code) => ({
    tool: toolName(operation.name),
    error: errorObject(
      new WaypostError(code, `${operation.name} says "${code}", ä.`, detailsOf[code] ?? {}),
      "req_1",
    ),
  })),
);

export interface RefusingTools extends AsyncDisposable {
  readonly url: string;
}

export async function openRefusingTools(): Promise<RefusingTools> {
  let withSchemas = false;
  const handler = createMcpHandler(() =>
    createToolServer({
      withSchemas,
      listOperations: async () => operations.filter(isTool),
      async call({ name }, input) {
        const { code } = input as { readonly code: ErrorCode };
        const { error } = refusals.find((one) => one.tool === toolName(name) && one.error.code === code)!;
        return { error };
      },
    }),
  );

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") {
      response.end(JSON.stringify(refusals));
      return;
    }
    let body = "";
    for await (const piece of request) body += piece;
    withSchemas = request.url!.endsWith("schemas=1");
    const headers = Object.entries(request.headers).filter(([, value]) => typeof value === "string");
    const asked = new Request("http://localhost/mcp", {
      method: "POST",
      headers: Object.fromEntries(headers) as Record<string, string>,
      body,
    });
    const answered = await handler.fetch(asked);
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
