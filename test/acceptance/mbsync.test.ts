/** mbsync (Debian package isync) synchronizes a mailbox of 1,000 messages with a maildir in both directions. */
import { execFile, execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectRawImap, type RawImap } from "../support/clients/raw-imap.ts";
import { type ChildDaemon, startChildDaemon } from "../support/daemon.ts";

const hasMbsync = (() => {
  try {
    execFileSync("mbsync", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();
const count = 1000;

describe.skipIf(!hasMbsync)(`mbsync${hasMbsync ? "" : " (skipped: it is not installed)"}`, () => {
  let daemon: ChildDaemon;
  let imap: RawImap;
  let folder: string;
  const maildir = (sub: "cur" | "new"): string => path.join(folder, "mail", "Box", sub);

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "waypost-mbsync-"));
    mkdirSync(path.join(folder, "mail"));
    daemon = await startChildDaemon();
    const { address, password } = daemon.agents[0]!;
    writeFileSync(
      path.join(folder, "rc"),
      `IMAPAccount waypost
Host ${daemon.imap.host}
Port ${daemon.imap.port}
User ${address}
Pass ${password}
SSLType None
AuthMechs LOGIN

IMAPStore far
Account waypost

MaildirStore near
Path ${folder}/mail/
Inbox ${folder}/mail/INBOX
SubFolders Verbatim

Channel all
Far :far:
Near :near:
Patterns Box
Create Both
Expunge Both
SyncState *
`,
      { mode: 0o600 },
    );
    imap = await connectRawImap(daemon.imap);
    await ok(`LOGIN ${address} ${password}`);
    await ok("CREATE Box");
    for (let n = 1; n <= count; n++) await ok(`APPEND Box (${n % 2 ? "\\Seen" : ""})`, message(n));
  });
  afterAll(async () => {
    await imap[Symbol.asyncDispose]();
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ok(command: string, literal?: Buffer): Promise<readonly string[]> {
    const answer = await imap.command(command, literal);
    expect(answer.status).toMatch(/^OK/);
    return answer.untagged.map(({ text }) => text);
  }

  /** Runs mbsync and gives the commands that it sent to change or carry mail. */
  async function sync(): Promise<string[]> {
    const { stdout, stderr } = await promisify(execFile)(
      "mbsync",
      ["-c", path.join(folder, "rc"), "-Dn", "all"],
      {
        maxBuffer: 1 << 26,
      },
    );
    const commands = `${stdout}${stderr}`.split("\n").filter((line) => /^>>> /.test(line));
    expect(commands.length).toBeGreaterThan(0);
    return commands.filter((line) => /APPEND|STORE|EXPUNGE|COPY|MOVE|BODY/.test(line));
  }

  it("copies everything, transfers nothing the second time, and synchronises changes of both sides", async () => {
    await sync();
    expect(readdirSync(maildir("cur")).length + readdirSync(maildir("new")).length).toBe(count);
    expect(await sync()).toEqual([]);

    // Here: one read, one deleted, one new. There: one flagged, one deleted, one new.
    const seen = readdirSync(maildir("cur")).find((name) => name.endsWith(":2,"));
    const unread = seen ?? readdirSync(maildir("new"))[0]!;
    renameSync(
      path.join(maildir(seen ? "cur" : "new"), unread),
      path.join(maildir("cur"), `${unread.replace(/:2,$/, "")}:2,S`),
    );
    const gone = readdirSync(maildir("cur")).find(
      (name) => name.endsWith(":2,S") && !name.startsWith(unread),
    )!;
    rmSync(path.join(maildir("cur"), gone));
    appendFileSync(path.join(maildir("new"), "1.local.host"), message(count + 1));
    await ok("SELECT Box");
    await ok("UID STORE 10 +FLAGS (\\Flagged)");
    await ok("UID STORE 12 +FLAGS (\\Deleted)");
    await ok("UID EXPUNGE 12");
    await ok("APPEND Box", message(count + 2));
    await sync();
    expect(readdirSync(maildir("cur")).length + readdirSync(maildir("new")).length).toBe(count);
    const selected = await ok("SELECT Box");
    expect(selected.find((line) => /EXISTS$/.test(line))).toBe(`* ${count} EXISTS`);
    expect(readdirSync(maildir("cur")).filter((name) => /:2,[A-Z]*F/.test(name))).toHaveLength(1);
    expect(await sync()).toEqual([]);
  });
});

function message(n: number): Buffer {
  return Buffer.from(
    `From: sender${n % 7}@peer.test\r\nTo: me@waypost.test\r\nSubject: number ${n}\r\nMessage-ID: <${n}@peer.test>\r\n` +
      `Date: Mon, 02 Feb 2026 10:00:${String(n % 60).padStart(2, "0")} +0000\r\n\r\nBody of number ${n}\r\n${"text ".repeat(n % 50)}\r\n`,
  );
}
