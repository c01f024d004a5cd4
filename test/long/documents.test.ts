/** The commands of docs/operate.md, one after the other, as a reader types them. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startScript } from "../support/daemon.ts";

const page = fs.readFileSync(new URL("../../docs/operate.md", import.meta.url), "utf8");

test("every command of the page is done", { timeout: 120_000 }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-documents-"));
  try {
    const maildir = path.join(folder, "old-mail");
    for (const part of ["cur", "new", "tmp"]) fs.mkdirSync(path.join(maildir, part), { recursive: true });
    fs.writeFileSync(path.join(maildir, "new/1.a"), "Subject: one\n\none\n");
    fs.writeFileSync(path.join(folder, "old.mbox"), "From a Thu Jan  1 10:00:00 2026\nSubject: two\n\ntwo\n");
    // Nobody can look example.org up, so it would have no keys.
    const commands = [...page.matchAll(/^ {4}waypost (.+)$/gm)].map(([, line]) =>
      line!.replaceAll("example.org", "ours.dev").split(" "),
    );
    expect(commands.length).toBeGreaterThan(15);
    const [program, script] = startScript;
    for (const args of commands) {
      const run = promisify(execFile)(program!, [script!, ...args], { cwd: folder });
      await expect(run, args.join(" ")).resolves.toMatchObject({ stderr: "" });
    }
    expect(fs.readdirSync(path.join(folder, "copy-of-ada/cur"))).toHaveLength(1);
    expect(fs.existsSync(path.join(folder, "copy.db"))).toBe(true);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

test("the settings that the page names are there", () => {
  const example = fs.readFileSync(new URL("../../config/waypost.example.toml", import.meta.url), "utf8");
  for (const section of ["acme", "tls", "metrics", "sts", "operator"]) {
    expect(page).toContain(`[${section}]`);
    expect(example).toMatch(new RegExp(`^\\[${section}\\]$`, "m"));
  }
});
