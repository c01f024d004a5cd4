/** Suites and clients of WebDAV, CalDAV and CardDAV: litmus, vdirsyncer's tests of its storages, python-caldav's functional tests, and
 *  Debian's programs for calendars and contacts (vdirsyncer, khal, khard, todoman, calcurse, cadaver, curl). */
import path from "node:path";
import type { ChildDaemon } from "../../support/daemon.ts";
import { driven, missingProgram, missingVariable, type Suite } from "./suite.ts";

export const davSuites: readonly Suite[] = [
  driven({
    name: "litmus",
    driver: "run-litmus.sh",
    missing: () => missingProgram(process.env.LITMUS ?? "litmus"),
    command: (daemon) => [
      "bash",
      davUrl(daemon, `files/${daemon.agents[0]!.id}/`),
      daemon.agents[0]!.address,
      daemon.agents[0]!.password,
    ],
    env: (_, work) => ({ OUT: work }),
  }),
  driven({
    name: "vdirsyncer-storages",
    driver: "run-vdirsyncer-tests.sh",
    missing: () => missingVariable("VDIRSYNCER_DIR"),
    command: (daemon) => ["bash", davUrl(daemon), davUrl(daemon), ...loginOf(daemon)],
    env: (_, work) => ({ OUT: work }),
  }),
  driven({
    name: "python-caldav",
    driver: "run-python-caldav.sh",
    missing: () => missingVariable("PYCALDAV_DIR"),
    daemon: { agents: 3 },
    command: (daemon) => ["bash", "waypost", davUrl(daemon), ...loginOf(daemon), JSON.stringify(claimed)],
    env: (daemon, work) => ({
      OUT: work,
      SCHED_USERS: [0, 1, 2].map((agent) => [davUrl(daemon), ...loginOf(daemon, agent)].join(" ")).join(";"),
    }),
  }),
  driven({
    name: "dav-programs",
    driver: "accept-dav-clients.py",
    missing: () => missingProgram("python3"),
    command(daemon, work) {
      const { address, password } = daemon.agents[0]!;
      return [
        ...["python3", "--url", davUrl(daemon), "--user", address, "--password", password],
        ...["--work", path.join(work, "clients")],
      ];
    },
  }),
];

/** Features that python-caldav tests only when it is told that the server has them (RFC 6638). A Schedule-Tag stays the same when
 *  answers come in, and changes when the owner PUTs the object. */
const claimed = {
  "scheduling.freebusy-query": { support: "full" },
  "scheduling.schedule-tag": { support: "full" },
  "scheduling.schedule-tag.stable-partstat": { support: "unsupported" },
};

/** A URL below /dav/, where every client begins discovery. */
export function davUrl(daemon: ChildDaemon, below = ""): string {
  return `${daemon.http.url}/dav/${below}`;
}

function loginOf({ agents }: ChildDaemon, agent = 0): string[] {
  const { address, password } = agents[agent]!;
  return [address, password];
}

const xml = { "Content-Type": "application/xml; charset=utf-8" };
const addressbookBody = `<?xml version="1.0" encoding="utf-8"?>
<mkcol xmlns="DAV:" xmlns:R="urn:ietf:params:xml:ns:carddav"><set><prop>
<resourcetype><collection/><R:addressbook/></resourcetype></prop></set></mkcol>`;

/** Makes a calendar or an addressbook of an agent. Returns its path below /dav/. */
export async function makeCollection(
  daemon: ChildDaemon,
  kind: "calendars" | "addressbooks",
  name: string,
  agent = 0,
): Promise<string> {
  const below = `${kind}/${daemon.agents[agent]!.id}/${name}/`;
  if (kind === "calendars") await request(daemon, "MKCALENDAR", below, undefined, agent);
  else await request(daemon, "MKCOL", below, addressbookBody, agent);
  return below;
}

/** Sends one request of an agent. Throws when it is refused. */
export async function request(
  daemon: ChildDaemon,
  method: string,
  below: string,
  body?: string,
  agent = 0,
): Promise<string> {
  const { address, password } = daemon.agents[agent]!;
  const authorization = `Basic ${Buffer.from(`${address}:${password}`).toString("base64")}`;
  const answer = await fetch(davUrl(daemon, below), {
    method,
    headers: { authorization, Depth: "0", ...(body !== undefined && xml) },
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${below}: ${answer.status} ${text}`);
  return text;
}
