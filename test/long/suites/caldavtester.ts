/** Apple's caldavtester. Its scripts expect certain accounts and collections, which are made once. Each of its files runs on a copy of
 *  that store, so that no file sees the changes of another. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { callDaemon, connectToDaemon } from "#/src/daemon/private-client.ts";
import { type ChildDaemon, startChildDaemon } from "../../support/daemon.ts";
import { makeCollection, request } from "./dav.ts";
import { missingVariable, patient, type Suite } from "./suite.ts";

const userCount = 40;
const publicCount = 10;
const administratorUser = 0;
/** The last user. Scripts use it only as the user with a foreign name. */
const foreignUser = 39;

/** Features of the suite that this server has. Only servers that name them are tested for them. */
const features: readonly string[] = [
  "COPY Method",
  "MOVE Method",
  "Extended MKCOL",
  "acl-principal-prop-set REPORT",
  "principal-match REPORT",
  "principal-property-search REPORT",
  "principal-search-property-set REPORT",
  "expand-property",
  "add-member",
  "auth-on-root",
  "brief",
  "caldav",
  "calendarserver-principal-search REPORT",
  "carddav",
  "ctag",
  "current-user-principal",
  "implicit-scheduling",
  "managed-attachments",
  "no-duplicate-uids",
  "prefer",
  "prefer-minimal",
  "prefer-noroot",
  "prefer-representation",
  "quota",
  "resource-id",
  "supported-component-sets",
  "sync-report",
  "sync-report-limit",
  "timezones-by-reference",
  "vavailability",
  "well-known",
];

/** Parts that the suite does not compare. The time of an attendee's answer: the suite ignores it for Apple's server too. And
 *  TRANSP:TRANSPARENT, which Apple's server writes into the copies of attendees who have not answered. Here TRANSP belongs to the
 *  attendee, and an unanswered invitation makes the attendee tentatively busy. */
const datafilter = ["ATTENDEE:X-WAYPOST-REPLIED", "TRANSP=TRANSPARENT"];

/** `only` selects among its files, for example `CalDAV/put`. */
export function caldavtester(only: string): Suite {
  return {
    name: "caldavtester",
    driver: "run-caldavtester.py",
    missing: () => missingVariable("CALDAVTESTER_DIR", "PYCALENDAR_DIR", "CDT_PYTHON"),
    async run(driver, work) {
      const profile = path.join(work, "profile.json");
      const seeded = path.join(work, "seeded");
      const made = await seed(seeded);
      fs.writeFileSync(profile, JSON.stringify(made));
      const scripts = path.join(work, "scripts");
      copyScripts(path.resolve(process.env.CALDAVTESTER_SCRIPTS ?? process.env.CALDAVTESTER_DIR!), scripts);
      const drive = (...args: readonly string[]): string =>
        spawnSync("python3", [driver, "--profile", profile, ...args], {
          stdio: ["ignore", "pipe", "inherit"],
          encoding: "utf8",
          env: { ...process.env, CALDAVTESTER_SCRIPTS: scripts },
        }).stdout;

      const counts: [number, number, number, number] = [0, 0, 0, 0];
      const failures: string[] = [];
      const files = drive("--port", "0", "--out", work, "--list", "--only", only).trim().split("\n");
      for (const file of files) {
        const data = path.join(work, "store");
        fs.rmSync(data, { recursive: true, force: true });
        fs.cpSync(seeded, data, { recursive: true });
        await using daemon = await startChildDaemon({ ...options, agents: 0, data });
        if (/freebusy|schedulepost/.test(file)) await shareBusyTime(data, made.subst);
        const out = path.join(work, file.replace("/", "-"));
        const line = drive("--port", new URL(daemon.http.url).port, "--out", out, "--only", `^${file}$`);
        console.log(line.split("\n", 1)[0]);
        for (const [name, [result, details]] of casesOf(path.join(out, "results.json"))) {
          counts[result]++;
          if (result === 1 || result === 2)
            failures.push(`${file}\t${name}\t${details.replaceAll(/\s+/g, " ").slice(0, 300)}`);
        }
        if (daemon.stderr().includes('"level":"error"'))
          failures.push(`${file}\tthe daemon reports an error`);
      }
      console.log(failures.join("\n"));
      const [passed, failed, errors, ignored] = counts;
      console.log(`${passed} passed, ${failed} failed, ${errors} errors, ${ignored} ignored`);
      return failures.length === 0;
    },
  };
}

/** Changes requests of the scripts that clean up. On Apple's server an administrator deletes what a script has left with its users.
 *  Here nobody can read another user's inbox, so each user deletes its own. */
function copyScripts(checkout: string, target: string): void {
  fs.rmSync(target, { recursive: true, force: true });
  fs.mkdirSync(target, { recursive: true });
  for (const name of fs.readdirSync(checkout))
    if (name !== "scripts") fs.symlinkSync(path.join(checkout, name), path.join(target, name));
  fs.cpSync(path.join(checkout, "scripts"), path.join(target, "scripts"), { recursive: true });
  const tests = path.join(target, "scripts", "tests");
  for (const name of fs.readdirSync(tests, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".xml")) continue;
    const file = path.join(tests, name);
    const text = fs.readFileSync(file, "utf8");
    const own = text.replaceAll(clearing, (whole, method: string, paths: string) => {
      const all = [...paths.matchAll(/<ruri>[^<]*path(\d+):[^<]*<\/ruri>/g)];
      if (all.length !== paths.match(/<ruri>/g)!.length) return whole;
      return all
        .map(
          ([path, user]) => `<request user="$userid${user}:" pswd="$pswd${user}:">${method}${path}</request>`,
        )
        .join("\n");
    });
    if (own !== text) fs.writeFileSync(file, own);
  }
}

const clearing =
  /<request user="\$useradmin:" pswd="\$pswdadmin:">\s*(<method>(?:WAIT)?DELETEALL[^<]*<\/method>)((?:\s*<ruri>[^<]*<\/ruri>)+)\s*<\/request>/g;

/** The result of one case: 0 passed, 1 failed, 2 error, 3 ignored; and the details. */
type Result = readonly [result: 0 | 1 | 2 | 3, details: string];

function casesOf(results: string): [name: string, Result][] {
  const files: Record<string, Record<string, Result>> = JSON.parse(fs.readFileSync(results, "utf8"));
  return Object.values(files).flatMap((cases) => Object.entries(cases));
}

const options = { people: 0, set: [...patient, "log.level=error", "storage.quota_bytes=104857600"] };

/** The profile in the form that the driver reads. */
interface Profile {
  readonly features: readonly string[];
  readonly waitcount: number;
  readonly waitdelay: number;
  readonly waitsuccess: number;
  readonly datafilter: readonly string[];
  readonly subst: Readonly<Record<string, string>>;
}

/** Makes a store with the accounts. Returns the values of the suite's variables. */
async function seed(data: string): Promise<Profile> {
  await using daemon = await startChildDaemon({ ...options, agents: userCount + publicCount, data });
  for (const [agent, { address }] of daemon.agents.entries())
    await administer(data, "agent.update", { owner: address, name: nameOf(agent) });
  const [administrator, foreigner] = [daemon.agents[administratorUser]!, daemon.agents[foreignUser]!];
  const subst: Record<string, string> = {
    // Apple's administrator may read and write everything. Nobody may here, so this is the user whose calendars are used most.
    "$useradmin:": administrator.address,
    "$useradminguid:": administrator.id,
    "$pswdadmin:": administrator.password,
    "$principal_admin:": `/dav/principals/${administrator.id}/`,
    "$i18nid:": foreigner.address,
    "$i18nguid:": foreigner.id,
    "$i18npswd:": foreigner.password,
    "$i18nemail:": foreigner.address,
    "$i18ncalendarpath:": await findDefaultCalendar(daemon, foreignUser),
    "$root:": "/dav/",
    "$principals_uids:": "/dav/principals/",
    "$principals_users:": "/dav/principals/",
    "$calendars_uids:": "/dav/calendars/",
    "$calendars_users:": "/dav/calendars/",
    "$addressbooks_uids:": "/dav/addressbooks/",
    "$addressbooks_users:": "/dav/addressbooks/",
    // The suite does not accept an empty value.
    "$add-member:": "?",
    "$cuaddr2:": "mailto:$email2:",
    // A collection is not a member of itself (RFC 6578 section 3.3).
    "$calendar_sync_extra_items:": "[]",
    "$calendar_sync_extra_count:": "0",
  };
  for (let agent = 0; agent < userCount + publicCount; agent++) {
    await makeCollection(daemon, "addressbooks", "addressbook", agent);
    const calendar = await findDefaultCalendar(daemon, agent);
    if (agent === 0) subst["$calendar:"] = calendar.split("/").at(-1)!;
    const names = agent < userCount ? userOf(daemon, agent, calendar) : publicUserOf(daemon, agent, calendar);
    const number = agent < userCount ? agent + 1 : agent + 1 - userCount;
    for (const [name, value] of Object.entries(names))
      subst[`$${name.replace("%d", String(number))}:`] = value;
  }
  // Deliveries on this server are done with the answer to the PUT. Mail takes a moment.
  return { features, waitcount: 4, waitdelay: 0.1, waitsuccess: 1, datafilter, subst };
}

/** Lets the first user read the busy times of others by grants; on Apple's server everybody may. Used only for some files, because a
 *  grant also shows the calendars of others where homes are listed. */
async function shareBusyTime(data: string, subst: Readonly<Record<string, string>>): Promise<void> {
  for (const target of [2, 3, 4])
    await administer(data, "grant.create", {
      holder: subst["$userid1:"],
      target: subst[`$userid${target}:`],
      scopes: ["calendar:freebusy"],
    });
}

/** The name of a user as the suite has it in its data. */
function nameOf(agent: number): string {
  const [kind, number] = agent < userCount ? ["User", agent + 1] : ["Public", agent + 1 - userCount];
  return agent === foreignUser ? "まだ" : `${kind} ${String(number).padStart(2, "0")}`;
}

async function administer(
  data: string,
  operation: string,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const socket = await connectToDaemon(data);
  if (socket === undefined) throw new Error(`no daemon has ${data} open`);
  try {
    await callDaemon(socket, { operation, input });
  } finally {
    socket.destroy();
  }
}

/** The path of the default calendar, without a slash at its end. Invitations are delivered to it (RFC 6638 section 9.2). */
async function findDefaultCalendar(daemon: ChildDaemon, agent: number): Promise<string> {
  const body = `<?xml version="1.0" encoding="utf-8"?>
<propfind xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><prop><C:schedule-default-calendar-URL/></prop></propfind>`;
  const inbox = `calendars/${daemon.agents[agent]!.id}/inbox/`;
  const answer = await request(daemon, "PROPFIND", inbox, body, agent);
  const href = /schedule-default-calendar-URL[^>]*><(?:\w+:)?href>([^<]+)</.exec(answer)?.[1];
  if (href === undefined) throw new Error(`${inbox} has no default calendar`);
  return href.replace(/\/$/, "");
}

function userOf(daemon: ChildDaemon, agent: number, calendar: string): Record<string, string> {
  const { id, address, password } = daemon.agents[agent]!;
  return {
    "userid%d": address,
    "userguid%d": id,
    "username%d": nameOf(agent),
    "username-encoded%d": encodeURIComponent(nameOf(agent)),
    "pswd%d": password,
    "principal%d": `/dav/principals/${id}/`,
    "principal%dnoslash": `/dav/principals/${id}`,
    "calendarpath%d": calendar,
    "calendarpathalt%d": calendar,
    // Tasks are in the same calendar as events.
    "taskspath%d": calendar,
    "pollspath%d": calendar,
    "calendarhomealt%d": `/dav/calendars/${id}`,
    "email%d": address,
    "cuaddralt%d": `/dav/principals/${id}/`,
    "cuaddraltnoslash%d": `/dav/principals/${id}`,
    "cuaddrurn%d": `mailto:${address}`,
  };
}

function publicUserOf(daemon: ChildDaemon, agent: number, calendar: string): Record<string, string> {
  const { id, address, password } = daemon.agents[agent]!;
  return {
    "publicuserid%d": address,
    "publicuserguid%d": id,
    "publicusername%d": nameOf(agent),
    "publicpswd%d": password,
    "publicprincipal%d": `/dav/principals/${id}/`,
    "publiccalendarpath%d": calendar,
    "publicemail%d": address,
    "publiccuaddralt%d": `/dav/principals/${id}/`,
    "publiccuaddrurn%d": `mailto:${address}`,
  };
}
