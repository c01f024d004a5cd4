import { createHash, createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { deriveVerifier } from "#/src/accounts/scram.ts";

/** The exchange of RFC 7677 section 3: user "user", password "pencil". */
const clientFirstBare = "n=user,r=rOprNGfwEbeRWgbNEkqO";
const serverFirst = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
const clientFinalBare = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
const authMessage = `${clientFirstBare},${serverFirst},${clientFinalBare}`;

test("the verifier makes the server signature of RFC 7677 section 3, and accepts its client proof", async () => {
  const salt = Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64");
  const { storedKey, serverKey } = await deriveVerifier("pencil", salt, 4096);
  expect(createHmac("sha256", serverKey).update(authMessage).digest("base64")).toBe(
    "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
  );
  const proof = Buffer.from("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", "base64");
  const clientSignature = createHmac("sha256", storedKey).update(authMessage).digest();
  const clientKey = proof.map((byte, at) => byte ^ clientSignature[at]!);
  expect(createHash("sha256").update(clientKey).digest()).toEqual(storedKey);
});
