/** Free time of three people against a computation that shares no code with the product: it writes out what the test has made with Temporal, and
 *  goes through the range minute by minute, asking what the clock of the zone shows. Other calendars in each run; `npm run test:exhaustive` has
 *  more rounds. */
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { httpClient } from "../support/clients/http.ts";
import { type RandomSource, randomSource } from "../support/random.ts";
import { sampleOf } from "../support/samples.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;
type Local = Temporal.PlainDateTime;

const minuteMs = 60_000;
const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago"] as const;

/** Days before a change of the clock of one of the zones. */
const weeks = [
  ["2027-03-12", ["America/New_York", "Europe/Berlin"]],
  ["2027-03-26", ["Europe/Berlin", "America/New_York"]],
  ["2027-10-29", ["Europe/Berlin", "America/Santiago"]],
  ["2027-11-05", ["America/New_York", "Europe/Berlin"]],
  ["2027-04-02", ["Australia/Lord_Howe", "America/Santiago"]],
  ["2027-10-01", ["Australia/Lord_Howe", "Europe/Berlin"]],
  ["2027-09-03", ["America/Santiago", "America/New_York"]],
] as const;
const weekdays = ["mo", "tu", "we", "th", "fr", "sa", "su"] as const;

interface Length {
  readonly days: number;
  readonly minutes: number;
}

interface Rule {
  readonly frequency: "daily" | "weekly" | "monthly";
  readonly interval: number;
  /** From Monday, which is 0; of weekly. */
  readonly byDay: readonly number[];
  readonly count?: number;
  readonly until?: Local;
}

interface Made {
  /** undefined: the clock of the calendar. */
  readonly zone: string | undefined;
  readonly isWholeDays: boolean;
  readonly start: Local;
  readonly length: Length;
  readonly rule?: Rule | undefined;
  /** By the original start: gone, moved, cancelled or free. */
  readonly changes: ReadonlyMap<string, Change>;
  readonly kind: "busy" | "free" | "cancelled" | "accepted" | "tentative" | "declined" | "needs-action";
}
type Change = { readonly to: Local; readonly length: Length } | "excluded" | "cancelled" | "free";

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

const text = (local: Local): string => local.toString({ smallestUnit: "second" });
const chance = (random: RandomSource, of: number): boolean => random.below(of) === 0;

/** The original starts of a series, up to a day. */
function startsOf({ start, rule }: Made, last: Local): Local[] {
  if (rule === undefined) return [start];
  const monday = start.toPlainDate().subtract({ days: start.dayOfWeek - 1 });
  const isOf = (day: Local): boolean => {
    if (rule.frequency === "monthly")
      return (
        day.day === start.day &&
        ((day.year - start.year) * 12 + day.month - start.month) % rule.interval === 0
      );
    const since = (from: Temporal.PlainDate): number =>
      from.until(day.toPlainDate(), { largestUnit: "day" }).days;
    if (rule.frequency === "daily") return since(start.toPlainDate()) % rule.interval === 0;
    return rule.byDay.includes(day.dayOfWeek - 1) && Math.floor(since(monday) / 7) % rule.interval === 0;
  };
  const starts: Local[] = [];
  for (let day = start; Temporal.PlainDateTime.compare(day, last) <= 0; day = day.add({ days: 1 })) {
    if (rule.until !== undefined && Temporal.PlainDateTime.compare(day, rule.until) > 0) break;
    if (isOf(day)) starts.push(day);
    if (starts.length === rule.count) break;
  }
  return starts;
}

/** When it takes time; whole days and minutes without a zone on the clock of the calendar. */
function spansOf(made: Made, calendarZone: string, last: Local): Span[] {
  if (made.kind === "free" || made.kind === "cancelled" || made.kind === "declined") return [];
  const at = (local: Local) => local.toZonedDateTime(made.zone ?? calendarZone);
  return startsOf(made, last).flatMap((start) => {
    const change = made.changes.get(text(start));
    if (typeof change === "string") return [];
    const { days, minutes } = change?.length ?? made.length;
    const from = change?.to ?? start;
    const startMs = at(from).epochMilliseconds;
    const endMs = at(from.add({ days })).epochMilliseconds + minutes * minuteMs;
    return [{ startMs, endMs }];
  });
}

function drawEvent(random: RandomSource, week: Temporal.PlainDate, near: readonly string[]): Made {
  const isWholeDays = chance(random, 6);
  const isSeries = chance(random, 3);
  const day = week.add({ days: random.below(6) - (isSeries ? random.below(30) : 0) });
  // Often in the hours in which clocks change.
  const hour = chance(random, 3) ? random.below(4) : random.below(24);
  const start = day.toPlainDateTime(isWholeDays ? undefined : { hour, minute: 5 * random.below(12) });
  const length = isWholeDays
    ? { days: 1 + random.below(2), minutes: 0 }
    : { days: chance(random, 12) ? 1 : 0, minutes: 5 * (1 + random.below(60)) };
  const rule = isSeries ? drawRule(random, start) : undefined;
  const made = {
    zone: isWholeDays || chance(random, 6) ? undefined : chance(random, 8) ? "Etc/UTC" : random.one(near),
    isWholeDays,
    start,
    length,
    rule,
    kind: chance(random, 3)
      ? random.one(["free", "cancelled", "accepted", "tentative", "declined", "needs-action"] as const)
      : "busy",
    changes: new Map<string, Change>(),
  } satisfies Made;
  if (rule === undefined) return made;
  for (const original of startsOf(made, week.add({ days: 8 }).toPlainDateTime()))
    if (chance(random, 5)) made.changes.set(text(original), drawChange(random, original, made));
  return made;
}

function drawRule(random: RandomSource, start: Local): Rule {
  const frequency = start.day > 28 ? "daily" : random.one(["daily", "weekly", "weekly", "monthly"] as const);
  const others = weekdays.map((_, at) => at).filter((at) => at === start.dayOfWeek - 1 || chance(random, 4));
  return {
    frequency,
    interval: 1 + random.below(2),
    byDay: frequency === "weekly" ? others : [],
    ...(chance(random, 3) ? { count: 1 + random.below(12) } : {}),
    ...(chance(random, 3) ? { until: start.add({ days: random.below(40) }) } : {}),
  };
}

function drawChange(random: RandomSource, original: Local, { isWholeDays, length }: Made): Change {
  const kind = random.one(["excluded", "moved", "moved", "cancelled", "free"] as const);
  if (kind !== "moved") return kind;
  return isWholeDays
    ? { to: original.add({ days: 1 }), length }
    : {
        to: original.add({ minutes: 5 * (random.below(100) - 50) }),
        length: { days: 0, minutes: 5 * (1 + random.below(40)) },
      };
}

const durationOf = ({ days, minutes }: Length): string =>
  `P${days === 0 ? "" : `${days}D`}${minutes === 0 ? "" : `T${minutes}M`}`;

function jsonOf({ zone, isWholeDays, start, length, rule, changes, kind }: Made, own: string): object {
  const written = (change: Change): object => {
    if (change === "excluded") return { excluded: true };
    if (change === "cancelled") return { status: "cancelled" };
    if (change === "free") return { freeBusyStatus: "free" };
    return { start: text(change.to), duration: durationOf(change.length) };
  };
  const isAnswer = !["busy", "free", "cancelled"].includes(kind);
  return {
    title: "Made",
    start: text(start),
    duration: durationOf(length),
    ...(zone === undefined ? {} : { timeZone: zone }),
    ...(isWholeDays ? { showWithoutTime: true } : {}),
    ...(kind === "free" ? { freeBusyStatus: "free" } : {}),
    ...(kind === "cancelled" ? { status: "cancelled" } : {}),
    ...(isAnswer
      ? {
          organizerCalendarAddress: "mailto:boss@elsewhere.example",
          participants: { me: { calendarAddress: `mailto:${own}`, participationStatus: kind } },
        }
      : {}),
    ...(rule === undefined
      ? {}
      : {
          recurrenceRule: {
            frequency: rule.frequency,
            interval: rule.interval,
            ...(rule.byDay.length === 0 ? {} : { byDay: rule.byDay.map((at) => ({ day: weekdays[at] })) }),
            ...(rule.count === undefined ? {} : { count: rule.count }),
            ...(rule.until === undefined || rule.count !== undefined ? {} : { until: text(rule.until) }),
          },
          recurrenceOverrides: Object.fromEntries([...changes].map(([id, change]) => [id, written(change)])),
        }),
  };
}

const icalDay = (local: Local): string => local.toPlainDate().toString().replaceAll("-", "");
const icalTime = (local: Local): string => text(local).replaceAll(/[-:]/g, "");

/** As a calendar program writes it, with DTEND where that says the same. */
function icalOf(made: Made, own: string, uid: string): string {
  const { zone, isWholeDays, start, length, rule, changes, kind } = made;
  const isUtc = zone === "Etc/UTC";
  const time = (name: string, local: Local): string => {
    if (isWholeDays) return `${name};VALUE=DATE:${icalDay(local)}`;
    if (zone === undefined || isUtc) return `${name}:${icalTime(local)}${isUtc ? "Z" : ""}`;
    return `${name};TZID=${zone}:${icalTime(local)}`;
  };
  const untilOf = (until: Local): string => {
    if (isWholeDays) return icalDay(until);
    if (zone === undefined) return icalTime(until);
    return `${icalTime(until.toZonedDateTime(zone).withTimeZone("UTC").toPlainDateTime())}Z`;
  };
  const end = (from: Local, { days, minutes }: Length): string =>
    isWholeDays ? time("DTEND", from.add({ days })) : `DURATION:${durationOf({ days, minutes })}`;
  const answer = ["busy", "free", "cancelled"].includes(kind)
    ? []
    : ["ORGANIZER:mailto:boss@elsewhere.example", `ATTENDEE;PARTSTAT=${kind.toUpperCase()}:mailto:${own}`];
  const event = (lines: readonly string[]) => [
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "DTSTAMP:20270101T000000Z",
    ...answer,
    ...lines,
    "END:VEVENT",
  ];
  const common = [
    ...(kind === "free" ? ["TRANSP:TRANSPARENT"] : []),
    ...(kind === "cancelled" ? ["STATUS:CANCELLED"] : []),
  ];
  const excluded = [...changes].filter(([, change]) => change === "excluded").map(([id]) => id);
  const ruleText =
    rule &&
    [
      `RRULE:FREQ=${rule.frequency.toUpperCase()};INTERVAL=${rule.interval}`,
      ...(rule.byDay.length === 0
        ? []
        : [`BYDAY=${rule.byDay.map((at) => weekdays[at]!.toUpperCase()).join(",")}`]),
      ...(rule.count === undefined ? [] : [`COUNT=${rule.count}`]),
      ...(rule.until === undefined || rule.count !== undefined ? [] : [`UNTIL=${untilOf(rule.until)}`]),
    ].join(";");
  const overrides = [...changes].flatMap(([id, change]) => {
    const original = Temporal.PlainDateTime.from(id);
    const named = time("RECURRENCE-ID", original);
    if (change === "excluded") return [];
    if (typeof change !== "string")
      return event([...common, named, time("DTSTART", change.to), end(change.to, change.length)]);
    const mark = change === "cancelled" ? "STATUS:CANCELLED" : "TRANSP:TRANSPARENT";
    return event([
      ...common.filter((one) => one !== mark),
      mark,
      named,
      time("DTSTART", original),
      end(original, length),
    ]);
  });
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//test//EN",
    ...event([
      ...common,
      time("DTSTART", start),
      end(start, length),
      ...(ruleText === undefined ? [] : [ruleText]),
      ...excluded.map((id) => time("EXDATE", Temporal.PlainDateTime.from(id))),
    ]),
    ...overrides,
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}

/** Of the series: COUNT and UNTIL stand in no rule together, so one of them is drawn. */
function withOneEnd(made: Made): Made {
  const { rule } = made;
  if (rule?.count === undefined || rule.until === undefined) return made;
  const { until: _, ...counted } = rule;
  return { ...made, rule: counted };
}

let server: JsonServer;
let people: readonly {
  readonly address: string;
  readonly agent: never;
  readonly ok: (operation: string, input: object) => Promise<Answer>;
}[];

beforeAll(async () => {
  server = await openJsonServer();
  const { ada, bob } = server;
  const made = (await server.administer("agent.create", { address: "kay@first.example" })) as Answer;
  const kay = { address: "kay@first.example", agent: server.store.ids.decode(made.id)!.agent };
  people = [
    ...[ada, bob].map(({ address, agent, client }) => ({ address, agent: agent as never, ok: client.ok })),
    { ...kay, agent: kay.agent as never, ok: httpClient(server.url, made.token).ok },
  ];
  for (const target of [bob.address, kay.address])
    await server.administer("grant.create", { holder: ada.address, target, scopes: ["calendar:freebusy"] });
});
afterAll(() => server[Symbol.asyncDispose]());

interface Taken {
  readonly blocks: readonly Span[];
  readonly doubts: readonly Span[];
  readonly calendars: readonly (() => Promise<void>)[];
}

/** Calendars of three people, made half over `/v1` and half as a calendar program does. */
async function makeCalendars(
  random: RandomSource,
  week: Temporal.PlainDate,
  near: readonly string[],
): Promise<Taken> {
  const last = week.add({ days: 8 }).toPlainDateTime();
  const blocks: Span[] = [];
  const doubts: Span[] = [];
  const calendars: (() => Promise<void>)[] = [];
  for (const { address, agent, ok } of people) {
    const zone = random.one(near);
    const { ref, version } = await ok("calendar.create", {
      name: `Made ${random.below(1e9)}`,
      time_zone: zone,
    });
    calendars.push(
      async () =>
        void (await ok("calendar.delete", {
          id: ref,
          version: (await ok("part.describe", { id: ref })).version ?? version,
        })),
    );
    const collection = server.store.ids.decode(ref)!.object as never;
    for (let event = 0; event < 7; event++) {
      const made = withOneEnd(drawEvent(random, week, near));
      const spans = spansOf(made, zone, last);
      (made.kind === "needs-action" ? doubts : blocks).push(...spans);
      if (chance(random, 2)) {
        await ok("event.create", { in: ref, body: jsonOf(made, address) });
        continue;
      }
      const bytes = Buffer.from(icalOf(made, address, `made-${random.below(2 ** 31)}-${event}`));
      const put = { collection, bytes, provenance: { source: "import" }, isAuthenticated: true } as const;
      await server.collections.putItem(agent, nobody, put);
    }
  }
  return { blocks, doubts, calendars };
}

/** Minute by minute. */
function gapsOf(
  { blocks, doubts }: Taken,
  {
    startMs,
    endMs,
    from,
    to,
    days,
    zone,
    minutes,
  }: Span & { from: string; to: string; days: readonly string[]; zone: string; minutes: number },
): [string, string, string, boolean][] {
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const count = Math.floor((endMs - startMs) / minuteMs);
  const taken = new Uint8Array(count);
  for (const [spans, mark] of [
    [doubts, 1],
    [blocks, 2],
  ] as const)
    for (const span of spans) {
      const first = Math.max(0, Math.floor((span.startMs - startMs) / minuteMs));
      for (let at = first; at < count && startMs + at * minuteMs < span.endMs; at++)
        taken[at] = Math.max(taken[at]!, mark);
    }
  for (let at = 0; at < count; at++) {
    const [day, time] = clock.format(startMs + at * minuteMs).split(" ") as [string, string];
    if (!days.includes(day.slice(0, 2).toLowerCase()) || time < from || time >= to) taken[at] = 2;
  }
  const gaps: [string, string, string, boolean][] = [];
  for (let at = 0; at < count; ) {
    let end = at;
    while (end < count && taken[end]! < 2) end++;
    const first = Math.ceil((startMs + at * minuteMs) / (15 * minuteMs)) * 15 * minuteMs;
    if ((startMs + end * minuteMs - first) / minuteMs >= minutes && end > at) {
      const begun = Temporal.Instant.fromEpochMilliseconds(first);
      const local = begun.toZonedDateTimeISO(zone).toPlainDateTime();
      const isDoubtful = taken.slice((first - startMs) / minuteMs, end).includes(1);
      gaps.push([
        begun.toString(),
        Temporal.Instant.fromEpochMilliseconds(startMs + end * minuteMs).toString(),
        text(local),
        isDoubtful,
      ]);
    }
    at = Math.max(end, at + 1);
  }
  return gaps;
}

const twoDigits = (number: number): string => String(number).padStart(2, "0");

const rounds = sampleOf(
  Array.from({ length: 120 }, (_, at) => at),
  4,
);

it.each(rounds)("is as minutes say, in calendars of round %i", async (round) => {
  const random = randomSource(inject("seed") + round * 7919);
  const [day, near] = weeks[round % weeks.length]!;
  const week = Temporal.PlainDate.from(day);
  await using made = new AsyncDisposableStack();
  const taken = await makeCalendars(random, week, near);
  for (const remove of taken.calendars) made.defer(remove);
  for (let asked = 0; asked < 3; asked++) {
    const startMs = week.toZonedDateTime("UTC").epochMilliseconds + random.below(600) * minuteMs;
    const endMs = startMs + (3 * 1440 + random.below(2 * 1440)) * minuteMs;
    const early = chance(random, 2) ? random.below(4) : 7 + random.below(3);
    const late = early + 4 + random.below(10);
    const [from, to] = [
      `${twoDigits(early)}:${random.one(["00", "30", "15"])}`,
      `${twoDigits(late)}:${random.one(["00", "30"])}`,
    ];
    const days = weekdays.filter(() => !chance(random, 6));
    const zone = asked === 0 ? near[0] : random.one(zones);
    const minutes = random.one([15, 30, 45, 60, 100]);
    const question = { startMs, endMs, from, to, days: days.length === 0 ? weekdays : days, zone, minutes };
    const { content } = await people[0]!.ok("search", {
      kind: "freetime",
      with: people.slice(1).map(({ address }) => address),
      since: new Date(startMs).toISOString(),
      before: new Date(endMs).toISOString(),
      duration: `PT${minutes}M`,
      hours: `${from}-${to}`,
      days: question.days,
      zone,
      limit: 100,
    });
    expect(content.unknown).toBeUndefined();
    expect(
      content.items.map((one: Answer) => [one.start, one.end, one.local_start, one.tentative === true]),
      JSON.stringify([round, question]),
    ).toEqual(gapsOf(taken, question));
  }
});
