/** The cost of examining a message's origin when the DNS answers are cached: processor time on one core for each message. Beside it
 *  stands the cost of hashing the message a hundred times, as a measure of the machine's speed.
 *
 *  npm run bench:evidence */
import { createHash, generateKeyPairSync } from "node:crypto";
import { dkimSign } from "mailauth/lib/dkim/sign.js";
import { createResolve } from "#/src/evidence/dns.ts";
import { examineMessage } from "#/src/evidence/examine.ts";
import { zoneResolve } from "../support/servers/dns-zone.ts";

const rounds = 500;
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const privateKey = rsa.privateKey.export({ type: "pkcs8", format: "pem" });
const publicKey = rsa.publicKey.export({ type: "spki", format: "der" }).toString("base64");
const zone = zoneResolve({
  "a.example": [["TXT", "v=spf1 ip4:192.0.2.1 -all"]],
  "_dmarc.a.example": [["TXT", "v=DMARC1; p=reject"]],
  "s._domainkey.a.example": [["TXT", `v=DKIM1; k=rsa; p=${publicKey}`]],
});
const resolve = createResolve({ servers: [], timeoutMs: 1000 }, Date.now, zone);
const origin = { remoteAddress: "192.0.2.1", heloName: "mx.a.example", reversePath: "x@a.example" };

async function cpuMicroseconds(run: () => unknown): Promise<number> {
  for (let n = 0; n < rounds / 10; n++) await run();
  const before = process.cpuUsage();
  for (let n = 0; n < rounds; n++) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / rounds;
}

console.log("| message | signature | processor time | hashing it 100 times |");
console.log("|---|---|--:|--:|");
for (const [name, bytes] of [
  ["4 KiB of text", 4096],
  ["50 KiB of HTML", 50 * 1024],
] as const) {
  const line = name.endsWith("HTML")
    ? `<p style="color:#333">${"x".repeat(70)}</p>\r\n`
    : `${"x".repeat(76)}\r\n`;
  const text = `From: x@a.example\r\nTo: b@c.example\r\nSubject: hello\r\n\r\n${line.repeat(bytes / line.length)}`;
  const { signatures } = await dkimSign(text, {
    signatureData: [{ signingDomain: "a.example", selector: "s", privateKey }],
  } as never);
  for (const [signature, message] of [
    ["none", Buffer.from(text)],
    ["RSA 2048", Buffer.from(signatures + text)],
  ] as const) {
    const cost = await cpuMicroseconds(() => examineMessage(message, origin, "mx.example", resolve));
    const hashing = await cpuMicroseconds(() => {
      for (let n = 0; n < 100; n++) createHash("sha256").update(message).digest();
    });
    console.log(`| ${name} | ${signature} | ${cost.toFixed(0)} µs | ${hashing.toFixed(0)} µs |`);
  }
}
