/** Import from an IMAP server whose certificate no known authority has signed. */
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openMailSource } from "#/src/daemon/moving/open-source.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";

let daemon: InProcessDaemon;
let certificate: X509Certificate;
let place: string;
let login: { password: string; isToken: boolean };
beforeAll(async () => {
  daemon = await startInProcessDaemon();
  const { address, password } = daemon.people[0]!;
  login = { password, isToken: false };
  place = `imaps://${encodeURIComponent(address)}@127.0.0.1:${daemon.imaps.port}`;
  const socket = connect({ ...daemon.imaps, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  certificate = new X509Certificate(socket.getPeerCertificate().raw);
  socket.destroy();
});
afterAll(() => daemon[Symbol.asyncDispose]());

it("refuses it without a word about it", async () => {
  await expect(openMailSource(place, 1000, login)).rejects.toMatchObject({ code: "upstream_unavailable" });
});

it("takes the one whose fingerprint is given, and no other", async () => {
  await using source = await openMailSource(place, 1000, {
    ...login,
    fingerprint: certificate.fingerprint256,
  });
  expect(await source.count()).toBeGreaterThanOrEqual(0);
  const other = { ...login, fingerprint: "0".repeat(64) };
  await expect(openMailSource(place, 1000, other)).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining(certificate.fingerprint256),
  });
  await expect(openMailSource(place, 1000, { ...login, fingerprint: "abc" })).rejects.toMatchObject({
    code: "invalid",
  });
  await expect(
    openMailSource(place.replace("imaps:", "imap:"), 1000, {
      ...login,
      fingerprint: certificate.fingerprint256,
    }),
  ).rejects.toMatchObject({ code: "invalid", message: expect.stringContaining("imaps://") });
});

it("takes one that the authority of a file has signed", async () => {
  const named = place.replace("127.0.0.1", "localhost");
  const authority = certificate.toString();
  const opened = await openMailSource(named, 1000, { ...login, authority }).then(
    async (source) => {
      await source[Symbol.asyncDispose]();
      return "opened";
    },
    (error: Error) => error.message,
  );
  // Where the certificate is not for localhost, its name is what is refused, and no longer its signature.
  expect(opened).toMatch(/^opened$|altnames|does not match/i);
});
