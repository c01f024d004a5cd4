import { expect, it } from "vitest";
import {
  keptDescriptionOctetsMax,
  keptDescriptionsMax,
  keptShortFormOctetsMax,
  keptShortFormsMax,
} from "#/src/model/limits.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { Description } from "#/src/render/describe-message.ts";
import { type AskedPart, createKeptDescriptions } from "#/src/render/kept-descriptions.ts";
import type { Render } from "#/src/render/part-target.ts";

function asked(message: number, part = "body", render?: Render): AskedPart {
  return { agent: 1 as AgentNumber, message: message as MessageNumber, part, render };
}

function read(text: string, more: Partial<Description> = {}) {
  const description: Description = { kind: "body", content: {}, text, removed: [], isNested: false, ...more };
  return { render: "text" as const, description };
}

const listed = {
  subject: "words",
  received_at: "",
  size: 1,
  authenticated: false,
  agent_part: false,
  preview: "words",
};

it("recalls only the description of the same message, part and render", () => {
  const descriptions = createKeptDescriptions();
  descriptions.keep(asked(1), read("words"));
  expect(descriptions.recall(asked(1))?.description.text).toBe("words");
  const others = [
    asked(2),
    asked(1, "1"),
    asked(1, "body", "markdown"),
    asked(1, "body", "text"),
    { ...asked(1), agent: 2 as AgentNumber },
  ];
  for (const other of others) expect(descriptions.recall(other)).toBeUndefined();
});

it("keeps no octets, nothing over a limit, and no message that is most of what is kept", () => {
  const descriptions = createKeptDescriptions();
  const octets = { total: 1, read: async () => new Uint8Array(1) };
  descriptions.keep(asked(1), read("words", { octets }));
  descriptions.keep(asked(2), read("words", { removed: [{ what: "over-limit", count: 1, where: "1" }] }));
  descriptions.keep(asked(3), read("x".repeat(keptDescriptionOctetsMax / 16)));
  for (const number of [1, 2, 3]) expect(descriptions.recall(asked(number))).toBeUndefined();
  expect(descriptions.octets).toBe(0);
});

it("keeps a limited number of descriptions, those that were read last", () => {
  const descriptions = createKeptDescriptions();
  for (let number = 0; number < keptDescriptionsMax; number++) descriptions.keep(asked(number), read(""));
  descriptions.recall(asked(0));
  descriptions.keep(asked(keptDescriptionsMax), read(""));
  expect([0, 1, 2].map((number) => descriptions.recall(asked(number)) !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
});

it("keeps a limited number of octets", () => {
  const descriptions = createKeptDescriptions();
  const text = "x".repeat(keptDescriptionOctetsMax / 20);
  for (let number = 0; number < 40; number++) {
    descriptions.keep(asked(number), read(text));
    expect(descriptions.octets).toBeLessThanOrEqual(keptDescriptionOctetsMax);
  }
  expect(descriptions.recall(asked(39))).toBeDefined();
  expect(descriptions.recall(asked(0))).toBeUndefined();
  descriptions.forgetAll();
  expect(descriptions.octets).toBe(0);
  expect(descriptions.recall(asked(39))).toBeUndefined();
});

it("counts two octets for each character of a text that has wide ones", () => {
  const descriptions = createKeptDescriptions();
  const text = `\u4e2d${"x".repeat(100_000)}`;
  descriptions.keep(asked(1), read(text));
  expect(descriptions.octets).toBeGreaterThan(2 * text.length);
  expect(descriptions.recall(asked(1))?.description.text).toBe(text);
});

it("keeps a limited number of octets of listings", () => {
  const descriptions = createKeptDescriptions();
  const name = (message: number) => ({ agent: 1 as AgentNumber, message: message as MessageNumber });
  const preview = "x".repeat(keptShortFormOctetsMax / 100);
  for (let number = 0; number < 200; number++) {
    descriptions.keepFacts(name(number), { ...listed, preview });
    expect(descriptions.octets).toBeLessThanOrEqual(keptShortFormOctetsMax);
  }
  expect(descriptions.recallFacts(name(199))).toBeDefined();
  expect(descriptions.recallFacts(name(0))).toBeUndefined();
});

it("keeps listing lines of a limited number of messages, those that were read last", () => {
  const descriptions = createKeptDescriptions();
  const name = (message: number) => ({ agent: 1 as AgentNumber, message: message as MessageNumber });
  const facts = listed;
  descriptions.keepFacts(name(0), facts);
  for (let number = 1; number <= keptShortFormsMax; number++) {
    descriptions.keepFacts(name(number), facts);
    descriptions.recallFacts(name(0));
  }
  expect(descriptions.recallFacts(name(0))).toEqual(facts);
  expect(descriptions.recallFacts(name(1))).toBeUndefined();
  expect(descriptions.recallFacts(name(keptShortFormsMax))).toEqual(facts);
  expect(descriptions.recallFacts({ ...name(0), agent: 2 as AgentNumber })).toBeUndefined();
  descriptions.forgetAll();
  expect(descriptions.recallFacts(name(0))).toBeUndefined();
});
