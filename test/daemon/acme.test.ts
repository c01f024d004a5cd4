/** Certificates from an ACME authority: obtained over real sockets, renewed in time, and replaced without closing a connection. */
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import tls from "node:tls";
import pino from "pino";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import { startAcmeRunner } from "#/src/daemon/acme/acme-runner.ts";
import { createAuthority } from "#/src/daemon/acme/authority.ts";
import { createChallenges } from "#/src/daemon/acme/challenges.ts";
import { readKeptPair } from "#/src/daemon/acme/kept-certificates.ts";
import { ariIdentifier, readRenewalWindow, renewalTime } from "#/src/daemon/acme/renewal-time.ts";
import { namesHere } from "#/src/daemon/acme/start-acme.ts";
import { makeCertificate } from "../support/certificates/made-certificate.ts";
import { fakeClock } from "../support/clock.ts";
import { startInProcessDaemon, testSettings } from "../support/daemon.ts";
import { freePort } from "../support/free-port.ts";
import { type AcmeServer, startAcmeServer } from "../support/servers/acme-server.ts";

const dayMs = 86_400_000;
let acme: AcmeServer;
let folder: string;
beforeEach(async () => {
  acme = await startAcmeServer();
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-acme-"));
});
afterEach(async () => {
  await acme[Symbol.asyncDispose]();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** The certificate that a client of a port is shown, and whether it is one of the authority. */
async function shown(port: number, servername: string): Promise<{ names: string; isTrusted: boolean }> {
  const socket = tls.connect({
    host: "127.0.0.1",
    port,
    servername,
    ca: acme.root,
    rejectUnauthorized: false,
  });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  const { subjectaltname = "" } = socket.getPeerCertificate();
  socket.destroy();
  return { names: subjectaltname, isTrusted: socket.authorized };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 50));
}

const wanted = () => [
  "acme.enabled=true",
  `acme.directory=${acme.directory}`,
  "acme.names=also.example.org",
  "server.hostname=mail.example.org",
  "dns.servers=none",
  "log.level=silent",
];

it("counts connections to the port of challenges separately from those of the operator and of metrics", async () => {
  const port = await freePort();
  await using server = await startInProcessDaemon({
    data: folder,
    set: [...wanted(), "acme.challenge=http-01", `acme.port=${port}`, "metrics.enabled=true"],
  });
  const { hostname } = new URL(server.http.url);
  const stranger = net.connect({ host: hostname, port });
  stranger.on("error", () => {});
  await until(() => takenOf("challenges") === 1);
  expect(takenOf("apart")).toBe(0);
  stranger.destroy();

  function takenOf(name: string): number {
    return server.daemon.house.fairness.usage().find(({ share }) => share === name)?.taken ?? 0;
  }
});

describe.each(["http-01", "tls-alpn-01"] as const)("a daemon with %s", (challenge) => {
  it("gets a certificate for each name and shows it on every port, while a connection that is open stays", async () => {
    acme.places.http = await freePort();
    acme.places.https = await freePort();
    await using server = await startInProcessDaemon({
      data: folder,
      set: [
        ...wanted(),
        `acme.challenge=${challenge}`,
        `acme.port=${acme.places.http}`,
        `https.port=${acme.places.https}`,
      ],
    });
    const before = tls.connect({ ...server.imaps, rejectUnauthorized: false });
    before.on("error", () => {});
    await once(before, "data");
    await until(() => acme.given.length === 2);
    const ports = [server.imaps.port, server.submissions.port, acme.places.https];
    // Given is not yet shown, on each port and for each name.
    for (const port of ports)
      for (const name of ["mail.example.org", "also.example.org"])
        await until(async () => {
          const { names, isTrusted } = await shown(port, name);
          return isTrusted && names === `DNS:${name}`;
        });
    expect(acme.given).toEqual(["mail.example.org", "also.example.org"]);
    for (const port of ports) {
      expect(await shown(port, "also.example.org")).toEqual({
        names: "DNS:also.example.org",
        isTrusted: true,
      });
      expect((await shown(port, "other.example.org")).names).toBe("DNS:mail.example.org");
    }
    before.write("a NOOP\r\n");
    const [line] = (await once(before, "data")) as [Buffer];
    expect(String(line)).toMatch(/^a OK/);
    before.destroy();
    // Nothing is left for others to see.
    expect((await shown(acme.places.https, "mail.example.org")).names).toBe("DNS:mail.example.org");
    const modes = ["account.key", "mail.example.org.pem"].map(
      (file) => fs.statSync(path.join(folder, "tls/acme", file)).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o600]);
  });
});

describe("the port of challenges", () => {
  it("serves nothing else", async () => {
    acme.isFailing = true;
    await using server = await startInProcessDaemon({ data: folder, set: wanted() });
    for (const place of [
      "/",
      "/v1/health",
      "/.well-known/acme-challenge/",
      "/.well-known/acme-challenge/x",
      "/health",
    ])
      expect([place, (await fetch(server.acme.url + place)).status]).toEqual([place, 404]);
    // Without a certificate of the authority there is the self-signed one.
    expect((await shown(server.imaps.port, "mail.example.org")).isTrusted).toBe(false);
  });

  it("is closed, and no certificate is ordered, unless acme.enabled is set", async () => {
    await using server = await startInProcessDaemon({
      data: folder,
      set: [`acme.directory=${acme.directory}`],
    });
    expect(server.acme).toBeUndefined();
  });
});

describe("what is looked after", () => {
  async function runner(names: readonly string[] = []) {
    const clock = fakeClock(Date.now());
    const settings = testSettings(folder, wanted());
    const challenges = createChallenges();
    const listener = await import("node:http").then(({ createServer }) =>
      createServer((request, response) => {
        void challenges
          .find("http-01", request.url!.split("/").at(-1)!)
          .then((answer) => response.end(answer ?? ""));
      }).listen(0, "127.0.0.1"),
    );
    await once(listener, "listening");
    acme.places.http = (listener.address() as { port: number }).port;
    const lines: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
    let exchanged = 0;
    const running = startAcmeRunner({
      settings: { ...settings, acme: { ...settings.acme, names: [...names] } },
      log,
      clock,
      authorityUntil: (signal) => createAuthority(settings, challenges, signal),
      listNames: async () => [],
      onNew: async () => void exchanged++,
    });
    return {
      ...running,
      clock,
      settings,
      lines,
      exchanges: () => exchanged,
      async [Symbol.asyncDispose]() {
        await running.stop();
        listener.close();
      },
    };
  }

  it("is renewed when a third of its lifetime is left, and the order names the certificate that it replaces", async () => {
    await using one = await runner();
    await one.look();
    const first = readKeptPair(one.settings, "mail.example.org")!;
    one.clock.advance(59 * dayMs);
    await one.look();
    expect(acme.given).toHaveLength(1);
    one.clock.advance(2 * dayMs);
    await one.look();
    expect(acme.given).toHaveLength(2);
    expect(acme.replaced).toEqual([undefined, await ariIdentifier(first.cert)]);
    expect(readKeptPair(one.settings, "mail.example.org")!.cert).not.toBe(first.cert);
    expect(one.exchanges()).toBe(2);
  });

  it("is not obtained from an authority that does not answer, and the log says its host and the cause", async () => {
    const port = await freePort();
    const challenges = createChallenges();
    const asked = (directory: string) => {
      const storage = { ...defaultSettings().storage, folder };
      const settings = { acme: { ...defaultSettings().acme, directory }, storage };
      return createAuthority(settings, challenges, new AbortController().signal);
    };
    for (const directory of [`http://127.0.0.1:${port}/directory`, "http://authority.invalid/directory"]) {
      const refused = await asked(directory)
        .order("mail.example.org", undefined)
        .catch((error: Error) => error);
      expect(refused).toMatchObject({ code: "upstream_unavailable" });
      expect(String(refused)).toContain(`${new URL(directory).host} does not answer: `);
      expect(String(refused)).toMatch(/ECONNREFUSED|ENOTFOUND|EAI_AGAIN/);
    }
  });

  it("is renewed at once when the authority says so (RFC 9773)", async () => {
    await using one = await runner();
    await one.look();
    const now = one.clock.now();
    acme.window = { start: new Date(now - 2 * dayMs), end: new Date(now - dayMs) };
    one.clock.advance(7 * 3_600_000);
    await one.look();
    expect(acme.given).toHaveLength(2);
    expect(acme.asked[0]).toMatch(/^[\w-]+\.[\w-]+$/);
    const later = one.clock.now() + 30 * dayMs;
    acme.window = { start: new Date(later), end: new Date(later + dayMs) };
    await one.look();
    expect(acme.given).toHaveLength(2);
  });

  it("stays in use when the authority fails, and the order is repeated with growing pauses", async () => {
    await using one = await runner();
    await one.look();
    const first = readKeptPair(one.settings, "mail.example.org")!;
    acme.isFailing = true;
    one.clock.advance(61 * dayMs);
    const orders = async (): Promise<number> => {
      const before = one.lines.filter((line) => line.includes("no certificate was obtained")).length;
      await one.look();
      return one.lines.filter((line) => line.includes("no certificate was obtained")).length - before;
    };
    expect(await orders()).toBe(1);
    expect(await orders()).toBe(0);
    one.clock.advance(150_000);
    expect(await orders()).toBe(1);
    one.clock.advance(150_000);
    expect(await orders()).toBe(0);
    expect(readKeptPair(one.settings, "mail.example.org")).toEqual(first);
    acme.isFailing = false;
    one.clock.advance(dayMs);
    await one.look();
    expect(acme.given).toHaveLength(2);
  });

  it("is ordered again half a day after a failure at the latest", async () => {
    await using one = await runner();
    acme.isFailing = true;
    const failures = () => one.lines.filter((line) => line.includes("no certificate was obtained")).length;
    for (let count = 1; count <= 12; count++) {
      await one.look();
      expect(failures()).toBe(count);
      one.clock.advance(dayMs / 2);
    }
  });

  it("is ordered again when the clock was set back after a failure", async () => {
    await using one = await runner();
    acme.isFailing = true;
    await one.look();
    acme.isFailing = false;
    one.clock.advance(-dayMs);
    await one.look();
    expect(acme.given).toHaveLength(1);
  });

  it.each([
    ["a minute at the earliest", "1", 60_000],
    ["a day at the latest", String(30 * 86_400), dayMs],
  ])("is asked about again after %s, whatever the authority wants", async (_, wanted, waitMs) => {
    await using one = await runner();
    await one.look();
    acme.retryAfter = wanted;
    const later = one.clock.now() + 30 * dayMs;
    acme.window = { start: new Date(later), end: new Date(later + dayMs) };
    await one.look();
    expect(acme.asked).toHaveLength(1);
    one.clock.advance(waitMs - 1000);
    await one.look();
    expect(acme.asked).toHaveLength(1);
    one.clock.advance(1000);
    await one.look();
    expect(acme.asked).toHaveLength(2);
  });

  it("is ordered for each name separately: one that fails does not delay others", async () => {
    await using one = await runner(["localhost", "good.example.org"]);
    await one.look();
    expect(acme.given).toEqual(["mail.example.org", "good.example.org"]);
  });

  it("ends at once when it is stopped in the middle of an order", async () => {
    await using one = await runner();
    acme.isSilent = true;
    const looking = one.look();
    await until(() => acme.replaced.length > 0);
    await one.stop();
    await looking;
    expect(acme.given).toEqual([]);
    expect(one.lines.filter((line) => line.includes("no certificate"))).toEqual([]);
  });

  it("logs the reason when the authority refuses", async () => {
    await using one = await runner();
    acme.places.http = 1;
    await one.look();
    expect(one.lines.join("")).toContain("The authority refused: nobody answered");
  });

  it("logs that the authority does not answer", async () => {
    await using one = await runner();
    await acme[Symbol.asyncDispose]();
    await one.look();
    expect(one.lines.join("")).toMatch(/127\.0\.0\.1:\d+ does not answer: connect ECONNREFUSED/);
    acme = await startAcmeServer();
  });

  it("is ordered again when its file is truncated", async () => {
    await using one = await runner();
    await one.look();
    const file = path.join(folder, "tls/acme/mail.example.org.pem");
    fs.truncateSync(file, 300);
    expect(readKeptPair(one.settings, "mail.example.org")).toBeUndefined();
    await one.look();
    expect(acme.given).toHaveLength(2);
  });
});

describe("the time of a renewal", () => {
  let cert: string;
  beforeAll(async () => {
    ({ cert } = await makeCertificate("ec", { from: 0, to: 90 }));
  });

  it("is in the window of the authority, the same for the same certificate", () => {
    const window = { startAt: 1000, endAt: 2000 };
    const at = renewalTime(cert, window);
    expect(at).toBeGreaterThanOrEqual(1000);
    expect(at).toBeLessThan(2000);
    expect(renewalTime(cert, window)).toBe(at);
  });

  it("is at two thirds of the lifetime without a window, and with one that ends before it begins", () => {
    const expected = Date.now() + 60 * dayMs;
    for (const window of [undefined, { startAt: 2, endAt: 1 }])
      expect(Math.abs(renewalTime(cert, window) - expected)).toBeLessThan(60_000);
  });

  it.each([
    [{}, undefined],
    [null, undefined],
    [{ suggestedWindow: { start: "soon", end: "later" } }, undefined],
    [
      { suggestedWindow: { start: "2026-01-02T04:00:00Z", end: "2026-01-03T04:00:00Z" } },
      { startAt: Date.UTC(2026, 0, 2, 4), endAt: Date.UTC(2026, 0, 3, 4) },
    ],
  ])("reads %j", (answer, window) => {
    expect(readRenewalWindow(answer)).toEqual(window);
  });

  it("asks about the certificate of RFC 9773 appendix A by the identifier that stands there", async () => {
    // Its own values: key identifier 69:88:5B:6B:87:46:40:41:E1:B3:7B:84:7B:A0:AE:2C:DE:01:C8:D4, serial 00:87:65:43:21.
    const known = "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE";
    expect(await ariIdentifier(certificateOfAppendixA)).toBe(known);
  });
});

describe("names that certificates are ordered for", () => {
  const zone: Record<string, string[]> = {
    "mail.example.org": ["192.0.2.1", "2001:db8::1"],
    "mta-sts.a.example": ["192.0.2.1"],
    "mta-sts.b.example": ["192.0.2.1", "192.0.2.9"],
  };
  const resolve = async (name: string, type: string) =>
    (zone[name] ?? []).filter((address) => address.includes(":") === (type === "AAAA"));

  it("are those whose addresses in the DNS are all of this host", async () => {
    const names = ["mta-sts.a.example", "mta-sts.b.example", "mta-sts.c.example"];
    expect(await namesHere(names, "mail.example.org", resolve)).toEqual(["mta-sts.a.example"]);
    expect(await namesHere(names, "nowhere.example.org", resolve)).toEqual([]);
  });
});

/** RFC 9773 appendix A. */
const certificateOfAppendixA = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`;
