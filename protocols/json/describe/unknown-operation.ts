/** What is said of a name that no operation has. */
import { nearestName } from "#/config/nearest-name.ts";
import type { Operation } from "../operation.ts";

/** What other interfaces call an operation, by words of the name; the first row of which one is there counts. */
const meanings: readonly (readonly [operation: string, words: string])[] = [
  ["search", "freebusy free busy availability available"],
  ["send", "send reply forward compose"],
  ["hold.update", "approve approval"],
  ["event.update", "accept decline rsvp respond reschedule"],
  ["message.update", "move mark label archive flag star"],
  ["calendarMonth.list", "agenda month"],
  ["search", "search find query"],
];
/** What is listed elsewhere by an operation of its own. */
const listings: readonly (readonly [operation: string, words: string])[] = [
  ["calendarMonth.list", "event"],
  ["part.describe", "folder calendar addressbook mailbox"],
  ["search", "message mail email contact draft hold inbox thread"],
];
const listing = "list";
const reading = "get read fetch show describe open view retrieve download";
const removing = "delete remove trash destroy cancel";

export function hintOfName(written: string, served: readonly Operation[]): string {
  const names = served.map(({ name }) => name);
  const meant = meantName(written, names);
  return `${meant === undefined ? "" : `${meant} was meant? `}One of: ${names.join(", ")}.`;
}

/** The one of these operations that the name was probably meant for. */
export function meantName(written: string, names: readonly string[]): string | undefined {
  const words = wordsOf(written);
  return (
    names.find((name) => wordsOf(name).join() === words.join()) ??
    meantBy(words, names) ??
    nearestName(written, removes(words) ? names.filter(isRemoval) : names.filter((name) => !isRemoval(name)))
  );
}

/** Words of a name, in lower case and as of one thing. */
function wordsOf(written: string): string[] {
  return written
    .slice(0, 100)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]/)
    .map((word) => (word.endsWith("s") ? word.slice(0, -1) : word));
}

function meantBy(words: readonly string[], names: readonly string[]): string | undefined {
  const has = (list: string): boolean => list.split(" ").some((word) => words.includes(word));
  if (removes(words)) return undefined;
  const rows = [...meanings, ...(has(listing) ? listings : []), ["part.describe", reading] as const];
  return rows.find(([operation, list]) => has(list) && names.includes(operation))?.[0];
}

/** What removes something is meant by nobody who does not say so. */
function removes(words: readonly string[]): boolean {
  return removing.split(" ").some((word) => words.includes(word));
}

function isRemoval(name: string): boolean {
  return name.endsWith(".delete");
}
