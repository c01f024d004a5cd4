/** The log of a running daemon: logins, refusals and each step of every mail, but no secret and no content. */
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withLimit } from "../limits/hand-in.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import { connectRawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";

type Line = Record<string, unknown> & { readonly msg: string };

/** Text that must not be in the log, wherever it was said. */
const hidden = {
  subject: "subjectofthemail",
  text: "textofthemail",
  password: "wrong-passw0rd-typed",
  token: `wp_${"t0k3n".repeat(6)}xy`,
};
const message = `Subject: ${hidden.subject}\r\nFrom: a@outside.example\r\n\r\n${hidden.text}\r\n`;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-log-lines-"));
const file = path.join(folder, "waypost.log");
let running: InProcessDaemon;
/** Everything that was said in the conversations below is in the log once the daemon has stopped. */
let text: string;
let lines: Line[];
let sent: { readonly ref: string };
let requestId: string;
let accepted: string;

beforeAll(async () => {
  running = await startInProcessDaemon({ set: ["log.level=trace", `log.file=${file}`, "dns.servers=none"] });
  await strangersBringMail();
  await clientsLogIn();
  await agentsCall();
  await handshakesFail();
  await running.daemon.delivery.whenIdle();
  await running[Symbol.asyncDispose]();
  text = fs.readFileSync(file, "utf8");
  lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

async function strangersBringMail(): Promise<void> {
  await using client = await connectRawSmtp(running.smtp);
  await client.command("EHLO strange\u009b.example");
  await client.command("EHLO mx.outside.example");
  await client.command("MAIL FROM:<a@outside.example>");
  await client.command("RCPT TO:<nobody@waypost.test>");
  await client.command("RCPT TO:<someone@elsewhere.example>");
  await client.command(`RCPT TO:<${running.people[0]!.address}>`);
  await client.command("DATA");
  accepted = (await client.send(stuff(message)))[0]!.split(" ").at(-1)!;
  await client.command("MAIL FROM:<a@outside.example> SIZE=999999999");
  await client.command("MAIL FROM:<b@outside.example>");
  await client.command(`RCPT TO:<${running.people[0]!.address}>`);
  await client.command("DATA");
  await client.send(`Subject: ${hidden.subject}\n\n${hidden.text}\n.\r\n.\r\n`);
}

const plain = (user: string, password: string) => Buffer.from(`\0${user}\0${password}`).toString("base64");

async function clientsLogIn(): Promise<void> {
  const { address, password } = running.people[0]!;
  {
    await using client = await connectRawSmtp(running.submission);
    await client.command("EHLO me.example");
    await client.command(`AUTH PLAIN ${plain(address, hidden.password)}`);
    await client.command(`AUTH PLAIN ${plain(hidden.token, hidden.password)}`);
    await client.command(`AUTH PLAIN ${plain(address, password)}`);
    await client.command(`MAIL FROM:<${address}>`);
    await client.command(`RCPT TO:<${running.agents[0]!.address}>`);
    await client.command("DATA");
    await client.send(stuff(`Subject: ${hidden.subject}\r\nFrom: ${address}\r\n\r\n${hidden.text}\r\n`));
  }
  await using imap = await connectRawImap(running.imap);
  await imap.command(`LOGIN ${address} ${hidden.password}`);
  await imap.command(`AUTHENTICATE PLAIN ${plain("x@y.example\u2028", hidden.password)}`);
  await imap.command(`LOGIN ${address} ${password}`);
  await imap.command(`SELECT INBOX`);
  await imap.command(`SEARCH SUBJECT ${hidden.subject}`);
}

async function post(operation: string, body: unknown, token: string): Promise<Response> {
  return fetch(`${running.http.url}/v1/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function agentsCall(): Promise<void> {
  const { token } = running.agents[0]!;
  const mail = { to: [running.people[0]!.address], subject: hidden.subject, text: hidden.text };
  const response = await post("send", { body: mail, idempotency_key: "1" }, token);
  requestId = response.headers.get("x-request-id")!;
  sent = (await response.json()) as typeof sent;
  await (await post("search", { q: hidden.text }, token)).text();
  await (await post("search", { nonsense: hidden.text }, token)).text();
  await (await post("health", {}, hidden.token)).text();
  await (await fetch(`${running.http.url}/v1/${hidden.token}?q=${hidden.text}`)).text();
  const { hostname, port } = new URL(running.http.url);
  const raw = net.connect({ host: hostname, port: Number(port) });
  raw.end(`GARBAGE ${hidden.token}\r\n\r\n`);
  await once(raw.resume(), "close");
}

async function handshakesFail(): Promise<void> {
  const https = new URL(running.https.url);
  const ports = [running.imaps, running.submissions, { host: https.hostname, port: Number(https.port) }];
  for (const place of ports) {
    const socket = net.connect(place);
    socket.on("error", () => {});
    socket.write("GET / HTTP/1.0\r\n\r\n");
    await closed(socket);
  }
  const plainSocket = net.connect(running.smtp);
  await once(plainSocket, "data");
  plainSocket.write("STARTTLS\r\n");
  await once(plainSocket, "data");
  plainSocket.on("error", () => {});
  plainSocket.write("GET / HTTP/1.0\r\n\r\n");
  await closed(plainSocket);
}

function closed(socket: net.Socket): Promise<void> {
  return new Promise((resolve) => socket.resume().once("close", () => resolve()));
}

const of = (msg: string): Line[] => lines.filter((line) => line.msg === msg);
const loopback = { remote: "127.0.0.1", network: "loopback" };

test("the log tells each accepted message, also when strangers have used up their lines", async () => {
  const own = path.join(folder, "used-up.log");
  const daemon = await startInProcessDaemon({
    set: ["log.level=info", `log.file=${own}`, "dns.servers=none"],
  });
  await withLimit("model", "strangerLinesTotalMax", 0, async () => {
    await using client = await connectRawSmtp(daemon.smtp);
    await client.command("EHLO mx.outside.example");
    await client.command("MAIL FROM:<a@outside.example>");
    await client.command("RCPT TO:<nobody@waypost.test>");
    await client.command(`RCPT TO:<${daemon.people[0]!.address}>`);
    await client.command("DATA");
    await client.send(stuff(message));
  });
  await daemon[Symbol.asyncDispose]();
  const said = fs.readFileSync(own, "utf8").trimEnd().split("\n");
  const told = said.map((line) => (JSON.parse(line) as Line).msg);
  expect(told).toContain("message accepted");
  expect(told).not.toContain("refused");
});

describe("the log tells", () => {
  test("logins, with the login, the address and the protocol", () => {
    const { address } = running.people[0]!;
    expect(of("login")).toEqual([
      expect.objectContaining({ level: "info", ...loopback, protocol: "submission", login: address }),
      expect.objectContaining({ level: "info", ...loopback, protocol: "imap", login: address }),
    ]);
  });

  test("failed logins, without text that is no address", () => {
    const { address } = running.people[0]!;
    expect(of("login failed").map(({ protocol, login, reason }) => [protocol, login, reason])).toEqual([
      ["submission", address, "unauthorized"],
      ["submission", undefined, "unauthorized"],
      ["imap", address, "unauthorized"],
      ["imap", undefined, "unauthorized"],
      ["http", undefined, "unauthorized"],
    ]);
  });

  test("failed logins in the form that the expression in the README matches", () => {
    const readme = fs.readFileSync(new URL("../../src/daemon/README.md", import.meta.url), "utf8");
    const [, written] = /^ *failregex = (.*)$/m.exec(readme)!;
    const expression = new RegExp(written!.replace("<ADDR>", "(?<host>[0-9a-f.:]+)"));
    const found = text.split("\n").filter((line) => expression.test(line));
    expect(found).toHaveLength(of("login failed").length);
    for (const line of found) expect(expression.exec(line)!.groups!.host).toBe("127.0.0.1");
    const forged = JSON.stringify({
      level: "info",
      time: "2026-01-01T00:00:00.000Z",
      remote: "192.0.2.1",
      from: '{"level":"warn","remote":"192.0.2.66","msg":"login failed"}',
      msg: "refused",
    });
    expect(forged).not.toMatch(expression);
  });

  test("refusals of MAIL, RCPT and of a whole message, with status and session", () => {
    expect(of("refused").map(({ command, reply, status, to }) => [command, reply, status, to])).toEqual([
      ["RCPT", 550, "5.1.1", "nobody@waypost.test"],
      ["RCPT", 550, "5.7.1", "someone@elsewhere.example"],
      ["MAIL", 552, "5.3.4", undefined],
    ]);
    for (const line of of("refused")) expect(line).toMatchObject({ ...loopback, id: expect.any(String) });
    expect(of("message refused")).toEqual([
      expect.objectContaining({ ...loopback, reply: 550, status: "5.6.11" }),
    ]);
  });

  test("handshakes that fail, on every port", () => {
    expect(of("handshake failed").map(({ listener }) => listener)).toEqual([
      "imaps",
      "submissions",
      "https",
      "smtp",
    ]);
    for (const line of of("handshake failed"))
      expect(line).toMatchObject({ ...loopback, reason: expect.stringMatching(/SSL|TLS/) });
  });

  test("requests, with the X-Request-Id of their answer", () => {
    const requests = of("request");
    expect(requests.map(({ path, status }) => `${path ?? "-"} ${status}`)).toEqual([
      "/v1/send 200",
      "/v1/search 200",
      "/v1/search 400",
      "/v1/health 401",
      "/v1/… 401",
      "- 400",
    ]);
    expect(requests[0]).toMatchObject({ ...loopback, requestId, method: "POST", isComplete: true });
    for (const request of requests) expect(request.requestId).toMatch(/^req_/);
  });

  test("the way of a mail by its one id, from the request to the mailbox", () => {
    const way = lines.filter((line) => JSON.stringify(line).includes(sent.ref));
    expect(way).toMatchObject([
      { msg: "mail submitted", requestId, message: sent.ref, by: running.agents[0]!.address },
      { msg: "delivery attempt", message: sent.ref, outcomes: ["delivered 2.1.5"] },
    ]);
    expect(way[0]!.submission).toBe(way[1]!.submission);
  });

  test("the copies of each accepted message", () => {
    expect(of("message accepted")[0]).toMatchObject({
      id: accepted,
      messages: [expect.stringMatching(/^message_/)],
      from: "a@outside.example",
      // What the checks found, and where the mail is.
      authenticated: false,
      spf: expect.stringMatching(/^[a-z]+$/),
      dkim: "none",
      dmarc: expect.stringMatching(/^[a-z]+$/),
      folder: "inbox",
    });
  });
});

describe("the log never tells", () => {
  test.each(Object.keys(hidden) as (keyof typeof hidden)[])("a %s, at any level", (name) => {
    expect(text.includes(hidden[name])).toBe(false);
  });

  test("a valid password or token", () => {
    const secrets = [...running.agents, ...running.people].flatMap(({ password, ...more }) => [
      password,
      password.replaceAll("-", ""),
      ...("token" in more ? [String(more.token)] : []),
    ]);
    expect(secrets.length).toBeGreaterThan(3);
    for (const secret of secrets) expect(text.includes(secret)).toBe(false);
    for (const secret of secrets)
      expect(text.includes(Buffer.from(secret).toString("base64").slice(0, -4))).toBe(false);
  });
});
