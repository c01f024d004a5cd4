/** SIGTERM while connections of every kind are open: the daemon ends all of them, then with exit code 0, and nothing acknowledged is lost. */
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import tls from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChildDaemon, startChildDaemon } from "../support/daemon.ts";

let data: string;
beforeAll(() => {
  data = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-stop-"));
});
afterAll(() => {
  fs.rmSync(data, { recursive: true, force: true });
});

const sections = ["smtp", "submission", "submissions", "imap", "imaps", "http", "https"] as const;
type Section = (typeof sections)[number];

function portOf(daemon: ChildDaemon, section: Section): number {
  const place = daemon[section];
  return "port" in place ? place.port : Number(new URL(place.url).port);
}

interface Talk {
  readonly socket: net.Socket;
  /** Writes, and waits until the answers since then have this in them. */
  say(text: string, until: RegExp): Promise<string>;
}

function talkOver(socket: net.Socket): Talk {
  let heard = "";
  let wake = (): void => {};
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    heard += chunk.toString("latin1");
    wake();
  });
  return {
    socket,
    async say(text, until) {
      if (text !== "") {
        heard = "";
        socket.write(text);
      }
      while (!until.test(heard))
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return heard;
    },
  };
}

function connect(daemon: ChildDaemon, section: Section, isTls = section.endsWith("s")): Talk {
  const port = portOf(daemon, section);
  const isSecure = isTls && section !== "smtp";
  return talkOver(
    isSecure ? tls.connect({ port, rejectUnauthorized: false }) : net.connect({ port, noDelay: true }),
  );
}

/** Sends SIGTERM by `end` and says how the process ended. */
async function expectCleanEnd(daemon: ChildDaemon, end: () => Promise<unknown>): Promise<void> {
  const ended = new Promise((resolve) =>
    daemon.process.once("exit", (code, signal) => resolve([code, signal])),
  );
  await end();
  expect(await ended).toEqual([0, null]);
  // A connection that the stop overlooks.
  expect(daemon.stderr()).not.toContain("connections are open");
}

// The first moments of a connection are the ones that a stop overlooks, so it is tried more than once.
for (const moment of ["not yet accepted", "just accepted", "accepted"] as const)
  test(`a stop closes silent connections, ${moment}`, async () => {
    await using daemon = await startChildDaemon();
    const sockets = [...sections, ...sections].map((section) => connect(daemon, section, false).socket);
    for (const section of ["submissions", "imaps", "https"] as const)
      sockets.push(connect(daemon, section, true).socket);
    if (moment === "just accepted") await once(sockets.at(-1)!, "connect");
    if (moment === "accepted")
      await Promise.all(
        sockets.map((socket) => socket instanceof tls.TLSSocket && once(socket, "secureConnect")),
      );
    await expectCleanEnd(daemon, () => daemon.stop());
    for (const socket of sockets) socket.destroy();
  });

test("a stop closes busy connections, and all acknowledged writes stay", async () => {
  await using daemon = await startChildDaemon({ data });
  const { address, password, token } = daemon.agents[0]!;
  const sockets: net.Socket[] = [];
  const open = (section: Section, isTls?: boolean): Talk => {
    const talk = connect(daemon, section, isTls);
    sockets.push(talk.socket);
    return talk;
  };

  async function smtp(section: "smtp" | "submissions"): Promise<Talk> {
    const talk = open(section);
    await talk.say("", /^220 .*\r\n/);
    await talk.say("EHLO client\r\n", /^250 /m);
    if (section === "submissions")
      await talk.say(
        `AUTH PLAIN ${Buffer.from(`\0${address}\0${password}`).toString("base64")}\r\n`,
        /^235 /m,
      );
    return talk;
  }

  async function atData(section: "smtp" | "submissions"): Promise<Talk> {
    const talk = await smtp(section);
    await talk.say(`MAIL FROM:<${address}>\r\n`, /^250 /m);
    await talk.say(`RCPT TO:<${address}>\r\n`, /^250 /m);
    await talk.say("DATA\r\n", /^354 /m);
    return talk;
  }

  async function imap(section: "imap" | "imaps"): Promise<Talk> {
    const talk = open(section);
    await talk.say("", /^\* OK .*\r\n/);
    await talk.say(`a LOGIN ${address} ${password}\r\n`, /^a OK /m);
    return talk;
  }

  const delivered = await atData("smtp");
  await delivered.say("Subject: kept\r\n\r\n.\r\n", /^250 /m);
  const appended = await imap("imap");
  await appended.say("b APPEND INBOX {17+}\r\nSubject: kept\r\n\r\n\r\n", /^b OK /m);

  // In the middle of a message, of a command, of a login, of an APPEND, of a handshake.
  (await atData("smtp")).socket.write("Subject: lost\r\n\r\nhalf");
  (await atData("submissions")).socket.write("From: x\r\n");
  (await smtp("smtp")).socket.write("MAIL FR");
  await (await smtp("smtp")).say("STARTTLS\r\n", /^220 /m);
  const login = open("submissions");
  await login.say("", /^220 /);
  await login.say("EHLO client\r\n", /^250 /m);
  await login.say("AUTH LOGIN\r\n", /^334 /m);
  (await imap("imap")).socket.write("b APPEND INBOX {5000+}\r\nSubject: lost\r\n");
  await (await imap("imaps")).say("b APPEND INBOX {5000}\r\n", /^\+ /m);
  open("imap").socket.write("a STARTTLS\r\n");
  for (const section of ["imap", "imaps"] as const) {
    const idle = await imap(section);
    await idle.say("b SELECT INBOX\r\n", /^b OK /m);
    await idle.say("c IDLE\r\n", /^\+ /m);
  }
  for (const section of ["submissions", "imaps", "https"] as const)
    open(section, false).socket.write(Buffer.from("160301", "hex"));

  // A stream, a waiting call, half a header, half a body, an idle connection.
  const head = (operation: string, length: number): string =>
    `POST /v1/${operation} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  for (const section of ["http", "https"] as const) {
    await open(section).say(`${head("watch", 2)}{}`, /event: open/);
    open(section).socket.write(`${head("wait", 2)}{}`);
    open(section).socket.write("POST /v1/he");
    open(section).socket.write(`${head("health", 500)}{"half`);
    await open(section).say(`${head("health", 2)}{}`, /^HTTP\/1\.1 200 /);
  }

  // Those that are half closed, and one that never reads.
  open("imap").socket.end();
  const deaf = await imap("imap");
  deaf.socket.pause();
  deaf.socket.write("c NOOP\r\n".repeat(1000));

  await expectCleanEnd(daemon, () => daemon.restart());
  for (const socket of sockets) socket.destroy();

  const mailbox = await imap("imap");
  expect(await mailbox.say("b STATUS INBOX (MESSAGES)\r\n", /^b OK /m)).toContain("(MESSAGES 2)");
  expect(daemon.stderr()).toBe("");
});
