/** What an agent may have a limited number of. */
import { expect, it } from "vitest";
import { createPassword } from "#/src/accounts/administration/credentials.ts";
import { nobody } from "#/src/model/author.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

it("is not exceeded by several app passwords at once, and one that was revoked does not count", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store, "mia");
  const row = (await findAgent(store, agent))!;
  const make = () => createPassword(nobody, store, row, "phone", undefined, 3);
  const tried = await Promise.allSettled(Array.from({ length: 6 }, make));
  const made = tried.flatMap((one) => (one.status === "fulfilled" ? one.value.number : []));
  const refused = tried.flatMap((one) => (one.status === "rejected" ? one.reason : []));
  expect([made.length, refused.length]).toEqual([3, 3]);
  expect(refused[0]).toMatchObject({ code: "policy_refused", details: { reason: "limit_reached" } });
  await store.write(nobody, "revokePassword", { password: made[0]!, at: 0 });
  await make();
  await expect(make()).rejects.toMatchObject({ message: "There are 3 app passwords." });
});
