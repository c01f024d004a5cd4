import { expect, it } from "vitest";
import { type Actor, nobody } from "#/src/model/author.ts";
import { type HoldAction, holdStates, nextHoldState } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";

const owner = 1 as AgentNumber;
const asker = 2 as AgentNumber;
const actors: Record<string, Actor | "server"> = {
  approver: { ...nobody, agent: 3 as AgentNumber, canApprove: true },
  // Whatever they were granted.
  owner: { ...nobody, agent: owner, canApprove: true },
  asker: { ...nobody, agent: asker, canApprove: true },
  stranger: { ...nobody, agent: 4 as AgentNumber, canApprove: false },
  server: "server",
};

/** Action, who does it, and what comes of `waiting` and of `approved`; `-` is refused. */
const table = `
  approve   approver   approved   approved
  approve   owner      -          -
  approve   asker      -          -
  approve   stranger   -          -
  approve   server     -          -
  undo      approver   -          waiting
  undo      owner      -          -
  undo      asker      -          -
  undo      stranger   -          -
  undo      server     -          -
  decline   approver   declined   declined
  decline   owner      -          -
  decline   asker      -          -
  decline   stranger   -          -
  decline   server     -          -
  withdraw  approver   withdrawn  withdrawn
  withdraw  owner      withdrawn  withdrawn
  withdraw  asker      withdrawn  withdrawn
  withdraw  stranger   -          -
  withdraw  server     -          -
  edit      approver   waiting    waiting
  edit      owner      waiting    waiting
  edit      asker      waiting    waiting
  edit      stranger   waiting    waiting
  edit      server     waiting    waiting
  expire    approver   -          -
  expire    owner      -          -
  expire    asker      -          -
  expire    stranger   -          -
  expire    server     expired    -
  release   approver   -          -
  release   owner      -          -
  release   asker      -          -
  release   stranger   -          -
  release   server     -          sent
  fail      approver   -          -
  fail      owner      -          -
  fail      asker      -          -
  fail      stranger   -          -
  fail      server     -          failed
`;
const rows = table
  .trim()
  .split("\n")
  .map((line) => line.trim().split(/\s+/) as [HoldAction, string, string, string]);

const outcome = (state: (typeof holdStates)[number], action: HoldAction, actor: string): string => {
  try {
    return nextHoldState(
      { state, agent: owner, requestedBy: asker, reason: "always" },
      action,
      actors[actor]!,
    );
  } catch {
    return "-";
  }
};

it.each(rows)(
  "%s by the %s changes the state waiting to %s, and approved to %s",
  (action, actor, waiting, approved) => {
    expect(outcome("waiting", action, actor)).toBe(waiting);
    expect(outcome("approved", action, actor)).toBe(approved);
  },
);

it("never leaves a final state", () => {
  for (const state of holdStates.slice(2))
    for (const [action, actor] of rows)
      expect([state, action, outcome(state, action, actor)]).toEqual([state, action, "-"]);
});
