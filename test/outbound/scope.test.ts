/** The scope is asked at the gate: a protocol that forgets it sends nothing. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Asker, SubmitRequest } from "#/src/outbound/outbound.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const loginOf = (token: string) => server.accounts.authenticateToken(token, "127.0.0.1");

async function withScopes(scopes: readonly string[]): Promise<Asker> {
  return loginOf((await server.token(server.ada, scopes)).token);
}

function requestOf(principal: Asker, mailbox = server.ada.agent): SubmitRequest {
  const text = "From: ada@first.example\r\nTo: bob@first.example\r\nSubject: Hello\r\n\r\nHello.\r\n";
  return {
    principal,
    mailbox,
    bytes: Buffer.from(text),
    envelope: {
      from: "ada@first.example",
      recipients: [{ address: "bob@first.example" }],
      envid: null,
      ret: null,
      bodyType: "7BIT",
      isSmtputf8: false,
    },
    isAuthenticated: true,
    holdWish: "policy",
    source: "send",
  };
}

const doors = ["submit", "plan", "askHere"] as const;

async function goOut(
  door: (typeof doors)[number],
  principal: Asker,
  mailbox?: SubmitRequest["mailbox"],
): Promise<void> {
  const { outbound } = server;
  const request = requestOf(principal, mailbox);
  if (door === "plan") await outbound.plan(request);
  else if (door === "submit")
    await outbound.submit({ kind: "token", agent: 0, credential: 0, door: "v1", request: "" }, request);
  else await outbound.askHere(request.mailbox, principal, ["bob@first.example"]);
}

test.each(doors)(
  "%s: a credential without send, and one without a grant of the mailbox, are refused",
  async (door) => {
    const all = await withScopes(["send", "mail"]);
    await goOut(door, all);
    for (const scopes of [["mail"], ["calendar"], ["mail:read", "contacts"]])
      await expect(goOut(door, await withScopes(scopes))).rejects.toMatchObject({ code: "forbidden_scope" });
    await expect(goOut(door, all, server.bob.agent)).rejects.toMatchObject({ code: "forbidden_scope" });
  },
);

test("a grant of send is enough, and one of other scopes is not", async () => {
  const grant = (scopes: readonly string[]) =>
    server.administer("grant.create", { holder: server.bob.address, target: server.ada.address, scopes });
  await grant(["calendar", "mail"]);
  const bob = await loginOf(server.bob.token);
  for (const door of doors)
    await expect(goOut(door, bob, server.ada.agent)).rejects.toMatchObject({ code: "forbidden_scope" });
  await grant(["send"]);
  for (const door of doors) await goOut(door, bob, server.ada.agent);
});

test("the server sends for one owner alone", async () => {
  const { ada, bob } = server;
  const asker: Asker = { agent: ada.agent, kind: "agent", isServer: true };
  await goOut("plan", asker);
  await expect(goOut("plan", asker, bob.agent)).rejects.toMatchObject({ code: "forbidden_scope" });
});
