/** What the other server has received while the sending daemon was killed again and again. */
import type { SmtpSink } from "../support/servers/smtp-sink.ts";

/** The setting of the killed daemons for connections to one destination. */
export const connectionsPerDomain = 2;

export function countBy(marks: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const mark of marks) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return counts;
}

/** The faults: an acknowledged mark that did not reach the sink, a mark in the sink that was not acknowledged, and too many mails that
 *  came twice. A mark is the local part of the recipient. */
export function compareSent(
  { mails }: Pick<SmtpSink, "mails">,
  acknowledged: ReadonlyMap<string, unknown>,
  kills: number,
): string[] {
  const faults: string[] = [];
  const there = countBy(mails.map(({ to }) => to[0]!.split("@")[0]!));
  for (const mark of acknowledged.keys())
    if (!there.has(mark)) faults.push(`${mark} did not reach the other server`);
  for (const mark of there.keys()) if (!acknowledged.has(mark)) faults.push(`${mark} was never acknowledged`);
  const twice = [...there.values()].filter((count) => count > 1).length;
  console.log(`${twice} of ${there.size} mails came twice to the other server, with ${kills} kills`);
  // A kill can hit each connection to a destination just after it has handed over a mail.
  if (twice > kills * connectionsPerDomain) faults.push("too many mails came twice");
  return faults;
}
