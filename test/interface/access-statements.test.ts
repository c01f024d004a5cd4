/** A small request reads nothing of who may do what, once the daemon has it in memory (`src/accounts/access.ts`). */
import { afterAll, beforeAll, expect, it } from "vitest";
import { accessTables } from "#/storage/access/access-tables.ts";
import type { Store } from "#/storage/store.ts";
import { type ImapServer, startImap } from "../imap/server.ts";
import { basic, davClient } from "../support/clients/dav-client.ts";
import { connectRawImap, type RawImap } from "../support/clients/raw-imap.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

const texts: string[] = [];

function listening(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (name === "get" || name === "all" || name === "column") texts.push(String(args[0]));
        return member.apply(target, args) as unknown;
      };
    },
  });
}

let server: JsonServer;
let imapServer: ImapServer;
let imap: RawImap;
let message: string;
beforeAll(async () => {
  server = await openJsonServer({}, listening);
  imapServer = await startImap({}, listening);
  imap = await connectRawImap({ host: "127.0.0.1", port: imapServer.port });
  await imap.command(`LOGIN robin@example.test ${imapServer.robin.password}`);
  await imap.command("SELECT INBOX");
  message = await server.deliver(server.ada, plainMessage());
});
afterAll(async () => {
  await imap[Symbol.asyncDispose]();
  await imapServer[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const requests: Readonly<Record<string, () => Promise<unknown>>> = {
  health: () => server.ada.client.ok("health", {}),
  "part.describe": () => server.ada.client.ok("part.describe", { id: message }),
  "NOOP of IMAP": () => imap.command("NOOP"),
  "PROPFIND of DAV": () =>
    davClient(server.url, basic(server.ada.address, server.ada.token)).request(
      "PROPFIND",
      `/dav/calendars/${server.ada.id}/`,
      undefined,
      { Depth: "0" },
    ),
};

it.each(Object.entries(requests))("%s", async (_name, request) => {
  await request();
  texts.length = 0;
  await request();
  const names = accessTables.map(({ name }) => name).filter((name) => name !== "mailbox");
  const ofAccess = texts.filter((text) => new RegExp(`\\b(from|join) (${names.join("|")})\\b`).test(text));
  expect(ofAccess).toEqual([]);
});
