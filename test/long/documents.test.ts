/** Runs the commands of the pages in docs one after the other, as a reader types them into a shell. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenerSections } from "#/config/schema.ts";
import { startScript } from "../support/daemon.ts";

const pageOf = (name: string): string =>
  fs.readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-documents-"));
  const [program, script] = startScript;
  fs.mkdirSync(path.join(folder, "bin"));
  fs.writeFileSync(path.join(folder, "bin/waypost"), `#!/bin/sh\nexec '${program}' '${script}' "$@"\n`, {
    mode: 0o755,
  });
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** The lines of the page that are commands, except those that begin with one of `others`. */
function commandsOf(name: string, ...others: readonly string[]): string[] {
  return [...pageOf(name).matchAll(/^ {4}((?:waypost|curl) .+)$/gm)]
    .map(([, line]) => line!)
    .filter((line) => !others.some((one) => line.startsWith(one)));
}

/** Runs the commands. An id written as `message_…` becomes the last printed one. Reserved domains such as example.org would get no
 *  keys, so they are replaced. */
async function follow(
  commands: readonly string[],
  { at = "localhost:8080", env = {} }: { readonly at?: string; readonly env?: Record<string, string> } = {},
): Promise<string> {
  const shell = { ...process.env, PATH: `${path.join(folder, "bin")}:${process.env.PATH}`, ...env };
  let said = "";
  for (const command of commands) {
    const typed = command
      .replaceAll(/example\.(org|net)\b/g, "ours-$1.dev")
      .replaceAll("localhost:8080", at)
      .replaceAll('"cursor":"…"', () => `"cursor":"${lastOf(said, "cursor")}"`)
      .replaceAll(/\b(message|hold)_…/g, (_, kind: string) => lastOf(said, kind));
    const { stdout, stderr } = await promisify(execFile)("sh", ["-c", typed], { cwd: folder, env: shell });
    expect(stderr, typed).toBe("");
    if (typed.startsWith("curl")) expect(JSON.parse(stdout), typed).not.toHaveProperty("error");
    said += stdout;
  }
  return said;
}

function lastOf(said: string, kind: string): string {
  const found =
    kind === "cursor"
      ? said
          .match(/"cursor":"([^"]+)"/g)
          ?.at(-1)
          ?.slice(10, -1)
      : said.match(new RegExp(`${kind}_[0-9a-z]{26}`, "g"))?.at(-1);
  expect(found, `no ${kind} was printed before`).toBeDefined();
  return found!;
}

/** Runs `waypost start` in the folder, on free ports. */
async function startServer() {
  const env = Object.fromEntries(
    listenerSections.map((section) => [`WAYPOST_${section.toUpperCase()}_PORT`, "0"]),
  );
  const child = spawn(path.join(folder, "bin/waypost"), ["start", "--json", "--set", "dns.servers=none"], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const ready = JSON.parse(line);
  return {
    at: new URL(ready.http.url).host,
    token: ready.agents[0].token as string,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const setup = () => commandsOf("domain").filter((line) => line.startsWith("waypost setup"));

test("the commands of docs/start.md work", { timeout: 120_000 }, async () => {
  await using server = await startServer();
  const commands = commandsOf("start", "waypost start");
  expect(commands).toHaveLength(5);
  const said = await follow(commands, server);
  expect(said).toContain("The first mail");
  expect(said).toContain("queued");
});

test("the commands of docs/domain.md work", { timeout: 120_000 }, async () => {
  const commands = commandsOf("domain");
  expect(commands.length).toBeGreaterThan(8);
  const said = await follow(commands);
  expect(said).toContain("_dmarc.ours-org.dev.");
  expect(said).toContain("ours-net.dev. 3600 IN MX");
});

test("the commands of docs/agents.md work", { timeout: 120_000 }, async () => {
  const commands = [...setup(), ...commandsOf("agents")];
  expect(commands.length).toBeGreaterThan(14);
  expect(await follow(commands)).toMatch(/approved/);
});

test("the commands of docs/operate.md work", { timeout: 120_000 }, async () => {
  const maildir = path.join(folder, "old-mail");
  for (const part of ["cur", "new", "tmp"]) fs.mkdirSync(path.join(maildir, part), { recursive: true });
  fs.writeFileSync(path.join(maildir, "new/1.a"), "Subject: one\n\none\n");
  fs.writeFileSync(path.join(folder, "old.mbox"), "From a Thu Jan  1 10:00:00 2026\nSubject: two\n\ntwo\n");
  const commands = [...setup(), ...commandsOf("operate")];
  expect(commands.length).toBeGreaterThan(16);
  await follow(commands);
  expect(fs.readdirSync(path.join(folder, "copy-of-ada/cur"))).toHaveLength(1);
  expect(fs.existsSync(path.join(folder, "copy.db"))).toBe(true);
});

test("the commands of docs/interface.md work", { timeout: 120_000 }, async () => {
  await using server = await startServer();
  const commands = commandsOf("interface");
  expect(commands.length).toBeGreaterThan(9);
  const said = await follow(commands, { at: server.at, env: { TOKEN: server.token } });
  expect(said).toContain("When do you open?");
  expect(said).toContain('"replayed":true');
});

test("the pages name only existing sections of the settings and link only to existing files", () => {
  const example = fs.readFileSync(new URL("../../config/waypost.example.toml", import.meta.url), "utf8");
  for (const name of ["start", "domain", "agents", "operate", "interface"]) {
    const page = pageOf(name);
    for (const [section] of page.matchAll(/(?<=`)\[\w+\](?=`)/g))
      expect(example, name).toContain(`\n${section}\n`);
    for (const [, target] of page.matchAll(/\]\((?!https?:)([^)#]+)/g))
      expect(fs.existsSync(new URL(`../../docs/${target}`, import.meta.url)), `${name}: ${target}`).toBe(
        true,
      );
  }
});
