/** Calendars under the load of `daemon-load.ts`. Clients write events by CalDAV PUT, MOVE and DELETE and by event.update. Other clients
 *  follow the changes by sync-collection, and continue when the daemon has been restarted. */
import type { ChildDaemon } from "../support/daemon.ts";
import { eventText } from "../support/item-texts.ts";

/** The calendar and the title of an event. Undefined: the event does not exist. */
type Place = { readonly calendar: string; readonly title: string } | undefined;

interface Follower {
  token: string;
  /** The ETags that the follower knows, by path. */
  readonly held: Map<string, string>;
}

export interface CalendarLedger {
  /** By UID: the last acknowledged place, and then the places of requests without a certain answer. */
  readonly places: Map<string, readonly Place[]>;
  /** The two calendars of each agent, by the agent's number. */
  readonly calendars: Map<number, readonly [string, string]>;
  readonly followers: Map<string, Follower>;
}

export function openCalendarLedger(): CalendarLedger {
  return { places: new Map(), calendars: new Map(), followers: new Map() };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** The version that an answer gives, for the next update. */
  readonly version: string;
}

interface Client {
  /** Sends a DAV request. Undefined: the daemon has gone. */
  dav(
    method: string,
    path: string,
    body?: string,
    fields?: Record<string, string>,
  ): Promise<Answer | undefined>;
  call(operation: string, input: object): Promise<Answer | undefined>;
  pathOf(calendar: string): string;
}

function clientOf(daemon: ChildDaemon, agent: number): Client {
  const { id, address, password, token } = daemon.agents[agent]!;
  const { url } = daemon.http;
  const basic = `Basic ${Buffer.from(`${address}:${password}`).toString("base64")}`;
  const request = async (path: string, init: RequestInit): Promise<Answer | undefined> => {
    try {
      const response = await fetch(`${url}${path}`, init);
      const version = (response.headers.get("etag") ?? "").replaceAll('"', "");
      return { status: response.status, text: (await response.text()).replaceAll("&#13;", ""), version };
    } catch (error) {
      // fetch throws a TypeError for every broken connection: the daemon has gone.
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  };
  return {
    dav: (method, path, body, fields = {}) =>
      request(path, {
        method,
        headers: { authorization: basic, ...fields },
        ...(body === undefined ? {} : { body }),
      }),
    call: (operation, input) =>
      request(`/v1/${operation}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(input),
      }),
    pathOf: (calendar) => `/dav/calendars/${id}/${calendar}/`,
  };
}

export interface CalendarLoad {
  readonly agent: number;
  readonly isStopped: () => boolean;
  readonly isDoubtful: (status: number) => boolean;
  acknowledged(): void;
  refused(status: number): void;
}

let lastEvent = 0;

/** Puts, changes, moves and deletes events until the load stops or the daemon ends. */
export async function changeEvents(
  daemon: ChildDaemon,
  ledger: CalendarLedger,
  load: CalendarLoad,
): Promise<void> {
  const { agent } = load;
  const client = clientOf(daemon, agent);
  const calendars = ledger.calendars.get(agent) ?? (await makeCalendars(client));
  if (calendars === undefined) return;
  ledger.calendars.set(agent, calendars);
  const [own, other] = calendars;
  let version = "";

  /** Sends one request and records it before and after. False when the daemon has gone. */
  async function attempt(uid: string, next: Place, ask: () => Promise<Answer | undefined>): Promise<boolean> {
    const [now, ...open] = ledger.places.get(uid) ?? [undefined];
    ledger.places.set(uid, [now, ...open, next]);
    const answer = await ask();
    if (answer === undefined) return false;
    if (answer.status < 300) {
      ledger.places.set(uid, [next]);
      load.acknowledged();
      ({ version } = answer);
    } else {
      // A refused request must leave nothing.
      if (!load.isDoubtful(answer.status)) ledger.places.set(uid, [now, ...open]);
      load.refused(answer.status);
    }
    return true;
  }

  while (!load.isStopped()) {
    const number = ++lastEvent;
    const uid = `event-${number}`;
    const path = `${client.pathOf(own)}${uid}.ics`;
    const text = eventText(
      uid,
      `SUMMARY:${uid}`,
      `DESCRIPTION:${"x".repeat((number % 7) * 1000)}`,
    ).toString();
    const isPut = await attempt(uid, { calendar: own, title: uid }, () =>
      client.dav("PUT", path, text, { "content-type": "text/calendar" }),
    );
    if (!isPut) return;
    if (ledger.places.get(uid)?.[0] === undefined) continue;
    const title = `${uid} again`;
    if (
      !(await attempt(uid, { calendar: own, title }, () =>
        client.call("event.update", { id: `${own}#${uid}`, version, patch: { title } }),
      ))
    )
      return;
    const now = ledger.places.get(uid)![0]!;
    if (number % 3 === 0) {
      const destination = `${daemon.http.url}${client.pathOf(other)}${uid}.ics`;
      const isMoved = await attempt(uid, { calendar: other, title: now.title }, () =>
        client.dav("MOVE", path, undefined, { destination }),
      );
      if (!isMoved) return;
    } else if (number % 5 === 0 && !(await attempt(uid, undefined, () => client.dav("DELETE", path)))) return;
  }
}

async function makeCalendars(client: Client): Promise<readonly [string, string] | undefined> {
  const refs: string[] = [];
  for (const name of ["one", "two"]) {
    // The idempotency key is needed: an earlier daemon may have made the calendar before it ended.
    const answer = await client.call("calendar.create", { name, idempotency_key: `load-${name}` });
    if (answer?.status !== 200) return undefined;
    refs.push((JSON.parse(answer.text) as { ref: string }).ref);
  }
  return [refs[0]!, refs[1]!];
}

/** Acknowledged events that are not as acknowledged, and changes that a follower missed or got twice, as sentences. */
export async function findEventLosses(daemon: ChildDaemon, ledger: CalendarLedger): Promise<string[]> {
  const losses: string[] = [];
  const found = new Map<string, NonNullable<Place>>();
  for (const [agent, calendars] of ledger.calendars) {
    const client = clientOf(daemon, agent);
    for (const calendar of calendars) {
      const etags = new Map<string, string>();
      for (const [path, response] of await listResponses(client, calendar, query)) {
        etags.set(path, etagOf(response));
        const uid = /^UID:(.*)$/m.exec(response)?.[1] ?? "";
        if (found.has(uid)) losses.push(`${uid} is there twice`);
        found.set(uid, { calendar, title: /^SUMMARY:(.*)$/m.exec(response)?.[1] ?? "" });
      }
      losses.push(...(await follow(client, calendar, etags, ledger)));
    }
  }
  for (const [uid, places] of ledger.places) {
    const place = found.get(uid);
    if (!places.some((one) => one?.calendar === place?.calendar && one?.title === place?.title))
      losses.push(`${uid} is ${JSON.stringify(place)}, and was acknowledged as ${JSON.stringify(places)}`);
    ledger.places.set(uid, [place]);
  }
  return losses;
}

async function follow(
  client: Client,
  calendar: string,
  etags: ReadonlyMap<string, string>,
  { followers }: CalendarLedger,
): Promise<string[]> {
  const findings: string[] = [];
  const follower = followers.get(calendar) ?? { token: "", held: new Map<string, string>() };
  followers.set(calendar, follower);
  const { held } = follower;
  for (const [path, response] of await listResponses(
    client,
    calendar,
    changesSince(follower.token),
    (text) => {
      follower.token = /<D:sync-token>([^<]*)/.exec(text)?.[1] ?? "";
    },
  )) {
    const etag = etagOf(response);
    if (etag !== "" && held.get(path) === etag)
      findings.push(`a follower of ${calendar} is told ${path} twice`);
    if (etag === "") held.delete(path);
    else held.set(path, etag);
  }
  const missed = [...etags].filter(([path, etag]) => held.get(path) !== etag).length;
  const stale = [...held.keys()].filter((path) => !etags.has(path)).length;
  if (missed + stale > 0)
    findings.push(`a follower of ${calendar} misses ${missed} events and has ${stale} too many`);
  return findings;
}

const query = `<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data/></D:prop><C:filter><C:comp-filter name="VCALENDAR"/></C:filter></C:calendar-query>`;

function changesSince(token: string): string {
  return `<D:sync-collection xmlns:D="DAV:"><D:sync-token>${token}</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:getetag/></D:prop></D:sync-collection>`;
}

/** The responses of a REPORT, by their paths. */
async function listResponses(
  client: Client,
  calendar: string,
  report: string,
  onAnswer: (text: string) => void = () => {},
): Promise<ReadonlyMap<string, string>> {
  const fields = { depth: report === query ? "1" : "0", "content-type": "application/xml" };
  const answer = await client.dav("REPORT", client.pathOf(calendar), report, fields);
  if (answer?.status !== 207) throw new Error(`REPORT of ${calendar}: ${answer?.status} ${answer?.text}`);
  onAnswer(answer.text);
  const responses = new Map<string, string>();
  for (const [, response] of answer.text.matchAll(/<D:response>([\s\S]*?)<\/D:response>/g))
    responses.set(/<D:href>([^<]*)/.exec(response!)![1]!, response!);
  return responses;
}

function etagOf(response: string): string {
  return /<D:getetag>([^<]*)/.exec(response)?.[1] ?? "";
}
