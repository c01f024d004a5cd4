/** Adds an account in Thunderbird's own dialog. Only an address and an app password are typed; the name is that of the system's user.
 *  Thunderbird finds the servers by autoconfig, and then has the person's mail, calendar and addressbook. */
import type { Preferences, Thunderbird } from "./marionette.ts";

export interface Expected {
  readonly address: string;
  readonly password: string;
  /** The host that autoconfig names. Both ports use TLS from the first octet. */
  readonly hostname: string;
  readonly imaps: number;
  readonly submissions: number;
  /** The path below which the calendar must be. */
  readonly calendars: string;
  /** The subject of a message in INBOX. */
  readonly subject: string;
}

/** Preferences with which only autoconfig can find the servers. */
export const autoconfigOnly: Preferences = {
  "mailnews.auto_config.fetchFromISP.enabled": true,
  "mailnews.auto_config.fetchFromExchange.enabled": false,
  "mailnews.auto_config.guess.enabled": false,
  "mailnews.auto_config_url": "",
  "mailnews.mx_service_url": "",
};

/** Adds the account. Throws when something is not as expected. Prints a line for each thing that it has seen. */
export async function addAccount(thunderbird: Thunderbird, expected: Expected): Promise<void> {
  const { address, password, hostname, imaps, submissions, calendars, subject } = expected;
  const seen = async (what: string, script: string, ...args: readonly unknown[]): Promise<void> => {
    await thunderbird.until(what, script, ...args);
    console.log(`ok\t${what}`);
  };
  await thunderbird.run(`openAccountHub("MAIL");`);
  await fillIn(thunderbird, "email", address);
  await seen(
    "the servers by autoconfig",
    `${page} return shown("email-config-found")?.textContent.includes(args[0])`,
    hostname,
  );
  await goOn(thunderbird);
  await fillIn(thunderbird, "password", password);
  await thunderbird.until("an account", `${accounts} return imap !== undefined && smtp !== undefined`);
  const made = await thunderbird.run(
    `${accounts} return [imap, smtp].map((one) => [one.hostName ?? one.hostname, one.port, one.socketType, one.username].join(" "))`,
  );
  const wanted = [imaps, submissions].map((port) => `${hostname} ${port} 3 ${address}`);
  if (String(made) !== String(wanted)) throw new Error(`${made} instead of ${wanted}`);
  console.log("ok\tan account with TLS from the first octet");
  await thunderbird.until("calendars", `${page} return shown("email-sync-accounts-form") !== undefined`);
  await goOn(thunderbird);
  await seen(
    "the calendar",
    `const { cal } = ChromeUtils.importESModule("resource:///modules/calendar/calUtils.sys.mjs");
     return cal.manager.getCalendars().some((one) => one.type === "caldav" && one.uri.filePath.startsWith(args[0]))`,
    calendars,
  );
  await seen(
    "the addressbook",
    `${accounts} return MailServices.ab.directories.some((one) => one.dirType === Ci.nsIAbManager.CARDDAV_DIRECTORY_TYPE)`,
  );
  await seen(
    "the mail",
    `${accounts} const inbox = imap.rootFolder.getFolderWithFlags(Ci.nsMsgFolderFlags.Inbox);
     if (!inbox) { imap.performExpand(null); return false; }
     inbox.updateFolder(null); return [...inbox.messages].some((one) => one.subject === args[0])`,
    subject,
  );
}

/** Functions for scripts. Elements of the dialog are in shadow roots. `shown` finds an element that is visible. */
const page = `const all = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
  const shown = (name) => all(document).find((one) => (one.localName === name || one.id === name) && one.checkVisibility());`;

const accounts = `const { MailServices } = ChromeUtils.importESModule("resource:///modules/MailServices.sys.mjs");
  const imap = MailServices.accounts.accounts.map((one) => one.incomingServer).find((one) => one?.type === "imap");
  const smtp = MailServices.outgoingServer.servers[0]?.QueryInterface(Ci.nsISmtpServer);`;

/** Types into a field and presses the button to continue. */
async function fillIn(thunderbird: Thunderbird, field: string, text: string): Promise<void> {
  await thunderbird.until(
    field,
    `${page} const input = shown(args[0]); if (!input) return false;
     input.value = args[1]; input.dispatchEvent(new Event("input", { bubbles: true })); return true`,
    field,
    text,
  );
  await goOn(thunderbird);
}

async function goOn(thunderbird: Thunderbird): Promise<void> {
  await thunderbird.until(
    "the button to go on",
    `${page} const button = shown("forward"); if (!button || button.disabled) return false; button.click(); return true`,
  );
}
