import { expect, it } from "vitest";
import { writeJson } from "#/src/daemon/moving/archive/format.ts";
import { pagesOf } from "#/src/daemon/moving/archive/pages.ts";

it("pages of an archive have at most so many entries and octets, or one longer entry", async () => {
  const described = ["aaaa", "b", "c", "dddddddddd", "e", "f", "g", "h"].map((one) => ({
    one,
    entry: one,
  }));
  const pages: string[] = [];
  for await (const page of pagesOf(described, { entriesMax: 3, bytesMax: 9 }))
    pages.push(page.map(({ one }) => one).join(" "));
  expect(pages).toEqual(["aaaa b", "c", "dddddddddd", "e f g", "h"]);
});

it("an archive is not written where a page would have more than an import reads", () => {
  const annotations = Array(10).fill({ name: "/private/n", value: "v".repeat(2 * 1024 * 1024) });
  expect(() => writeJson("annotations/0/0.json", { annotations })).toThrow("more than an import reads");
});
