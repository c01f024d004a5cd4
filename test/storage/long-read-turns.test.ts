/** Long reads take turns between owners, and a caller that leaves gets its answer at once. */
import { expect, it } from "vitest";
import { createFairness } from "#/src/fairness/fairness.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { mailboxOwner } from "#/src/model/owner.ts";
import { openTestStore, type Seed, seedAgent } from "../support/store.ts";

it("refuses a caller that leaves during its long read, and frees the place when the read has ended", async () => {
  const fairness = createFairness();
  await using test = await openTestStore({ fairness });
  const { store } = test;
  const ada = await seedAgent(store);
  const gone = new AbortController();
  const scan = (signal: AbortSignal) =>
    forCaller(
      signal,
      () => store.scan("deletedBytes", { agent: ada.agent, mailbox: ada.inbox }),
      () => mailboxOwner(ada),
    );
  const first = scan(gone.signal);
  const second = scan(new AbortController().signal);
  gone.abort(new CallerGone());
  await expect(first).rejects.toThrow(CallerGone);
  expect(await second).toBe(0);
  expect(fairness.gate("scans").taken).toBe(0);
});

it("does a long read of another owner before the second one of an owner who asked for many", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const [ada, bob] = [await seedAgent(store, "ada"), await seedAgent(store, "bob")];
  const done: string[] = [];
  const scan = (name: string, seed: Seed): Promise<void> =>
    forCaller(
      new AbortController().signal,
      async () => {
        await store.scan("deletedBytes", { agent: seed.agent, mailbox: seed.inbox });
        done.push(name);
      },
      () => mailboxOwner(seed),
    );
  await Promise.all([scan("one", ada), scan("two", ada), scan("three", ada), scan("other", bob)]);
  expect(done).toEqual(["one", "other", "two", "three"]);
});
