/** Reports of the largest allowed size on a calendar with many events: expansions of series, 10,000 hrefs, all changes, the busy
 *  times of many people: `node test/long/abuse/dav-reports.ts [events]`. */
import fs from "node:fs";
import { runPrivateOperation } from "#/src/daemon/private-operations.ts";
import { startInProcessDaemon } from "../../support/daemon.ts";
import { type Attack, attack } from "./attack.ts";
import { bearer, overAndOver, send } from "./clients.ts";
import { collectionsOf } from "./dav.ts";

const count = import.meta.main ? Number(process.argv[2] ?? 20_000) : 0;
const sessions = 30;
const pad = (value: number): string => String(value).padStart(2, "0");
const day = (at: number): string => `2026${pad(1 + (at % 12))}${pad(1 + (at % 28))}T${pad(at % 24)}0000Z`;
const head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n";
const eventAt = (at: number): string =>
  `BEGIN:VEVENT\r\nUID:e${at}\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:${day(at)}\r\nDURATION:PT1H\r\n${at % 10 === 0 ? "RRULE:FREQ=DAILY\r\n" : ""}SUMMARY:event ${at}\r\nEND:VEVENT\r\n`;

const dav = 'xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"';
const years = 'start="20200101T000000Z" end="20400101T000000Z"';
const year = 'start="20260101T000000Z" end="20270101T000000Z"';

export const davReports: Attack = {
  title: `${sessions} clients ask for reports about ${count} events`,
  attackers: 1,
  async fill(data, agents) {
    await using daemon = await startInProcessDaemon({ data, agents });
    const file = `${data}/events.ics`;
    const events = Array.from({ length: count }, (_, at) => eventAt(at)).join("");
    fs.writeFileSync(file, `${head}${events}END:VCALENDAR\r\n`);
    await runPrivateOperation(daemon.daemon.house, {
      operation: "collection.import",
      input: { owner: daemon.agents[0]!.address, file },
      signal: new AbortController().signal,
      onProgress: () => {},
      onFrame: () => {},
    });
    fs.rmSync(file);
    return undefined;
  },
  async run(daemon, [owner], until) {
    const { calendar } = await collectionsOf(daemon, owner!, until);
    const hrefs = Array.from({ length: 10_000 }, (_, at) => `<href>${calendar}e${at}.ics</href>`).join("");
    const calendarData = (inner: string): string =>
      `<prop><getetag/><C:calendar-data>${inner}</C:calendar-data></prop>`;
    const filter = (inner: string): string =>
      `<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">${inner}</C:comp-filter></C:comp-filter></C:filter>`;
    const reports = [
      `<C:calendar-query ${dav}>${calendarData(`<C:expand ${year}/>`)}${filter(`<C:time-range ${year}/>`)}</C:calendar-query>`,
      `<C:calendar-query ${dav}>${calendarData("")}${filter('<C:prop-filter name="SUMMARY"><C:text-match>9</C:text-match></C:prop-filter>')}</C:calendar-query>`,
      `<C:calendar-multiget ${dav}>${calendarData(`<C:expand ${years}/>`)}${hrefs}</C:calendar-multiget>`,
      `<sync-collection ${dav}><sync-token/><sync-level>1</sync-level>${calendarData("")}</sync-collection>`,
      `<C:free-busy-query ${dav}><C:time-range ${years}/></C:free-busy-query>`,
      `<expand-property ${dav}><property name="current-user-principal"><property name="calendar-home-set" namespace="urn:ietf:params:xml:ns:caldav"><property name="displayname"/></property></property></expand-property>`,
    ];
    const fields = { ...bearer(owner!), "content-type": "application/xml", depth: "1" };
    await overAndOver(sessions, until, (at, round) => {
      const network = 1 + (at % 3);
      const turn = (at + round) % (reports.length + 1);
      if (turn === reports.length)
        return send(daemon, calendar, `<propfind ${dav}><allprop/></propfind>`, {
          network,
          until,
          method: "PROPFIND",
          fields,
        });
      return send(daemon, calendar, reports[turn]!, { network, until, method: "REPORT", fields });
    });
  },
};

await attack(import.meta, davReports);
