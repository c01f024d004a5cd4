/** When a caller disconnects, nothing more is read from the store, for every operation and every protocol. */
import net from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createInvoke } from "#/protocols/json/carriage/invoke.ts";
import { noDecodedData } from "#/protocols/json/carriage/large-data.ts";
import type { FrameStream } from "#/protocols/json/operation.ts";
import { createRegistry, type OperationName } from "#/protocols/json/registry.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { CallerGone, callerSignal } from "#/src/model/caller.ts";
import { createHolds } from "#/src/outbound/holds/create-holds.ts";
import { createKeptDescriptions } from "#/src/render/kept-descriptions.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";
import { type WatchedStore, watchStore } from "../support/watched-store.ts";

let server: JsonServer;
let watched: WatchedStore;
let message: string;
let thread: string;
let folder: string;
let draft: string;
let hold: string;
let blob: string;
let addressbook: string;
let contact: string;
let calendar: string;
let event: string;
const mail = { to: ["bob@first.example"], text: "Hello" };

beforeAll(async () => {
  server = await openJsonServer({}, (store) => {
    watched = watchStore(store);
    return watched.store;
  });
  for (let at = 0; at < 30; at++)
    message = await server.deliver(server.ada, plainMessage(`Subject ${at}`, "words\n".repeat(20_000)));
  thread = (await server.ada.client.ok("part.describe", { id: message })).content.thread;
  const made = async (operation: string, input: object): Promise<string> =>
    (await server.ada.client.ok(operation, input)).ref;
  folder = await made("folder.create", { path: "Other" });
  draft = await made("draft.create", { body: mail });
  hold = await made("hold.create", { idempotency_key: crypto.randomUUID(), body: mail });
  blob = await made("blob.create", { data: "aGk=" });
  addressbook = await made("addressbook.create", { name: "Friends" });
  calendar = await made("calendar.create", { name: "Work" });
  const body = { title: "Daily", start: "2026-03-02T10:00:00", recurrenceRule: { frequency: "daily" } };
  event = await made("event.create", { in: calendar, body });
  contact = await made("contact.create", { in: addressbook, body: { name: "Ada" } });
});
afterAll(async () => {
  watched.onRead = undefined;
  await server[Symbol.asyncDispose]();
});

const inputs: Readonly<Record<OperationName, readonly (() => object)[]>> = {
  "help.describe": [() => ({})],
  "catalog.describe": [() => ({})],
  health: [() => ({})],
  wait: [() => ({})],
  watch: [() => ({})],
  search: [
    () => ({}),
    () => ({ q: "e x" }),
    () => ({ from: "mel", folder: "inbox" }),
    () => ({ thread }),
    () => ({ in: addressbook, q: "a" }),
    () => ({ in: calendar, since: "2026-03-01T00:00:00Z" }),
    () => ({
      in: server.ada.id,
      kind: "freebusy",
      since: "2026-03-01T00:00:00Z",
      before: "2026-04-01T00:00:00Z",
    }),
  ],
  "part.describe": [
    () => ({ id: message }),
    () => ({ id: message, render: "reply" }),
    () => ({ id: message, render: "source" }),
    () => ({ id: message, part: "1", render: "raw" }),
    () => ({ id: thread }),
    () => ({ id: server.ada.id }),
    () => ({ id: addressbook }),
    () => ({ id: contact }),
    () => ({ id: calendar }),
    () => ({ id: event }),
  ],
  send: [
    () => ({ idempotency_key: crypto.randomUUID(), body: mail }),
    () => ({
      idempotency_key: crypto.randomUUID(),
      body: { ...mail, in_reply_to: message },
    }),
    () => ({ idempotency_key: crypto.randomUUID(), body: { ...mail, forward_of: message } }),
  ],
  "message.update": [() => ({ id: message, add_labels: ["told"] })],
  "message.delete": [() => ({ id: message })],
  "folder.create": [() => ({ path: `Folder ${crypto.randomUUID()}` })],
  "folder.update": [() => ({ id: folder, path: "Renamed" })],
  "folder.delete": [() => ({ id: folder })],
  "draft.create": [() => ({ body: mail })],
  "draft.update": [() => ({ id: draft, body: mail })],
  "draft.delete": [() => ({ id: draft })],
  "hold.create": [() => ({ idempotency_key: crypto.randomUUID(), body: mail })],
  "hold.update": [() => ({ id: hold, body: mail })],
  "hold.delete": [() => ({ id: hold })],
  "blob.create": [() => ({ data: "aGk=", name: "hi.txt" })],
  "blob.delete": [() => ({ id: blob })],
  "calendarMonth.list": [() => ({ in: calendar, month: "2026-03" })],
  "calendar.create": [() => ({ name: "Home" })],
  "calendar.update": [() => ({ id: calendar, name: "Others" })],
  "calendar.delete": [() => ({ id: calendar })],
  "event.create": [() => ({ body: { title: "One", start: "2026-03-02T10:00:00" } })],
  "event.update": [() => ({ id: event, patch: { title: "x" } })],
  "event.delete": [() => ({ id: event }), () => ({ id: `${event}#2026-03-03T10:00:00` })],
  "addressbook.create": [() => ({ name: "Friends" })],
  "addressbook.update": [() => ({ id: addressbook, name: "Others" })],
  "addressbook.delete": [() => ({ id: addressbook })],
  "contact.create": [() => ({ body: { name: "Ada" } })],
  "contact.update": [() => ({ id: contact, patch: { "name/full": "Eve" } })],
  "contact.delete": [() => ({ id: contact })],
};

/** These read nothing from the store: they answer without it, or only write. */
const readsNothing: ReadonlySet<string> = new Set([
  "help.describe",
  "catalog.describe",
  "health",
  "folder.create",
  "addressbook.create",
  "calendar.create",
  "blob.create",
]);
/** Reads of one call: more are not tried one by one. */
const readsMax = 40;

it.each(Object.entries(inputs).flatMap(([name, calls]) => calls.map((input) => [name, input] as const)))(
  "reads nothing more of the store when the caller of %s leaves, at whichever read",
  async (operation, input) => {
    const { mail, collections, contacts, events, busyTimes, scheduling, accounts, feed, outbound, settings } =
      server;
    const holds = createHolds({
      store: watched.store,
      accounts,
      settings,
      prepare: prepareMessage,
      outbound,
    });
    const rooms = {
      mail,
      collections,
      contacts,
      descriptions: createKeptDescriptions(),
      events,
      busyTimes,
      scheduling,
      accounts,
      feed,
      outbound,
      holds,
      settings,
      log: undefined as never,
      fairness: createFairness(),
    };
    const invoke = createInvoke(rooms, createRegistry([]));
    const { token } = await server.token(server.ada, [
      "mail",
      "mail:read",
      "send",
      "calendar",
      "contacts",
      "raw",
    ]);
    const principal = await accounts.authenticateToken(token, "127.0.0.1");
    for (let leavesAt = 0; leavesAt < readsMax; leavesAt++) {
      const gone = new AbortController();
      const begun = watched.reads;
      let readsThen: number | undefined;
      watched.onRead = (reads) => {
        // What everybody shares goes on.
        if (callerSignal() !== gone.signal || reads - begun < leavesAt || readsThen !== undefined) return;
        gone.abort(new CallerGone());
        readsThen = reads;
      };
      const call = invoke.call({
        operation,
        principal,
        requestId: "req_test",
        signal: gone.signal,
        readInput: async () => ({ value: input(), decoded: noDecodedData }),
      });
      const failure = await call.then(
        (outcome) => {
          if (outcome.kind === "stream") (outcome.frames as FrameStream).close();
          return undefined;
        },
        (error: unknown) => error,
      );
      if (readsThen === undefined) {
        // A refusal for want of a version has read what it names, too.
        expect([undefined, "precondition_failed"]).toContain(
          (failure as { code?: string } | undefined)?.code,
        );
        expect(leavesAt).toBeGreaterThan(readsNothing.has(operation) ? -1 : 0);
        break;
      }
      expect(failure).toBeInstanceOf(CallerGone);
      expect(watched.reads).toBe(readsThen);
    }
    watched.onRead = undefined;
  },
);

it("ends a search over HTTP when its client hangs up", async () => {
  // The first one reads whose credential it is.
  await server.ada.client.ok("health");
  const before = watched.reads;
  await server.ada.client.ok("health");
  const readsOfHealth = watched.reads - before;
  const { hostname, port } = new URL(server.url);
  const socket = net.connect(Number(port), hostname);
  const body = JSON.stringify({ q: "nowhere to be found" });
  const { signal, release } = holdRead(3);
  socket.write(
    `POST /v1/search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.ada.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const caller = await signal;
  socket.destroy();
  await vi.waitUntil(() => caller.aborted, { timeout: 60_000, interval: 5 });
  expect(caller.reason).toBeInstanceOf(CallerGone);
  release();
  // A whole other request later.
  const reads = watched.reads;
  await server.ada.client.ok("health");
  expect(watched.reads - reads).toBe(readsOfHealth);
});

/** Holds up a read of a caller until it is released. */
function holdRead(number: number): { readonly signal: Promise<AbortSignal>; release(): void } {
  const held = Promise.withResolvers<AbortSignal>();
  const released = Promise.withResolvers<void>();
  let count = 0;
  watched.onRead = (): void | Promise<void> => {
    const signal = callerSignal();
    if (signal === undefined || ++count !== number) return;
    held.resolve(signal);
    return released.promise;
  };
  return { signal: held.promise, release: released.resolve };
}
