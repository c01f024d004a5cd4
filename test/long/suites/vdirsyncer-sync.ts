/** Debian's vdirsyncer synchronizes a calendar and an addressbook of 1,000 items each with files: half of the items come from each side,
 *  then both sides change and delete items, and then both change the same items. Each time both sides must hold what they should. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { startChildDaemon } from "../../support/daemon.ts";
import { davUrl, makeCollection } from "./dav.ts";
import { missingProgram, patient, type Suite } from "./suite.ts";

const count = 1000;

export const vdirsyncerSync: Suite = {
  name: "vdirsyncer-sync",
  missing: () => missingProgram("vdirsyncer"),
  async run(_, work) {
    await using daemon = await startChildDaemon({ set: [...patient] });
    const { address, password } = daemon.agents[0]!;
    const login = { address, password, url: davUrl(daemon) };
    for (const kind of ["calendars", "addressbooks"] as const) {
      const below = await makeCollection(daemon, kind, "thousand");
      await synchronize(kind, login, davUrl(daemon, below), path.join(work, kind));
    }
    return true;
  },
};

export interface Login {
  /** Where vdirsyncer begins discovery. */
  readonly url: string;
  readonly address: string;
  readonly password: string;
}

/** `collection` is the URL of an empty collection whose last segment is `thousand`. Throws when a side does not hold what it should. */
export async function synchronize(
  kind: "calendars" | "addressbooks",
  login: Login,
  collection: string,
  work: string,
): Promise<void> {
  const isCalendar = kind === "calendars";
  const extension = isCalendar ? "ics" : "vcf";
  const folder = path.join(work, "items", "thousand");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(work, "config"), configurationOf(isCalendar, login, work));
  const textOf = isCalendar ? eventText : contactText;
  /** What both sides must have, by UID. */
  const expected = new Map<string, string>();
  const local = (uid: string): string => path.join(folder, `${uid}.${extension}`);
  const remote = (uid: string): string => new URL(`${uid}.${extension}`, collection).href;
  const authorization = `Basic ${Buffer.from(`${login.address}:${login.password}`).toString("base64")}`;

  async function ask(method: string, url: string, body?: string): Promise<string> {
    const type = isCalendar ? "text/calendar" : "text/vcard";
    const answer = await fetch(url, {
      method,
      // Closes each connection: this process cannot notice that one has ended while vdirsyncer runs.
      headers: {
        authorization,
        Connection: "close",
        Depth: "1",
        ...(body !== undefined && { "Content-Type": type }),
      },
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
    return text;
  }

  function vdirsyncer(...args: readonly string[]): void {
    const { status, stderr } = spawnSync("/usr/bin/vdirsyncer", ["-c", path.join(work, "config"), ...args], {
      encoding: "utf8",
      input: "y\n".repeat(10),
      env: { ...process.env, HOME: work, PATH: `/usr/bin:${process.env.PATH}` },
    });
    if (status !== 0) throw new Error(`vdirsyncer ${args.join(" ")}: ${status} ${stderr.slice(-2000)}`);
  }

  async function compare(step: string): Promise<void> {
    const files = new Map(
      fs.readdirSync(folder).map((name) => [uidOf(fs.readFileSync(path.join(folder, name), "utf8")), name]),
    );
    const listed = await ask("PROPFIND", collection);
    const hrefs = [...listed.matchAll(/<(?:\w+:)?href>([^<]+)</g)].map(([, href]) => href!);
    const resources = new Map<string, string>();
    for (const href of hrefs.filter((one) => one.endsWith(`.${extension}`))) {
      const text = await ask("GET", new URL(href, collection).href);
      resources.set(uidOf(text), text);
    }
    for (const [side, size] of [
      ["files", files.size],
      ["resources", resources.size],
    ] as const)
      if (size !== expected.size) throw new Error(`${kind}, ${step}: ${size} ${side} of ${expected.size}`);
    for (const [uid, mark] of expected) {
      const file = fs.readFileSync(path.join(folder, files.get(uid) ?? ""), "utf8");
      if (!file.includes(mark)) throw new Error(`${kind}, ${step}: the file of ${uid} is not ${mark}`);
      if (resources.get(uid)?.includes(mark) !== true)
        throw new Error(`${kind}, ${step}: the resource of ${uid} is not ${mark}`);
    }
    console.log(`ok\t${kind}: ${step}, ${expected.size} on both sides`);
  }

  const write = (uid: string, mark: string): void => fs.writeFileSync(local(uid), textOf(uid, mark));
  const put = (uid: string, mark: string): Promise<string> => ask("PUT", remote(uid), textOf(uid, mark));

  for (let number = 0; number < count; number++) {
    const uid = `item-${number}`;
    if (number % 2 === 0) write(uid, "first");
    else await put(uid, "first");
    expected.set(uid, "first");
  }
  vdirsyncer("discover");
  vdirsyncer("sync");
  await compare("half of them from each side");

  for (let number = 0; number < count; number++) {
    const uid = `item-${number}`;
    // Of ten items two change on each side. Of a hundred items one is deleted on each side.
    if (number % 10 < 2) write(uid, "changed here");
    else if (number % 10 < 4) await put(uid, "changed there");
    else if (number % 100 === 55) fs.rmSync(local(uid));
    else if (number % 100 === 66) await ask("DELETE", remote(uid));
    if (number % 10 < 4) expected.set(uid, number % 10 < 2 ? "changed here" : "changed there");
    if (number % 100 === 55 || number % 100 === 66) expected.delete(uid);
  }
  vdirsyncer("sync");
  await compare("changed and deleted on both sides");

  for (let number = 0; number < count; number += 10) {
    const uid = `item-${number}`;
    if (!expected.has(uid)) continue;
    write(uid, "conflict here");
    await put(uid, "conflict there");
    expected.set(uid, isCalendar ? "conflict there" : "conflict here");
  }
  vdirsyncer("sync");
  await compare("changed in the same items");
  vdirsyncer("sync");
  await compare("nothing to do");
}

function uidOf(text: string): string {
  return /^UID:(.*?)\r?$/m.exec(text)?.[1] ?? "";
}

/** The server wins conflicts of a calendar, the files win those of an addressbook. */
function configurationOf(isCalendar: boolean, { url, address, password }: Login, work: string): string {
  return `[general]
status_path = "${work}/status/"
[pair thousand]
a = "files"
b = "server"
collections = ["thousand"]
conflict_resolution = "${isCalendar ? "b" : "a"} wins"
[storage files]
type = "filesystem"
path = "${work}/items/"
fileext = ".${isCalendar ? "ics" : "vcf"}"
[storage server]
type = "${isCalendar ? "caldav" : "carddav"}"
url = "${url}"
username = "${address}"
password = "${password}"
`;
}

function eventText(uid: string, mark: string): string {
  return [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Waypost//test//EN", "BEGIN:VEVENT", `UID:${uid}`],
    ...["DTSTAMP:20260101T000000Z", "DTSTART:20260302T100000Z", "DURATION:PT1H", `SUMMARY:${mark}`],
    ...["END:VEVENT", "END:VCALENDAR", ""],
  ].join("\r\n");
}

function contactText(uid: string, mark: string): string {
  return ["BEGIN:VCARD", "VERSION:3.0", `UID:${uid}`, `FN:${mark}`, "N:;;;;", "END:VCARD", ""].join("\r\n");
}
