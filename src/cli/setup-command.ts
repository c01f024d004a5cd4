/** `waypost setup`: makes a server out of an empty folder. It says what it will do, does it, and prints the steps that are left, such as
 *  the records for the DNS. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { Command } from "commander";
import { readSettings } from "#/config/load.ts";
import type { Settings } from "#/config/schema.ts";
import { formatUnit } from "#/config/systemd-unit.ts";
import { parseDomain } from "#/src/accounts/address.ts";
import { isReservedDomain, reservedDomainReason } from "#/src/accounts/reserved-domain.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { isPublicAddress } from "#/src/model/public-address.ts";
import { ask, isAgreed } from "./ask.ts";
import { operate } from "./operator.ts";
import { printLine, printResult } from "./output.ts";
import { formatSettings, type SetupAnswers } from "./setup-settings.ts";
import type { Shell } from "./shell.ts";

interface SetupOptions {
  readonly domain?: string;
  readonly hostname?: string;
  readonly person: string;
  readonly agent: string;
  readonly email?: string;
  readonly config: string;
  readonly data: string;
  readonly acme: boolean;
  readonly user?: string;
  readonly unit?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function setupCommand(shell: Shell): Command {
  return new Command("setup")
    .description(
      "Set up a server for a mail domain: write the settings, make the domain, a person and an agent, and print what to put in the DNS. Asks for what is not given.",
    )
    .option("--domain <domain>", "the mail domain, as example.org")
    .option("--hostname <name>", "name of this host in the DNS (default: mail. below the domain)")
    .option("--person <name>", "the first person's name before the @", "me")
    .option("--agent <name>", "the first agent's name before the @", "agent")
    .option("--email <address>", "where the authority of certificates writes to (default: the person)")
    .option("--config <file>", "the settings file to write", "waypost.toml")
    .option("--data <folder>", "the data folder to make", "data")
    .option("--no-acme", "keep a self-signed certificate instead of one of Let's Encrypt")
    .option("--user <name>", "give the settings and the data to this user of the system")
    .option("--unit <file>", "also write a unit for systemd, as /etc/systemd/system/waypost.service")
    .option("--yes", "do it without asking")
    .option("--json", "print JSON")
    .action(async (options: SetupOptions) => {
      const answers = await readAnswers(shell, options);
      assertNew(options);
      if (options.json !== true) printLine(shell, `${describePlan(answers, options)}\n`);
      if (options.yes !== true && !(await isAgreed(shell)))
        throw new WaypostError("invalid", "Nothing was done.", { hint: "Add --yes to do it." });
      const done = await carryOut(answers, options);
      if (options.json === true) printResult(shell, done, true);
      else printLine(shell, describeDone(answers, options, done));
    });
}

async function readAnswers(shell: Shell, options: SetupOptions): Promise<SetupAnswers> {
  const named = options.domain ?? (await ask(shell, "Mail domain (as example.org): ", "--domain"));
  const domain = parseDomain(named);
  if (domain === undefined)
    throw new WaypostError("invalid", `--domain: ${JSON.stringify(named)} is no name of a domain.`);
  if (isReservedDomain(domain))
    throw new WaypostError("invalid", `--domain: ${domain} cannot get mail.`, {
      hint: `${reservedDomainReason} Use a domain of yours.`,
    });
  const hostname = parseDomain(options.hostname ?? `mail.${domain}`);
  if (hostname === undefined || !hostname.includes("."))
    throw new WaypostError(
      "invalid",
      `--hostname: ${JSON.stringify(options.hostname)} is no name of a host.`,
    );
  return {
    domain,
    hostname,
    email: options.email ?? `${options.person}@${domain}`,
    data: path.resolve(options.data),
    isAcme: options.acme,
  };
}

function assertNew({ config, data, unit }: SetupOptions): void {
  for (const file of [config, path.join(data, "waypost.db"), ...(unit === undefined ? [] : [unit])])
    if (fs.existsSync(file))
      throw new WaypostError("precondition_failed", `${file} is there already.`, {
        hint: "waypost setup begins anew and overwrites nothing; waypost domain add adds a domain.",
      });
}

function describePlan(answers: SetupAnswers, options: SetupOptions): string {
  const { domain, hostname, data } = answers;
  return [
    "This is what will be done:",
    `  write the settings to ${options.config}`,
    `  make the data folder ${data} with the domain ${domain} and the keys that its mail is signed with`,
    `  make ${options.person}@${domain} (a person) and ${options.agent}@${domain} (an agent, whose mail to strangers the person approves)`,
    ...(options.user === undefined ? [] : [`  give both to the user ${options.user}`]),
    ...(options.unit === undefined ? [] : [`  write a unit for systemd to ${options.unit}`]),
    `The host is ${hostname}. Nothing outside of this host is changed.`,
  ].join("\n");
}

interface Done {
  readonly config: string;
  readonly data: string;
  readonly person: Secrets;
  readonly agent: Secrets;
  /** All DNS records, as a zone file. */
  readonly zone: string;
}

interface Secrets {
  readonly address: string;
  readonly password: string;
  readonly token?: string;
}

async function carryOut(answers: SetupAnswers, options: SetupOptions): Promise<Done> {
  const { domain, data } = answers;
  fs.mkdirSync(path.dirname(path.resolve(options.config)), { recursive: true });
  fs.writeFileSync(options.config, formatSettings(answers), { mode: 0o600, flag: "wx" });
  const { settings } = readSettings({ file: options.config });
  const run = (operation: string, input: Readonly<Record<string, unknown>>) =>
    operate(settings, { operation, input }, { mayCreate: true });
  await run("account.create", { name: "main" });
  await run("domain.add", { name: domain });
  const person = (await run("person.create", { address: `${options.person}@${domain}` })) as Secrets;
  const agent = (await run("agent.create", {
    address: `${options.agent}@${domain}`,
    approver: person.address,
  })) as Secrets;
  const { zone } = (await run("domain.zone", { name: domain })) as { readonly zone: string };
  if (options.unit !== undefined) writeUnit(options.unit, path.resolve(options.config), data);
  if (options.user !== undefined) giveTo(options.user, [options.config, data]);
  return { config: path.resolve(options.config), data, person, agent, zone: hostRecords(settings) + zone };
}

function writeUnit(file: string, config: string, data: string): void {
  const program = process.argv[1]?.endsWith(".mjs")
    ? `${process.execPath} ${process.argv[1]}`
    : process.execPath;
  fs.writeFileSync(file, formatUnit({ program, config, data }), { mode: 0o644, flag: "wx" });
}

/** Changes the owner of files, and of folders with all that is in them, with the system's `chown`, which knows users by name. */
function giveTo(user: string, places: readonly string[]): void {
  try {
    execFileSync("chown", ["-R", `${user}:`, "--", ...places], { stdio: ["ignore", "ignore", "pipe"] });
  } catch (cause) {
    throw new WaypostError("invalid", `--user: ${places.join(" and ")} could not be given to ${user}.`, {
      cause,
    });
  }
}

/** Records of the public addresses of this host; none behind a router that translates addresses. */
function hostRecords({ server }: Settings): string {
  const addresses = Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .filter(({ address, internal }) => !internal && isPublicAddress(address));
  const lines = addresses.map(
    ({ address, family }) => `${server.hostname}. 3600 IN ${family === "IPv6" ? "AAAA" : "A"} ${address}\n`,
  );
  return lines.length === 0
    ? `; The address of this host as the world sees it; here only private ones were found.\n; ${server.hostname}. 3600 IN A <address>\n`
    : `; this host; its addresses need ${server.hostname} as their reverse name (PTR), which their provider sets\n${lines.join("")}`;
}

function describeDone({ domain }: SetupAnswers, options: SetupOptions, done: Done): string {
  const at = `--config ${options.config}`;
  return [
    "Done. These secrets are shown now and never again:",
    `  ${done.person.address}  app password ${done.person.password}`,
    `  ${done.agent.address}  app password ${done.agent.password}  token ${done.agent.token}`,
    "",
    "Put this into the DNS:",
    "",
    done.zone,
    "Then:",
    options.unit === undefined ? `  waypost start ${at}` : "  systemctl enable --now waypost",
    `  waypost domain check ${domain} ${at}`,
  ].join("\n");
}
