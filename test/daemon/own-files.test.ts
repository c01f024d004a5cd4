/** A running daemon needs no file that another command may take away: of the source, the libraries, what was compiled, and Node. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { type ChildDaemon, startChildDaemon } from "../support/daemon.ts";
import { pdfOf } from "../support/documents.ts";

const top = path.resolve(import.meta.dirname, "../..");
const rooms = ["config", "protocols", "src", "storage"];

interface OwnFiles {
  ownFolder(top: string, sources: readonly string[], make: (folder: string) => void): string | undefined;
}

/** An installation of its own, with a Node of its own. */
function install(folder: string): { readonly node: string; readonly start: string } {
  for (const name of [...rooms, "package.json"])
    fs.cpSync(path.join(top, name), path.join(folder, name), { recursive: true });
  const libraries = path.join(folder, "node_modules");
  fs.mkdirSync(libraries);
  for (const name of fs.readdirSync(path.join(top, "node_modules")))
    if (name !== ".cache") fs.symlinkSync(path.join(top, "node_modules", name), path.join(libraries, name));
  const node = path.join(folder, "node");
  fs.copyFileSync(process.execPath, node);
  return { node, start: path.join(folder, "src/start.mjs") };
}

async function deliver({ smtp, agents }: ChildDaemon, subject: string, pdf: Buffer): Promise<string> {
  await using client = await connectRawSmtp({ port: smtp.port });
  const head = [
    "From: eve@example.net",
    `To: ${agents[0]!.address}`,
    `Subject: ${subject}`,
    "MIME-Version: 1.0",
    "Content-Type: application/pdf",
    "Content-Transfer-Encoding: base64",
    'Content-Disposition: attachment; filename="a.pdf"',
  ];
  for (const line of [
    "EHLO x.test",
    "MAIL FROM:<eve@example.net>",
    `RCPT TO:<${agents[0]!.address}>`,
    "DATA",
  ])
    await client.command(line);
  return await client.command(`${head.join("\r\n")}\r\n\r\n${pdf.toString("base64")}\r\n.`);
}

async function call(daemon: ChildDaemon, operation: string, input: object): Promise<string> {
  const answer = await fetch(`${daemon.http.url}/v1/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${daemon.agents[0]!.token}`, "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  return answer.text();
}

test("takes mail, searches and reads a PDF when its installation is gone", { timeout: 120_000 }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-own-files-"));
  try {
    const { node, start } = install(folder);
    await using daemon = await startChildDaemon({ command: [node, start] });
    // Others start from changed source meanwhile, and something installs the libraries anew.
    const changed = path.join(folder, "src/cli/program.ts");
    for (let version = 0; version < 2; version++) {
      fs.appendFileSync(changed, "\n");
      execFileSync(process.execPath, [start, "--version"], { stdio: "ignore" });
    }
    for (const name of [...rooms, "package.json", "node_modules", "node"])
      fs.rmSync(path.join(folder, name), { recursive: true });
    expect(await deliver(daemon, "First", pdfOf(["Zanzibar"]))).toMatch(/^250 /);
    await vi.waitFor(async () => expect(await call(daemon, "search", { q: "first" })).toContain('"First"'), {
      timeout: 30_000,
      interval: 100,
    });
    const [message] = /message_\w+/.exec(await call(daemon, "search", { q: "first" }))!;
    expect(await call(daemon, "part.describe", { id: message, part: "1" })).toContain("Zanzibar");
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

test("a start deletes only what has the form of a version", async () => {
  // Plain JavaScript, without types.
  const { ownFolder } = (await import(new URL("../../src/own-files.mjs", import.meta.url).href)) as OwnFiles;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-own-files-"));
  try {
    const home = path.join(folder, ".waypost");
    const others = ["src", "storage", "0".repeat(31), "0".repeat(33), "f".repeat(32).toUpperCase()];
    for (const name of others) fs.mkdirSync(path.join(home, name), { recursive: true });
    fs.writeFileSync(path.join(folder, "package.json"), "{}");
    const start = (version: string): string => {
      fs.writeFileSync(path.join(folder, "source"), version);
      return ownFolder(folder, ["source"], (making) => fs.mkdirSync(making))!;
    };
    const first = start("1");
    // The process that runs it has ended.
    fs.rmSync(`${first}.${process.pid}`);
    const second = start("22");
    expect(path.dirname(first)).toBe(home);
    expect(fs.existsSync(first)).toBe(false);
    expect(fs.readdirSync(home).toSorted()).toEqual(
      [...others, path.basename(second), `${path.basename(second)}.${process.pid}`].toSorted(),
    );
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
