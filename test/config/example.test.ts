import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { formatExample } from "#/config/example.ts";
import { loadSettings } from "#/config/load.ts";
import { defaultSettings, settingDescriptions } from "#/config/schema.ts";
import { loopMailsMax, loopWindowMs } from "#/src/outbound/limits.ts";

const file = new URL("../../config/waypost.example.toml", import.meta.url).pathname;

test("the example loads, and has the default values", () => {
  expect(loadSettings({ file })).toEqual(defaultSettings());
});

test("the example names every setting", () => {
  const example = parse(readFileSync(file, "utf8")) as Record<string, Record<string, unknown>>;
  const names = Object.entries(example).flatMap(([section, values]) =>
    Object.keys(values).map((key) => `${section}.${key}`),
  );
  expect(names).toEqual(settingDescriptions.map((setting) => setting.name));
});

test("the example is what the schema says (config/build/write-example.ts writes it)", () => {
  expect(readFileSync(file, "utf8")).toBe(formatExample());
});

test("the settings in the README load, and open the ports of mail to other computers", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const block = /^ {8}\[server\]\n(?:(?: {8}.*)?\n)+?(?= {3}\S)/m.exec(readme)![0];
  const written = path.join(mkdtempSync(path.join(tmpdir(), "waypost-readme-")), "waypost.toml");
  writeFileSync(written, block.replaceAll(/^ {8}/gm, ""));
  const { server, acme, tls, smtp, submission, submissions, imap, imaps, http, https } = loadSettings({
    file: written,
  });
  expect(server).toMatchObject({ hostname: "mail.example.org", domain: "example.org", bind: "::" });
  expect([acme.enabled, tls.certificateFile]).toEqual([true, ""]);
  expect([smtp, submission, submissions, imap, imaps].map(({ host, port }) => `${host} ${port}`)).toEqual([
    ":: 25",
    ":: 587",
    ":: 465",
    ":: 143",
    ":: 993",
  ]);
  expect([http.host, https.host]).toEqual(["127.0.0.1", "::"]);
});

test("every setting has a meaning of one line", () => {
  for (const { name, meaning } of settingDescriptions) expect(meaning, name).toMatch(/^[A-Z:].{10,140}\.$/);
});

test("docs/agents.md names the bounds of an agent as they are without settings", () => {
  const page = readFileSync(new URL("../../docs/agents.md", import.meta.url), "utf8").replaceAll("\n", " ");
  const { limits, breaker, holds } = defaultSettings();
  expect(page).toContain(
    `An agent sends at most ${limits.sendsPerHour} mails an hour and ${limits.sendsPerDay} a day`,
  );
  expect(page).toContain(`a mail to more than ${holds.bulkRecipients} recipients`);
  expect(page).toContain(`It is sent ${holds.graceS} seconds later`);
  expect(page).toContain("when five of its last 20 mails have failed");
  expect(breaker).toMatchObject({ enabled: true, bounces: 5, sends: 20 });
  expect(page).toContain("agents and programs have sent ten mails within 24 hours");
  expect([loopMailsMax, loopWindowMs]).toEqual([10, 24 * 3_600_000]);
});
