import { expect, it } from "vitest";
import { takeTurnIfLarge } from "#/protocols/json/compose/large-mails.ts";
import type { MessageBodyInput } from "#/protocols/json/describe/message-body.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { forCaller } from "#/src/model/caller.ts";
import { addressOwner } from "#/src/model/owner.ts";

const signal = new AbortController().signal;

function makeMails() {
  const fairness = createFairness();
  return async (network: number, body: MessageBodyInput | undefined, draft?: string) => {
    let isMade = false;
    const owner = addressOwner(`10.0.${network}.1`);
    const turn = forCaller(
      signal,
      () => takeTurnIfLarge(fairness, body, draft),
      () => owner,
    );
    void turn.then(() => {
      isMade = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    return { turn, isMade: () => isMade };
  };
}

it.each([
  ["its text", { text: "x".repeat(70_000) }],
  ["its HTML", { html: "x".repeat(70_000) }],
  ["its data", { attachments: [{ data: "x".repeat(40_000) }, { data: "x".repeat(40_000) }] }],
  ["a stored part", { attachments: [{ part: "message_1#1" }] }],
  ["a blob", { attachments: [{ blob: "blob_1" }] }],
  ["what it forwards", { forward_of: "message_1" }],
])("composes one large mail of a mailbox at a time: large by %s", async (_what, body) => {
  const make = makeMails();
  const first = await make(1, body);
  const second = await make(1, body);
  expect([first.isMade(), second.isMade()]).toEqual([true, false]);
  (await first.turn)[Symbol.dispose]();
  await second.turn;
});

it("composes drafts one at a time when they are sent, too", async () => {
  const make = makeMails();
  const first = await make(1, undefined, "draft_1");
  const second = await make(2, undefined, "draft_2");
  expect([first.isMade(), second.isMade()]).toEqual([true, false]);
  (await first.turn)[Symbol.dispose]();
  await second.turn;
});

it("composes small mails without a wait", async () => {
  const make = makeMails();
  const small = { text: "x".repeat(60_000), attachments: [{ data: "AA==" }] };
  for (let count = 0; count < 10; count++) expect((await make(1, small)).isMade()).toBe(true);
});
