/** Many clients PUT events and contacts of 4 MiB and files of 16 MiB, in a loop: `node test/long/abuse/dav-put.ts`. */
import { type Attack, attack } from "./attack.ts";
import { bearer, overAndOver, send } from "./clients.ts";
import { collectionsOf } from "./dav.ts";

const logins = 3;
const atOnce = 40;
const bytes = 4_100_000;
const eventOf = (lines: string): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:UID\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260101T000000Z\r\n${lines}END:VEVENT\r\nEND:VCALENDAR\r\n`;
const events = [
  eventOf(`DESCRIPTION:${"x".repeat(bytes)}\r\n`),
  eventOf("X-A:b\r\n".repeat(bytes / 7)),
  eventOf(`DESCRIPTION:${"\r\n x".repeat(bytes / 4)}\r\n`),
  eventOf(`RRULE:FREQ=DAILY\r\n${"EXDATE:20260102T000000Z\r\n".repeat(bytes / 25)}`),
  eventOf("BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT1M\r\nEND:VALARM\r\n".repeat(bytes / 62)),
  eventOf(`ATTENDEE;${"CN=x;".repeat(90)}PARTSTAT=ACCEPTED:mailto:a@b.example\r\n`.repeat(bytes / 520)),
];
const card = `BEGIN:VCARD\r\nVERSION:4.0\r\nUID:UID\r\nFN:x\r\n${"NOTE:x\r\n".repeat(bytes / 8)}END:VCARD\r\n`;

export const davPut: Attack = {
  title: `${atOnce} clients put items of ${bytes} octets`,
  attackers: logins,
  run: async (daemon, attackers, until) => {
    const collections = await Promise.all(attackers.map((one) => collectionsOf(daemon, one, until)));
    await overAndOver(atOnce, until, (at, round) => {
      const { calendar, addressbook } = collections[at % logins]!;
      const isCard = (at + round) % 7 === 6;
      const uid = `${at}-${round % 20}`;
      const path = isCard ? `${addressbook}${uid}.vcf` : `${calendar}${uid}.ics`;
      const text = isCard ? card : events[(at + round) % events.length]!;
      return send(daemon, path, text.replace("UID:UID", `UID:${uid}`), {
        network: 1 + (at % 3),
        until,
        method: "PUT",
        fields: {
          ...bearer(attackers[at % logins]!),
          "content-type": isCard ? "text/vcard" : "text/calendar",
        },
      });
    });
  },
};

await attack(import.meta, davPut);
