/** What the daemon's main thread does not load at its start, since threads render pages. */
import { expect, it } from "vitest";
import { loadedBy } from "../support/loaded-files.ts";

it("is what renders pages", () => {
  const atStart = loadedBy("src/daemon/daemon.ts");
  expect(
    [...atStart].filter((file) => /^src\/formats\/html\/(?:render-html|judge|cascade|page)\.ts$/.test(file)),
  ).toEqual([]);
  expect(atStart.has("src/render/threads/reading-threads.ts")).toBe(true);
  // The same walk finds it from the thread that renders.
  expect(loadedBy("src/render/threads/text-job.ts").has("src/formats/html/judge.ts")).toBe(true);
});
