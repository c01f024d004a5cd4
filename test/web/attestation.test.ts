/** A passkey that is made proves itself and not its maker: nothing of a certificate in the answer leads to a request. */
import { SettingsService } from "@simplewebauthn/server";
import { expect, test } from "vitest";
import { createChallenges } from "#/src/sign-in/challenges.ts";
import { attestationFormats, createPasskeys } from "#/src/sign-in/passkeys.ts";

test("no authority of authenticators is known, so no certificate is followed to its list of revoked ones", async () => {
  expect(SettingsService.getRootCertificates({ identifier: "apple" })).toHaveLength(1);
  const challenges = createChallenges(Buffer.alloc(32), () => 0);
  const store = { key: () => Buffer.alloc(32) };
  const passkeys = createPasskeys(store as never, challenges, "http://localhost", async () => undefined);
  const { challenge } = passkeys.creation("join", "x", { id: "person 1", address: "a@x", name: "A" }, []);
  const clientData = JSON.stringify({ type: "webauthn.create", challenge, origin: "http://localhost" });
  const answer = {
    ...{ id: "AA", rawId: "AA", type: "public-key" },
    response: { clientDataJSON: Buffer.from(clientData).toString("base64url"), attestationObject: "oA" },
  };
  await expect(passkeys.checkCreated(JSON.stringify(answer), "join", "x", "Phone")).rejects.toMatchObject({
    code: "unauthorized",
  });
  for (const identifier of attestationFormats)
    expect(SettingsService.getRootCertificates({ identifier })).toEqual([]);
});
