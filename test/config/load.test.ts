import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { loadSettings, readSettings, type SettingSources } from "#/config/load.ts";
import { defaultSettings, listenerSections, type Settings, settingDescriptions } from "#/config/schema.ts";

const folder = mkdtempSync(path.join(tmpdir(), "waypost-config-"));
let written = 0;

function fileWith(text: string): string {
  const file = path.join(folder, `${written++}.toml`);
  writeFileSync(file, text);
  return file;
}

function refusalOf(sources: SettingSources): string {
  try {
    loadSettings(sources);
  } catch (error) {
    return (error as Error).message.replace(/^.*\/\d+\.toml/, "waypost.toml");
  }
  throw new Error("was taken");
}

describe("precedence", () => {
  test("a configuration without settings has the defaults", () => {
    expect(loadSettings()).toEqual(defaultSettings());
  });

  test("without settings every port is for programs of this host alone", () => {
    const settings = loadSettings();
    const hosts = Object.values(settings).flatMap((section: object) =>
      "host" in section ? [section.host || settings.server.bind] : [],
    );
    expect(hosts.length).toBeGreaterThanOrEqual(listenerSections.length);
    expect(new Set(hosts)).toEqual(new Set(["127.0.0.1"]));
  });

  test("the environment wins over the file, --set over both", () => {
    const file = fileWith("[smtp]\nport = 1\nmax_recipients = 1\nmax_connections = 1\n");
    const { smtp } = loadSettings({
      file,
      environment: { WAYPOST_SMTP_MAX_RECIPIENTS: "2", WAYPOST_SMTP_MAX_CONNECTIONS: "2" },
      set: ["smtp.max_connections=3"],
    });
    expect(smtp).toMatchObject({ port: 1, maxRecipients: 2, maxConnections: 3 });
  });

  test("WAYPOST_CONFIG names the file", () => {
    const file = fileWith("[server]\nhostname = 'mail.example.org'\n");
    expect(loadSettings({ environment: { WAYPOST_CONFIG: file } }).server.hostname).toBe("mail.example.org");
  });

  test("listeners bind the address of server.bind unless they name their own", () => {
    const settings = loadSettings({ set: ["server.bind=::", "imap.host=127.0.0.2"] });
    expect([settings.smtp.host, settings.imap.host]).toEqual(["::", "127.0.0.2"]);
  });
});

describe("converts text to the type of its setting", () => {
  test.each([
    ["smtp.enabled=false", (s: Settings) => s.smtp.enabled, false],
    ["limits.requests_per_second=0.5", (s: Settings) => s.limits.requestsPerSecond, 0.5],
    ["json.unserved_operations=search, send", (s: Settings) => s.json.unservedOperations, ["search", "send"]],
    ["json.unserved_operations=", (s: Settings) => s.json.unservedOperations, []],
    ["outbound.smarthost_user=", (s: Settings) => s.outbound.smarthostUser, ""],
    ["log.file=a=b", (s: Settings) => s.log.file, "a=b"],
  ] as const)("%s", (set, read, value) => {
    expect(read(loadSettings({ set: [set] }))).toEqual(value);
  });
});

describe("what is wrong is named with its place", () => {
  test.each([
    ["[smtp]\n\nprot = 1\n", "waypost.toml line 3: there is no setting smtp.prot."],
    ["[smpt]\nport = 1\n", "waypost.toml line 1: there is no setting smpt."],
    ["port = 1\n", "waypost.toml line 1: there is no setting port."],
    ["# a\n[smtp]\nport = 70000\n", /^waypost.toml line 3: smtp.port: .*65535/],
    ["[smtp]\nport = '25'\n", /^waypost.toml line 2: smtp.port: /],
    ["[json]\nunserved_operations = [\n 'a',\n 7,\n]\n", /^waypost.toml line 5: json.unserved_operations/],
    ["smtp.port = 1.5", /^waypost.toml line 1: smtp.port: /],
    ["[smtp]\nport =\n", /^waypost.toml line 2: /],
    ["[smtp]\nport = 1\nport = 2\n", /^waypost.toml line 3: /],
    ["[[smtp]]\nport = 1\n", "waypost.toml line 1: there is no setting smtp."],
  ])("in the file %j", (text, message) => {
    expect(refusalOf({ file: fileWith(text) })).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
  });

  test.each([
    [{ WAYPOST_SMTP_PORT: "x" }, "WAYPOST_SMTP_PORT: smtp.port: is not a number."],
    [{ WAYPOST_SMTP_ENABLED: "yes" }, "WAYPOST_SMTP_ENABLED: smtp.enabled: is neither true nor false."],
    [{ WAYPOST_SMTP_PROT: "1" }, "environment: there is no setting WAYPOST_SMTP_PROT."],
  ])("in the environment %j", (environment, message) => {
    expect(refusalOf({ environment })).toBe(message);
  });

  test.each([
    ["smtp.port", "--set smtp.port: write it as section.name=value."],
    ["smtp.prot=1", "--set: there is no setting smtp.prot."],
    ["log.level=loud", /^--set: log.level: .*"info"/],
  ])("in --set %s", (set, message) => {
    expect(refusalOf({ set: [set] })).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
  });

  test("a missing file is named", () => {
    expect(refusalOf({ file: "/nowhere/waypost.toml" })).toBe(
      "The settings cannot be read from /nowhere/waypost.toml.",
    );
  });

  test("a certificate needs its key, also where another setting is no setting", () => {
    expect(refusalOf({ set: ["tls.certificate_file=a.pem", "smtp.prot=1"] })).toMatch(/only of use together/);
  });
});

test("all errors are reported at once, each with its place", () => {
  const file = fileWith("[smtp]\nport = 70000\nprot = 1\n\n[imap]\nmessage_limit = 2\n");
  const refusal = refusalOf({
    file,
    environment: { WAYPOST_HTTP_PORT: "x" },
    set: ["log.level=loud", "nothing"],
  });
  expect(refusal.replaceAll(file, "waypost.toml").split("\n").toSorted()).toEqual([
    expect.stringMatching(/^--set nothing: write it as/),
    expect.stringMatching(/^--set: log\.level: /),
    "WAYPOST_HTTP_PORT: http.port: is not a number.",
    expect.stringMatching(/^waypost\.toml line 2: smtp\.port: /),
    "waypost.toml line 3: there is no setting smtp.prot.",
    expect.stringMatching(/^waypost\.toml line 6: imap\.message_limit: /),
  ]);
});

describe("a file with a secret in it", () => {
  const relay = "[outbound]\nsmarthost_host = 'relay.example.net'\n";
  const secret = `${relay}smarthost_user = 'me'\nsmarthost_password = 'hush'\n`;

  test.each([
    [secret, 0o644, 1],
    [secret, 0o640, 1],
    [secret, 0o604, 1],
    [secret, 0o600, 0],
    ["[outbound]\nsmarthost_password = ''\n", 0o644, 0],
    [relay, 0o644, 0],
  ])("%j with mode %o gets %i warnings", (text, mode, count) => {
    const file = fileWith(text);
    chmodSync(file, mode);
    const { warnings } = readSettings({ file });
    expect(warnings).toHaveLength(count);
    for (const warning of warnings) {
      expect(warning).toContain("outbound.smarthost_password");
      expect(warning).not.toContain("hush");
    }
  });

  test("every setting with the name of a secret is declared secret", () => {
    const byName = settingDescriptions.filter(({ name }) => /(password|secret)(?!_file$)/.test(name));
    expect(byName.filter(({ isSecret }) => !isSecret).map(({ name }) => name)).toEqual([]);
    expect(byName.length).toBeGreaterThan(0);
  });
});

test("a misspelt setting gets the name that was meant", () => {
  expect(() => loadSettings({ set: ["smtp.prot=1"] })).toThrow(
    expect.objectContaining({ details: { hint: "Perhaps smtp.port is meant." } }),
  );
});

test("variables that Kubernetes sets for a service called waypost are ignored", () => {
  const environment = {
    WAYPOST_PORT: "tcp://10.0.0.1:25",
    WAYPOST_SERVICE_HOST: "10.0.0.1",
    WAYPOST_SERVICE_PORT_SMTP: "25",
    WAYPOST_PORT_25_TCP_ADDR: "10.0.0.1",
  };
  expect(loadSettings({ environment })).toEqual(defaultSettings());
});
