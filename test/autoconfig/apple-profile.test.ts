/** The configuration profile for Apple's systems. Another implementation verifies its signature. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatAppleProfile } from "#/protocols/autoconfig/apple-profile.ts";
import { createSignedProfiles } from "#/protocols/autoconfig/serve-apple-profile.ts";
import { signData } from "#/protocols/autoconfig/signed-data.ts";
import { makeCertificate } from "../support/certificates/made-certificate.ts";
import { fakeClock } from "../support/clock.ts";
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

test("has mail, calendars and contacts of a domain, and asks for address, usernames and password", async () => {
  const { response, octets } = await ask("?emailaddress=alex%40OURS.dev");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/x-apple-aspen-config");
  const text = octets.toString("latin1");
  const { imaps, submissions, https } = server.daemon.settings;
  for (const [name, value] of [
    ["IncomingMailServerHostName", "<string>mx.ours.dev</string>"],
    ["IncomingMailServerPortNumber", `<integer>${imaps.port}</integer>`],
    ["OutgoingMailServerPortNumber", `<integer>${submissions.port}</integer>`],
    ["CalDAVPort", `<integer>${https.port}</integer>`],
    ["CardDAVPort", `<integer>${https.port}</integer>`],
  ])
    expect(text).toContain(`<key>${name}</key>${value}`);
  expect(text).not.toMatch(/Password<\/key><string>|Username|EmailAddress|alex/);
});

test("has the same payload ids each time, and others for another domain", () => {
  const { settings } = server.daemon;
  const uuids = (domain: string) =>
    [...formatAppleProfile(domain, settings)!.matchAll(/<key>PayloadUUID<\/key><string>([^<]+)</g)].map(
      ([, uuid]) => uuid!,
    );
  expect(uuids("ours.dev")).toEqual(uuids("ours.dev"));
  const all = [...uuids("ours.dev"), ...uuids("theirs.dev")];
  expect(new Set(all).size).toBe(8);
  for (const uuid of all)
    expect(uuid).toMatch(/^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-8[0-9A-F]{3}-[0-9A-F]{12}$/);
});

test("leaves out protocols that are not enabled", () => {
  const { settings } = server.daemon;
  const without = formatAppleProfile("ours.dev", {
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
  expect(await verify(octets, cert)).toBe(formatAppleProfile("ours.dev", server.daemon.settings));
  const changed = Buffer.from(octets);
  changed[octets.indexOf("ours.dev")]! ^= 1;
  await expect(verify(changed, cert)).rejects.toThrow(/digest failure/);
});

// Each signature with a key of an elliptic curve is another one.
test("is signed once, however many strangers ask for whatever addresses", async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) => ask(`?emailaddress=stranger${at}%40ours.dev`)),
  );
  expect(new Set(answers.map(({ octets }) => octets.toString("hex"))).size).toBe(1);
});

test("is signed again after an hour, for another domain, and with another certificate", async () => {
  const clock = fakeClock();
  const tls = { ...(await makeCertificate("ec", undefined, "mx.ours.dev")) };
  const profileOf = createSignedProfiles({ settings: server.daemon.settings, tls, store: { clock } });
  const signed: string[] = [];
  const sign = async (domain = "ours.dev"): Promise<void> => {
    for (const _ of [1, 2]) signed.push((await profileOf(domain)!).toString("hex"));
  };
  await sign();
  clock.advance(3_600_000 - 1);
  await sign();
  expect(new Set(signed).size).toBe(1);
  clock.advance(1);
  await sign();
  await sign("theirs.dev");
  Object.assign(tls, await makeCertificate("ec", undefined, "mx.ours.dev"));
  await sign();
  expect(new Set(signed).size).toBe(4);
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
