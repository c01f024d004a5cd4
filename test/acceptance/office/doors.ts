/** The doors of the office, which count: each goes through a proxy that sees every answer, of whichever program it is. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { unmarked } from "../../support/unmarked.ts";

export interface Counts {
  calls: number;
  octets: number;
  /** Calls that were refused. */
  failed: number;
}

export interface CountingProxy extends AsyncDisposable {
  readonly url: string;
  readonly counts: Counts;
}

/** Counts tools that are called, requests of `/v1`, and the octets of all answers, lists of tools too. */
export async function startProxy(target: string): Promise<CountingProxy> {
  const counts: Counts = { calls: 0, octets: 0, failed: 0 };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const headers = { ...request.headers } as Record<string, string>;
    for (const name of ["host", "connection", "content-length", "transfer-encoding", "accept-encoding"])
      delete headers[name];
    const isRead = request.method === "GET" || request.method === "HEAD";
    const answer = await fetch(target + request.url, {
      method: request.method!,
      headers,
      ...(isRead ? {} : { body }),
    });
    const octets = Buffer.from(await answer.arrayBuffer());
    const isCall = request.url!.startsWith("/v1/") || body.includes('"method":"tools/call"');
    if (isCall) counts.calls++;
    if (
      isCall &&
      (!answer.ok || /"isError":true|^\{"jsonrpc":"2.0","id":[^,]*,"error"/.test(octets.toString()))
    )
      counts.failed++;
    counts.octets += octets.length;
    response.writeHead(answer.status, {
      "Content-Type": answer.headers.get("content-type") ?? "application/json",
    });
    response.end(octets);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
export type Answer = any;

/** What a model has of the interface: its operations by name, and what their descriptions tell of fields. */
export interface Desk extends AsyncDisposable {
  call(operation: string, input?: object): Promise<Answer>;
  /** Whether the description of the operation has the field, and of it the word. */
  tells(operation: string, field: string, word?: string): boolean;
}

/** The operations that the day needs; over `/v1` their fields are asked for in two calls, after the grammar. */
const used = [
  "search",
  "part.describe",
  "calendarMonth.list",
  "message.update",
  "draft.create",
  "folder.create",
  "contact.create",
  "event.create",
  "event.update",
  "send",
] as const;

export async function openMcp(url: string, token: string): Promise<Desk> {
  const client = new Client({ name: "office", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    }),
  );
  const { tools } = await client.listTools();
  const fields = new Map<string, string>();
  for (const { name, inputSchema } of tools) collect(name.replaceAll("_", "."), inputSchema as Answer);
  const toolOf = (operation: string): string => operation.replaceAll(".", "_");
  return {
    async call(operation, input = {}) {
      const { content } = await client.callTool({ name: toolOf(operation), arguments: input as never });
      return unmarked((content as { text: string }[])[0]!.text);
    },
    tells: (operation, field, word = "") => fields.get(`${operation} ${field}`)?.includes(word) ?? false,
    [Symbol.asyncDispose]: () => client.close(),
  };

  function collect(at: string, { properties = {} }: Answer): void {
    for (const [name, field] of Object.entries<Answer>(properties)) {
      const place = at.includes(" ") ? `${at}/${name}` : `${at} ${name}`;
      fields.set(place, JSON.stringify(field));
      collect(place, field);
      if (field.items !== undefined) collect(`${place}[]`, field.items);
    }
  }
}

export async function openV1(url: string, token: string): Promise<Desk> {
  const call: Desk["call"] = async (operation, input = {}) => {
    const response = await fetch(`${url}/v1/${operation}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(input),
    });
    return response.json();
  };
  await call("help.describe");
  const { content } = await call("help.describe", { operation: used });
  const fields = new Map<string, string>();
  for (const { operation, fields: told } of content.operations)
    for (const [field, text] of Object.entries<string>(told)) fields.set(`${operation} ${field}`, text);
  return {
    call,
    tells: (operation, field, word = "") => fields.get(`${operation} ${field}`)?.includes(word) ?? false,
    async [Symbol.asyncDispose]() {},
  };
}
