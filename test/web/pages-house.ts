/** A whole daemon with an agent whose mail waits, and two people of whom one approves it. The pages are at its localhost. */

import type { NewOwner } from "#/src/accounts/administration/agents-and-people.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { type HttpClient, httpClient } from "../support/clients/http.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { freePort } from "../support/free-port.ts";

export interface PagesHouse extends AsyncDisposable {
  readonly daemon: InProcessDaemon;
  readonly origin: string;
  readonly agent: { readonly address: string; readonly token: string; readonly password: string };
  readonly person: { readonly address: string; readonly password: string };
  readonly client: HttpClient;
  administer(name: string, input: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Another person of the account. */
  createPerson(address: string): Promise<NewOwner>;
  /** The link of a new invitation. */
  invite(address?: string): Promise<string>;
  /** A mail of the agent that waits; its hold. */
  send(body?: Record<string, unknown>): Promise<string>;
  events(): Promise<Record<string, unknown>[]>;
}

export async function openPagesHouse(set: readonly string[] = []): Promise<PagesHouse> {
  const port = await freePort();
  const daemon = await startInProcessDaemon({
    set: [`http.port=${port}`, "holds.notice_minutes=0", ...set],
  });
  const { house } = daemon.daemon;
  const [agent] = daemon.agents;
  const [person] = daemon.people;
  const client = httpClient(`http://localhost:${port}`, agent!.token);
  const run = (name: string, input: Record<string, unknown>) => administer(atCommandLine, house, name, input);
  const { cursor } = await client.ok("wait", {});
  return {
    daemon,
    origin: `http://localhost:${port}`,
    agent: agent!,
    person: person!,
    client,
    administer: run,
    createPerson: async (address) => (await run("person.create", { address })) as unknown as NewOwner,
    invite: async (address = person!.address) =>
      (await run("person.invite", { owner: address })).link as string,
    async send(body = {}) {
      const sent = await client.ok("send", {
        body: { to: [person!.address], subject: "Offer", text: "Ten pieces.", ...body },
        hold: "always",
      });
      return sent.hold as string;
    },
    events: async () => (await client.ok("wait", { cursor })).events as Record<string, unknown>[],
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}
