import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { hashOf } from "#/protocols/json/idempotency.ts";
import { replayedHint, sameCallMs, sendsOrCreates } from "#/protocols/json/mcp/same-call.ts";
import type { ToolDoor } from "#/protocols/json/mcp/tool-server.ts";
import type { Operation } from "#/protocols/json/operation.ts";
import { type CallName, createClient, RequestError } from "#/src/client/client.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { Scope } from "#/src/model/roles.ts";
import type { Shell } from "./shell.ts";

/** How long the list of tools is kept. */
const listedMs = 30_000;

interface McpOptions {
  readonly url?: string;
  readonly token?: string;
}

/** `waypost mcp`: the tools of `/mcp` over standard input and output, for clients that start their servers. It keeps no state:
 *  each call is a request to the server at `--url`. */
export function mcpCommand(shell: Shell): Command {
  return new Command("mcp")
    .description("Speak the Model Context Protocol on standard input and output, for the server at a URL.")
    .option("--url <url>", "the server, as http://127.0.0.1:8080 (default: WAYPOST_URL)")
    .option("--token <token>", "an agent's token (default: WAYPOST_TOKEN)")
    .action(async (options: McpOptions) => {
      const { url = shell.environment.WAYPOST_URL, token = shell.environment.WAYPOST_TOKEN } = options;
      if (url === undefined || token === undefined)
        throw new WaypostError(
          "invalid",
          "Say where and as whom: --url and --token, or WAYPOST_URL and WAYPOST_TOKEN.",
        );
      const [{ serveStdio }, { createToolServer }, { operations }, { canCall }] = await Promise.all([
        import("@modelcontextprotocol/server/stdio"),
        import("#/protocols/json/mcp/tool-server.ts"),
        import("#/protocols/json/registry.ts"),
        import("#/protocols/json/scopes.ts"),
      ]);
      const client = createClient({ url, token });
      // A wrong URL or token is an error at the start, where a person sees it.
      await client.call("health");
      const sameCalls = createSameCalls();
      let listed: { readonly at: number; readonly operations: readonly Operation[] } | undefined;
      const door: ToolDoor = {
        async listOperations() {
          if (listed !== undefined && performance.now() - listed.at < listedMs) return listed.operations;
          const { content } = await client.call("catalog.describe");
          const { operations: served, scopes } = content as unknown as Catalogue;
          const names = new Set(served.map(({ name }) => name));
          const caller = { scopes: new Set(scopes.credential) };
          const own = operations.filter((one) => names.has(one.name) && canCall(caller, one));
          listed = { at: performance.now(), operations: own };
          return own;
        },
        async call(operation, input, signal) {
          const asked: Asked = {
            ...(operation.effect === "reads" ? { detail: "short" } : {}),
            ...(operation.effect === "reads" && operation.reaches === "others" ? { marks: "fence" } : {}),
            ...(input as Asked),
          };
          const same = sameCalls.find(operation, asked);
          try {
            const call = { ...asked, ...(same === undefined ? {} : { idempotency_key: same.key }) };
            const result = await client.call(operation.name as CallName, call as never, { signal });
            if (same?.isDone === true) return { result: { ...result, replayed: true, hint: replayedHint } };
            if (same !== undefined) same.isDone = true;
            return { result };
          } catch (error) {
            if (error instanceof RequestError) return { error: error.refusal };
            throw error;
          }
        },
      };
      serveStdio(() => createToolServer(door), { maxSubscriptions: 1 });
      const ended = Promise.withResolvers<void>();
      shell.input.once("end", () => ended.resolve()).once("close", () => ended.resolve());
      await ended.promise;
    });
}

interface Asked {
  readonly idempotency_key?: string;
  readonly detail?: string;
  readonly marks?: string;
}

interface RememberedCall {
  readonly key: string;
  readonly at: number;
  isDone: boolean;
}

/** Calls of the last ten minutes that count as one when they are repeated without a key. */
function createSameCalls() {
  const calls = new Map<string, RememberedCall>();
  return {
    find(operation: Operation, input: Asked): RememberedCall | undefined {
      if (!sendsOrCreates(operation) || input.idempotency_key !== undefined) return undefined;
      const now = performance.now();
      for (const [name, { at }] of calls) if (now - at > sameCallMs) calls.delete(name);
      const name = hashOf([operation.name, input]).toString("base64url");
      const call = calls.get(name) ?? { key: randomUUID(), at: now, isDone: false };
      calls.set(name, call);
      return call;
    },
  };
}

/** The part of the result of `catalog.describe` about the credential. */
interface Catalogue {
  readonly operations: readonly { readonly name: string }[];
  readonly scopes: { readonly credential: readonly Scope[] };
}
