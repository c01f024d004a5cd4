import { defaultSettings } from "#/config/schema.ts";
import type { NewOwner } from "#/src/accounts/administration/agents-and-people.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { type ImapServer, startImap } from "./server.ts";

const settings = defaultSettings();

type Actions = Readonly<Record<string, () => Promise<unknown>>>;

export function administrate(server: ImapServer, name: string, input: Record<string, unknown>) {
  return administer(atCommandLine, { store: server.store, settings }, name, input);
}

/** kim@example.test, whose mailboxes robin reaches as the grant says. Scripts log in with `{{=login}}` and `{{=kim}}`. */
export async function startShared(grant: Record<string, unknown> = { scopes: ["mail"] }) {
  const server = await startImap();
  const kim = (await administrate(server, "person.create", {
    address: "kim@example.test",
  })) as unknown as NewOwner;
  const { number } = await administrate(server, "grant.create", {
    holder: "robin@example.test",
    target: "kim@example.test",
    ...grant,
  });
  const revoke = () => administrate(server, "grant.revoke", { number });
  const variables = { kim: `kim@example.test "${kim.password}"` };
  return {
    server,
    kim,
    converse: (script: string, actions: Actions = {}) =>
      server.converse(script, { variables, actions: { ...actions, revoke } }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Session 1 is robin, session 2 is kim with two messages in INBOX. */
export const bothLoggedIn = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
  S2: * OK {{*}}
  C2: i1 LOGIN {{=kim}}
  S2: i1 OK {{*}}
  C2: i2 APPEND INBOX (\\Seen Kims) {45+}
  C2: Message-ID: <1@example.test>\\r\\nSubject: 1\\r\\n\\r\\nb {16+}
  C2: Subject: 2\\r\\n\\r\\nb2
  S2: i2 OK {{*}}
`;
