/** `waypost setup`: from an empty folder to a server that starts with what was written. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadSettings } from "#/config/load.ts";
import { formatSettings } from "#/src/cli/setup-settings.ts";
import { httpClient } from "../support/clients/http.ts";
import { type Outcome, runCommand } from "../support/command.ts";
import { startInProcessDaemon } from "../support/daemon.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-setup-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function waypost(...args: readonly string[]): Promise<Outcome> {
  return runCommand(folder, args);
}

test("writes settings, makes domain, person and agent, and prints secrets and records", async () => {
  const unit = path.join(folder, "waypost.service");
  const { code, stdout } = await waypost(
    ...["setup", "--domain", "Ours.dev", "--yes", "--json", "--unit", unit, "--person", "ada"],
  );
  expect(code).toBe(0);
  const done = JSON.parse(stdout);
  expect(done).toMatchObject({
    config: fs.realpathSync(path.join(folder, "waypost.toml")),
    person: { address: "ada@ours.dev", password: expect.any(String) },
    agent: { address: "agent@ours.dev", token: expect.stringMatching(/^wp_/) },
  });
  for (const record of [
    /^; /,
    /^ours\.dev\. 3600 IN MX 10 mail\.ours\.dev\.$/m,
    /_domainkey\.ours\.dev\. 3600 IN TXT "v=DKIM1/,
    /^_dmarc\.ours\.dev\./m,
    /^_mta-sts\.ours\.dev\./m,
    /^_imaps\._tcp\.ours\.dev\. 3600 IN SRV 0 1 993 mail\.ours\.dev\.$/m,
  ])
    expect(done.zone).toMatch(record);
  expect(fs.statSync(done.config).mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(unit, "utf8")).toContain(`start --config ${done.config}\n`);
  const settings = loadSettings({ file: done.config });
  expect(settings).toMatchObject({
    server: { hostname: "mail.ours.dev", domain: "ours.dev", bind: "::" },
    acme: { enabled: true, email: "ada@ours.dev" },
    smtp: { port: 25 },
    https: { port: 443 },
    http: { host: "127.0.0.1" },
  });
  await using server = await startInProcessDaemon({
    data: done.data,
    agents: 0,
    people: 0,
    set: ["server.domain=ours.dev", "dns.servers=none", "log.level=silent"],
  });
  expect((await httpClient(server.http.url, done.agent.token).call("health")).status).toBe(200);
  const { agents } = JSON.parse((await waypost("agent", "list", "--json", "--data", done.data)).stdout);
  expect(agents).toMatchObject([{ address: "agent@ours.dev", approver: "ada@ours.dev" }]);
});

test("says what it will do, and does nothing without consent", async () => {
  const { code, stdout, stderr } = await waypost("setup", "--domain", "ours.dev");
  expect(code).toBe(2);
  expect(stdout).toMatch(/This is what will be done:[\s\S]+make me@ours\.dev/);
  expect(stderr).toContain("Nothing was done.");
  expect(fs.readdirSync(folder)).toEqual([]);
});

test("overwrites nothing", async () => {
  fs.writeFileSync(path.join(folder, "waypost.toml"), "");
  const { code, stderr } = await waypost("setup", "--domain", "ours.dev", "--yes");
  expect([code, fs.readdirSync(folder)]).toEqual([1, ["waypost.toml"]]);
  expect(stderr).toContain("waypost.toml is there already");
});

test.each([
  [["--domain", "example.org"], /example\.org cannot get mail.\nIt is reserved.*Use a domain of yours/],
  [["--domain", "no domain"], /"no domain" is no name of a domain/],
  [["--domain", "ours.dev", "--hostname", "mail"], /"mail" is no name of a host/],
  [[], /--domain is missing/],
])("refuses %j", async (args, text) => {
  const { code, stderr } = await waypost("setup", "--yes", ...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(text);
  expect(fs.readdirSync(folder)).toEqual([]);
});

test("writes paths and names as TOML strings", () => {
  const answers = {
    domain: "ours.dev",
    hostname: "mail.ours.dev",
    email: "a@ours.dev",
    data: '/a "b"\\c',
    isAcme: false,
  };
  const file = path.join(folder, "waypost.toml");
  fs.writeFileSync(file, formatSettings(answers));
  expect(loadSettings({ file })).toMatchObject({
    storage: { folder: answers.data },
    acme: { enabled: false },
  });
});
