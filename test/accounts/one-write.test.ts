/** An agent is made with its policy and its first credentials by one write, at each door that makes agents: there is no time, and no failure,
 *  at which it has some of them. */
import { expect, it, vi } from "vitest";
import { runPrivateOperation } from "#/src/daemon/private-operations.ts";
import type { Author } from "#/src/model/author.ts";
import * as accessWrites from "#/storage/transactions/access-writes.ts";
import * as mailboxWrites from "#/storage/transactions/mailbox-writes.ts";
import { openBrowser } from "../support/clients/browser.ts";
import { httpClient } from "../support/clients/http.ts";
import { openPagesHouse, type PagesHouse } from "../web/pages-house.ts";

const policy = (house: PagesHouse) => ({
  ...{ holdPolicy: "external", approver: house.person.address, allow: ["far.example"], block: [] },
});

function locally({ daemon }: PagesHouse, operation: string, input: Record<string, unknown>) {
  const { signal } = new AbortController();
  const { house } = daemon.daemon;
  return runPrivateOperation(house, { operation, input, signal, onProgress() {}, onFrame() {} });
}

it.each<[string, (house: PagesHouse) => Promise<() => Promise<unknown>>]>([
  [
    "the command line",
    async (house) => () => locally(house, "agent.create", { address: "new@waypost.test", ...policy(house) }),
  ],
  [
    "a program of the operator",
    async (house) => {
      const { token } = (await locally(house, "operator.create", { name: "platform" })) as { token: string };
      return async () => {
        const { status } = await httpClient(house.origin, token).request("/operator/v1/agent.create", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ address: "new@waypost.test", ...policy(house) }),
        });
        expect(status).toBe(200);
      };
    },
  ],
  [
    "a page",
    async (house) => {
      const browser = openBrowser(house.origin);
      const { address, password } = house.person;
      await browser.post("/sign-in", { address, password });
      const fields = { name: "New", local: "new", policy: "always", password };
      return async () => expect((await browser.post("/agents", fields)).status).toBe(200);
    },
  ],
])("of %s", async (_, prepare) => {
  await using house = await openPagesHouse(["pages.agents_per_person=9"]);
  const create = await prepare(house);
  const { store } = house.daemon.daemon.house;
  const write = vi.spyOn(store, "write");
  await create();
  // What the server does by itself meanwhile has no author.
  const names = write.mock.calls
    .filter(
      ([by, name]) => (by as Author).kind !== "server" && (name in accessWrites || name in mailboxWrites),
    )
    .map(([, name]) => name);
  expect(names).toEqual(["createAgent"]);
  const agent = await house.administer("agent.show", { owner: "new@waypost.test" });
  expect(agent).toMatchObject({ holdPolicy: expect.stringMatching(/external|always/) });
  const { tokens } = (await house.administer("token.list", { agent: "new@waypost.test" })) as {
    tokens: readonly unknown[];
  };
  expect(tokens).toHaveLength(1);
});
