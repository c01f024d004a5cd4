import { expect, test } from "vitest";
import { actorOf, mayDecide, operatorPrincipal, type Principal } from "#/src/accounts/principal.ts";
import { type AuthorKind, nobody } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { scopes as everyScope, type Scope } from "#/src/model/roles.ts";

const [own, other] = [1, 2] as AgentNumber[];

/** What is asked: whose mailbox, who logs in, with what. */
type Row = [mailbox: "own" | "other", kind: Principal["kind"], by: AuthorKind, scope: Scope, may: boolean];

test.each<Row>([
  ["own", "agent", "password", "approve", false],
  ["own", "agent", "token", "approve", false],
  ["own", "person", "password", "approve", true],
  ["own", "person", "password", "mail", false],
  ["own", "person", "session", "approve", true],
  ["own", "person", "token", "approve", true],
  ["own", "person", "token", "mail", false],
  ["own", "person", "program", "approve", false],
  ["other", "agent", "token", "approve", true],
  ["other", "person", "password", "approve", true],
  ["other", "person", "password", "mail", false],
])("in the %s mailbox, a %s with a %s and %s decides: %s", (mailbox, kind, by, scope, may) => {
  const scopes = new Set([scope]);
  const author = { ...nobody, kind: by };
  const principal = { agent: own, kind, author, scopes } as unknown as Principal;
  const target = mailbox === "own" ? own! : other!;
  expect(mayDecide(principal, target, [{ scopes }])).toBe(may);
  expect(actorOf(principal, target, [{ scopes }]).canApprove).toBe(may);
});

test.each(["agent", "person"] as const)(
  "the operator at the command line has every scope for a mailbox of kind %s, and approves for people alone",
  (kind) => {
    const { scopes, author } = operatorPrincipal({ agent: own, kind, address: "ada@first.example" } as never);
    expect([...scopes]).toEqual(everyScope.filter((scope) => scope !== "approve" || kind === "person"));
    expect(author.kind).toBe("operator");
  },
);
