/** The gate is the only way out: no other file names a write by which octets leave an owner for another. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** Each of these writes, with the file that calls it and why. */
const calledBy: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  submitMessage: { "src/outbound/gate/gate.ts": "mail into the queue or a hold" },
  deliverMessage: { "src/outbound/gate/gate.ts": "mail into mailboxes here" },
  releaseHold: { "src/outbound/gate/gate.ts": "approved mail out of its hold" },
  startScheduled: { "src/outbound/gate/gate.ts": "scheduled mail into the queue" },
  reportDelivery: { "src/outbound/gate/gate.ts": "outcomes, with copies for mailboxes here and notices" },
  retrySubmission: { "src/outbound/gate/gate.ts": "waiting mail, tried now" },
  tellApprover: { "src/outbound/gate/gate.ts": "the server's own notices to approvers" },
  changeItems: { "src/collections/create-collections.ts": "the one write of items" },
};

/** Who changes items otherwise than by the gate: each the items of one owner, without mail. */
const ownChanges: Readonly<Record<string, string>> = {
  "src/collections/create-collections.ts": "items of one owner",
  "src/collections/transfer/import-items.ts": "an import into one collection, which sends nothing",
  "src/daemon/moving/archive/import-collections.ts": "an archive of one owner, which sends nothing",
  "src/outbound/gate/gate.ts": "the gate",
  "src/scheduling/copy-items.ts": "items without participants, into one new collection",
  "src/scheduling/outgoing/schedule-status-updates.ts": "SCHEDULE-STATUS in the sender's own object",
};

const files = ["src", "protocols"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({ file: `${folder}/${name}`, text: readFileSync(`${folder}/${name}`, "utf8") })),
);

it.each(Object.entries(calledBy))("%s is called by the gate alone", (name, reasons) => {
  const call = new RegExp(`\\bwrite(?:Once)?\\([^;]*?"${name}"`);
  const calling = files.filter(({ text }) => call.test(text)).map(({ file }) => file);
  expect(calling.sort()).toEqual(Object.keys(reasons).sort());
});

it("changes of items pass the gate, or are of one owner and send nothing", () => {
  const changing = files
    .filter(({ text }) => /\bcollections\.changeItems\(|writeOnce\(store, by, "changeItems"/.test(text))
    .map(({ file }) => file);
  expect(changing.sort()).toEqual(Object.keys(ownChanges).sort());
});
