/** `npm run bench:dav`: measures Waypost, started by `waypost dev`, and Debian's Cyrus, Radicale and Xandikos where they are installed.
 *  They run one after the other on loopback, with the same client, events and contacts. Every answer is read and compared with what
 *  was written. Prints one table.
 *  Options: `--count 2000` objects of each kind; `--events 10000` in the longer calendar; `--many 100000` in Waypost's longest calendar,
 *  which is compared with one of `--events` (0 leaves it out); `--rounds 15` of each request; `--only REGEX` selects servers;
 *  `--patience 600` seconds, after which filling a longer calendar stops and it is left out. */
import os from "node:os";
import { parseArgs } from "node:util";
import { startChildDaemon } from "../support/daemon.ts";
import { DavClient, type DavServer } from "./dav-client.ts";
import {
  addressbooks,
  BenchCollection,
  calendars,
  type Measure,
  type Measures,
  shown,
  shownMeasure,
} from "./dav-collection.ts";
import { measureMonths } from "./dav-months.ts";
import { missingPeer, peerKinds, startPeer } from "./dav-peers.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "2000" },
    events: { type: "string", default: "10000" },
    many: { type: "string", default: "100000" },
    rounds: { type: "string", default: "15" },
    only: { type: "string", default: "." },
    patience: { type: "string", default: "600" },
  },
});
const count = Number(values.count);
const events = Number(values.events);
const many = Number(values.many);
const rounds = Number(values.rounds);
const sizes = { count, rounds, patienceMs: Number(values.patience) * 1000 };

const results: [name: string, measures: Measures][] = [];
const load = os.loadavg()[0]!;
if (new RegExp(values.only, "i").test("Waypost")) {
  await using daemon = await startChildDaemon();
  const { address, password } = daemon.agents[0]!;
  const server = { name: "Waypost", origin: daemon.http.url, path: "/dav/", login: { address, password } };
  const measures = await measure(server);
  if (many > 0) {
    const client = new DavClient(server);
    const home = `/dav/calendars/${daemon.agents[0]!.id}/`;
    await measureMonths(daemon, client, home, [events, many], rounds, measures);
    client.close();
  }
  results.push(["Waypost", measures]);
}
for (const kind of peerKinds) {
  if (!new RegExp(values.only, "i").test(kind.name)) continue;
  const missing = missingPeer(kind);
  if (missing !== undefined) {
    console.error(`-- ${kind.name}: skipped, ${missing}`);
    continue;
  }
  await using peer = await startPeer(kind);
  results.push([peer.name, await measure(peer)]);
}
report();
if ([...(results[0]?.[1].values() ?? [])].some(({ isWrong }) => isWrong)) process.exitCode = 1;

async function measure(server: DavServer): Promise<Measures> {
  console.error(`-- ${server.name}`);
  const measures: Measures = new Map();
  const client = new DavClient(server);
  const principal = await client.findHref(server.path, "DAV:", "current-user-principal");
  for (const kind of [calendars, addressbooks]) {
    const home = await client.findHref(principal, kind.namespace, kind.homeSet);
    const collection = new BenchCollection(
      client,
      kind,
      `${home.replace(/\/?$/, "/")}bench-${kind.noun}s/`,
      sizes,
    );
    await collection.measure(measures);
    if (kind !== calendars) continue;
    if (events > collection.count && (await collection.fillTo(events)))
      await collection.measureMonth(measures, `calendar-query of a month, ${events} events`);
  }
  client.close();
  return measures;
}

function report(): void {
  console.log(
    `${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, Node ${process.version}, load ${load.toFixed(1)} before; ` +
      `\`npm run bench:dav -- --count ${count} --events ${events} --many ${many} --rounds ${rounds}\`\n`,
  );
  const [first, ...others] = results;
  if (first === undefined) return;
  const heads = [first[0], ...others.flatMap(([name]) => [name, "×"])];
  console.log(`| | ${heads.join(" | ")} |\n|---|${heads.map(() => "--:|").join("")}`);
  for (const [name, mine] of first[1]) {
    const cells = [shownMeasure(mine)];
    for (const [, measures] of others) {
      const other = measures.get(name);
      cells.push(other === undefined ? "" : shownMeasure(other), ratioOf(mine, other));
    }
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}

function ratioOf(mine: Measure, other: Measure | undefined): string {
  if (other === undefined || other.isWrong || mine.isWrong) return "";
  return shown(mine.unit === "/s" ? mine.value / other.value : other.value / mine.value);
}
