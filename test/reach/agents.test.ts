import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { findReached, listReached, reachAgent, reachableAgents, reachesScope } from "#/src/reach/agents.ts";
import { openReachHouse, type ReachHouse } from "./reach-house.ts";

let house: ReachHouse;

beforeEach(async () => {
  house = await openReachHouse();
});

afterEach(() => house[Symbol.asyncDispose]());

describe("an agent is reached", () => {
  test("for the own mailbox, within the scopes of the credential", async () => {
    const asked = await house.ask("ada", "mail:read", "calendar");
    const own = await reachAgent(asked, house.agents.ada, "calendar:read");
    expect(own).toMatchObject({ isOwn: true, actor: { canApprove: false }, objects: { calendar: "all" } });
    await expect(reachAgent(asked, house.agents.ada, "mail")).rejects.toMatchObject({
      code: "forbidden_scope",
    });
  });

  test("by grants that add up, each right for the objects of its own grant", async () => {
    await house.grant(["mail"], { mailboxes: ["INBOX"] });
    await house.grant(["mail", "approve"], { mailboxes: ["Sent"] });
    await house.grant(["mail:read"]);
    await house.grant(["calendar:freebusy"]);
    const asked = await house.ask("ada", "mail", "calendar", "approve");
    const { objects, actor } = await reachAgent(asked, house.agents.eve, "mail");
    expect(objects.mailbox).toHaveProperty("size", 2);
    expect(actor).toMatchObject({ kind: "token", agent: house.agents.ada, canApprove: true });
    expect((await reachAgent(asked, house.agents.eve, "mail:read")).objects.mailbox).toBe("all");
    expect((await reachAgent(asked, house.agents.eve, "calendar:freebusy")).objects.calendar).toBe("all");
    await expect(reachAgent(asked, house.agents.eve, "calendar:read")).rejects.toMatchObject({
      code: "forbidden_scope",
    });
    expect(await reachesScope(asked, house.agents.eve, "calendar:read")).toBe(false);
    expect(await reachesScope(asked, house.agents.eve, "approve")).toBe(true);
  });

  test("with one's own first", async () => {
    await house.grant(["mail:read"]);
    const asked = await house.ask("ada", "mail", "calendar");
    expect((await listReached(asked)).map(({ address }) => address)).toEqual([
      "ada@example.org",
      "eve@example.org",
    ]);
    expect(await reachableAgents(asked, "mail:read")).toHaveLength(2);
    expect(await reachableAgents(asked, "calendar")).toHaveLength(1);
    expect(await reachableAgents(asked, "contacts")).toHaveLength(0);
  });
});

test("an unknown agent and one of another account get the same answer, one of the account without a grant another", async () => {
  const asked = await house.ask("ada", "mail");
  const refusal = (agent: number) => reachAgent(asked, agent as AgentNumber, "mail").catch((error) => error);
  const [unknown, foreign, colleague] = [
    await refusal(999),
    await refusal(house.agents.mallory),
    await refusal(house.agents.eve),
  ];
  expect(unknown).toMatchObject({ code: "not_found", message: "There is no such object." });
  expect(foreign).toEqual(unknown);
  expect(colleague).toMatchObject({ code: "forbidden_scope" });
  expect(await findReached(asked, house.agents.eve)).toBeUndefined();
});
