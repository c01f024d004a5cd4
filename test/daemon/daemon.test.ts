import { execFileSync, spawn } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import { connect, createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { connect as connectTls } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import { loadCertificate } from "#/src/daemon/certificate.ts";
import { startDaemon } from "#/src/daemon/daemon.ts";
import { startChildDaemon, startInProcessDaemon, startScript, testSettings } from "../support/daemon.ts";
import { freePort } from "../support/free-port.ts";

const folders: string[] = [];

function temporaryFolder(): string {
  folders.push(fs.mkdtempSync(path.join(os.tmpdir(), "waypost-test-")));
  return folders.at(-1)!;
}

afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

function health(url: string, token: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(`${url}/v1/health`, { method: "POST", headers, body: "{}" });
}

describe("waypost dev", () => {
  test("prints one line that says where everything is and who has which secrets", async () => {
    await using daemon = await startChildDaemon({ agents: 2, people: 1 });
    expect(Object.keys(daemon)).toEqual(
      expect.arrayContaining([
        "ready",
        "pid",
        "data",
        "smtp",
        "submission",
        "submissions",
        "imap",
        "imaps",
        "http",
        "https",
        "agents",
        "people",
      ]),
    );
    expect(daemon.agents.map((agent) => agent.address)).toEqual([
      "agent1@waypost.test",
      "agent2@waypost.test",
    ]);
    expect(daemon.agents[0]).toEqual({
      id: expect.stringMatching(/^ag_[0-9a-z]{26}$/),
      address: "agent1@waypost.test",
      token: expect.stringMatching(/^wp_/),
      password: expect.any(String),
    });
    expect(Object.keys(daemon.people[0]!)).toEqual(["id", "address", "password"]);
    expect((await health(daemon.http.url, daemon.agents[1]!.token)).status).toBe(200);
  });

  test("ends with 0 on SIGTERM, and keeps a folder that was named with everything in it", async () => {
    const data = temporaryFolder();
    await using daemon = await startChildDaemon({ data });
    const { token, id } = daemon.agents[0]!;
    await daemon.restart();
    expect(daemon.agents[0]!.id).toBe(id);
    expect((await health(daemon.http.url, token)).status).toBe(200);
    expect(await daemon.stop()).toBe(0);
    expect(fs.existsSync(path.join(data, "waypost.db"))).toBe(true);
  });

  test("ends when its standard input closes, and takes its temporary folder away", async () => {
    const [program, script] = startScript;
    const child = spawn(program!, [script!, "dev", "--json", "--stdin-lifeline", "--set", "log.level=warn"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const { data } = JSON.parse(line) as { data: string };
    expect(fs.existsSync(data)).toBe(true);
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(fs.existsSync(data)).toBe(false);
  });
});

describe("a daemon", () => {
  test("keeps its folder, its private socket and every file of the store to its user", async () => {
    await using running = await startInProcessDaemon();
    const mode = (name: string) => fs.statSync(path.join(running.data, name)).mode & 0o777;
    expect([mode("."), mode("waypost.sock"), mode("tls/key.pem")]).toEqual([0o700, 0o600, 0o600]);
    const ofStore = fs.readdirSync(running.data).filter((name) => /^(?:waypost|search)\./.test(name));
    expect(ofStore).toEqual(expect.arrayContaining(["waypost.db", "waypost.db-wal", "search.db"]));
    for (const name of ofStore) expect([name, mode(name)]).toEqual([name, 0o600]);
  });

  test("removes the access of others to files of the store", async () => {
    const data = temporaryFolder();
    await (await startInProcessDaemon({ data }))[Symbol.asyncDispose]();
    for (const name of ["waypost.db", "search.db", "waypost.lock"])
      fs.chmodSync(path.join(data, name), 0o644);
    await using _running = await startInProcessDaemon({ data });
    for (const name of ["waypost.db", "search.db", "waypost.lock"])
      expect(fs.statSync(path.join(data, name)).mode & 0o777).toBe(0o600);
  });

  test("writes nothing that others could read, whatever the umask that it was started with", async () => {
    const [data, elsewhere] = [temporaryFolder(), temporaryFolder()];
    fs.mkdirSync(path.join(elsewhere, "logs"), { mode: 0o700 });
    await using daemon = await startChildDaemon({ data, set: [`log.file=${elsewhere}/logs/waypost.log`] });
    const [program, script] = startScript;
    execFileSync(program!, [script!, "backup", path.join(elsewhere, "copy.db"), "--data", data]);
    daemon.process.kill("SIGHUP");
    await daemon.stop();
    for (const folder of [data, elsewhere])
      for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const name = path.join(entry.parentPath, entry.name);
        expect([name, fs.statSync(name).mode & 0o077]).toEqual([name, 0]);
      }
    expect(fs.readdirSync(elsewhere).sort()).toEqual(["copy.db", "logs"]);
  });

  test("logs that others can read a settings file with a password in it", async () => {
    const file = path.join(temporaryFolder(), "waypost.toml");
    const login = "smarthost_user = 'me'\nsmarthost_password = 'hush'\n";
    fs.writeFileSync(file, `[outbound]\nsmarthost_host = 'relay.example.net'\n${login}`, { mode: 0o644 });
    await using daemon = await startChildDaemon({ env: { ...process.env, WAYPOST_CONFIG: file } });
    await daemon.stop();
    expect(daemon.stderr()).toContain(`${file} has outbound.smarthost_password in it and others can read it`);
    expect(daemon.stderr()).not.toContain("hush");
  });

  test("writes to a new log file after SIGHUP, and keeps all connections", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "waypost.log");
    await using daemon = await startChildDaemon({ set: ["log.level=info", `log.file=${file}`] });
    const connection = connect(daemon.imap);
    await once(connection, "data");
    fs.renameSync(file, `${file}.1`);
    daemon.process.kill("SIGHUP");
    await expect.poll(() => fs.existsSync(file) && fs.readFileSync(file, "utf8")).toContain("reloaded");
    expect(fs.readFileSync(`${file}.1`, "utf8")).toContain("ready");
    const answered = once(connection, "data");
    connection.write("a NOOP\r\n");
    expect(String((await answered)[0])).toMatch(/^a OK/);
    connection.destroy();
    expect(await daemon.stop()).toBe(0);
  });

  test("opens no port when one of them is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const folder = temporaryFolder();
    await expect(startDaemon(testSettings(folder, [`smtp.port=${port}`]))).rejects.toMatchObject({
      code: "upstream_unavailable",
      message: `127.0.0.1 port ${port} (smtp.port) is in use by another program.`,
    });
    other.close();
    await using daemon = await startDaemon(testSettings(folder));
    expect(daemon.listeners).toHaveLength(7);
  });

  test("names the setting of the port that another program has", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const set = ["metrics.enabled=true", `metrics.port=${port}`];
    await expect(startDaemon(testSettings(temporaryFolder(), set))).rejects.toMatchObject({
      message: `127.0.0.1 port ${port} (metrics.port) is in use by another program.`,
      details: { hint: expect.stringMatching(/^Choose another port \(metrics\.port\)/) },
    });
    other.close();
  });

  test("warns of a strict policy about TLS that a self-signed certificate breaks", async () => {
    const file = path.join(temporaryFolder(), "waypost.log");
    const set = ["sts.mode=enforce", "log.level=warn", `log.file=${file}`];
    await (await startInProcessDaemon({ set }))[Symbol.asyncDispose]();
    expect(fs.readFileSync(file, "utf8")).toMatch(/sts\.mode is .*enforce.* self-signed/);
  });

  for (const [first, second] of [
    ["smtp", "submissions"],
    ["imap", "imaps"],
    ["http", "https"],
  ] as const)
    test(`leaves ${first} free when ${second} cannot be had`, async () => {
      const taken = createServer().listen(0, "127.0.0.1");
      await once(taken, "listening");
      const { port: other } = taken.address() as { port: number };
      const port = await freePort();
      const set = [`${first}.port=${port}`, `${second}.port=${other}`];
      await expect(startDaemon(testSettings(temporaryFolder(), set))).rejects.toThrow(/in use/);
      const again = createServer().listen(port, "127.0.0.1");
      await once(again, "listening");
      again.close();
      taken.close();
    });

  test("does not share its store with a second one", async () => {
    await using running = await startInProcessDaemon();
    await expect(startDaemon(testSettings(running.data))).rejects.toThrow(/in use/);
    expect((await health(running.http.url, running.agents[0]!.token)).status).toBe(200);
  });

  test("opens only what the settings enable", async () => {
    await using daemon = await startDaemon(
      testSettings(temporaryFolder(), ["imap.enabled=false", "http.enabled=false"]),
    );
    expect(daemon.listeners.map((listener) => listener.name).sort()).toEqual([
      "https",
      "imaps",
      "smtp",
      "submission",
      "submissions",
    ]);
  });

  test("shows its own certificate on the TLS ports", async () => {
    await using running = await startInProcessDaemon();
    for (const { port } of [running.imaps, running.submissions]) {
      const socket = connectTls({ port, host: "127.0.0.1", ca: running.daemon.certificate.cert });
      await once(socket, "secureConnect");
      expect(socket.getPeerX509Certificate()?.fingerprint256).toBe(running.daemon.certificate.fingerprint);
      socket.destroy();
    }
  });
});

describe("the self-signed certificate", () => {
  const settings = defaultSettings();
  const dayMs = 86_400_000;
  const now = Date.UTC(2026, 0, 5);

  function load(folder: string, at = now, hostname = "mail.example.org") {
    const own = {
      ...settings,
      storage: { ...settings.storage, folder },
      server: { ...settings.server, hostname },
    };
    return loadCertificate(own, { now: () => at });
  }

  test("names the host, localhost and loopback, and clients accept its lifetime", async () => {
    const { cert } = await load(temporaryFolder());
    const certificate = new X509Certificate(cert);
    expect(certificate.checkHost("mail.example.org")).toBe("mail.example.org");
    expect(certificate.checkHost("localhost")).toBe("localhost");
    expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    const days = (certificate.validToDate.getTime() - certificate.validFromDate.getTime()) / dayMs;
    expect(days).toBeLessThanOrEqual(825);
  });

  test("stays the same until half of its time is over", async () => {
    const folder = temporaryFolder();
    const first = await load(folder);
    expect((await load(folder, now + 400 * dayMs)).fingerprint).toBe(first.fingerprint);
    expect((await load(folder, now + 411 * dayMs)).fingerprint).not.toBe(first.fingerprint);
  });

  test("is made again when the clock was set back before its validity", async () => {
    const folder = temporaryFolder();
    const first = await load(folder, now + 300 * dayMs);
    expect((await load(folder)).fingerprint).not.toBe(first.fingerprint);
  });

  test.each([
    ["another key", (other: string) => fs.readFileSync(path.join(other, "tls/key.pem"))],
    ["half a key", (other: string) => fs.readFileSync(path.join(other, "tls/key.pem")).subarray(0, 100)],
    ["nothing", () => Buffer.alloc(0)],
  ])("is made anew when the start that wrote it was cut off and left %s", async (_, keyOf) => {
    const [folder, other] = [temporaryFolder(), temporaryFolder()];
    const first = await load(folder);
    await load(other);
    fs.writeFileSync(path.join(folder, "tls/key.pem"), keyOf(other));
    const { key, cert, fingerprint } = await load(folder);
    expect(fingerprint).not.toBe(first.fingerprint);
    expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
    fs.writeFileSync(path.join(folder, "tls/certificate.pem"), "");
    expect((await load(folder)).fingerprint).not.toBe(fingerprint);
  });

  test("is made again for another name of the host", async () => {
    const folder = temporaryFolder();
    const first = await load(folder);
    expect((await load(folder, now, "mx.example.org")).fingerprint).not.toBe(first.fingerprint);
  });

  test("is not used when the operator has one", async () => {
    const folder = temporaryFolder();
    const { fingerprint } = await load(folder);
    const tls = {
      certificateFile: path.join(folder, "tls/certificate.pem"),
      keyFile: path.join(folder, "tls/key.pem"),
    };
    const own = await loadCertificate({ ...settings, tls }, { now: () => now });
    expect(own).toMatchObject({ fingerprint, isSelfSigned: false });
    const missing = loadCertificate(
      { ...settings, tls: { ...tls, keyFile: "/nowhere" } },
      { now: () => now },
    );
    await expect(missing).rejects.toMatchObject({
      code: "invalid",
      message: "tls.key_file: /nowhere cannot be read.",
    });
  });
});
