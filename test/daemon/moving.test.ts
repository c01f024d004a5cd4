/** Mail is imported and exported: completely, each message once, also when the program is killed meanwhile. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withCrlf } from "#/src/daemon/moving/mail-source.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import { runCommand } from "../support/command.ts";
import { type InProcessDaemon, startInProcessDaemon, startScript } from "../support/daemon.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-moving-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const [program, script] = startScript as readonly [string, string];
const owner = "person1@waypost.test";

async function waypost(data: string, ...args: readonly string[]) {
  const outcome = await runCommand(folder, [...args, "--json", "--data", data]);
  if (outcome.code !== 0) throw Object.assign(new Error(outcome.stderr), outcome);
  return JSON.parse(outcome.stdout);
}

/** A server with one message that is said to have 100 octets and is sent with so many. */
async function startLyingImap(octets: number) {
  const sockets: net.Socket[] = [];
  let sent = 0;
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.write("* OK [CAPABILITY IMAP4rev1] ready\r\n");
    const lines = createInterface({ input: socket }).on("line", async (line) => {
      const [tag, first = "", second = ""] = line.split(" ");
      const name = (first === "UID" ? second : first).toUpperCase();
      if (name === "LIST") socket.write('* LIST () "/" INBOX\r\n');
      if (name === "LSUB") socket.write('* LSUB () "/" INBOX\r\n');
      if (name === "SELECT" || name === "EXAMINE")
        socket.write("* 1 EXISTS\r\n* OK [UIDVALIDITY 1] ok\r\n* OK [UIDNEXT 2] ok\r\n");
      if (name === "STATUS") socket.write("* STATUS INBOX (MESSAGES 1)\r\n");
      if (name === "SEARCH") socket.write("* SEARCH 1\r\n");
      if (name === "FETCH" && line.includes("RFC822.SIZE"))
        socket.write(
          '* 1 FETCH (UID 1 FLAGS () RFC822.SIZE 100 INTERNALDATE "01-Jan-2026 10:00:00 +0000")\r\n',
        );
      if (name === "FETCH" && line.includes("BODY")) {
        socket.write(`* 1 FETCH (UID 1 BODY[] {${octets}}\r\n`);
        const part = Buffer.alloc(65_536, "x");
        for (let at = 0; at < octets && !socket.destroyed; at += part.length) {
          sent += part.length;
          if (!socket.write(part)) await once(socket, "drain").catch(() => {});
        }
      }
      socket.write(`${tag} OK done\r\n`);
    });
    lines.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as net.AddressInfo).port,
    sent: () => sent,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const text = (subject: string): string => `From: a@far.example\nSubject: ${subject}\n\nLine of ${subject}\n`;

function writeMaildir(place: string, folders: Readonly<Record<string, readonly [string, string][]>>): void {
  for (const [name, messages] of Object.entries(folders)) {
    const directory = path.join(place, name);
    for (const part of ["cur", "new", "tmp"]) fs.mkdirSync(path.join(directory, part), { recursive: true });
    for (const [file, subject] of messages)
      fs.writeFileSync(path.join(directory, file.includes(":2,") ? "cur" : "new", file), text(subject));
  }
}

/** What a mail client sees: mailbox, subject, flags, date, octets. */
async function shown(server: InProcessDaemon, at: string = owner): Promise<string[]> {
  const { house } = server.daemon;
  const { agent } = (await house.accounts.findOwner(at))!;
  const lines: string[] = [];
  for (const { name, number } of await house.mail.listMailboxes(agent))
    for await (const page of house.mail.messagePages(agent, number, [[1, 2 ** 32 - 1]]))
      for (const message of page)
        lines.push(
          [
            name,
            message.subject,
            message.flags.mask,
            Math.floor(message.internalDate / 1000),
            (await house.mail.readBytes(message)).toString("latin1"),
          ].join("|"),
        );
  return lines.sort();
}

const start = (more: { people?: number; set?: readonly string[] } = {}) =>
  startInProcessDaemon({
    people: 1,
    ...more,
    set: ["dns.servers=none", "log.level=silent", ...(more.set ?? [])],
  });

describe("mail comes in", () => {
  it("from a Maildir with its folders, flags and dates, once, and new mail in a second run", async () => {
    const place = path.join(folder, "mail");
    writeMaildir(place, {
      "": [
        ["1.a.host", "new one"],
        ["2.b.host:2,FRS", "read one"],
      ],
      ".Sent": [["3.c.host:2,S", "sent one"]],
      ".Lists.&AOk-t&AOk-": [["4.d.host:2,", "of summer"]],
      // It is no word of ours, whatever else in the program has this name.
      ".constructor": [["5.e.host:2,", "of a house"]],
    });
    fs.utimesSync(path.join(place, "cur/2.b.host:2,FRS"), 1_500_000_000, 1_500_000_000);
    await using server = await start();
    const data = server.daemon.settings.storage.folder;
    expect(await waypost(data, "import", owner, place)).toEqual({
      imported: 5,
      known: 0,
      refused: 0,
      refusals: [],
    });
    const lines = await shown(server);
    expect(lines.map((line) => line.split("|").slice(0, 3).join(" "))).toEqual([
      "INBOX new one 0",
      "INBOX read one 7",
      "Lists/été of summer 0",
      "Sent sent one 1",
      "constructor of a house 0",
    ]);
    expect(lines[1]).toContain(
      "|1500000000|From: a@far.example\r\nSubject: read one\r\n\r\nLine of read one\r\n",
    );
    // Another flag is another name of the same message.
    fs.renameSync(path.join(place, "new/1.a.host"), path.join(place, "cur/1.a.host:2,S"));
    writeMaildir(place, { "": [["6.f.host:2,S", "late one"]] });
    expect(await waypost(data, "import", owner, place)).toMatchObject({ imported: 1, known: 5 });
    expect(await shown(server)).toHaveLength(6);
  });

  it("from an mbox file, with From lines and flags in the form of mboxrd", async () => {
    const file = path.join(folder, "Old.mbox");
    fs.writeFileSync(
      file,
      [
        `From a@far.example Thu Jan  1 10:00:00 2026\nStatus: RO\nX-Status: F\n${text("one")}\n>From here\n>>From there\n\n`,
        `From b@far.example Fri Jan  2 10:00:00 2026\n${text("two")}\nFrom inside of a text\n\n`,
        `From b@far.example Fri Jan  2 10:00:00 2026\n${text("two")}\nFrom inside of a text\n\n`,
      ].join(""),
    );
    await using server = await start();
    const data = server.daemon.settings.storage.folder;
    expect(await waypost(data, "import", owner, file)).toMatchObject({ known: 0, refused: 0 });
    const lines = await shown(server);
    const one = lines.find((line) => line.startsWith("Old|one|"))!;
    expect(one).toContain("Old|one|5|");
    expect(one).toContain("From here\r\n>From there");
    expect(one).not.toContain("Status");
    const again = await waypost(data, "import", owner, file);
    expect(again).toMatchObject({ imported: 0, known: lines.length });
    expect(await shown(server)).toEqual(lines);
  });

  it("from .eml files, and a file that is too large is refused by name while the others are imported", async () => {
    for (const name of ["a", "b"]) fs.writeFileSync(path.join(folder, `${name}.eml`), text(name));
    fs.writeFileSync(path.join(folder, "large.eml"), text("x".repeat(5000)));
    await using server = await start({ set: ["imap.max_append_bytes=4000"] });
    const data = server.daemon.settings.storage.folder;
    const error = (await waypost(data, "import", owner, folder).catch((one: unknown) => one)) as {
      code: number;
      stdout: string;
    };
    expect(error.code).toBe(1);
    expect(JSON.parse(error.stdout)).toMatchObject({
      imported: 2,
      refused: 1,
      refusals: [{ folder: "INBOX", why: expect.stringContaining("octets") }],
    });
    expect(
      await waypost(data, "import", owner, path.join(folder, "a.eml")).then(({ imported }) => imported),
    ).toBe(1);
  });

  it("from folders of .eml files below a folder, each into the folder of its name; one without any is refused", async () => {
    const mails = path.join(folder, "mails");
    fs.mkdirSync(path.join(mails, "Clients", "2024"), { recursive: true });
    fs.mkdirSync(path.join(mails, "empty"));
    for (const name of ["top", "Clients/one", "Clients/2024/one"])
      fs.writeFileSync(path.join(mails, `${name}.eml`), text(name));
    await using server = await start();
    const data = server.daemon.settings.storage.folder;
    expect(await waypost(data, "import", owner, mails)).toMatchObject({ imported: 3, refused: 0 });
    expect((await shown(server)).map((line) => line.split("|").slice(0, 2))).toEqual([
      ["Clients/2024", "Clients/2024/one"],
      ["Clients", "Clients/one"],
      ["INBOX", "top"],
    ]);
    expect(await waypost(data, "import", owner, mails)).toMatchObject({ imported: 0, known: 3 });
    await expect(waypost(data, "import", owner, path.join(mails, "empty"))).rejects.toMatchObject({
      stderr: expect.stringContaining("no .eml files"),
    });
  });

  it("and only the beginning of a message that is too large is read", async () => {
    const mails = path.join(folder, "mails");
    fs.mkdirSync(mails);
    // No program could read it whole: a Buffer ends at 4 GiB.
    fs.closeSync(fs.openSync(path.join(mails, "sparse.eml"), "w"));
    fs.truncateSync(path.join(mails, "sparse.eml"), 5 * 2 ** 30);
    fs.writeFileSync(path.join(mails, "small.eml"), text("small"));
    const file = path.join(folder, "Box.mbox");
    const line = "x".repeat(1_500_000);
    fs.writeFileSync(
      file,
      `From a@far.example\n${text("before")}\nFrom b@far.example\n${text("long")}${line}\n${line}\nend\n\nFrom c@far.example\n${text("behind")}`,
    );
    await using server = await start({ set: ["imap.max_append_bytes=4000"] });
    const data = server.daemon.settings.storage.folder;
    for (const place of [mails, file]) {
      const error = (await waypost(data, "import", owner, place).catch((one: unknown) => one)) as {
        stdout: string;
      };
      expect(JSON.parse(error.stdout)).toMatchObject({ refused: 1 });
    }
    expect((await shown(server)).map((one) => one.split("|")[1])).toEqual(
      ["behind", "before", "small"].sort(),
    );
  });

  it("and the import ends when a server sends more than it announced", async () => {
    await using sender = await startLyingImap(64 * 1024 * 1024);
    await using server = await start({ set: ["imap.max_append_bytes=4000"] });
    const data = server.daemon.settings.storage.folder;
    const secret = path.join(folder, "secret");
    fs.writeFileSync(secret, "any\n");
    const url = `imap://any@127.0.0.1:${sender.port}`;
    const error = (await waypost(data, "import", owner, url, "--password-file", secret).catch(
      (one: unknown) => one,
    )) as { code: number };
    expect(error.code).not.toBe(0);
    expect(await shown(server)).toEqual([]);
    expect(sender.sent()).toBeLessThan(16 * 1024 * 1024);
  });

  it("from another IMAP server with flags, keywords, dates and special use, and in a second run only new mail", async () => {
    await using there = await start({ people: 2 });
    const from = there.people[1]!;
    await using client = await connectRawImap(there.imap);
    await client.command(`LOGIN ${from.address} ${from.password}`);
    const append = async (box: string, flags: string, subject: string): Promise<void> => {
      const message = text(subject).replaceAll("\n", "\r\n");
      await client.command(
        `APPEND ${box} (${flags}) "05-Jan-2020 10:00:00 +0000" {${message.length}+}\r\n${message}`,
      );
    };
    await client.command("CREATE Projects/2020");
    await append("INBOX", "\\Seen", "first");
    await append("Sent", "\\Seen $label1", "second");
    await append("Projects/2020", "\\Flagged", "third");
    const expected = await shown(there, from.address);
    expect(expected).toHaveLength(3);
    await using server = await start();
    const data = server.daemon.settings.storage.folder;
    const secret = path.join(folder, "secret");
    fs.writeFileSync(secret, `${from.password}\n`);
    const url = `imap://${encodeURIComponent(from.address)}@127.0.0.1:${there.imap.port}`;
    const args = ["import", owner, url, "--password-file", secret];
    expect(await waypost(data, ...args)).toMatchObject({ imported: 3, known: 0 });
    expect(await shown(server)).toEqual(expected);
    await append("INBOX", "", "fourth");
    expect(await waypost(data, ...args)).toMatchObject({ imported: 1, known: 3 });
    // Neither the password nor anything like it is in the audit log.
    expect(JSON.stringify(await waypost(data, "audit", "list"))).not.toContain(from.password);
    fs.writeFileSync(secret, "wrong");
    const error = (await waypost(data, ...args).catch((one: unknown) => one)) as { stderr: string };
    expect(JSON.parse(error.stderr).error.code).toBe("upstream_unavailable");
  });

  it("once and complete when the import is killed many times", async () => {
    const place = path.join(folder, "mail");
    const names = Array.from(
      { length: 400 },
      (_, at) => [`${at}.x.host:2,S`, `mail ${at}`] as [string, string],
    );
    writeMaildir(place, { "": names });
    const data = path.join(folder, "data");
    await (await startInProcessDaemon({ data, people: 1, set: ["log.level=silent"] })).daemon.close();
    for (let run = 0; run < 5; run++) {
      const child = spawn(program, [script, "import", owner, place, "--json", "--data", data], {
        cwd: folder,
        stdio: "ignore",
      });
      const ended = once(child, "close");
      // At another moment of its work each time.
      await new Promise((resolve) => setTimeout(resolve, 700 + 150 * run));
      child.kill("SIGKILL");
      await ended;
    }
    const { imported, known } = await waypost(data, "import", owner, place);
    expect(imported + known).toBe(400);
    await using server = await startInProcessDaemon({ data, people: 0, set: ["log.level=silent"] });
    const lines = await shown(server);
    expect(new Set(lines).size).toBe(400);
    expect(lines).toHaveLength(400);
  });
});

describe("mail goes out", () => {
  it("to a Maildir, and importing it gives the same mail", async () => {
    const place = path.join(folder, "mail");
    writeMaildir(place, {
      "": [["2.b.host:2,FRS", "read one"]],
      ".Lists.A": [
        ["4.d.host:2,", "of summer"],
        ["5.e.host:2,T", "of winter"],
      ],
    });
    await using server = await start({ people: 2 });
    const data = server.daemon.settings.storage.folder;
    await waypost(data, "import", owner, place);
    const out = path.join(folder, "out");
    expect(await waypost(data, "export", owner, out)).toEqual({ folder: out, messages: 3 });
    expect(fs.statSync(path.join(out, "cur")).mode & 0o777).toBe(0o700);
    await waypost(data, "import", server.people[1]!.address, out);
    expect(await shown(server, server.people[1]!.address)).toEqual(await shown(server));
    await expect(waypost(data, "export", owner, out)).rejects.toThrow(/exists/);
  });
});

it.each([
  ["a\nb\n", "a\r\nb\r\n"],
  ["a\r\nb\n", "a\r\nb\r\n"],
  ["\n\n", "\r\n\r\n"],
  ["a\rb", "a\rb"],
  ["", ""],
])("converts the line ends of %j to CRLF", (before, after) => {
  expect(withCrlf(Buffer.from(before)).toString()).toBe(after);
});
