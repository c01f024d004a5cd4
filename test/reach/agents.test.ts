import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import { createAccounts } from "#/src/accounts/accounts.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import {
  type Asked,
  findReached,
  listReached,
  reachAgent,
  reachableAgents,
  reachesScope,
} from "#/src/reach/agents.ts";
import { openTestStore, type TestStore } from "#/test/support/store.ts";

const settings = defaultSettings();
let opened: TestStore;
const agents: Record<string, AgentNumber> = {};

beforeEach(async () => {
  opened = await openTestStore();
  for (const [account, domain] of [
    ["example", "example.org"],
    ["other", "example.net"],
  ]) {
    await run("account.create", { name: account });
    await run("domain.add", { name: domain, account });
  }
  await create("ada", "agent.create");
  await create("eve", "person.create");
  await create("mallory", "agent.create", "example.net");
});

afterEach(() => opened[Symbol.asyncDispose]());

function run(name: string, input: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>> {
  return administer({ store: opened.store, settings }, name, input);
}

async function create(name: string, operation: string, domain = "example.org"): Promise<void> {
  const { id } = await run(operation, { address: `${name}@${domain}` });
  agents[name] = opened.store.ids.decode(id as string)!.agent;
}

function grant(scopes: readonly string[], mailboxes?: readonly string[]): Promise<unknown> {
  const pair = { holder: "ada@example.org", target: "eve@example.org" };
  return run("grant.create", { ...pair, scopes, ...(mailboxes && { mailboxes }) });
}

async function asAda(...scopes: string[]): Promise<Asked> {
  const accounts = createAccounts(opened.store, settings);
  const { token } = await run("token.create", { agent: "ada@example.org", scopes });
  return { rooms: { accounts }, principal: await accounts.authenticateToken(token as string, "127.0.0.1") };
}

describe("an agent is reached", () => {
  test("for oneself, within the credential", async () => {
    const asked = await asAda("mail:read", "calendar");
    const own = await reachAgent(asked, agents.ada!, "calendar:read");
    expect(own).toMatchObject({ isOwn: true, actor: { canApprove: false }, objects: { calendar: "all" } });
    await expect(reachAgent(asked, agents.ada!, "mail")).rejects.toMatchObject({ code: "forbidden_scope" });
  });

  test("by grants that add up, each right for the objects of its own grant", async () => {
    await grant(["mail"], ["INBOX"]);
    await grant(["mail", "approve"], ["Sent"]);
    await grant(["mail:read"]);
    await grant(["calendar:freebusy"]);
    const asked = await asAda("mail", "calendar", "approve");
    const { objects, actor } = await reachAgent(asked, agents.eve!, "mail");
    expect(objects.mailbox).toHaveProperty("size", 2);
    expect(actor).toEqual({ agent: agents.ada, canApprove: true });
    expect((await reachAgent(asked, agents.eve!, "mail:read")).objects.mailbox).toBe("all");
    expect((await reachAgent(asked, agents.eve!, "calendar:freebusy")).objects.calendar).toBe("all");
    await expect(reachAgent(asked, agents.eve!, "calendar:read")).rejects.toMatchObject({
      code: "forbidden_scope",
    });
    expect(await reachesScope(asked, agents.eve!, "calendar:read")).toBe(false);
    expect(await reachesScope(asked, agents.eve!, "approve")).toBe(true);
  });

  test("with one's own first", async () => {
    await grant(["mail:read"]);
    const asked = await asAda("mail", "calendar");
    expect((await listReached(asked)).map(({ address }) => address)).toEqual([
      "ada@example.org",
      "eve@example.org",
    ]);
    expect(await reachableAgents(asked, "mail:read")).toHaveLength(2);
    expect(await reachableAgents(asked, "calendar")).toHaveLength(1);
    expect(await reachableAgents(asked, "contacts")).toHaveLength(0);
  });
});

test("who is unknown or of another account is one answer, who is of the account without a grant another", async () => {
  const asked = await asAda("mail");
  const refusal = (agent: number) => reachAgent(asked, agent as AgentNumber, "mail").catch((error) => error);
  const [unknown, foreign, colleague] = [
    await refusal(999),
    await refusal(agents.mallory!),
    await refusal(agents.eve!),
  ];
  expect(unknown).toMatchObject({ code: "not_found", message: "There is no such object." });
  expect(foreign).toEqual(unknown);
  expect(colleague).toMatchObject({ code: "forbidden_scope" });
  expect(await findReached(asked, agents.eve!)).toBeUndefined();
});
