/** The command line: its output and its exit code. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProgram, withSubcommands } from "#/src/cli/program.ts";
import { makeCertificate, writeCertificate } from "../support/certificates/made-certificate.ts";
import { type Outcome, runCommand, runProcess } from "../support/command.ts";
import { type InProcessDaemon, startInProcessDaemon, startScript } from "../support/daemon.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-cli-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function namesOf(command: Command): string[] {
  return command.parent === null ? [] : [...namesOf(command.parent), command.name()];
}

/** Runs in the folder, so that no settings file of the repository is found. */
function waypost(...args: readonly string[]): Promise<Outcome> {
  return runCommand(folder, args);
}

async function wayposted(...args: readonly string[]) {
  const outcome = await waypost(...args, "--json");
  expect(outcome).toMatchObject({ code: 0, stderr: "" });
  return JSON.parse(outcome.stdout);
}

describe("use", () => {
  test.each([
    [["--help"], 0, /Usage: waypost/],
    [["token", "create", "--help"], 0, /--scopes <a,b>\s+What it may do: mail/],
    [["--version"], 0, /^\d+\.\d+\.\d+/],
    [["tokn"], 2, /Did you mean token\?/],
    [["token", "create"], 2, /missing required argument 'agent'/],
    [["agent", "list", "--set", "smtp.prot=1"], 2, /there is no setting smtp.prot/],
    [["agent", "list", "--data", "nowhere"], 1, /There is no store in nowhere/],
    [
      ["hold", "approve", "hold_x", "--version", "22", "--data", "nowhere"],
      1,
      /There is no store in nowhere/,
    ],
    [["check", "--data", "nowhere"], 1, /There is no store/],
    [["move", "--data", "nowhere", "--to", "postgres://nobody@127.0.0.1:1/x"], 1, /There is no store/],
    [["begin-anew", "--yes"], 2, /begins anew by itself/],
    [["move", "--to", "nowhere"], 2, /--to is postgres:/],
    [["deliver", "--to", "a@waypost.test", "--data", "nowhere"], 1, /No daemon runs/],
    [["call", "wait", "--json", "{"], 2, /The input is not JSON/],
    [["call", "wait", "--json", ""], 2, /The input is empty/],
    [["call", "wait", "--json", '{"timeout_s":1,"timeout_s":2}'], 2, /same member twice/],
    [
      ["call", "event.update", "--json", '{"patch":{"example.com:x":1e400}}'],
      2,
      /in the input is larger than any/,
    ],
  ])("waypost %j ends with %i", async (args, code, text) => {
    const outcome = await waypost(...args);
    expect(outcome.code).toBe(code);
    expect(outcome.stdout + outcome.stderr).toMatch(text);
    expect(fs.existsSync(path.join(folder, "nowhere"))).toBe(false);
  });

  test("every other command than account create, dev, setup and start leaves an empty folder empty", async () => {
    const place = path.join(folder, "empty");
    fs.mkdirSync(place);
    fs.writeFileSync(path.join(place, "new.ics"), "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n");
    const files = ["new.ics"];
    const further: Readonly<Record<string, readonly string[]>> = {
      move: ["--to", "postgres://nobody@127.0.0.1:1/x"],
      call: ["--agent", "x@y.example"],
      import: ["--in", "x"],
    };
    const commands = withSubcommands(createProgram()).filter((command) => command.commands.length === 0);
    const lines = commands.map((command) => {
      const names = namesOf(command);
      const name = names.join(" ");
      const example = (argument: string): string =>
        ({ file: "new.ics", operation: "health" })[argument] ?? "x@y.example";
      const options = command.options.flatMap(({ mandatory, long: option }) => {
        if (mandatory) return [option!, example(option!.slice(2))];
        return option === "--yes" ? [option] : option === "--data" ? [option, "nowhere"] : [];
      });
      const values = command.registeredArguments.map((argument) => example(argument.name()));
      return { name, line: [...names, ...values, ...options, ...(further[name] ?? [])] };
    });
    const makers = ["account create", "dev", "setup", "start"];
    expect(lines.map(({ name }) => name)).toEqual(expect.arrayContaining(makers));
    for (const { name, line } of lines) {
      if (makers.includes(name)) continue;
      const { code } = await runCommand(place, line);
      expect([line, code !== 0, fs.readdirSync(place)]).toEqual([line, true, files]);
    }
  });

  test.each([
    [["--help"], 0, /Usage: waypost/, /^$/],
    [["tokn"], 2, /^$/, /Did you mean token\?/],
    [["agent", "list", "--data", "nowhere"], 1, /^$/, /There is no store in nowhere/],
  ])("a process with %j ends with %i", async (args, code, stdout, stderr) => {
    const outcome = await runProcess(folder, args);
    expect(outcome).toEqual({
      code,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(stderr),
    });
  });

  test("an error is an object for programs", async () => {
    const { code, stdout, stderr } = await waypost("agent", "list", "--data", "nowhere", "--json");
    expect({ code, stdout, error: JSON.parse(stderr).error }).toMatchObject({
      code: 1,
      stdout: "",
      error: { code: "not_found", message: "There is no store in nowhere.", hint: expect.any(String) },
    });
  });
});

/** What works with a daemon works without one, on the same folder, by the same words. */
describe.each(["without a daemon", "with a daemon"] as const)("administration %s", (how) => {
  const data = path.join(folder, how.replaceAll(" ", "-"));
  const at = ["--data", data];
  let daemon: InProcessDaemon | undefined;

  beforeAll(async () => {
    if (how === "with a daemon")
      daemon = await startInProcessDaemon({ data, agents: 0, people: 0, set: ["dns.servers=none"] });
    else await waypost("account", "create", "main", ...at);
    expect((await waypost("domain", "add", "example.org", ...at)).code).toBe(0);
  });

  afterAll(() => daemon?.[Symbol.asyncDispose]());

  test("creates, lists and revokes", async () => {
    const agent = await wayposted("agent", "create", "ada@example.org", "--name", "Ada", ...at);
    expect(agent).toMatchObject({
      address: "ada@example.org",
      name: "Ada",
      token: expect.stringMatching(/^wp_/),
    });
    const person = await wayposted("person", "create", "eve@example.org", ...at);
    expect(person).toMatchObject({ address: "eve@example.org", password: expect.any(String) });
    const token = await wayposted(
      "token",
      "create",
      agent.id,
      "--scopes",
      "mail:read,raw",
      "--expires-in-days",
      "2",
      ...at,
    );
    expect(token).toMatchObject({ number: 2, scopes: ["mail:read", "raw"], expiresAt: expect.any(String) });
    await wayposted("token", "revoke", "2", ...at);
    const { tokens } = await wayposted("token", "list", "ada@example.org", ...at);
    expect(tokens.map((one: { revokedAt: string | null }) => one.revokedAt !== null)).toEqual([false, true]);
    expect((await wayposted("password", "list", "eve@example.org", ...at)).passwords).toHaveLength(1);
    await wayposted(
      "grant",
      "create",
      "ada@example.org",
      "eve@example.org",
      "--mailboxes",
      "INBOX,Sent",
      ...at,
    );
    expect((await wayposted("grant", "list", "ada@example.org", ...at)).grants).toMatchObject([
      { number: 1, target: "eve@example.org", mailboxes: ["INBOX", "Sent"] },
    ]);
    expect((await wayposted("grant", "list", "--target", "eve@example.org", ...at)).grants).toMatchObject([
      { number: 1, holder: "ada@example.org" },
    ]);
    expect((await wayposted("agent", "alias", "ada@example.org", "*@example.org", ...at)).aliases).toEqual([
      "*@example.org",
    ]);
  });

  test("refuses names in use and unknown names, with exit code 1", async () => {
    expect(await waypost("agent", "create", "ADA@example.org", ...at)).toMatchObject({ code: 1, stdout: "" });
    expect(await waypost("token", "revoke", "99", ...at)).toMatchObject({ code: 1 });
    expect(await waypost("agent", "create", "a@example.net", ...at)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("waypost domain add example.net"),
    });
  });

  test("deletes only with --yes", async () => {
    await wayposted("agent", "create", "bob@example.org", ...at);
    expect((await waypost("agent", "delete", "bob@example.org", ...at)).code).toBe(2);
    await wayposted("agent", "delete", "bob@example.org", "--yes", ...at);
    expect((await waypost("agent", "show", "bob@example.org", ...at)).code).toBe(1);
  });

  test("calls operations in an agent's place and with a token", async () => {
    const own = await waypost("call", "health", "--agent", "ada@example.org", ...at);
    expect(own).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(own.stdout)).toBeTypeOf("object");
    const { token } = await wayposted("token", "create", "ada@example.org", ...at);
    expect((await waypost("call", "wait", "--token", token, ...at)).code).toBe(0);
    expect((await waypost("call", "wait", "--token", "wp_wrong", ...at)).code).toBe(1);
    expect((await waypost("call", "nonsense", "--token", token, ...at)).code).toBe(1);
    expect((await waypost("call", "wait", ...at)).stderr).toMatch(/--agent <address> or --token/);
  });

  test("checks the store and copies it", async () => {
    expect(await wayposted("check", ...at)).toEqual({ problems: [], notes: [] });
    const copy = path.join(data, "copy");
    fs.mkdirSync(copy);
    await wayposted("backup", path.join(copy, "waypost.db"), ...at);
    const { agents } = await wayposted("agent", "list", "--data", copy);
    expect(agents.map((agent: { address: string }) => agent.address)).toEqual(["ada@example.org"]);
    expect((await waypost("backup", path.join(copy, "waypost.db"), ...at)).code).toBe(2);
  });

  test("imports and exports calendars and contacts", async () => {
    const lines = (text: string): string => text.trim().replaceAll("\n", "\r\n").concat("\r\n");
    const card = (uid: string): string =>
      lines(`BEGIN:VCARD\nVERSION:3.0\nFN:${uid}\nN:;${uid};;;\nUID:${uid}\nEND:VCARD`);
    const cards = path.join(data, "in.vcf");
    fs.writeFileSync(
      cards,
      `${card("one")}${lines("BEGIN:VCARD\nVERSION:9\nEND:VCARD")}${card("two")}${card("two")}`,
    );
    const first = await waypost("import", "ada@example.org", cards, "--json", ...at);
    expect(first.code).toBe(1);
    expect(JSON.parse(first.stdout)).toEqual({
      collection: expect.stringMatching(/^addressbook_/),
      created: 2,
      updated: 0,
      unchanged: 0,
      refused: 2,
      refusals: [
        { line: 7, why: expect.any(String) },
        { line: 16, uid: "two", why: "The UID stands twice in the file." },
      ],
    });
    const plain = await waypost("import", "ada@example.org", cards, ...at);
    expect(plain.stdout).toMatch(/^unchanged +2$/m);
    expect(plain.stdout).toMatch(/^line 16 \(two\): The UID stands twice in the file\.$/m);
    const out = path.join(data, "out.vcf");
    expect(await wayposted("export", "ada@example.org", out, "--in", "Contacts", ...at)).toMatchObject({
      items: 2,
    });
    expect(fs.readFileSync(out, "utf8")).toBe(card("one") + card("two"));
    expect((await waypost("export", "ada@example.org", out, ...at)).stderr).toMatch(/never overwrites/);

    const event = (uid: string): string =>
      lines(`BEGIN:VEVENT\nUID:${uid}\nDTSTAMP:20260101T000000Z\nDTSTART:20260101T100000Z\nEND:VEVENT`);
    const calendar = path.join(data, "in.ics");
    fs.writeFileSync(
      calendar,
      `${lines("BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x")}${event("1")}${event("2")}${lines("END:VCALENDAR")}`,
    );
    expect(await wayposted("import", "ada@example.org", calendar, ...at)).toMatchObject({
      created: 2,
      refused: 0,
    });
    const split = path.join(data, "out.ics");
    expect(await wayposted("export", "ada@example.org", split, ...at)).toMatchObject({ items: 2 });
    expect(fs.readFileSync(split, "utf8").match(/BEGIN:VCALENDAR/g)).toHaveLength(2);
    expect(await wayposted("import", "ada@example.org", split, ...at)).toMatchObject({
      created: 0,
      unchanged: 2,
    });

    expect(
      (await waypost("import", "ada@example.org", path.join(data, "nowhere.ics"), ...at)).stderr,
    ).toMatch(/ENOENT/);
    expect(
      (await waypost("export", "ada@example.org", path.join(data, "o.ics"), "--in", "Nothing", ...at)).stderr,
    ).toMatch(/There are: /);
  });

  test("delivers a test mail by SMTP to the running daemon", async () => {
    const sent = await waypost(
      "deliver",
      "--to",
      "ada@example.org",
      "--subject",
      "Hello there",
      "--json",
      ...at,
    );
    if (daemon === undefined) expect(sent.code).toBe(1);
    else {
      expect(sent).toMatchObject({ code: 0, stderr: "" });
      const { id } = await wayposted("agent", "show", "ada@example.org", ...at);
      const found = await waypost(
        "call",
        "search",
        "--agent",
        id,
        "--json",
        JSON.stringify({ in: id }),
        ...at,
      );
      expect(found.stdout).toContain("Hello there");
      const refused = await waypost("deliver", "--to", "nobody@example.net", ...at);
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("The server refused it: 550"),
      });
    }
  });

  // What is only said is looked at once.
  if (how === "without a daemon") return;

  test("is readable without --json", async () => {
    const { stdout } = await waypost("agent", "list", ...at);
    expect(stdout).toMatch(/^id +address +name +state/);
    expect(stdout).toMatch(/ada@example\.org +Ada +active/);
  });

  test("says what to put in the DNS for a domain, and shows no key", async () => {
    const added = await waypost("domain", "add", "ours.dev", ...at);
    expect(added.code).toBe(0);
    expect(added.stdout).toMatch(
      /^name +rsa-\d{8}\._domainkey\.ours\.dev\ntype +TXT\nvalue +v=DKIM1; k=rsa; p=MII/m,
    );
    expect(added.stdout).toMatch(
      /^name +ed25519-\d{8}\._domainkey\.ours\.dev\ntype +TXT\nvalue +v=DKIM1; k=ed25519; p=.{44}$/m,
    );
    expect(added.stdout).toMatch(/^name +_dmarc\.ours\.dev\ntype +TXT\nvalue +v=DMARC1/m);
    expect((await waypost("domain", "show", "ours.dev", ...at)).stdout).toBe(added.stdout);
    const zone = (await waypost("domain", "zone", "ours.dev", ...at)).stdout;
    expect((await waypost("domain", "zone", "example.org", ...at)).stderr).toMatch(
      /example\.org has no DNS records/,
    );
    expect(zone).toMatch(/^ours\.dev\. 3600 IN MX 10 \S+\.$/m);
    expect(zone).toMatch(
      /^rsa-\d{8}\._domainkey\.ours\.dev\. 3600 IN TXT "v=DKIM1; k=rsa; .{239}" "[^"]+"$/m,
    );
    const check = await waypost("domain", "check", "ours.dev", ...at);
    expect(check).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^missing +addresses of localhost\n(?:.*\n)*Something is wrong: /m),
    });
    expect(added.stdout).not.toContain("PRIVATE");
    expect(await wayposted("domain", "show", "example.org", ...at)).toMatchObject({ records: [] });
    expect((await waypost("domain", "add", "ours.dev", ...at)).code).toBe(1);
  });

  test("has an empty queue, and nobody who gets no mail", async () => {
    expect((await waypost("queue", "list", ...at)).stdout).toBe("No mails.\n");
    expect(await wayposted("suppression", "list", ...at)).toEqual({ suppressions: [] });
    expect((await waypost("queue", "retry", "0".repeat(26), ...at)).code).toBe(1);
  });

  test.each([
    [
      ["agent", "create", "cy@example.org", "--hold-policy", "strict"],
      /^waypost: --hold-policy: Invalid option/,
    ],
    [
      ["agent", "create", "cy@example.org", "--allow", "no domain"],
      /^waypost: --allow: .*neither a domain nor/,
    ],
    [["agent", "create", "cy@nowhere.example"], /^waypost: <address>: nowhere\.example is no domain/],
  ])("names the wrong argument: waypost %j", async (args, words) => {
    const { code, stderr } = await waypost(...args, ...at);
    expect(stderr).toMatch(words);
    expect(code).not.toBe(0);
  });
});

/** What `waypost start` prints, with free ports, until it is ready. */
function startOnce(data: string, ...options: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const [program, script] = startScript;
    const ports = ["smtp", "submission", "submissions", "imap", "imaps", "http", "https"];
    const sets = ports.flatMap((name) => ["--set", `${name}.port=0`]);
    const child = execFile(
      program!,
      [script!, "start", "--data", data, ...sets, ...options],
      { cwd: folder },
      (error, stdout) => (error === null ? resolve(stdout) : reject(error)),
    );
    child.stdout!.on("data", (text: string) => {
      if (text.includes("Stop with Ctrl-C")) child.kill("SIGINT");
    });
  });
}

describe("waypost start", () => {
  test("creates an agent and a person at the first start, and shows no secret at the second", async () => {
    const data = path.join(folder, "first");
    const first = await startOnce(data);
    expect(first).toMatch(/agent@waypost\.test +app password \S+ +token wp_\w{32}\n/);
    expect(first).toMatch(/person@waypost\.test +app password \S+\n/);
    expect(first).toMatch(/Only programs on this computer reach it/);
    expect(first).toMatch(/accept the self-signed certificate/);
    expect(first).toMatch(/curl -s http:\/\/127\.0\.0\.1:\d+\/v1\/wait/);
    const second = await startOnce(data);
    expect(second).toMatch(/^Waypost is ready/);
    expect(second).not.toMatch(/wp_|app password/);
  });

  test("shows the name in the operator's certificate when other computers reach the server", async () => {
    const made = await makeCertificate("ec", undefined, "mail.example.org");
    const { certificateFile, keyFile } = writeCertificate(folder, made);
    const settings = {
      "server.bind": "0.0.0.0",
      "server.hostname": "mail.example.org",
      "tls.certificate_file": certificateFile,
      "tls.key_file": keyFile,
    };
    const sets = Object.entries(settings).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
    const page = await startOnce(path.join(folder, "open"), ...sets);
    expect(page).toMatch(/Other computers reach it too \(server\.bind = 0\.0\.0\.0\)/);
    expect(page).toMatch(/^SMTP +mail\.example\.org port \d+$/m);
    expect(page).toMatch(/calendars and addressbooks https:\/\/mail\.example\.org:\d+\/dav\/,/);
    expect(page).toMatch(/incoming IMAP mail\.example\.org port \d+, SSL\/TLS/);
    expect(page).toMatch(/outgoing SMTP mail\.example\.org port \d+, SSL\/TLS/);
    expect(page).not.toContain("accept the self-signed");
  });
});
