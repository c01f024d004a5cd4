import { expect, it } from "vitest";
import { inTurn } from "#/src/scheduling/turns.ts";
import { openJsonServer } from "../support/servers/json-server.ts";

it("changes of events with one UID wait for each other in an account, and for no other account", async () => {
  await using server = await openJsonServer();
  const { accounts, ada, bob, eve } = server;
  const first = Promise.withResolvers<void>();
  const done: string[] = [];
  const change = (name: string, agent: typeof ada.agent, work: () => Promise<void> = async () => {}) =>
    inTurn(accounts, { agent, uid: "one" }, async () => {
      await work();
      done.push(name);
    });
  const begun = Promise.withResolvers<void>();
  const ofAda = change("ada", ada.agent, () => {
    begun.resolve();
    return first.promise;
  });
  await begun.promise;
  const ofBob = change("bob", bob.agent);
  await change("eve", eve.agent);
  expect(done).toEqual(["eve"]);
  first.resolve();
  await Promise.all([ofAda, ofBob]);
  expect(done).toEqual(["eve", "ada", "bob"]);
});
