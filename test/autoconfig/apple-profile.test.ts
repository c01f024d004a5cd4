/** The configuration profile for Apple's systems. Another implementation verifies its signature. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatAppleProfile } from "#/protocols/autoconfig/apple-profile.ts";
import { signData } from "#/protocols/autoconfig/signed-data.ts";
import { makeCertificate } from "../support/certificates/made-certificate.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { freePort } from "../support/free-port.ts";

let server: InProcessDaemon;
const run = promisify(execFile);
const hasOpenssl = await run("openssl", ["version"]).then(
  () => true,
  () => false,
);

beforeAll(async () => {
  const [imaps, submissions, https] = [await freePort(), await freePort(), await freePort()];
  server = await startInProcessDaemon({
    set: [
      "server.domain=ours.dev",
      "server.hostname=mx.ours.dev",
      `imaps.port=${imaps}`,
      `submissions.port=${submissions}`,
      `https.port=${https}`,
    ],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

async function ask(query: string, method = "GET") {
  const response = await fetch(`${server.http.url}/apple.mobileconfig${query}`, { method });
  return { response, octets: Buffer.from(await response.arrayBuffer()) };
}

/** The content, when openssl finds the signature good and the signer to be the certificate. */
async function verify(octets: Buffer, cert: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "waypost-signed-"));
  try {
    await writeFile(path.join(folder, "signed"), octets);
    await writeFile(path.join(folder, "cert.pem"), cert);
    const { stdout } = await run(
      "openssl",
      ["smime", "-verify", "-inform", "DER", "-in", "signed", "-CAfile", "cert.pem", "-purpose", "any"],
      { cwd: folder },
    );
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("has mail, calendars and contacts of an address, and no password", async () => {
  const { response, octets } = await ask("?emailaddress=alex%40OURS.dev");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/x-apple-aspen-config");
  const text = octets.toString("latin1");
  const { imaps, submissions, https } = server.daemon.settings;
  for (const [name, value] of [
    ["EmailAddress", "<string>alex@ours.dev</string>"],
    ["IncomingMailServerHostName", "<string>mx.ours.dev</string>"],
    ["IncomingMailServerPortNumber", `<integer>${imaps.port}</integer>`],
    ["OutgoingMailServerPortNumber", `<integer>${submissions.port}</integer>`],
    ["CalDAVPort", `<integer>${https.port}</integer>`],
    ["CardDAVUsername", "<string>alex@ours.dev</string>"],
  ])
    expect(text).toContain(`<key>${name}</key>${value}`);
  expect(text).not.toMatch(/Password<\/key><string>/);
});

test("has the same payload ids each time, and others for another address", () => {
  const { settings } = server.daemon;
  const uuids = (address: string) =>
    [...formatAppleProfile(address, settings)!.matchAll(/<key>PayloadUUID<\/key><string>([^<]+)</g)].map(
      ([, uuid]) => uuid!,
    );
  expect(uuids("alex@ours.dev")).toEqual(uuids("alex@ours.dev"));
  const all = [...uuids("alex@ours.dev"), ...uuids("kim@ours.dev")];
  expect(new Set(all).size).toBe(8);
  for (const uuid of all)
    expect(uuid).toMatch(/^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-8[0-9A-F]{3}-[0-9A-F]{12}$/);
});

test("leaves out protocols that are not enabled", () => {
  const { settings } = server.daemon;
  const without = formatAppleProfile("a@ours.dev", {
    ...settings,
    imap: { ...settings.imap, enabled: false },
    imaps: { ...settings.imaps, enabled: false },
  });
  expect(without).not.toContain("com.apple.mail.managed");
  expect(without).toContain("com.apple.caldav.account");
});

test.each([
  "",
  "?emailaddress=",
  "?emailaddress=a%40theirs.dev",
  "?emailaddress=%3Cx%3E",
  `?emailaddress=${"a".repeat(4000)}%40ours.dev`,
])("answers 404 for %s", async (query) => {
  expect((await ask(query)).response.status).toBe(404);
});

test("refuses other methods than GET", async () => {
  expect((await ask("?emailaddress=a%40ours.dev", "POST")).response.status).toBe(405);
});

test.runIf(hasOpenssl)("is signed with the server's certificate, which openssl verifies", async () => {
  const { octets } = await ask("?emailaddress=alex%40ours.dev");
  const { cert } = server.daemon.certificate;
  expect(await verify(octets, cert)).toBe(formatAppleProfile("alex@ours.dev", server.daemon.settings));
  const changed = Buffer.from(octets);
  changed[octets.indexOf("alex@ours.dev")]! ^= 1;
  await expect(verify(changed, cert)).rejects.toThrow(/digest failure/);
});

test.runIf(hasOpenssl).each(["rsa", "ec"] as const)(
  "a key of %s signs, with the whole chain",
  async (kind) => {
    const pair = await makeCertificate(kind, undefined, "mx.ours.dev");
    const issuer = await makeCertificate("ec", undefined, "authority");
    const signed = await signData(
      Buffer.from("words\n"),
      { ...pair, cert: pair.cert + issuer.cert },
      new Date(),
    );
    expect(await verify(signed!, pair.cert)).toBe("words\n");
    expect(signed!.includes("authority")).toBe(true);
  },
);

test("a key of another kind makes no signature", async () => {
  const { generateKeyPairSync } = await import("node:crypto");
  const { privateKey } = generateKeyPairSync("ed25519");
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  expect(await signData(Buffer.from("x"), { key, cert: "" }, new Date())).toBe(undefined);
});
