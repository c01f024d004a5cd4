/** Opens the office: a daemon with an assistant, two colleagues and a manager, and lays its papers there. Everything that a person would
 *  have made is made by the manager. */
import { createTransport } from "nodemailer";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { type InProcessDaemon, manyRequests, startInProcessDaemon } from "../../support/daemon.ts";
import { startDnsServer } from "../../support/servers/dns-server.ts";
import { cards, domains, mails } from "./mails.ts";

export interface Office extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly address: string;
  readonly manager: string;
  readonly colleagues: readonly [string, string];
  /** The Monday of the week that the tasks are about. */
  readonly monday: Date;
}

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

const dayMs = 24 * 3_600_000;

/** A Monday, eight to fourteen days from now. */
function nextMonday(): Date {
  const from = new Date(Date.now() + 8 * dayMs);
  const ahead = (8 - from.getUTCDay()) % 7;
  const monday = new Date(from.getTime() + ahead * dayMs);
  return new Date(Date.UTC(monday.getUTCFullYear(), monday.getUTCMonth(), monday.getUTCDate()));
}

export function dayOf(monday: Date, at: number): string {
  return new Date(monday.getTime() + at * dayMs).toISOString().slice(0, 10);
}

export async function openOffice(): Promise<Office> {
  const names = await startDnsServer(
    Object.fromEntries(domains.map((domain) => [domain, [["TXT", "v=spf1 ip4:127.0.0.1 -all"]]])),
  );
  const daemon = await startInProcessDaemon({
    agents: 3,
    set: [`dns.servers=${names.address}`, "outbound.smarthost_host=127.0.0.1", ...manyRequests],
  });
  const [assistant, one, other] = daemon.agents.map(({ address }) => address) as [string, string, string];
  const manager = daemon.people[0]!.address;
  const administrate = (name: string, input: unknown): Promise<Answer> =>
    administer(atCommandLine, daemon.daemon.house, name, input) as Promise<Answer>;
  for (const target of [one, other])
    await administrate("grant.create", {
      holder: assistant,
      target,
      scopes: ["calendar:freebusy", "contacts"],
    });
  await administrate("grant.create", {
    holder: manager,
    target: assistant,
    scopes: ["mail", "calendar", "contacts"],
  });
  const scopes = ["mail", "send", "calendar", "contacts"];
  const { token } = await administrate("token.create", { agent: assistant, name: "assistant", scopes });
  const monday = nextMonday();
  const office = {
    url: daemon.http.url,
    token,
    address: assistant,
    manager,
    colleagues: [one, other] as const,
    monday,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await names[Symbol.asyncDispose]();
    },
  };
  await layCards(office, daemon);
  await layEvents(office, daemon);
  await deliverMails(office, daemon);
  return office;
}

/** A call that is not counted. */
export async function ask(url: string, token: string, operation: string, input: object): Promise<Answer> {
  const response = await fetch(`${url}/v1/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(input),
  });
  const answer = (await response.json()) as Answer;
  if (!response.ok) throw new Error(`${operation}: ${JSON.stringify(answer)}`);
  return answer;
}

/** The manager writes them into the assistant's addressbook, with a program for contacts. */
async function layCards({ url, token }: Office, daemon: InProcessDaemon): Promise<void> {
  const { agent } = await ask(url, token, "health", {});
  const { content } = await ask(url, token, "part.describe", { id: agent });
  const { address, password } = daemon.people[0]!;
  const authorization = `Basic ${Buffer.from(`${address}:${password}`).toString("base64")}`;
  for (const [at, { name, emails }] of cards.entries()) {
    const card = `BEGIN:VCARD\r\nVERSION:4.0\r\nUID:card-${at}\r\nFN:${name}\r\nEMAIL:${emails[0]}\r\nEND:VCARD\r\n`;
    const response = await fetch(
      `${url}/dav/addressbooks/${agent}/${content.addressbooks[0].id}/card-${at}.vcf`,
      { method: "PUT", headers: { Authorization: authorization, "Content-Type": "text/vcard" }, body: card },
    );
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  }
}

/** Fifteen events: the assistant's own week, of which two overlap on Thursday, and those of the colleagues. */
async function layEvents({ url, token, monday }: Office, daemon: InProcessDaemon): Promise<void> {
  const create = (by: string, title: string, day: number, hour: string, duration: string) =>
    ask(url, by, "event.create", {
      body: { title, start: `${dayOf(monday, day)}T${hour}:00`, timeZone: "Europe/Berlin", duration },
    });
  const [, one, other] = daemon.agents.map(({ token: own }) => own);
  await create(token, "Press check", 0, "09:00", "PT2H");
  await create(token, "Paper order", 0, "14:00", "PT1H");
  await create(token, "Board", 1, "09:00", "PT3H");
  await create(token, "Lunch with the guild", 1, "12:00", "PT1H30M");
  await create(token, "Proofs", 1, "16:00", "PT1H");
  await create(token, "Machine service", 2, "08:00", "PT5H");
  await create(token, "Visit of the school", 3, "10:00", "PT2H");
  await create(token, "Call with the bindery", 3, "11:30", "PT1H");
  await create(token, "Accounts", 4, "09:00", "PT1H");
  await create(one!, "Training", 1, "13:00", "PT1H");
  await create(one!, "Ship", 1, "15:30", "PT1H");
  await create(one!, "Dentist", 2, "13:00", "PT1H");
  await create(other!, "Plates", 1, "14:30", "PT1H");
  await create(other!, "Plates", 2, "14:00", "PT1H");
  await create(other!, "Plates", 3, "14:00", "PT1H");
}

async function deliverMails(office: Office, daemon: InProcessDaemon): Promise<void> {
  const transport = createTransport({ ...daemon.smtp, tls: { rejectUnauthorized: false } });
  for (const { from, subject, text, html, files, invites } of mails)
    await transport.sendMail({
      from,
      to: office.address,
      subject,
      ...(text === undefined ? {} : { text }),
      ...(html === undefined ? {} : { html }),
      ...(files === undefined ? {} : { attachments: files.map((file) => ({ ...file })) }),
      ...(invites === undefined
        ? {}
        : { icalEvent: { method: "REQUEST", content: invitation(invites, from, office) } }),
    });
  transport.close();
}

/** The fair is on Friday morning, the audit on Wednesday while the machine is serviced. */
function invitation(uid: "fair" | "audit", from: string, { address, monday }: Office): string {
  const organizer = /<(.*)>/.exec(from)![1];
  const [day, title] = uid === "fair" ? [4, "Hall walk before the fair"] : [2, "Audit of the stock"];
  const date = dayOf(monday, day).replaceAll("-", "");
  return [
    "BEGIN:VCALENDAR",
    "PRODID:-//office//EN",
    "VERSION:2.0",
    "METHOD:REQUEST",
    "BEGIN:VEVENT",
    `UID:${uid}@office.example`,
    "DTSTAMP:20260101T000000Z",
    `DTSTART:${date}T100000Z`,
    `DTEND:${date}T110000Z`,
    `SUMMARY:${title}`,
    `ORGANIZER:mailto:${organizer}`,
    `ATTENDEE;RSVP=TRUE:mailto:${address}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}
