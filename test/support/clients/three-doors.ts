/** The same call over `/v1`, as a tool of MCP, and by the typed client. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createClient } from "#/src/client/client.ts";
import { unmarked } from "../unmarked.ts";
import { httpClient } from "./http.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

/** Answers of operations; a refusal is thrown. */
export type Door = (operation: string, input: object) => Promise<Answer>;

export interface ThreeDoors extends AsyncDisposable {
  readonly v1: Door;
  readonly mcp: Door;
  readonly typed: Door;
}

export const doorNames = ["v1", "mcp", "typed"] as const;

export async function openThreeDoors(url: string, token: string): Promise<ThreeDoors> {
  const tools = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await tools.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  const v1 = httpClient(url, token);
  const typed = createClient({ url, token });
  return {
    async v1(operation, input) {
      const { body } = await v1.call(operation, input);
      if (body.error !== undefined) throw new Error(JSON.stringify(body.error));
      return body;
    },
    async mcp(operation, input) {
      const name = operation.replaceAll(".", "_");
      const { content, isError } = await tools.callTool({ name, arguments: input as never });
      const [{ text }] = content as Answer;
      if (isError === true) throw new Error(text);
      return unmarked(text);
    },
    typed: (operation, input) => typed.call(operation as never, input as never),
    [Symbol.asyncDispose]: () => tools.close(),
  };
}
