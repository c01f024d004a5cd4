/** The first day of an operator: what goes wrong is explained by the product itself, at the command line, in the log, in the status and in the way of
 *  a mail. A wrong record is in `test/domain-check`, a full disk in `test/daemon/health.test.ts` and `conditions.test.ts`. */
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { conditions } from "#/src/daemon/conditions/conditions.ts";
import { connectRawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { runCommand } from "../support/command.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { freePort } from "../support/free-port.ts";

const junk = "the spam filter said add header, with a score of 9.5";
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-first-day-"));
const log = path.join(folder, "waypost.log");
const data = path.join(folder, "data");
let server: InProcessDaemon;
let authority: number;
const filter = http.createServer((request, response) => {
  request.resume().on("end", () => response.end(JSON.stringify({ action: "add header", score: 9.5 })));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => filter.listen(0, "127.0.0.1", resolve));
  const { port } = filter.address() as { port: number };
  authority = await freePort();
  server = await startInProcessDaemon({
    data,
    set: [
      "log.level=info",
      `log.file=${log}`,
      "dns.servers=none",
      `evidence.rspamd_url=http://127.0.0.1:${port}`,
      "server.hostname=mail.first-day.net",
      "acme.enabled=true",
      `acme.directory=https://127.0.0.1:${authority}/directory`,
      `acme.port=${await freePort()}`,
    ],
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  filter.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

it("a wrong setting ends the start with its name and what was meant", async () => {
  const { code, stderr } = await runCommand(folder, [
    "start",
    "--data",
    path.join(folder, "other"),
    "--set",
    "server.hostname=https://mail.x.net/",
  ]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("server.hostname")]);
});

it("an authority that cannot be reached is named with the cause, in the log, the status and a notice", async () => {
  const { house } = server.daemon;
  await expect
    .poll(async () => (await house.status.read()).warnings, { timeout: 100_000 })
    .toMatchObject([
      {
        condition: "certificate_failing",
        what: expect.stringMatching(new RegExp(`127\\.0\\.0\\.1.*${authority}.*ECONNREFUSED`)),
      },
    ]);
  const { stdout } = await runCommand(folder, ["status", "--data", data]);
  expect(stdout).toContain("certificate_failing");
  await expect.poll(() => fs.readFileSync(log, "utf8")).toContain("A certificate is not renewed");
});

it("a mail in Junk is explained by its way", async () => {
  await using client = await connectRawSmtp(server.smtp);
  await client.command("EHLO mx.outside.example");
  await client.command("MAIL FROM:<a@outside.example>");
  await client.command(`RCPT TO:<${server.people[0]!.address}>`);
  await client.command("DATA");
  const reply = (await client.send(stuff("Subject: x\r\n\r\nx\r\n")))[0]!;
  const id = reply.split(" ").at(-1)!;
  // Lines are written a moment after they are logged.
  await expect.poll(() => fs.readFileSync(log, "utf8")).toContain(id);
  const { stdout } = await runCommand(folder, ["trace", id, "--json", "--data", data]);
  const { lines, stored } = JSON.parse(stdout);
  expect(lines).toMatchObject([{ msg: "message accepted" }]);
  expect(stored).toMatchObject([{ folders: ["Junk"], junk }]);
});

it("the page of the first day quotes what the product says", async () => {
  const page = fs.readFileSync(new URL("../../docs/first-day.md", import.meta.url), "utf8");
  const rows = page
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split(" | "));
  const quoted = (what: string): string =>
    /`([^`]+)`/.exec(rows.find(([first]) => first === `| ${what}`)![2]!)![1]!;
  const source = (file: string): string => fs.readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const { stderr } = await runCommand(folder, ["start", "--set", "server.hostname=https://mail.x.net/"]);
  expect(stderr).toContain(quoted("a wrong setting"));
  expect(source("src/domain-check/judge-spf.ts")).toContain(quoted("a wrong record"));
  expect(conditions.disk_full.meaning).toBe(quoted("a disk that is nearly full"));
  expect(source("src/daemon/health.ts")).toContain(`"${quoted("a full disk")}"`);
  expect(conditions.certificate_failing.meaning).toBe(quoted("an authority that does not answer"));
  expect(conditions.queue_overdue.meaning).toBe(quoted("mail that does not leave"));
  expect(quoted("a mail in Junk")).toBe(junk);
});
