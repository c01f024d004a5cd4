/** Pointers of patches and of lines (JSPTR): how deep they are and how many there are is said by whoever writes them. */
import { expect, test } from "vitest";
import { acceptEvent, patchEvent } from "#/src/formats/jscalendar/accept-event.ts";
import { acceptCard, patchCard } from "#/src/formats/jscontact/accept-card.ts";
import { applyPatch, type Json, type JsonObject, withAt } from "#/src/formats/jscontact/json.ts";
import { timesAsLong } from "../../support/growth.ts";

const event = acceptEvent({ title: "x", start: "2020-01-01T10:00:00" }, "u");
const card = acceptCard({ name: { full: "x" } }, "u");
const deep = (steps: number): string => `x.example:a/${Array(steps).fill("a").join("/")}`;

test.each([
  ["an event", (patch: JsonObject) => patchEvent(event, patch)],
  ["a card", (patch: JsonObject) => patchCard(card, patch)],
] as const)("a pointer into %s that is deeper than a body may be is no place in it", (_, change) => {
  expect(change({ [deep(63)]: 1 })).toHaveProperty("x\\.example:a");
  for (const steps of [64, 20_000])
    expect(() => change({ [deep(steps)]: 1 })).toThrow(
      expect.objectContaining({
        code: "invalid",
        message: expect.stringMatching(/^.{0,1100} is no place in this (?:event|card)\.$/),
      }),
    );
});

test.each([
  ["an event", (patch: JsonObject) => patchEvent(event, patch), "x.example:a/k"],
  ["a card", (patch: JsonObject) => patchCard(card, patch), "x.example:a/k"],
] as const)(
  "twice as many pointers into one place of %s take at most 2.8 times as long",
  (_, change, place) => {
    const patchOf = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${place}${at}`, at]));
    const [half, whole] = [patchOf(5000), patchOf(10_000)];
    expect(
      timesAsLong(
        () => change(whole),
        () => change(half),
      ),
    ).toBeLessThan(2.8);
  },
);

test("objects of the former value stay as they were, also when a patch has many places of one", () => {
  const former: Json = { list: [{ a: 1 }, { a: 2 }], object: { inner: { a: 1 } } };
  const copy = structuredClone(former);
  const patched = applyPatch(former, {
    "list/0/a": 5,
    "list/1/a": 6,
    "object/inner/b": 2,
    "object/inner/a": null,
    "object/more/x": 1,
  });
  expect(patched).toEqual({
    value: { list: [{ a: 5 }, { a: 6 }], object: { inner: { b: 2 }, more: { x: 1 } } },
  });
  expect(former).toEqual(copy);
  expect(withAt(former, ["list", "2"], 1)).toBeUndefined();
});
