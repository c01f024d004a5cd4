/** `waypost trace`: the whole history of a mail, found by any of its ids, also in rotated log files. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import zlib from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { traceLinesMax, traceMail } from "#/src/daemon/log-trace.ts";
import { connectRawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type Outcome, runCommand } from "../support/command.ts";
import { startInProcessDaemon } from "../support/daemon.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-trace-"));
const log = path.join(folder, "waypost.log");
const data = path.join(folder, "data");
let accepted: string;
let sent: string;
beforeAll(async () => {
  // When it has stopped, everything is in the log.
  await using server = await startInProcessDaemon({
    data,
    people: 2,
    set: ["log.level=info", `log.file=${log}`, "dns.servers=none"],
  });
  await using client = await connectRawSmtp(server.smtp);
  await client.command("EHLO mx.outside.example");
  for (const { address } of server.people) {
    await client.command("MAIL FROM:<a@outside.example>");
    await client.command(`RCPT TO:<${address}>`);
    await client.command("DATA");
    const reply = (await client.send(stuff("Subject: x\r\n\r\nx\r\n")))[0]!;
    accepted ??= reply.split(" ").at(-1)!;
  }
  const response = await fetch(`${server.http.url}/v1/send`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.agents[0]!.token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ body: { to: [server.people[0]!.address], subject: "x", text: "x" } }),
  });
  sent = ((await response.json()) as { ref: string }).ref;
  await server.daemon.delivery.whenIdle();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function trace(args: readonly string[], input?: string): Promise<Outcome> {
  return runCommand(folder, ["trace", ...args, "--data", data], input);
}

describe("waypost trace", () => {
  it("finds an incoming mail by the id in the SMTP reply, and no other mail of the connection", async () => {
    const { code, stdout } = await trace([accepted, "--log", log, "--json"]);
    expect(code).toBe(0);
    const { lines } = JSON.parse(stdout);
    expect(lines).toMatchObject([{ msg: "message accepted", id: accepted }]);
    const copy = lines[0].messages[0];
    expect(JSON.parse((await trace([copy, "--log", log, "--json"])).stdout).lines).toEqual(lines);
  });

  it("finds a mail of an agent, from the request to the outcome of the delivery", async () => {
    const told = await trace([sent, "--log", log, "--json"]);
    expect(told).toMatchObject({ code: 0, stderr: "" });
    const { lines, queue } = JSON.parse(told.stdout);
    expect(lines.map(({ msg }: { msg: string }) => msg)).toEqual(["mail submitted", "delivery attempt"]);
    expect(queue).toMatchObject([{ message: sent, recipients: [{ state: "delivered" }] }]);
    const { stdout } = await trace([sent, "--log", log]);
    expect(stdout).toMatch(/mail submitted: .*message=message_/);
    expect(stdout).toMatch(/delivered/);
  });

  it("reads rotated log files, and standard input", async () => {
    const whole = fs.readFileSync(log, "utf8");
    const lines = whole.trimEnd().split("\n");
    const half = Math.ceil(lines.length / 2);
    const rotated = path.join(folder, "rotated.log");
    fs.writeFileSync(`${rotated}.2.gz`, zlib.gzipSync(`${lines.slice(0, 2).join("\n")}\n`));
    fs.writeFileSync(`${rotated}.1`, `${lines.slice(2, half).join("\n")}\n`);
    fs.writeFileSync(rotated, `${lines.slice(half).join("\n")}\n`);
    const expected = (await trace([sent, "--log", log, "--json"])).stdout;
    expect(JSON.parse(expected).lines).toHaveLength(2);
    expect((await trace([sent, "--log", rotated, "--json"])).stdout).toBe(expected);
    const journal = `-- Boot --\n{broken\n${whole}`;
    expect((await trace([sent, "--log", "-", "--json"], journal)).stdout).toBe(expected);
  });

  it("says what the store knows where there is no log file", async () => {
    const { stdout } = await trace([sent, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      lines: [],
      stored: [{ id: sent, folders: ["Sent"], came: "api" }],
      queue: [{ message: sent, recipients: [{ state: "delivered" }] }],
    });
    const { lines } = JSON.parse((await trace([accepted, "--log", log, "--json"])).stdout);
    const copy = lines[0].messages[0];
    const told = JSON.parse((await trace([copy, "--json"])).stdout);
    expect(told.stored).toMatchObject([
      { id: copy, folders: ["INBOX"], came: "smtp", spf: expect.any(String), authenticated: false },
    ]);
    expect(told.stored[0].received.join()).toContain(accepted);
  });

  it("says that nothing is found, and how to read a journal", async () => {
    const { code, stderr } = await trace(["message_00000000000000000000000000"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Nothing is known about/);
    expect(stderr).toMatch(/--log -/);
  });
});

describe("the lines of a mail", () => {
  const of = (lines: readonly object[]) => () => [
    Readable.from([lines.map((line) => `${JSON.stringify(line)}\n`).join("")]),
  ];

  it("are found by ids that later lines name, in a limited number of readings", async () => {
    const log = [
      { submission: "b", message: "c" },
      { id: "x", submission: "b" },
      { id: "a", messages: ["c"] },
    ];
    expect(await traceMail(of(log), "a")).toHaveLength(3);
    const chain = Array.from({ length: 100 }, (_, at) => ({ message: `m${at}`, submission: `m${at + 1}` }));
    let readings = 0;
    const open = () => {
      readings++;
      return of(chain.toReversed())();
    };
    expect((await traceMail(open, "m0")).length).toBeLessThan(100);
    expect(readings).toBe(4);
  });

  it("are limited in number", async () => {
    const many = Array.from({ length: traceLinesMax + 10 }, () => ({ id: "a" }));
    expect(await traceMail(of(many), "a")).toHaveLength(traceLinesMax);
  });
});
