/** Connections to a daemon, and requests to it. One daemon serves them all. */
import { findCommand } from "#/protocols/imap/commands/index.ts";
import { WireReader } from "#/protocols/imap/wire/wire-reader.ts";
import type { Credentials } from "#/src/cli/ready.ts";
import { basic, type DavAnswer, type DavClient, davClient } from "../support/clients/dav-client.ts";
import { connectRawImap, type RawImap } from "../support/clients/raw-imap.ts";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { eventText } from "../support/items.ts";
import { isTaken } from "./meeting.ts";

let started: Promise<InProcessDaemon> | undefined;
let made = 0;

const daemon = (): Promise<InProcessDaemon> => {
  started ??= startInProcessDaemon();
  return started;
};

export async function endConversations(): Promise<void> {
  await (await started)?.[Symbol.asyncDispose]();
  started = undefined;
}

async function withImap(run: (client: RawImap, person: Credentials) => Promise<unknown>): Promise<boolean> {
  const { imap, people } = await daemon();
  await using client = await connectRawImap(imap);
  return await isTaken(() => run(client, people[0]!));
}

async function openDav(): Promise<{ readonly ada: DavClient; readonly id: string }> {
  const { http, people } = await daemon();
  const { id, address, password } = people[0]!;
  return { id, ada: davClient(http.url, basic(address, password)) };
}

/** A calendar of so many days with one hour. */
async function calendarOf(count: number): Promise<{ readonly ada: DavClient; readonly calendar: string }> {
  const { ada, id } = await openDav();
  const calendar = `/dav/calendars/${id}/limits-${made++}/`;
  await expectStatus(ada.request("MKCALENDAR", calendar), 201);
  for (let at = 0; at < count; at++) {
    const hour = `202601${String(at + 1).padStart(2, "0")}T1`;
    const event = eventText(`e${at}`, `DTSTART:${hour}00000Z`, `DTEND:${hour}10000Z`);
    await expectStatus(
      ada.request("PUT", `${calendar}${at}.ics`, event, { "Content-Type": "text/calendar" }),
      201,
    );
  }
  return { ada, calendar };
}

async function expectStatus(answer: Promise<{ readonly status: number }>, wanted: number): Promise<void> {
  const { status } = await answer;
  if (status !== wanted) throw new TypeError(`${status} in place of ${wanted}`);
}

/** Reports of a person on her principal. */
async function expanded(content: string): Promise<DavAnswer> {
  const { ada, id } = await openDav();
  const body = `<expand-property xmlns="DAV:">${content}</expand-property>`;
  return await ada.request("REPORT", `/dav/principals/${id}/`, body, { Depth: "0" });
}

const caldav = "urn:ietf:params:xml:ns:caldav";
/** Properties with one href each. */
const hrefs = [
  ["DAV:", "principal-URL"],
  ["DAV:", "current-user-principal"],
  [caldav, "calendar-home-set"],
  [caldav, "schedule-inbox-URL"],
].map(
  ([namespace, name]) =>
    `<property namespace="${namespace}" name="${name}"><property name="displayname"/></property>`,
);

export const imapConversations = {
  appendedMessagesMax: {
    meet: (count: number) =>
      isTaken(() =>
        findCommand("APPEND")!.parse(
          new WireReader({
            lines: [` INBOX${" CATENATE (URL /INBOX/;UID=1)".repeat(count)}`],
            literals: [],
          }),
          { form: "plain", names: "utf8" } as never,
        ),
      ),
  },
  // So many end the connection: one less is answered, and so is what comes then.
  badCommandsMax: {
    meet: (count: number) =>
      withImap(async (client, { address, password }) => {
        await client.command(`LOGIN ${address} ${password}`);
        for (let one = 1; one < count; one++) await client.command("NONSENSE");
        await client.command("NOOP");
      }),
  },
  failedLoginsMax: {
    meet: (count: number) =>
      withImap(async (client) => {
        for (let one = 1; one < count; one++) await client.command("LOGIN nobody@nowhere.example wrong");
        await client.command("NOOP");
      }),
  },
};

export const smtpConversations = {
  commandLineBytesMax: {
    least: 20,
    // The listener takes it when it is opened.
    meet: async (count: number) => {
      await endConversations();
      const { smtp } = await daemon();
      await using client = await connectRawSmtp(smtp);
      const reply = await client.command(`NOOP ${"x".repeat(count - 5)}`);
      await endConversations();
      return reply.startsWith("250");
    },
  },
};

export const davConversations = {
  copiedItemsMax: {
    meet: async (count: number) => {
      const { ada, calendar } = await calendarOf(count);
      const { status } = await ada.request("COPY", calendar, undefined, {
        Destination: calendar.replace("limits", "copied"),
      });
      return status === 201;
    },
  },
  busyPeriodsMax: {
    meet: async (count: number) => {
      const { ada, calendar } = await calendarOf(count);
      const range = `<C:time-range start="20260101T000000Z" end="20260201T000000Z"/>`;
      const body = `<C:free-busy-query xmlns:C="${caldav}">${range}</C:free-busy-query>`;
      return (await ada.request("REPORT", calendar, body, { Depth: "1" })).status === 200;
    },
  },
  expandedResourcesMax: {
    // What finds no room any more is named by its property.
    meet: async (count: number) => !(await expanded(hrefs.slice(0, count).join(""))).text.includes(" 507 "),
  },
};
