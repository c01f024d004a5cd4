/** Suites and programs of others against a daemon: Dovecot's imaptest (scripts, then stress), the mail programs of Debian (curl, mbsync,
 *  offlineimap, getmail, fetchmail, neomutt, s-nail, msmtp, over Python's imaplib), litmus, the tests of vdirsyncer and python-caldav,
 *  programs for calendars and contacts, Apple's caldavtester, Thunderbird with and without a display, the conformance tool of MCP. Their drivers are in a folder
 *  beside the repository (`../shared/conformance`). Suites that are not installed are left out and named.
 *
 *  `npm run test:conformance [-- --only REGEX] [--seconds N] [--files REGEX] [--work FOLDER]`. Variables name the checkouts of the
 *  suites: IMAPTEST_DIR (another program can run its scripts: IMAPTEST_BIN, IMAPTEST_LIBS), VDIRSYNCER_DIR, PYCALDAV_DIR (with more
 *  packages in PYCALDAV_PATH), CALDAVTESTER_DIR with PYCALENDAR_DIR and a Python that runs it (CDT_PYTHON). `--files` selects files of
 *  caldavtester. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { caldavtester } from "./suites/caldavtester.ts";
import { davSuites } from "./suites/dav.ts";
import { mailSuites } from "./suites/mail.ts";
import { mcpConformance } from "./suites/mcp-conformance.ts";
import { thunderbirdCalendar } from "./suites/thunderbird-calendar.ts";
import { thunderbirdSetup } from "./suites/thunderbird-setup.ts";
import { vdirsyncerSync } from "./suites/vdirsyncer-sync.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "." },
    seconds: { type: "string", default: "60" },
    files: { type: "string", default: "." },
    work: { type: "string" },
  },
});
const drivers = new URL("../../../shared/conformance/", import.meta.url).pathname;
const work = values.work ?? fs.mkdtempSync(path.join(os.tmpdir(), "waypost-conformance-"));
const failed: string[] = [];
for (const suite of [
  mcpConformance,
  ...mailSuites(values.seconds),
  ...davSuites,
  vdirsyncerSync,
  thunderbirdCalendar,
  thunderbirdSetup,
  caldavtester(values.files),
]) {
  if (!new RegExp(values.only).test(suite.name)) continue;
  const driver = path.join(drivers, suite.driver ?? "");
  const missing = fs.existsSync(driver) ? suite.missing() : `there is no ${driver}`;
  if (missing !== undefined) {
    console.log(`-- ${suite.name}: skipped, ${missing}`);
    continue;
  }
  console.log(`-- ${suite.name}`);
  const folder = path.join(work, suite.name);
  fs.mkdirSync(folder, { recursive: true });
  if (!(await suite.run(driver, folder))) failed.push(suite.name);
}
if (values.work === undefined) fs.rmSync(work, { recursive: true, force: true });
console.log(failed.length === 0 ? "nothing failed" : `failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
