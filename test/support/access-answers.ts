/** What the image of access says of everybody, and what the rows say. */
import { type Access, createAccess, type OwnerRow } from "#/src/accounts/access.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Store } from "#/storage/store.ts";

/** Answers each question with a read. */
export function accessByReads(store: Store): Access {
  return createAccess(
    new Proxy(store, {
      get(target, name) {
        if (name === "hearsAccess") return () => false;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    }),
  );
}

/** The answers to each question of `Access` about every owner that was ever there, and about credentials and addresses. `known`: the
 *  credentials of earlier answers, which are asked about when their rows are gone. */
export async function answersOf(
  access: Access,
  store: Store,
  known: Map<string, Numbered> = new Map(),
): Promise<Record<string, unknown>> {
  const counters = await store.all<{ name: string; value: number }>(
    "select name, value from counter where name = 'agent'",
  );
  const lastOwner = counters[0]!.value;
  const answers: Record<string, unknown> = {};
  for (let number = 1; number <= lastOwner; number++) {
    const owner = number as AgentNumber;
    answers[`owner ${owner}`] = {
      row: withoutCounts(await access.findOwner(owner)),
      addresses: await access.listAddresses(owner),
      passwords: await access.listPasswords(owner),
      grants: await access.listGrants(owner),
      grantsOn: await access.listGrantsOn(owner),
      approver: await access.findApprover(owner),
      agents: await access.listAgentsOfApprover(owner),
      holdMailboxes: [...(await access.listHoldMailboxes(owner))].sort((a, b) => a - b),
    };
  }
  const rows = [
    ...(await store.all<Numbered>(
      "select agent_id as owner, token_id as number, 'token' as kind from token",
    )),
    ...(await store.all<Numbered>(
      "select agent_id as owner, page_session_id as number, 'session' as kind from page_session",
    )),
  ];
  for (const row of rows) known.set(`${row.kind} ${row.number}`, row);
  for (const [name, { owner, kind, number }] of known)
    answers[name] =
      kind === "token"
        ? await access.findTokenOf(owner, number)
        : await access.findPageSessionOf(owner, number);
  for (const { domain, localPart } of await store.all<{ domain: string; localPart: string }>(
    `select domain, local_part as "localPart" from address`,
  ))
    answers[`${localPart}@${domain}`] = (await access.findAddressOwner({ domain, localPart }))?.agent;
  return answers;
}

export interface Numbered {
  readonly owner: AgentNumber;
  readonly number: number;
  readonly kind: "token" | "session";
}

/** What every mail changes is no part of the image. */
function withoutCounts(row: OwnerRow | undefined): unknown {
  if (row === undefined) return undefined;
  const { agent, account, accountState, kind, name, state, pausedReason, pausedAt, address } = row;
  const { scramSalt, scramIterations, createdAt } = row;
  const scram = Buffer.from(scramSalt).toString("hex");
  return {
    agent,
    account,
    accountState,
    kind,
    name,
    state,
    pausedReason,
    pausedAt,
    address,
    scram,
    scramIterations,
    createdAt,
  };
}
