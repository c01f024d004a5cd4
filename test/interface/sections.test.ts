import { describe, expect, it } from "vitest";
import { documentSections, hasDocuments, hasTest, listedSections, nameOf } from "./sections.ts";

const listed = listedSections();
const note = hasDocuments ? "" : " (skipped: no ../shared/interface)";

const titles = [
  "base.md › Agent Mail, Calendar and Addressbook Service Interface",
  "decisions-2.md › Further decisions, after the first half was built and tried",
  "decisions-3.md › Decisions of the third part: programs, rules, undo",
  "decisions-4.md › Decisions of the fourth part: an agent's day",
];
/** Of which nothing is served yet. */
const unserved = [
  "decisions-3.md › 17 Who may write to a mailbox",
  "decisions-3.md › 18 Rules",
  "decisions-3.md › 19 Programs that a person has connected",
  "decisions-3.md › 20 Acts and undo",
];

describe("the list of sections", () => {
  it("names at least one test for each section", () => {
    expect(listed.length).toBeGreaterThan(35);
    expect(listed.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  it("names no test that is not there", () => {
    expect(listed.flatMap(({ tests }) => tests.filter((test) => !hasTest(test)))).toEqual([]);
  });

  it.skipIf(!hasDocuments)(`has each section of the documents that is served, and no other${note}`, () => {
    const said = documentSections();
    expect(listed.map(nameOf).filter((name) => !said.includes(name))).toEqual([]);
    const missing = said.filter((name) => !listed.map(nameOf).includes(name));
    expect(missing.toSorted()).toEqual([...titles, ...unserved].toSorted());
  });
});
