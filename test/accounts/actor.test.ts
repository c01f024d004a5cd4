import { expect, test } from "vitest";
import { actorOf } from "#/src/accounts/principal.ts";
import { nobody } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Scope } from "#/src/model/roles.ts";

const [own, other] = [1, 2] as AgentNumber[];

test.each<[target: AgentNumber, scope: Scope, canApprove: boolean]>([
  [own!, "approve", false],
  [other!, "approve", true],
  [other!, "mail", false],
])("mail of %d may be approved by 1 with the scope %s: %s", (target, scope, canApprove) => {
  const principal = { agent: own, author: nobody } as unknown as Parameters<typeof actorOf>[0];
  expect(actorOf(principal, target, [{ scopes: new Set([scope]) }]).canApprove).toBe(canApprove);
});
