/** `waypost call`: every operation from the command line. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "#/protocols/json/registry.ts";
import { runCommand } from "../support/command.ts";
import { type InProcessDaemon, startInProcessDaemon, startScript } from "../support/daemon.ts";

let daemon: InProcessDaemon;
beforeAll(async () => {
  daemon = await startInProcessDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const [program, script] = startScript as readonly [string, string];

/** A process, which a signal ends. */
function start(args: readonly string[]) {
  return spawn(program, [script, "call", ...args], { cwd: daemon.data, stdio: ["pipe", "pipe", "pipe"] });
}

const call = (args: readonly string[], input?: string) => runCommand(daemon.data, ["call", ...args], input);

const here = (): string[] => ["--data", daemon.data, "--agent", daemon.agents[0]!.address];
const there = (): string[] => ["--url", daemon.http.url, "--token", daemon.agents[0]!.token];

describe("waypost call", () => {
  it("lists the operations and the input of each, from the declarations", async () => {
    const { code, stdout } = await call(["--help"]);
    expect(code).toBe(0);
    const width = Math.max(...operations.map(({ name }) => name.length));
    for (const { name, summary } of operations) expect(stdout).toContain(`${name.padEnd(width)}  ${summary}`);
    expect((await call(["search", "--help"])).stdout).toMatch(/folder +string\. folder_…, a role/);
    expect((await call(["part.describe", "-h"])).stdout).toMatch(/id +string \(needed\)\./);
    expect(await call(["nonsense", "--help"])).toMatchObject({ code: 1 });
  });

  it.each([
    ["by the private socket", here],
    ["over HTTP", there],
  ])("reads its input from standard input, and its exit code tells the outcome, %s", async (_, way) => {
    const listed = await call(["search", "--json", "-", ...way()], '{"folder":"inbox"}');
    expect([listed.code, JSON.parse(listed.stdout).kind]).toEqual([0, "listing"]);
    expect(await call(["search", "--json", '{"limit":0}', ...way()])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("under its minimum"),
    });
    expect(await call(["search", "--json", '{"folder":"nowhere"}', ...way()])).toMatchObject({
      code: 1,
      stdout: "",
    });
  });

  it.each([
    ["by the private socket", here],
    ["over HTTP", there],
  ])("prints a line for each batch of a stream, %s", async (_, way) => {
    const { cursor } = JSON.parse((await call(["wait", ...here()])).stdout);
    const child = start(["watch", "--json", JSON.stringify({ cursor }), ...way()]);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { code } = await runCommand(daemon.data, [
      ...["deliver", "--data", daemon.data, "--to", daemon.agents[0]!.address],
    ]);
    expect(code).toBe(0);
    let told = "";
    while (!told.includes("mail.received")) told = String((await lines.next()).value);
    expect(JSON.parse(told)).toMatchObject({
      cursor: expect.any(String),
      events: [{ type: "mail.received" }],
    });
    child.kill("SIGINT");
    await once(child, "close");
  });

  it("may approve in the place of a person, and not in that of an agent", async () => {
    const scopesOf = async ({ address }: { readonly address: string }): Promise<string[]> => {
      const { stdout } = await call(["health", "--data", daemon.data, "--agent", address]);
      return JSON.parse(stdout).scopes;
    };
    expect(await scopesOf(daemon.people[0]!)).toContain("approve");
    expect(await scopesOf(daemon.agents[0]!)).not.toContain("approve");
  });

  it("ends with 1 when a stream ends with an error", async () => {
    const wrong = await call(["watch", ...there().slice(0, 2), "--token", "wp_wrong"]);
    expect(wrong).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("credential") });
  });
});
