/** The agents that a person makes: never more than the operator allows, also when several are made at once. */
import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { listAgentsOfApprover } from "#/storage/queries/outbound/holds.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

it("has no more agents than its maker may have, of five that are made at once", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { account, agent: person } = await seedAgent(store, "mia", { kind: "person" });
  const made = await Promise.allSettled(
    [1, 2, 3, 4, 5].map((number) =>
      store.write(nobody, "createAgent", {
        account,
        kind: "agent",
        name: `agent ${number}`,
        address: { domain: "example.org", localPart: `agent${number}` },
        quotaBytes: null,
        scramSalt: new Uint8Array(16),
        scramIterations: 4096,
        maker: { person, agentsMax: 2 },
        at: store.clock.now(),
      }),
    ),
  );
  const refused = made.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
  expect(refused).toEqual(["policy_refused", "policy_refused", "policy_refused"]);
  expect(await listAgentsOfApprover(store, person)).toHaveLength(2);
});
