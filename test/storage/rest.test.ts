import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { openTestStore } from "../support/store.ts";

it("reads and writes after it has released its memory, and finishes the running writes", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const underWay = store.write(nobody, "createAccount", { name: "before", at: 0 });
  await store.rest();
  await underWay;
  await store.write(nobody, "createAccount", { name: "after", at: 0 });
  expect(await store.column("select name from account order by name")).toEqual(["after", "before"]);
});

it("does not release memory after it is closed", async () => {
  await using test = await openTestStore();
  const { store } = test;
  await test.reopen();
  await expect(store.rest()).resolves.toBeUndefined();
});
