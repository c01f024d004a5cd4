/** What changed since the version that was opened before. */
import { describe, expect, test } from "vitest";
import { linesOf } from "#/protocols/web/approvals/changed.ts";
import { fieldOf, openBrowser } from "../support/clients/browser.ts";
import { openPagesHouse } from "./pages-house.ts";

describe("lines", () => {
  test.each([
    [["a", "b"], ["a", "b"], " a, b"],
    [["a", "b"], ["a", "c"], " a,-b,+c"],
    [["a"], ["x", "a", "y"], "+x, a,+y"],
    [[], ["a"], "+a"],
    [["a"], [], "-a"],
  ])("%j to %j", (before, after, expected) => {
    const signs = { "": " ", "is-gone": "-", "is-come": "+" };
    const told = linesOf(before, after).map(({ sign, text }) => signs[sign] + text);
    expect(told.join(",")).toBe(expected);
  });
});

test("an edited mail is shown with the recipients, the subject and the lines that changed, escaped", async () => {
  await using house = await openPagesHouse();
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { ...house.person });
  const hold = await house.send({ subject: "Order", text: "Hello.\n\nWe order 40 pieces.\n\nKind regards" });
  const first = await browser.get(`/approvals/${hold}`);
  expect(first.text).not.toContain("What changed since you opened it");
  await browser.post(`/approvals/${hold}/edit`, {
    version: fieldOf(first, "version"),
    to: house.person.address,
    cc: house.agent.address,
    subject: "Order <b>4471</b>",
    text: "Hello.\n\nWe order 400 pieces.\n\nKind regards",
  });
  const second = await browser.get(`/approvals/${hold}`);
  expect(second.text).toContain("What changed since you opened it");
  expect(second.text).toContain("<del>We order 40 pieces.</del>");
  expect(second.text).toContain("<ins>We order 400 pieces.</ins>");
  expect(second.text).toContain(`<ins>${house.agent.address}</ins>`);
  expect(second.text).toContain("<ins>Order &lt;b&gt;4471&lt;/b&gt;</ins>");
  // Another browser has opened no version before.
  const other = openBrowser(house.origin);
  await other.post("/sign-in", { ...house.person });
  expect((await other.get(`/approvals/${hold}`)).text).not.toContain("What changed since you opened it");
});
