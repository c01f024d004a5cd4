import { describe, expect, it } from "vitest";
import { documentSections, hasDocuments, hasTest, listedSections, nameOf } from "./sections.ts";

const listed = listedSections();
const note = hasDocuments ? "" : " (skipped: no ../shared/interface)";

describe("the list of sections", () => {
  it("names at least one test for each section", () => {
    expect(listed.length).toBeGreaterThan(35);
    expect(listed.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  it("names no test that is not there", () => {
    expect(listed.flatMap(({ tests }) => tests.filter((test) => !hasTest(test)))).toEqual([]);
  });

  it.skipIf(!hasDocuments)(`has each section of the first two documents, and no other${note}`, () => {
    const said = documentSections();
    expect(listed.map(nameOf).filter((name) => !said.includes(name))).toEqual([]);
    const titles = ["Agent Mail, Calendar and Addressbook Service Interface"];
    const whole = said.filter((name) => /^(?:base|decisions)\.md › /.test(name));
    const missing = whole.filter((name) => !listed.map(nameOf).includes(name));
    expect(missing.filter((name) => !titles.some((title) => name.endsWith(title)))).toEqual([]);
  });
});
