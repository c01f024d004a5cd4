/** Wrong settings: the start refuses them before a port opens or anything is stored, and says file, line, setting, and what is right. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { readSettings } from "#/config/load.ts";
import { formatProblem, WrongSettings, withPlaces } from "#/config/wrong-settings.ts";
import { startDaemon } from "#/src/daemon/daemon.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "waypost-wrong-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const list = fileURLToPath(new URL("../../../shared/cases/wrong-settings.md", import.meta.url));
const hasList = existsSync(list);

interface Case {
  readonly toml: string | Buffer;
  readonly says: string | RegExp;
  readonly line?: number;
}

const none =
  "[smtp]\nport = 0\n[submission]\nport = 0\n[submissions]\nport = 0\n[imap]\nport = 0\n[imaps]\nport = 0\n[http]\nport = 0\n[https]\nport = 0\n";

function setting(section: string, line: string, says: string | RegExp): Case {
  return { toml: `# A comment.\n[${section}]\n${line}\n`, says, line: 3 };
}

/** By the first cell of the list's table. What is taken, with or without a warning, has a test of its own below. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  "`server.hostname`": [
    setting("server", 'hostname = "mail x.net"', /^server\.hostname: .*mail\.example\.org/),
    setting("server", 'hostname = "https://mail.x.net/"', /^server\.hostname: .*mail\.example\.org/),
    setting("server", 'hostname = "203.0.113.9"', /^server\.hostname: .*mail\.example\.org/),
  ],
  "`server.domain`": [setting("server", 'domain = "me@x.net"', /^server\.domain: .*example\.org/)],
  "`server.bind`": [
    setting("server", 'bind = "mail.x.net"', /^server\.bind: is no IP address, as 127\.0\.0\.1/),
    {
      toml: `[server]\nbind = "203.0.113.9"\n${none}`,
      says: /^server\.bind: this host has no address 203\.0\.113\.9; ::/,
      line: 2,
    },
    {
      toml: `[imap]\nhost = "203.0.113.9"\n`,
      says: /^imap\.host: this host has no address 203\.0\.113\.9; ::/,
      line: 2,
    },
  ],
  "`dns.servers`": [setting("dns", 'servers = ["dns.google"]', /^dns\.servers: .*192\.0\.2\.53/)],
  "`outbound.smarthost_host`": [
    setting("outbound", 'smarthost_host = "smtp.x.net:587"', /^outbound\.smarthost_host: .*smarthost_port/),
  ],
  "`outbound.smarthost_user`": [
    setting("outbound", 'smarthost_user = "me"', /^outbound\.smarthost_user: .*smarthost_password/),
    setting("outbound", 'smarthost_password = "hush"', /^outbound\.smarthost_password: .*smarthost_user/),
  ],
  "`evidence.rspamd_url`": [
    setting(
      "evidence",
      'rspamd_url = "127.0.0.1:11333"',
      /^evidence\.rspamd_url: .*http:\/\/127\.0\.0\.1:11333/,
    ),
    setting("tracing", 'url = "127.0.0.1:4318"', /^tracing\.url: .*http:\/\/127\.0\.0\.1:4318/),
    setting("acme", 'directory = "acme.x.net"', /^acme\.directory: .*https:\/\//),
  ],
  "`json.unserved_operations`": [
    setting("json", 'unserved_operations = ["sned"]', /^json\.unserved_operations: .*sned; perhaps send /),
    setting("json", 'unserved_operations = ["evnt.create"]', /perhaps event\.create /),
  ],
  '`sts.mode = "enforce"`': [
    {
      toml: '[sts]\nmode = "enforce"\n[https]\nenabled = false\n',
      says: /^sts\.mode: .*https\.enabled/,
      line: 2,
    },
  ],
  "`acme.email`": [setting("acme", 'email = "nobody"', /^acme\.email: .*me@example\.org/)],
  "`acme.enabled`": [
    setting("acme", "enabled = true", /^acme\.enabled: .*localhost.*server\.hostname.*mail\.example\.org/),
  ],
  "`smtp.max_message_bytes`": [setting("smtp", "max_message_bytes = 1", /^smtp\.max_message_bytes: .*65536/)],
  "`log.file`": [
    setting("log", `file = "${folder}/absent/waypost.log"`, /^log\.file: there is no folder .*absent/),
  ],
  "all listeners off": [
    {
      toml: ["smtp", "submission", "submissions", "imap", "imaps", "http", "https"]
        .map((section) => `[${section}]\nenabled = false\n`)
        .join(""),
      says: /^smtp\.enabled: every listener is off/,
      line: 2,
    },
  ],
  file: [
    { toml: Buffer.from('[server]\n# caf\xe9\ndomain = "x.net"\n', "latin1"), says: /UTF-8/, line: 2 },
    setting("server", "hostname = mail.x.net", 'text needs quotes: write hostname = "mail.x.net".'),
    setting("smtp", "enabled = yes", "enabled is true or false: write enabled = true."),
    setting("smtp", "enabled = Off # really", "enabled is true or false: write enabled = false."),
    setting(
      "server",
      'hostname = "mail.x.net',
      /quote at the end is missing: write hostname = "mail\.x\.net"\./,
    ),
    setting(
      "server",
      "hostname = 'mail.x.net",
      /quote at the end is missing: write hostname = 'mail\.x\.net'\./,
    ),
    setting("smtp", "port = 25\nport = 26", /second time/),
  ].map((one, at) => (at === 6 ? { ...one, line: 4 } : one)),
  "a key twice by another spelling": [
    setting(
      "smtp",
      "maxRecipients = 5",
      /^there is no setting smtp\.maxRecipients\. Perhaps smtp\.max_recipients /,
    ),
    setting(
      "smtp",
      "max-recipients = 5",
      /^there is no setting smtp\.max-recipients\. Perhaps smtp\.max_recipients /,
    ),
  ],
  "two ports of one number": [
    {
      toml: "[smtp]\nport = 5025\n[imap]\nport = 5025\n",
      says: /^imap\.port: is 5025, as smtp\.port/,
      line: 4,
    },
    {
      toml: '[http]\nport = 5025\n[metrics]\nenabled = true\nhost = "0.0.0.0"\nport = 5025\n',
      says: /^metrics\.port: is 5025, as http\.port/,
      line: 6,
    },
  ],
  // A port that another program has is known only when it is opened: "names the setting of the port" in daemon.test.ts.
  "`metrics.port` in use": [],
};

const each = Object.entries(cases).flatMap(([name, list]) => list.map((one) => ({ name, ...one })));

it.each(each)("refuses $name: $toml", async ({ toml, says, line }) => {
  const file = path.join(folder, "waypost.toml");
  const data = path.join(folder, "data");
  writeFileSync(file, toml);
  const problems = await refusalOf(file, data);
  const texts = problems.map(({ text, hint }) => (hint === undefined ? text : `${text} ${hint}`));
  expect(texts).toContainEqual(typeof says === "string" ? says : expect.stringMatching(says));
  const found =
    problems[texts.findIndex((text) => (typeof says === "string" ? text === says : says.test(text)))]!;
  expect(formatProblem(found)).toBe(`${file} line ${line}: ${found.text}`);
  expect(existsSync(data)).toBe(false);
});

async function refusalOf(file: string, data: string): Promise<WrongSettings["problems"]> {
  try {
    const { settings, placeOf } = readSettings({ file, set: [`storage.folder=${data}`] });
    await using _daemon = await startDaemon(settings).catch((error: unknown) => {
      throw withPlaces(error, placeOf);
    });
  } catch (error) {
    if (error instanceof WrongSettings) return error.problems;
    throw error;
  }
  throw new Error("The settings were taken.");
}

it.skipIf(!hasList)(`has every case of the list${hasList ? "" : ` (skipped: no ${list})`}`, () => {
  const rows = readFileSync(list, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
    .map((line) => line.split(" | ")[0]!.replace(/^\| /, ""));
  expect(rows.slice(1)).toEqual(Object.keys(cases));
});

it.each([
  ["server.hostname=mail.x.net.", "hostname", "mail.x.net"],
  ["server.domain=x.net.", "domain", "x.net"],
] as const)("takes %s without its dot", (set, key, value) => {
  expect(readSettings({ set: [set] }).settings.server[key]).toBe(value);
});

it.each([
  ["dns.servers=none"],
  ["dns.servers=192.0.2.53,192.0.2.53:5353,2001:db8::53,[2001:db8::53]:53"],
  ["outbound.smarthost_host=mail_relay"],
  ["outbound.smarthost_host=192.0.2.1"],
  ["evidence.rspamd_url=http://[::1]:11333"],
  ["acme.email=a.b+c@x.net"],
  ["acme.names=MAIL.x.net"],
  ["server.bind=::"],
  ["smtp.max_message_bytes=65536"],
])("takes %s", (set) => {
  expect(() => readSettings({ set: [set] })).not.toThrow();
});

it("lets two listeners have one port at two addresses, and the policy's host be behind a web server", () => {
  const set = ["smtp.host=127.0.0.1", "smtp.port=5025", "imap.host=127.0.0.2", "imap.port=5025"];
  expect(() => readSettings({ set })).not.toThrow();
  const behind = ["sts.mode=enforce", "https.enabled=false", "server.trusted_proxies=127.0.0.1"];
  expect(() => readSettings({ set: behind })).not.toThrow();
});
