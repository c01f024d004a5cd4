/** ada and bob (agents of one account) and eve (of another) with their calendars, and mail to the world through a sink that is not there. */

import { Buffer } from "node:buffer";
import type { Settings } from "#/config/schema.ts";
import { actorOf, type Principal } from "#/src/accounts/principal.ts";
import { deliverWithCalendar } from "#/src/arrival/deliver-with-calendar.ts";
import type { PutItem } from "#/src/collections/collections.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import type { CollectionRole } from "#/src/model/collections.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import type { CalendarWriter, SchedulingOptions } from "#/src/scheduling/scheduling.ts";
import { httpClient } from "../support/clients/http.ts";
import { directPreparation } from "../support/preparation.ts";
import { type CalendarRooms, calendarRooms } from "../support/scheduling.ts";
import { type JsonServer, type Owner, openJsonServer } from "../support/servers/json-server.ts";

export interface CalendarOwner {
  readonly owner: Owner;
  readonly writer: CalendarWriter;
  put(
    text: string,
    put?: Partial<PutItem>,
    options?: SchedulingOptions,
  ): ReturnType<CalendarRooms["scheduling"]["putItem"]>;
  delete(
    item: ItemNumber,
    options?: SchedulingOptions,
  ): ReturnType<CalendarRooms["scheduling"]["deleteItem"]>;
  /** Everything in the calendar, or in the inbox, as texts with LF and without folds. */
  texts(role?: CollectionRole): Promise<readonly string[]>;
  items(role?: CollectionRole): Promise<readonly StoredItem[]>;
}

export interface SchedulingHouse extends AsyncDisposable, CalendarRooms {
  /** A person of the first account, with an app password. */
  person(name: string): Promise<CalendarOwner>;
  /** The owner with a grant on the calendars of another. */
  granted(holder: CalendarOwner, target: CalendarOwner, scopes: readonly string[]): Promise<CalendarOwner>;
  /** The same owner with a token of these scopes alone. */
  withScopes(owner: CalendarOwner, scopes: readonly string[]): Promise<CalendarOwner>;
  /** An authenticated mail with an iTIP message, as SMTP delivers it. */
  arrive(to: CalendarOwner, method: string, from: string, calendar: string): Promise<void>;
  readonly server: JsonServer;
  readonly ada: CalendarOwner;
  readonly bob: CalendarOwner;
  readonly eve: CalendarOwner;
  /** Sending without asking, for all three. */
  openPolicies(): Promise<void>;
  /** Mails in the queue for other servers, as texts with the calendar part decoded. */
  leaving(): Promise<
    readonly { readonly to: readonly string[]; readonly text: string; readonly calendar: string }[]
  >;
}

export async function openSchedulingHouse(
  limits: Partial<Settings["limits"]> = {},
): Promise<SchedulingHouse> {
  const server = await openJsonServer({
    limits,
    outbound: {
      smarthostHost: "127.0.0.1",
      smarthostPort: 9,
      smarthostTls: "none",
      allowPrivateAddresses: true,
    },
  });
  const rooms = calendarRooms(server);

  const principalOf = (token: string) => server.accounts.authenticateToken(token, "127.0.0.1");

  async function calendarOwner(owner: Owner): Promise<CalendarOwner> {
    return calendarOf(owner, await principalOf(owner.token));
  }

  function calendarOf(owner: Owner, principal: Principal): CalendarOwner {
    const writer = {
      agent: owner.agent,
      principal,
      actor: actorOf(principal, owner.agent, []),
    };
    const numberOf = async (role: CollectionRole) =>
      (await rooms.collections.findCollectionOfRole(owner.agent, "calendar", role))!.number;
    const items = async (role: CollectionRole = "default") => {
      const found: StoredItem[] = [];
      for await (const page of rooms.collections.listItems(owner.agent, await numberOf(role)))
        for (const item of await rooms.collections.readItems(
          owner.agent,
          page.map(({ number }) => number),
        ))
          if (item !== undefined) found.push(item);
      return found;
    };
    return {
      owner,
      writer,
      async put(text, put = {}, options) {
        const bytes = Buffer.from(text.replaceAll("\n", "\r\n"));
        const collection = await numberOf("default");
        const whole = {
          collection,
          bytes,
          provenance: { source: "dav" },
          isAuthenticated: true,
          ...put,
        } as const;
        return rooms.scheduling.putItem(writer, whole, options);
      },
      delete: (item, options) => rooms.scheduling.deleteItem(writer, item, undefined, options),
      items,
      texts: async (role) => (await items(role)).map(({ bytes }) => plain(bytes)),
    };
  }

  const ada = await calendarOwner(server.ada);
  const bob = await calendarOwner(server.bob);
  const eve = await calendarOwner(server.eve);
  return {
    ...rooms,
    server,
    ada,
    bob,
    eve,
    async person(name) {
      const address = `${name}@first.example`;
      const { password } = (await server.administer("person.create", { address })) as { password: string };
      const principal = await server.accounts.authenticatePassword(address, password, "127.0.0.1");
      const id = server.store.ids.encode("agent", principal.agent);
      const client = httpClient(server.url, password);
      return calendarOf({ id, agent: principal.agent, address, token: password, client }, principal);
    },
    async granted(holder, target, scopes) {
      const names = { holder: holder.owner.address, target: target.owner.address };
      await server.administer("grant.create", { ...names, scopes });
      return calendarOf(target.owner, holder.writer.principal);
    },
    async withScopes({ owner }, scopes) {
      const { token } = await server.token(owner, scopes);
      return calendarOf(owner, await principalOf(token));
    },
    async arrive({ owner }, method, from, calendar) {
      const content = calendar.replace("VERSION:2.0\n", `VERSION:2.0\nMETHOD:${method}\n`);
      const head = `From: ${from}\nTo: ${owner.address}\nSubject: ${method}\nMIME-Version: 1.0\nContent-Type: text/calendar; method=${method}\n`;
      const bytes = Buffer.from(`${head}\n${content}`.replaceAll("\n", "\r\n"));
      const { facts, calendar: found } = await directPreparation.prepare(bytes);
      const { account } = (await server.accounts.findAgentFacts(owner.agent))!;
      const at = server.store.clock.now();
      const provenance = { source: "smtp", fromDomain: from.replace(/.*@/, "") } as const;
      const recipient = {
        account,
        agent: owner.agent,
        mailboxRole: "inbox" as const,
        trace: new Uint8Array(),
        flags: 0,
        provenance: JSON.stringify(provenance),
        isAuthenticated: true,
        source: "smtp",
      };
      await deliverWithCalendar(
        { store: server.store, scheduling: rooms.scheduling },
        { facts, recipients: [recipient], internalDate: at, at },
        {
          calendar: found,
          copies: [{ account, agent: owner.agent, addresses: [owner.address] }],
          isAuthenticated: true,
          mailboxRole: "inbox",
          provenance,
        },
      );
    },
    async openPolicies() {
      for (const { owner } of [ada, bob, eve])
        await server.administer("agent.update", { owner: owner.address, holdPolicy: "open" });
    },
    async leaving() {
      const due = await server.outbound.takeDue({
        now: server.store.clock.now(),
        limit: 50,
        skipDomains: new Set([""]),
      });
      return Promise.all(
        due.map(async (delivery) => {
          server.outbound.release(delivery);
          const text = (await server.outbound.readMessage(delivery)).toString();
          return { to: delivery.recipients.map(({ address }) => address), text, calendar: calendarIn(text) };
        }),
      );
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export function plain(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString().replaceAll("\r\n", "\n").replaceAll("\n ", "");
}

/** The attached calendar of a mail that was made here. */
export function calendarIn(mail: string): string {
  const part = /Content-Type: application\/ics;[\s\S]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(mail)?.[1] ?? "";
  return plain(Buffer.from(part, "base64"));
}

/** A calendar with events, as a client writes it. */
export function calendarText(...events: readonly string[]): string {
  return `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Client//EN\n${events.join("")}END:VCALENDAR\n`;
}

/** "ada*" the organizer, others attendees; of first.example where no domain is said. */
export function eventText(people: string, lines = "", uid = "meeting-1"): string {
  const written = people.split(" ").map((part) => {
    const [, name, domain = "first.example", answer] = /^(\w+)\*?(?:@([\w.]+))?(?:=(.+))?$/.exec(part)!;
    const address = `mailto:${name}@${domain}`;
    if (part.includes("*")) return `ORGANIZER:${address}\n`;
    return `ATTENDEE;PARTSTAT=${answer ?? "NEEDS-ACTION"}:${address}\n`;
  });
  const times = /^DTSTART/m.test(lines) ? "" : "DTSTART:20261005T100000Z\nDTEND:20261005T110000Z\n";
  const summary = /^SUMMARY/m.test(lines) ? "" : "SUMMARY:Planning\n";
  return `BEGIN:VEVENT\nUID:${uid}\nDTSTAMP:20260101T000000Z\n${times}${summary}${written.join("")}${lines}END:VEVENT\n`;
}
