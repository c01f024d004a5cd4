/** One collection in the DAV benchmark: fills, queries and changes it, and compares the answers with what it must hold. */
import { type DavClient, type Multistatus, readMultistatus } from "./dav-client.ts";
import {
  contactMark,
  contactOf,
  contactTerm,
  eventMark,
  eventOf,
  hasContactTerm,
  isInRange,
  monthOf,
  stampOf,
} from "./dav-objects.ts";

const connections = 4;
const ones = 100;

export interface Measure {
  readonly unit: "ms" | "/s" | "×";
  readonly value: number;
  /** True when a request was refused or an answer was wrong. The time then means nothing. */
  readonly isWrong: boolean;
}

export type Measures = Map<string, Measure>;

export interface Sizes {
  readonly count: number;
  readonly rounds: number;
  /** The longest time that filling may take. */
  readonly patienceMs: number;
}

const caldav = "urn:ietf:params:xml:ns:caldav";
const carddav = "urn:ietf:params:xml:ns:carddav";

export interface Kind {
  readonly noun: "event" | "contact";
  readonly namespace: string;
  readonly homeSet: string;
  readonly type: string;
  readonly extension: string;
  readonly data: string;
  readonly multiget: string;
  objectOf(number: number, revision: number): string;
  markOf(number: number, revision: number): string;
  make(client: DavClient, path: string): Promise<unknown>;
}

export const calendars: Kind = {
  noun: "event",
  namespace: caldav,
  homeSet: "calendar-home-set",
  type: "text/calendar; charset=utf-8",
  extension: "ics",
  data: "calendar-data",
  multiget: "calendar-multiget",
  objectOf: eventOf,
  markOf: eventMark,
  make: (client, path) => client.request("MKCALENDAR", path, [200, 201, 204]),
};

export const addressbooks: Kind = {
  noun: "contact",
  namespace: carddav,
  homeSet: "addressbook-home-set",
  type: "text/vcard; charset=utf-8",
  extension: "vcf",
  data: "address-data",
  multiget: "addressbook-multiget",
  objectOf: contactOf,
  markOf: contactMark,
  make: (client, path) =>
    client.request(
      "MKCOL",
      path,
      [201],
      `<D:mkcol xmlns:D="DAV:" xmlns:X="${carddav}"><D:set><D:prop><D:resourcetype><D:collection/><X:addressbook/></D:resourcetype></D:prop></D:set></D:mkcol>`,
      { "Content-Type": "application/xml; charset=utf-8" },
    ),
};

export function monthQuery(sinceMs: number, beforeMs: number): string {
  return `<X:calendar-query xmlns:D="DAV:" xmlns:X="${caldav}"><D:prop><D:getetag/><X:calendar-data/></D:prop>
<X:filter><X:comp-filter name="VCALENDAR"><X:comp-filter name="VEVENT">
<X:time-range start="${stampOf(sinceMs)}" end="${stampOf(beforeMs)}"/></X:comp-filter></X:comp-filter></X:filter></X:calendar-query>`;
}

/** A collection on one server, and the objects that must be in it. */
export class BenchCollection {
  count = 0;
  readonly #client: DavClient;
  readonly #kind: Kind;
  readonly #path: string;
  readonly #sizes: Sizes;
  /** The current revision of each object, by its number. */
  readonly #revisions = new Map<number, number>();

  constructor(client: DavClient, kind: Kind, path: string, sizes: Sizes) {
    this.#sizes = sizes;
    this.#client = client;
    this.#kind = kind;
    this.#path = path;
  }

  async measure(measures: Measures): Promise<void> {
    const { count } = this.#sizes;
    const { noun, multiget } = this.#kind;
    await this.#kind.make(this.#client, this.#path);
    let begin = performance.now();
    await this.fillTo(count);
    note(
      measures,
      `PUT of a new ${noun}, ${connections} connections`,
      "/s",
      (count * 1000) / (performance.now() - begin),
    );
    begin = performance.now();
    for (let one = 0; one < ones; one++) await this.#put((one * 37) % count);
    note(
      measures,
      `PUT of a changed ${noun}, one at a time`,
      "/s",
      (ones * 1000) / (performance.now() - begin),
    );

    await this.#timed(measures, `PROPFIND of the ETags of ${count} ${noun}s`, async () => {
      const text = await this.#client.multistatus(
        "PROPFIND",
        this.#path,
        "1",
        `<D:propfind xmlns:D="DAV:"><D:prop><D:getetag/></D:prop></D:propfind>`,
      );
      return () => {
        const { members } = readMultistatus(text);
        expect(members.size === count + 1, `PROPFIND gives ${members.size} of ${count + 1}`);
        for (let number = 0; number < count; number++) {
          const etag = members.get(this.#href(number))?.properties.get("{DAV:}getetag");
          expect(etag !== undefined, `the ETag of ${this.#href(number)}`);
        }
      };
    });
    for (const size of [100, count].filter((size) => size <= count))
      await this.#timed(measures, `${multiget} of ${size}`, async (round) => {
        const numbers = Array.from({ length: size }, (_, index) => (index * 17 + round) % count);
        const wanted = [...new Set(numbers)];
        const text = await this.#report(
          multiget,
          this.#dataProperties + wanted.map((number) => `<D:href>${this.#href(number)}</D:href>`).join(""),
        );
        return () => this.#verify(readMultistatus(text), wanted);
      });
    if (noun === "event") await this.measureMonth(measures, `calendar-query of a month, ${count} events`);
    else await this.#measureNames(measures);
    await this.#measureSync(measures);
  }

  /** Fills the collection up to this number of objects. False when that takes longer than `patienceMs`. */
  async fillTo(length: number): Promise<boolean> {
    const deadline = performance.now() + this.#sizes.patienceMs;
    let next = this.count;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (next < length && performance.now() < deadline) await this.#put(next++, true);
      }),
    );
    this.count = next;
    return next >= length;
  }

  async #put(number: number, isNew = false): Promise<void> {
    const revision = isNew ? 0 : (this.#revisions.get(number) ?? 0) + 1;
    const { type } = this.#kind;
    await this.#client.request(
      "PUT",
      this.#href(number),
      isNew ? [201, 204] : [200, 201, 204],
      this.#kind.objectOf(number, revision),
      { "Content-Type": type, ...(isNew && { "If-None-Match": "*" }) },
    );
    this.#revisions.set(number, revision);
  }

  async measureMonth(measures: Measures, name: string): Promise<void> {
    await this.#timed(measures, name, async (round) => {
      const [since, before] = monthOf(round);
      const text = await this.#client.multistatus("REPORT", this.#path, "1", monthQuery(since, before));
      return () => {
        const wanted = [...this.#revisions.keys()].filter((number) => isInRange(number, since, before));
        this.#verify(readMultistatus(text), wanted);
      };
    });
  }

  async #measureNames(measures: Measures): Promise<void> {
    const { count } = this.#sizes;
    await this.#timed(measures, `addressbook-query of a name, ${count} contacts`, async () => {
      const text = await this.#report(
        "addressbook-query",
        `${this.#dataProperties}<X:filter><X:prop-filter name="FN">
<X:text-match collation="i;unicode-casemap" match-type="contains">${contactTerm}</X:text-match></X:prop-filter></X:filter>`,
      );
      return () => this.#verify(readMultistatus(text), [...this.#revisions.keys()].filter(hasContactTerm));
    });
  }

  async #measureSync(measures: Measures): Promise<void> {
    const { count } = this.#sizes;
    let token = "";
    const { noun } = this.#kind;
    await this.#timed(measures, `sync-collection, initial, ${count} ${noun}s`, async () => {
      const text = await this.#sync("");
      return () => {
        const { members, syncToken } = readMultistatus(text);
        for (const number of this.#revisions.keys())
          expect(members.has(this.#href(number)), `sync lists ${this.#href(number)}`);
        token = syncToken;
      };
    });
    let round = 0;
    const changed = new Map<number, boolean>();
    await this.#timed(
      measures,
      `sync-collection after 10 changes, ${noun}s`,
      async () => {
        const text = await this.#sync(token);
        return () => {
          const { members, syncToken } = readMultistatus(text);
          expect(members.size === changed.size, `sync gives ${members.size} of ${changed.size}`);
          for (const [number, isThere] of changed) {
            const member = members.get(this.#href(number));
            expect(member !== undefined, `sync tells of ${this.#href(number)}`);
            expect((member!.status === 404) === !isThere, `${this.#href(number)} is there or gone`);
          }
          token = syncToken;
        };
      },
      async () => {
        changed.clear();
        round++;
        const fresh = 1_000_000 + round;
        for (let each = 0; each < 8; each++) {
          const number = (round * 101 + each * 7) % count;
          await this.#put(number);
          changed.set(number, true);
        }
        await this.#put(fresh, true);
        changed.set(fresh, true);
        const gone = round === 1 ? count - 1 : fresh - 1;
        await this.#client.request("DELETE", this.#href(gone), [200, 204]);
        this.#revisions.delete(gone);
        changed.set(gone, false);
      },
    );
    // Removes the last fresh object and restores the deleted one: the longer calendars hold exactly the numbers below their length.
    await this.#client.request("DELETE", this.#href(1_000_000 + round), [200, 204]);
    this.#revisions.delete(1_000_000 + round);
    await this.#put(count - 1, true);
  }

  /** Times only the request, without the preparation before it and the verification after it. The first round is not counted. */
  async #timed(
    measures: Measures,
    name: string,
    ask: (round: number) => Promise<() => void>,
    prepare?: () => Promise<void>,
  ): Promise<void> {
    const times: number[] = [];
    let isWrong = false;
    for (let round = 0; round <= this.#sizes.rounds; round++) {
      await prepare?.();
      const begin = performance.now();
      try {
        const verify = await ask(round);
        if (round > 0) times.push(performance.now() - begin);
        verify();
      } catch (error) {
        if (!isWrong) console.error(`   ${name}: ${error}`);
        isWrong = true;
      }
    }
    note(measures, name, "ms", times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0, isWrong);
  }

  #report(name: string, content: string): Promise<string> {
    const body = `<X:${name} xmlns:D="DAV:" xmlns:X="${this.#kind.namespace}">${content}</X:${name}>`;
    return this.#client.multistatus("REPORT", this.#path, "1", body);
  }

  #sync(token: string): Promise<string> {
    const body = `<D:sync-collection xmlns:D="DAV:"><D:sync-token>${token}</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:getetag/></D:prop></D:sync-collection>`;
    return this.#client.multistatus("REPORT", this.#path, "0", body);
  }

  get #dataProperties(): string {
    return `<D:prop><D:getetag/><X:${this.#kind.data}/></D:prop>`;
  }

  #verify({ members }: Multistatus, wanted: readonly number[]): void {
    expect(
      members.size === wanted.length,
      `${members.size} answers for ${wanted.length} ${this.#kind.noun}s`,
    );
    for (const number of wanted) {
      const data = members
        .get(this.#href(number))
        ?.properties.get(`{${this.#kind.namespace}}${this.#kind.data}`);
      const mark = this.#kind.markOf(number, this.#revisions.get(number)!);
      expect(data?.includes(mark) === true, `${this.#href(number)} says ${mark}`);
    }
  }

  #href(number: number): string {
    return `${this.#path}${this.#kind.noun}-${number}.${this.#kind.extension}`;
  }
}

function expect(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`not verified: ${what}`);
}

export function note(
  measures: Measures,
  name: string,
  unit: Measure["unit"],
  value: number,
  isWrong = false,
): void {
  const measure = { unit, value, isWrong };
  console.error(`   ${name}: ${shownMeasure(measure)}`);
  measures.set(name, measure);
}

export function shownMeasure({ unit, value, isWrong }: Measure): string {
  return isWrong ? "wrong" : `${shown(value)} ${unit}`;
}

export function shown(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(value < 10 ? 2 : 1);
}
