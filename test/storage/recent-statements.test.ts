import { expect, it } from "vitest";
import { RecentStatements } from "#/storage/sqlite/recent-statements.ts";

it("prepares an SQL text once while it is in use, and keeps two generations at most", () => {
  const prepared: string[] = [];
  const statements = new RecentStatements((query) => {
    prepared.push(query);
    return { query };
  }, 10);
  const always = statements.get("always");
  for (let number = 0; number < 1000; number++) {
    expect(statements.get(`once ${number}`).query).toBe(`once ${number}`);
    expect(statements.get("always")).toBe(always);
    expect(statements.size).toBeLessThanOrEqual(20);
  }
  expect(prepared.filter((query) => query === "always")).toHaveLength(1);
  statements.get("once 0");
  expect(prepared.filter((query) => query === "once 0")).toHaveLength(2);
});
