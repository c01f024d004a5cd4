/** Thunderbird sets itself up in the root of `from-empty.test.ts`, where the names of the domain lead to the server and the server
 *  listens on the usual ports. Certificates are checked:
 *  `node thunderbird-in-root.ts <address> <app password> <host name> <PEM of the authority> <folder>`. */
import { X509Certificate } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { startThunderbird } from "./suites/marionette.ts";
import { addAccount, autoconfigOnly } from "./suites/thunderbird-account.ts";

const [address, password, hostname, authority, folder] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
await using thunderbird = await startThunderbird(folder, {
  ...autoconfigOnly,
  "security.OCSP.enabled": 0,
});
await thunderbird.run(
  `Cc["@mozilla.org/security/x509certdb;1"].getService(Ci.nsIX509CertDB).addCertFromBase64(args[0], "C,,");
   Services.io.offline = false;`,
  new X509Certificate(fs.readFileSync(authority)).raw.toString("base64"),
);
try {
  await addAccount(thunderbird, {
    address,
    password,
    hostname,
    imaps: 993,
    submissions: 465,
    calendars: "/dav/calendars/",
    subject: "From Postfix",
  });
} catch (error) {
  console.log(`FAIL\t${error}`);
  await thunderbird.screenshot(path.join(folder, "failed.png"));
  process.exitCode = 1;
}
