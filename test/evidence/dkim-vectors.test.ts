/** DKIM against results of others: the example of RFC 8463, and pairs of a message and its `relaxed` form (RFC 6376 sections 3.4.2 and
 *  3.4.4), which have the same signature. (The file `nofws` beside them belongs to DomainKeys.) */
import { generateKeyPairSync } from "node:crypto";
import { dkimSign } from "mailauth/lib/dkim/sign.js";
import { expect, test } from "vitest";
import { examineMessage } from "#/src/evidence/examine.ts";
import { corpusNote, hasCorpus, readCorpusText } from "../support/corpus.ts";
import { type Zone, zoneResolve } from "../support/servers/dns-zone.ts";

const origin = { remoteAddress: "192.0.2.1", heloName: "x.example", reversePath: "" };
const wire = (text: string): Buffer => Buffer.from(text.replace(/\r?\n/g, "\r\n"), "latin1");

async function dkimOf(bytes: Buffer, zone: Zone) {
  return (await examineMessage(bytes, origin, "mx.example", zoneResolve(zone))).checks.dkim;
}

test.runIf(hasCorpus)(`verifies both signatures of RFC 8463 appendix A${corpusNote}`, async () => {
  const zone: Zone = {
    "brisbane._domainkey.football.example.com": [
      ["TXT", "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="],
    ],
    "test._domainkey.football.example.com": [
      [
        "TXT",
        "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB",
      ],
    ],
  };
  const bytes = wire(readCorpusText("mail/mimekit/dkim__rfc8463-example.eml"));
  expect(await dkimOf(bytes, zone)).toMatchObject([
    { result: "pass", selector: "brisbane", aligned: true },
    { result: "pass", selector: "test", aligned: true },
  ]);
});

const key = generateKeyPairSync("rsa", { modulusLength: 1024 });
const keyRecord = `v=DKIM1; k=rsa; p=${key.publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;

test.runIf(hasCorpus).each(["04", "08", "19", "22", "23"])(
  `email.%s and its relaxed form have the same signature${corpusNote}`,
  async (number) => {
    const message = wire(readCorpusText(`mail/flanker-dkim/email.${number}`));
    const relaxed = wire(readCorpusText(`mail/flanker-dkim/relaxed.expected.${number}`));
    // The vectors have no From, which a signature must cover.
    const from = Buffer.from("From: a@example.org\r\n");
    const hasFrom = /^from:/im.test(message.toString("latin1"));
    const complete = (bytes: Buffer): Buffer => (hasFrom ? bytes : Buffer.concat([from, bytes]));
    const { signatures } = await dkimSign(complete(message), {
      canonicalization: "relaxed/relaxed",
      signatureData: [
        {
          signingDomain: "example.org",
          selector: "s",
          privateKey: key.privateKey.export({ type: "pkcs8", format: "pem" }),
        },
      ],
    } as never);
    const signed = Buffer.concat([Buffer.from(signatures), complete(relaxed)]);
    expect(await dkimOf(signed, { "s._domainkey.example.org": [["TXT", keyRecord]] })).toMatchObject([
      { result: "pass" },
    ]);
  },
);
