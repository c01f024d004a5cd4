/** The published client of version 1 at the URL of a server: it must read code, message and hint of every tool's refusal, with the schemas
 *  of results and without them, and results too. Then at that of a server whose tools refuse as they are asked: every refusal as it is.
 *  `node client.mjs URL REFUSING` */
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, refusing] = process.argv.slice(2);
for (const query of ["", "?schemas=1"]) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${query}`)));
  const { tools } = await client.listTools();
  assert.ok(tools.length > 30);
  for (const { name } of tools) {
    const { isError, content } = await client.callTool({ name, arguments: { unheard_of: 1 } });
    const { error } = JSON.parse(content[0].text);
    assert.deepEqual(
      [name, isError, error.code, typeof error.message, typeof error.hint],
      [name, true, "invalid", "string", "string"],
    );
  }
  const unknown = await client.callTool({ name: "part_describe", arguments: { id: "message_nothing" } });
  assert.equal(JSON.parse(unknown.content[0].text).error.code, "not_found");
  const health = await client.callTool({ name: "health", arguments: {} });
  const said = query === "" ? JSON.parse(health.content[0].text) : health.structuredContent;
  assert.equal(said.ok, true);
  await client.close();
  console.log(`the client of version 1 reads each of ${tools.length} refusals${query}`);
}

const refusals = await (await fetch(`${refusing}/refusals`)).json();
assert.ok(refusals.length > 200);
for (const query of ["", "?schemas=1"]) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${refusing}/mcp${query}`)));
  await client.listTools();
  for (const { tool, error } of refusals) {
    const { isError, content } = await client.callTool({ name: tool, arguments: { code: error.code } });
    assert.deepEqual([isError, content], [true, [{ type: "text", text: JSON.stringify({ error }) }]]);
  }
  await client.close();
  console.log(`the client of version 1 reads ${refusals.length} refusals as they are${query}`);
}
