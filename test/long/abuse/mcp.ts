/** The Model Context Protocol at its limits: batches, tools with arguments of megabytes, uploads: `node test/long/abuse/mcp.ts`. */
import { type Attack, attack } from "./attack.ts";
import { bearer, overAndOver, send } from "./clients.ts";

const logins = 3;
const atOnce = 60;
const call = (name: string, args: object, id = 1): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});
const list = { jsonrpc: "2.0", method: "tools/list", params: {} };
const bodies = [
  JSON.stringify(Array.from({ length: 20 }, (_, id) => ({ ...list, id }))),
  JSON.stringify(call("search", { q: "x".repeat(3_900_000) })),
  JSON.stringify(call("blob_create", { data: Buffer.alloc(11_000_000, 7).toString("base64") })),
  JSON.stringify(call("search", { q: Array.from({ length: 49_000 }, () => ({})) })),
  JSON.stringify(Array.from({ length: 20 }, (_, id) => call("catalog_describe", {}, id))),
];

export const mcp: Attack = {
  title: `${atOnce} requests of MCP at once: batches, large arguments, uploads`,
  attackers: logins,
  run: (daemon, attackers, until) =>
    overAndOver(atOnce, until, (at, round) => {
      const body = bodies[(at + round) % bodies.length]!;
      const accept = "application/json, text/event-stream";
      const fields = { ...bearer(attackers[at % logins]!), accept };
      return send(daemon, "/mcp", body, { network: 1 + (at % 3), until, fields });
    }),
};

await attack(import.meta, mcp);
