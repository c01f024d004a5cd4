/** The tour of the README: its commands run as they are printed, one after the other, in a shell. An answer has what the line says of it. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type InProcessDaemon, startChildDaemon, startScript } from "../support/daemon.ts";

const readme = fs.readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const tour = readme.slice(readme.indexOf("\n## A tour"), readme.indexOf("\n## Mail to the world"));

interface Command {
  readonly typed: string;
  /** What stands behind it. */
  readonly shown: string;
}

/** The commands of the indented lines. One goes on over lines as a shell reads it: until its quotes are closed, or behind a backslash. */
function listCommands(page: string): Command[] {
  const lines = [...page.matchAll(/^ {4}(.*)$/gm)].map(([, line]) => line!);
  const commands: Command[] = [];
  let typed = "";
  for (const line of lines) {
    if (typed === "" && (line === "" || line.trimStart().startsWith("#"))) continue;
    const [command = "", shown = ""] = line.split(/ {2,}# (.*)$/);
    typed += typed === "" ? command : `\n${command}`;
    const isOpen = (typed.match(/'/g) ?? []).length % 2 === 1 || typed.endsWith("\\");
    if (isOpen) continue;
    commands.push({ typed, shown });
    typed = "";
  }
  const inText = [...page.matchAll(/`(curl [^`]+)`/g)].map(([, one]) => ({ typed: one!, shown: "" }));
  return [...commands, ...inText];
}

let daemon: Awaited<ReturnType<typeof startChildDaemon>>;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-tour-"));
beforeAll(async () => {
  daemon = await startChildDaemon({ set: ["dns.servers=none", "server.public_url=http://localhost:8080"] });
  const [program, script] = startScript;
  // `npm run waypost --` starts the same script, with the data folder of the checkout.
  const npm = `#!/bin/sh\nshift 3\nexec '${program}' '${script}' "$@" --data '${daemon.data}'\n`;
  fs.writeFileSync(path.join(folder, "npm"), npm, { mode: 0o755 });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** What it prints. A stream is cut off when it has said something. */
async function run(typed: string): Promise<string> {
  const [{ token, password }] = daemon.agents as [InProcessDaemon["agents"][number]];
  const child = spawn("sh", ["-c", `AUTH="Authorization: Bearer $TOKEN"\n${typed}`], {
    env: {
      ...process.env,
      PATH: `${folder}:${process.env.PATH}`,
      TOKEN: token,
      PASSWORD: password,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let said = "";
  let errors = "";
  child.stderr.on("data", (piece: Buffer) => {
    errors += piece;
  });
  child.stdout.on("data", (piece: Buffer) => {
    said += piece;
    if (typed.includes("/v1/watch") && said.includes("mail.received")) process.kill(-child.pid!, "SIGTERM");
  });
  await new Promise((resolve) => child.once("close", resolve));
  // In a terminal curl draws no progress.
  expect(errors, typed).not.toMatch(/curl: |waypost: /);
  return said;
}

it("uses nothing that is not there", async () => {
  const commands = listCommands(tour).filter(({ typed }) => !typed.startsWith("AUTH="));
  expect(commands.length).toBeGreaterThanOrEqual(13);
  let said = "";
  let firstCursor = "";
  const lastId = (kind: string): string => {
    const found = said.match(new RegExp(`"${kind}_[0-9a-z]{26}"`, "g"))?.at(-1);
    expect(found, `no ${kind} was printed before`).toBeDefined();
    return found!.slice(1, -1);
  };
  const hosts: Record<string, string> = {
    "localhost:8080": new URL(daemon.http.url).host,
    "localhost:1143": `127.0.0.1:${daemon.imap.port}`,
    "agent@waypost.test": daemon.agents[0]!.address,
    "person@waypost.test": daemon.people[0]!.address,
  };
  for (const { typed, shown } of commands) {
    const command = Object.entries(hosts)
      .reduce((text, [printed, here]) => text.replaceAll(printed, here), typed)
      .replaceAll('"cursor":"…"', () => `"cursor":"${firstCursor}"`)
      .replaceAll(/\b(message|ag|calendar)_…/g, (_, kind: string) => lastId(kind));
    const answer = await run(command);
    said += answer;
    if (command.includes("/v1/") && !command.includes("/v1/watch")) {
      const answered = JSON.parse(answer);
      expect(answered, command).not.toHaveProperty("error");
      firstCursor ||= answered.cursor;
    }
    expect(answer, command).not.toBe("");
    for (const [, member, value] of shown.matchAll(/"(\w+)":"([^"]*)"/g)) {
      const begins = value!.split("…")[0]!.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
      expect(answer, command).toMatch(
        new RegExp(`"${member}":\\s*"${begins}${value!.includes("…") ? "" : '"'}`),
      );
    }
  }
  for (const word of [
    "The first mail",
    "mail.received",
    "X-GM|EMAILID|Subject: Hello",
    "BEGIN:VCALENDAR",
    "Review",
  ])
    expect(said, word).toMatch(new RegExp(word));
});
