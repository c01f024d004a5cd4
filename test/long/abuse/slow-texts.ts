/** Strangers send mails whose texts are made to be slow to read: a calendar part, an answer and a page of 200 KB of one repeated word. Clients
 *  list and read them, store events with the same texts and ask for free times with them: `node test/long/abuse/slow-texts.ts`. */
import { connectRawSmtp, stuff } from "../../support/clients/raw-smtp.ts";
import type { ChildDaemon } from "../../support/daemon.ts";
import { type Attack, attack } from "./attack.ts";
import { bearer, overAndOver, send } from "./clients.ts";
import { collectionsOf } from "./dav.ts";
import { addressIn } from "./networks.ts";
import { ask, type VictimAgent } from "./victim.ts";

const sessions = 20;
const network = 2;
const blanks = " ".repeat(200_000);
const lines = (...list: readonly string[]): string => list.map((line) => `${line}\r\n`).join("");
const calendarOf = (component: string, ...inner: readonly string[]): string =>
  lines(
    ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", ...inner.slice(0, 1), `BEGIN:${component}`],
    ...[...inner.slice(1), `END:${component}`, "END:VCALENDAR"],
  );
const times = ["UID:x", "DTSTAMP:20260101T000000Z", "DTSTART:20260101T000000Z"];
const event = calendarOf("VEVENT", "X-A:a", ...times, `DTEND;X=${blanks}:20260101T010000`);
const pages: readonly (readonly [type: string, text: string])[] = [
  ["text/calendar", event],
  ["text/plain", `${" <a>".repeat(120)}:\r\n`.repeat(350)],
  ["text/html", `<p>a<noscript><img style="${"display:a".repeat(20_000)}"></noscript>`],
];

async function deliver(daemon: ChildDaemon, to: VictimAgent, type: string, text: string): Promise<void> {
  await using smtp = await connectRawSmtp({ ...daemon.smtp, localAddress: addressIn(network) });
  const begin = `EHLO sender.example\r\nMAIL FROM:<a@outside.example>\r\nRCPT TO:<${to.address}>\r\nDATA\r\n`;
  await smtp.send(begin, 4);
  const encoded = Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n");
  await smtp.send(
    stuff(
      `From: a@outside.example\r\nSubject: slow\r\nMIME-Version: 1.0\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n`,
    ),
  );
}

export const slowTexts: Attack = {
  title: `${sessions} clients read and send texts that are made to be slow`,
  attackers: 2,
  async prepare(daemon, [owner]) {
    for (const [type, text] of pages)
      for (let mail = 0; mail < 3; mail++) await deliver(daemon, owner!, type, text);
    return undefined;
  },
  async run(daemon, [owner, other], until) {
    const { calendar } = await collectionsOf(daemon, owner!, until);
    const listing = await ask(daemon, owner!.token, "search", { limit: 100 });
    const ids = [...new Set(listing.match(/message_[0-9a-z]{26}/g) ?? [])];
    const question = calendarOf(
      "VFREEBUSY",
      "METHOD:REQUEST",
      ...times,
      "DTEND:20260102T000000Z",
      `ORGANIZER:mailto:${owner!.address}`,
      `ATTENDEE:${"@".repeat(100_000)}:`,
    );
    const fields = { ...bearer(owner!), "content-type": "text/calendar" };
    await overAndOver(sessions, until, async (at, round) => {
      const turn = (at + round) % 5;
      if (turn === 0) await ask(daemon, owner!.token, "search", { limit: 100 });
      else if (turn === 1) {
        const id = ids[round % ids.length]!;
        await ask(daemon, owner!.token, "part.describe", { id, part: "body", render: "reply" });
      } else if (turn === 2)
        await send(daemon, `${calendar}a${at}.ics`, event, { network, until, method: "PUT", fields });
      else if (turn === 3)
        await send(daemon, `/dav/calendars/${owner!.id}/outbox/`, question, { network, until, fields });
      else await deliver(daemon, other!, ...pages[round % pages.length]!);
    });
  },
};

await attack(import.meta, slowTexts);
