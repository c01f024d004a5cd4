/** An account with as many annotations and properties as the store allows can be exported and imported again. */

import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runPrivateOperation } from "#/src/daemon/private-operations.ts";
import { nobody } from "#/src/model/author.ts";
import {
  deadPropertiesMax,
  deadPropertyBytesMax,
  metadataEntriesMax,
  metadataValueBytesMax,
} from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { eventText } from "../support/item-texts.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-archive-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const owner = "agent1@waypost.test";
const start = () =>
  startInProcessDaemon({ agents: 2, people: 0, set: ["dns.servers=none", "log.level=silent"] });

function run(server: InProcessDaemon, operation: string, input: Record<string, unknown>) {
  const signal = new AbortController().signal;
  return runPrivateOperation(server.daemon.house, {
    operation,
    input,
    signal,
    onProgress() {},
    onFrame() {},
  });
}

describe("an account with as much as the store allows", () => {
  type House = InProcessDaemon["daemon"]["house"];
  // JSON needs two octets for each quotation mark.
  const xml = `<p xmlns="urn:x">${'"'.repeat(deadPropertyBytesMax - 100)}</p>`;
  const deadProperties = Array.from({ length: deadPropertiesMax }, (_, at) => ({
    namespace: "urn:x",
    name: `p${at}`,
    xml,
  }));
  const six = Array.from({ length: 6 }, (_, at) => at);
  const work = { displayName: "Work", isTransparent: false };

  it.each<
    readonly [
      string,
      (house: House, agent: AgentNumber) => Promise<unknown>,
      (house: House, agent: AgentNumber) => AsyncGenerator<unknown>,
    ]
  >([
    [
      "annotations",
      async ({ mail }, agent) => {
        const value = Buffer.alloc(metadataValueBytesMax, "v");
        const entries = Array.from({ length: metadataEntriesMax }, (_, at) => ({
          name: `/private/n${at}`,
          value,
        }));
        for (let at = 0; at < 17; at++) {
          const { number } = await mail.createMailbox(nobody, agent, `Box ${at}`);
          await mail.setMetadata(nobody, { agent, number }, agent, entries);
        }
      },
      async function* ({ mail }, agent) {
        for (const { name, number } of await mail.listMailboxes(agent))
          for (const one of await mail.listMetadata({ agent, number }, agent))
            yield [name, one.name, String(one.value)];
      },
    ],
    [
      "properties of calendars",
      async ({ collections }, agent) => {
        for (const at of six)
          await collections.createCollection(nobody, agent, {
            kind: "calendar",
            segment: `c${at}`,
            properties: work,
            deadProperties,
          });
      },
      async function* ({ collections }, agent) {
        for (const { segment, number } of await collections.listCollections(agent))
          yield [segment, await collections.listDeadProperties(agent, number)];
      },
    ],
    [
      "properties of events",
      async ({ collections }, agent) => {
        const { collection } = await collections.createCollection(nobody, agent, {
          kind: "calendar",
          segment: "work",
          properties: work,
        });
        const actions = six.map((at) => ({
          kind: "put" as const,
          collection,
          bytes: eventText(`e${at}`),
          provenance: { source: "import" as const },
          isAuthenticated: true,
          deadProperties,
        }));
        await collections.changeItems(nobody, [
          { agent, actor: { ...nobody, agent, canApprove: false }, actions },
        ]);
      },
      async function* ({ collections }, agent) {
        for (const at of six)
          for (const { number } of await collections.findItemsByUid(agent, `e${at}`, { kind: "calendar" }))
            yield [at, await collections.listItemDeadProperties(agent, number)];
      },
    ],
  ])("has all %s after export and import", async (_, store, read) => {
    await using server = await start();
    const { house } = server.daemon;
    const other = "agent2@waypost.test";
    const digest = async (address: string) => {
      const { agent } = (await house.accounts.findOwner(address))!;
      const hash = createHash("sha256");
      let count = 0;
      for await (const one of read(house, agent)) {
        hash.update(JSON.stringify(one));
        count++;
      }
      return { count, digest: hash.digest("hex") };
    };
    await store(house, (await house.accounts.findOwner(owner))!.agent);
    const before = await digest(owner);
    expect(before.count).toBeGreaterThanOrEqual(six.length);
    const file = path.join(folder, "all.tar");
    await run(server, "mail.export", { owner, file });
    expect(await run(server, "mail.import", { owner: other, file })).toMatchObject({ refused: 0 });
    expect(await digest(other)).toEqual(before);
  });
});
