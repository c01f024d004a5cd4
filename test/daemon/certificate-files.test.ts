/** The operator's certificate: refused at the start when no client could use it, and replaced while connections stay open. */
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import tls from "node:tls";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startDaemon } from "#/src/daemon/daemon.ts";
import {
  type MadeCertificate,
  makeCertificate,
  writeCertificate,
} from "../support/certificates/made-certificate.ts";
import { type InProcessDaemon, startInProcessDaemon, testSettings } from "../support/daemon.ts";

let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-certificate-"));
});

afterEach(() => {
  vi.useRealTimers();
  fs.rmSync(folder, { recursive: true, force: true });
});

function settingsFor(pair: MadeCertificate, more: readonly string[] = []): string[] {
  const { certificateFile, keyFile } = writeCertificate(folder, pair);
  return [
    `tls.certificate_file=${certificateFile}`,
    `tls.key_file=${keyFile}`,
    `log.file=${logFile()}`,
    ...more,
  ];
}

const logFile = () => path.join(folder, "waypost.log");

function logged(): Record<string, unknown>[] {
  const lines = fs.readFileSync(logFile(), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
}

const startTls: Record<string, { wait: RegExp; say: string }[]> = {
  smtp: [
    { wait: /^220 /, say: "EHLO me.example\r\n" },
    { wait: /^250 /m, say: "STARTTLS\r\n" },
    { wait: /^220 /, say: "" },
  ],
  imap: [
    { wait: /^\* OK/, say: "a STARTTLS\r\n" },
    { wait: /^a OK/, say: "" },
  ],
};
startTls.submission = startTls.smtp!;

const ports = ["smtp", "submission", "submissions", "imap", "imaps", "https"] as const;
type PortName = (typeof ports)[number];

function placeOf(running: InProcessDaemon, name: PortName): net.NetConnectOpts {
  if (name === "https") return { host: "127.0.0.1", port: Number(new URL(running.https.url).port) };
  return running[name];
}

/** A connection over TLS on one of the ports. */
async function connectTls(running: InProcessDaemon, name: PortName): Promise<tls.TLSSocket> {
  const plain = net.connect(placeOf(running, name));
  for (const { wait, say } of startTls[name] ?? []) {
    let heard = "";
    while (!wait.test(heard)) heard += String((await once(plain, "data"))[0]);
    if (say !== "") plain.write(say);
  }
  const secure = tls.connect({ socket: plain, rejectUnauthorized: false });
  await once(secure, "secureConnect");
  return secure;
}

async function shownOn(running: InProcessDaemon, name: PortName): Promise<string | undefined> {
  const socket = await connectTls(running, name);
  const shown = socket.getPeerX509Certificate()?.fingerprint256;
  socket.destroy();
  return shown;
}

const fingerprintOf = ({ cert }: MadeCertificate) => new X509Certificate(cert).fingerprint256;

describe("a certificate that would fail every handshake is refused at the start", () => {
  test.each([
    ["the key of another one of its kind", "ec", "ec"],
    ["a certificate of RSA with a key of EC", "rsa", "ec"],
  ] as const)("%s", async (_, certificate, key) => {
    const pair = { cert: (await makeCertificate(certificate)).cert, key: (await makeCertificate(key)).key };
    await expect(startDaemon(testSettings(folder, settingsFor(pair)))).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(
        /^tls\.key_file: .*key\.pem is not the key of the first certificate in .*\(tls\.certificate_file\)/,
      ),
    });
  });

  test.each([
    ["no certificate", { cert: "" }, /^tls\.certificate_file: .* has no certificate/],
    ["no key", { key: "none" }, /^tls\.key_file: .* has no private key/],
  ])("%s", async (_, wrong, message) => {
    const pair = { ...(await makeCertificate()), ...wrong };
    await expect(startDaemon(testSettings(folder, settingsFor(pair)))).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(message),
    });
  });
});

describe("a certificate that clients will complain about is told in the log", () => {
  test.each([
    ["has expired", { from: -90, to: -1 }, "localhost", /has expired on \d{4}-\d\d-\d\d/],
    ["expires soon", { from: -80, to: 10 }, "localhost", /expires soon, on \d{4}-\d\d-\d\d/],
    ["is for later", { from: 1, to: 90 }, "localhost", /is not valid yet/],
    ["has another name", { from: -1, to: 90 }, "mx.example.org", /does not have the name localhost/],
  ])("it %s", async (_, days, name, concern) => {
    const pair = await makeCertificate("ec", days, name);
    {
      await using _running = await startInProcessDaemon({ set: settingsFor(pair) });
    }
    const warnings = logged().filter(({ level }) => level === "warn");
    expect(warnings.map(({ msg }) => msg)).toEqual([expect.stringMatching(concern)]);
  });

  test("others can read its key", async () => {
    const set = settingsFor(await makeCertificate());
    fs.chmodSync(path.join(folder, "key.pem"), 0o644);
    {
      await using _running = await startInProcessDaemon({ set });
    }
    expect(logged()).toEqual([
      expect.objectContaining({
        level: "warn",
        msg: expect.stringContaining("others can read the private key (tls.key_file)"),
      }),
    ]);
  });

  test("nothing is logged about a good one", async () => {
    {
      await using _running = await startInProcessDaemon({ set: settingsFor(await makeCertificate()) });
    }
    expect(logged()).toEqual([]);
  });
});

describe("a new certificate", () => {
  test("is shown on every port after a reload, and no connection ends", async () => {
    const [first, second] = [await makeCertificate("ec"), await makeCertificate("rsa")];
    await using running = await startInProcessDaemon({ set: settingsFor(first) });
    const open = await Promise.all(ports.map((name) => connectTls(running, name)));
    for (const socket of open)
      expect(socket.getPeerX509Certificate()?.fingerprint256).toBe(fingerprintOf(first));
    // A client that has connected before and begins its handshake afterwards.
    const waiting = net.connect(running.imaps);
    await once(waiting, "connect");
    writeCertificate(folder, second);
    await running.daemon.reload();
    for (const name of ports) expect(await shownOn(running, name), name).toBe(fingerprintOf(second));
    const greeted = once(open[3]!, "data");
    open[3]!.write("b NOOP\r\n");
    expect(String((await greeted)[0])).toMatch(/^b OK/);
    const [, submission, submissions] = open;
    for (const socket of [submission!, submissions!]) {
      const answered = once(socket, "data");
      socket.write("NOOP\r\n");
      expect(String((await answered)[0])).toMatch(/^2[25]0 /);
    }
    for (const socket of [...open, waiting]) {
      expect(socket.destroyed).toBe(false);
      socket.destroy();
    }
  });

  test("that cannot be used leaves the former one in use, and the log says why", async () => {
    const first = await makeCertificate();
    await using running = await startInProcessDaemon({ set: settingsFor(first) });
    writeCertificate(folder, { ...first, key: (await makeCertificate()).key });
    await running.daemon.reload();
    for (const name of ports) expect(await shownOn(running, name), name).toBe(fingerprintOf(first));
    await expect
      .poll(logged)
      .toContainEqual(
        expect.objectContaining({ level: "error", problem: expect.stringMatching(/^tls\.key_file: /) }),
      );
  });

  test("is loaded automatically when its file changes", async () => {
    const [first, second] = [await makeCertificate(), await makeCertificate()];
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await using running = await startInProcessDaemon({ set: settingsFor(first) });
    expect(await shownOn(running, "imaps")).toBe(fingerprintOf(first));
    writeCertificate(folder, second);
    vi.advanceTimersByTime(10_000);
    await expect.poll(() => shownOn(running, "imaps")).toBe(fingerprintOf(second));
    for (const name of ports) expect(await shownOn(running, name), name).toBe(fingerprintOf(second));
  });
});
