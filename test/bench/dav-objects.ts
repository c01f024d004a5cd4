/** Events and contacts of the DAV benchmark. Number and revision determine each object, so every answer can be verified. */
const hour = 3_600_000;
const day = 24 * hour;
const firstDay = Date.UTC(2015, 0, 1);
/** More events make a longer calendar, not a denser one: a month always holds the same number of events. */
const eventsPerDay = 9;
const seriesEvery = 50;
const seriesCount = 10;

export const contactTerm = "bergstrom";
export const hasContactTerm = (number: number): boolean => number % 25 === 4;

function startOf(number: number): number {
  return firstDay + Math.floor(number / eventsPerDay) * day + (7 + (number % 11)) * hour;
}

function durationOf(number: number): number {
  return (1 + (number % 4)) * (hour / 2);
}

function isSeries(number: number): boolean {
  return number % seriesEvery === 9;
}

export function isInRange(number: number, sinceMs: number, beforeMs: number): boolean {
  for (let week = 0; week < (isSeries(number) ? seriesCount : 1); week++) {
    const start = startOf(number) + week * 7 * day;
    if (start < beforeMs && start + durationOf(number) > sinceMs) return true;
  }
  return false;
}

/** The bounds of a month that is full when the calendar has the events of a year. */
export function monthOf(round: number): readonly [sinceMs: number, beforeMs: number] {
  const month = 1 + (round % 5);
  return [Date.UTC(2015, month, 1), Date.UTC(2015, month + 1, 1)];
}

export function stampOf(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}

/** A line that is only in this revision of this object. */
export function eventMark(number: number, revision: number): string {
  return `SUMMARY:Meeting ${number} revision ${revision}`;
}

export function contactMark(number: number, revision: number): string {
  return `NOTE:Contact ${number} revision ${revision}`;
}

export function eventOf(number: number, revision: number): string {
  const start = startOf(number);
  const guests = [1, 2, 3].map(
    (guest) => `ATTENDEE;CN=Guest ${guest};PARTSTAT=ACCEPTED:mailto:guest${guest}@peer.test`,
  );
  return [
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Waypost//bench//EN", "BEGIN:VEVENT"],
    ...[`UID:event-${number}@peer.test`, `DTSTAMP:${stampOf(firstDay + revision * 60_000)}`],
    ...[`DTSTART:${stampOf(start)}`, `DTEND:${stampOf(start + durationOf(number))}`],
    ...(isSeries(number) ? [`RRULE:FREQ=WEEKLY;COUNT=${seriesCount}`] : []),
    ...[eventMark(number, revision), `LOCATION:Room ${number % 40}`],
    "DESCRIPTION:The quick brown fox jumps over the lazy dog and comes back in t",
    " he evening with a new idea.\\nAll are invited.",
    ...(number % 4 === 0 ? ["ORGANIZER;CN=Owner:mailto:owner@peer.test", ...guests] : []),
    ...(number % 3 === 0
      ? ["BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:Reminder", "TRIGGER:-PT15M", "END:VALARM"]
      : []),
    ...["END:VEVENT", "END:VCALENDAR", ""],
  ].join("\r\n");
}

const firstNames = ["Ada", "Bela", "Cleo", "Dara", "Edda", "Finn", "Gita", "Hugo", "Ines", "Juri"];

export function contactOf(number: number, revision: number): string {
  const first = firstNames[number % firstNames.length]!;
  const last = `Person${number}${hasContactTerm(number) ? contactTerm : ""}`;
  return [
    ...["BEGIN:VCARD", "VERSION:3.0", `UID:contact-${number}`, `N:${last};${first};;;`],
    ...[`FN:${first} ${last}`, `EMAIL;TYPE=WORK:${first.toLowerCase()}.${number}@peer.test`],
    ...[
      `TEL;TYPE=CELL:+1 555 ${1000 + (number % 9000)}`,
      `ORG:Organisation ${number % 60};Unit ${number % 7}`,
    ],
    ...[`ADR;TYPE=WORK:;;${number % 200} Main Street;Town;;${10_000 + number};Land`],
    ...[contactMark(number, revision), "END:VCARD", ""],
  ].join("\r\n");
}
