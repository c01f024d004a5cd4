import { test } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { startImap } from "./server.ts";
import { bothLoggedIn, startShared } from "./shared-server.ts";

const loggedIn = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
`;

test("shows usage and limits of the mailboxes, and refuses messages that do not fit", async () => {
  await using server = await startImap();
  const { agent } = server.store.ids.decode(server.robin.id)!;
  await server.store.write(nobody, "updateAgent", { agent, quotaBytes: 3 * 1024 });
  await server.converse(`${loggedIn}
    C: a1 GETQUOTAROOT INBOX
    S: * QUOTAROOT "INBOX" robin@example.test
    S: * QUOTA robin@example.test (STORAGE 0 3 MESSAGE 0 10000000)
    S: a1 OK {{*}}
    C: a2 APPEND INBOX (\\Deleted) {5+}
    C: a: bc {5+}
    C: a: de
    S: a2 OK {{*}}
    C: a3 GETQUOTA robin@example.test
    S: * QUOTA robin@example.test (STORAGE 1 3 MESSAGE 2 10000000)
    S: a3 OK {{*}}
    C: a4 STATUS INBOX (DELETED DELETED-STORAGE)
    S: * STATUS "INBOX" (DELETED 1 DELETED-STORAGE 5)
    S: a4 OK {{*}}
    C: a5 STATUS Sent (DELETED-STORAGE)
    S: * STATUS "Sent" (DELETED-STORAGE 0)
    S: a5 OK {{*}}
    C: a6 SETQUOTA robin@example.test (STORAGE 1000)
    S: a6 NO [NOPERM] {{*}}
    C: a7 GETQUOTA ""
    S: a7 NO [NONEXISTENT] {{*}}
    C: a8 GETQUOTAROOT Nowhere
    S: a8 NO [NONEXISTENT] {{*}}
    C: a9 SETQUOTA robin@example.test (STORAGE)
    S: a9 BAD {{*}}
    C: b1 APPEND INBOX {3100+}
    C-: ${"x".repeat(3100)}
    C:
    S: b1 NO [OVERQUOTA] {{*}}
    C: b2 APPEND INBOX {3100}
    S: b2 NO [OVERQUOTA] {{*}}
    C: b3 APPEND INBOX {5+}
    C: a: bc {3060}
    S: b3 NO [OVERQUOTA] {{*}}
    C: b4 APPEND Nowhere {5}
    S: b4 NO [TRYCREATE] {{*}}
  `);
});

test("shows no limit of octets if there is none", async () => {
  await using server = await startImap();
  const { agent } = server.store.ids.decode(server.robin.id)!;
  await server.store.write(nobody, "updateAgent", { agent, quotaBytes: 0 });
  await server.converse(`${loggedIn}
    C: a1 GETQUOTA robin@example.test
    S: * QUOTA robin@example.test (MESSAGE 0 10000000)
    S: a1 OK {{*}}
  `);
});

test("shows the quota of the owner to a user who reaches a shared mailbox", async () => {
  await using shared = await startShared({ scopes: ["mail:read"], mailboxes: ["INBOX"] });
  await shared.converse(`${bothLoggedIn}
    C: a1 GETQUOTAROOT "Other Users/kim@example.test/INBOX"
    S: * QUOTAROOT "Other Users/kim@example.test/INBOX" kim@example.test
    S: * QUOTA kim@example.test ({{*}}MESSAGE 2 10000000)
    S: a1 OK {{*}}
    C: a2 GETQUOTA kim@example.test
    S: * QUOTA kim@example.test {{*}}
    S: a2 OK {{*}}
    C2: b1 GETQUOTA robin@example.test
    S2: b1 NO [NONEXISTENT] {{*}}
  `);
});
