/** The official conformance tool of the Model Context Protocol against `/mcp`, through a proxy that adds an agent's token, and against a test
 *  server of the same parts that serves the tools that its scenarios ask for; for a revision of 2025 and that of 2026. What fails because
 *  nothing here announces it is listed with its reason, and anything else fails the suite. Then the published client of version 1 reads
 *  every refusal of each tool. `test/mcp/package.json` names both. */
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { manyRequests, startChildDaemon } from "../../support/daemon.ts";
import { openConformanceTools } from "../../support/servers/conformance-tools.ts";
import { openRefusingTools } from "../../support/servers/refusing-tools.ts";
import type { Suite } from "./suite.ts";

const folder = new URL("../../mcp/", import.meta.url).pathname;
const tool = path.join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const client = path.join(folder, "client.mjs");

const revisions = ["2025-11-25", "2026-07-28"] as const;

type Reason = readonly [pattern: RegExp, reason: string];

/** What cannot pass: a pattern of a check's scenario, id and message. */
const unannounced: readonly Reason[] = [
  [
    /^(?:prompts|resources)-|caching-hints .*(?:prompts|resources)\/|^sep-2164-/,
    "no prompts and resources are announced",
  ],
  [/^completion-complete /, "no completion is announced"],
  [/^logging-set-level |^tools-call-with-logging /, "no logging is announced"],
  [/^tasks-/, "the extension for tasks is not announced"],
  [
    /^input-required-result-|^(?:tools-call-)?(?:elicitation|sampling)|sep-2575-server-rejects-undeclared-capability|sep-2575-missing-capability/,
    "no tool asks its client for input",
  ],
  [/^tools-call-(?:image|audio|mixed-content|embedded-resource) /, "results are text"],
  [/^tools-call-with-progress /, "no progress is told"],
  [/^http-custom-header-server-validation /, "no field of a tool stands in a header"],
  [
    /^json-schema-2020-12 (?:json-schema-2020-12-(?:\$schema|\$defs|additionalProperties)|sep-2106-[a-z-]*) /,
    "the list of tools is short: names, types and first sentences, no $ref",
  ],
];

/** Of the daemon alone: what the test server has. */
const ofTestServer: Reason = [
  /There is no such tool| Not testable: server (?:does not list|exposes no tool)|Tool 'json_schema/,
  "a tool of the test server",
];

export const mcpConformance: Suite = {
  name: "mcp-conformance",
  missing() {
    if (!fs.existsSync(tool))
      spawnSync("npm", ["--prefix", folder, "install", "--no-save", "--ignore-scripts", "--silent"]);
    return fs.existsSync(tool) ? undefined : "npm does not install @modelcontextprotocol/conformance";
  },
  async run(_, work) {
    await using daemon = await startChildDaemon({ set: [...manyRequests] });
    const { token } = daemon.agents[0]!;
    await using proxy = await openProxy(new URL(daemon.http.url), token);
    await using tools = await openConformanceTools();
    const servers = [
      { name: "daemon", url: proxy.url, expected: [...unannounced, ofTestServer] },
      { name: "test server", url: tools.url, expected: unannounced },
    ];
    let passed = true;
    for (const { name, url, expected } of servers)
      for (const revision of revisions) {
        const results = path.join(work, `${name} ${revision}`);
        const options = ["--url", `${url}/mcp`, "--requirements", revision, "--output-dir", results];
        await runNode([tool, "server", ...options], "ignore");
        for (const { scenario, id, message } of readFailures(results)) {
          const reason = expected.find(([pattern]) => pattern.test(`${scenario} ${id} ${message}`))?.[1];
          if (reason === undefined) passed = false;
          console.log(`${name} ${revision} ${scenario} ${id}: ${reason ?? `FAILED, ${message}`}`);
        }
      }
    await using refusing = await openRefusingTools();
    return (await runNode([client, `${proxy.url}/mcp`, refusing.url], "inherit")) === 0 && passed;
  },
};

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** The failed checks of each scenario. Throws when the tool has checked nothing. */
function readFailures(results: string) {
  const scenarios = fs.readdirSync(results);
  if (scenarios.length < 20) throw new Error(`the tool has run ${scenarios.length} scenarios`);
  return scenarios.toSorted().flatMap((name) => {
    const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    const checks = JSON.parse(fs.readFileSync(path.join(results, name, "checks.json"), "utf8")) as Check[];
    return checks
      .filter(({ status }) => status === "FAILURE")
      .map(({ id, errorMessage = "" }) => ({ scenario, id, message: errorMessage }));
  });
}

function runNode(args: readonly string[], stdio: "ignore" | "inherit"): Promise<number | null> {
  const child = spawn(process.execPath, args, { stdio });
  return new Promise((resolve) => child.once("close", resolve));
}

/** Adds the token to each request. The tool cannot. */
async function openProxy({ hostname, port }: URL, token: string) {
  const server = createServer((asked, answer) => {
    const { url, method } = asked;
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const passed = request({ hostname, port, path: url, method, headers }, (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
