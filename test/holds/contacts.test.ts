/** The contacts that count as known to an agent: only those that a person or an import by the operator has added. When an agent adds a
 *  stranger to its addressbook, that approves nothing. */

import { describe, expect, it } from "vitest";
import type { Collections } from "#/src/collections/collections.ts";
import { createCollections } from "#/src/collections/create-collections.ts";
import type { ItemProvenance } from "#/src/collections/item.ts";
import { createDirectPreparation } from "#/src/collections/preparing/preparation.ts";
import { nobody } from "#/src/model/author.ts";
import type { AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import { type HoldHouse, openHoldHouse } from "./hold-house.ts";

async function outcome(house: HoldHouse, to: string): Promise<string> {
  const { body } = await house.client.call("send", { body: { to: [to], subject: "Hello", text: "Hi" } });
  return body.hold === undefined ? body.state : ((await house.hold(body.hold)).reason as string);
}

interface Writer {
  readonly collections: Collections;
  /** Writes a card of these addresses into robin's addressbook, as somebody. */
  put(
    by: AgentNumber,
    uid: string,
    emails: readonly string[],
    source?: ItemProvenance["source"],
  ): Promise<ItemNumber>;
}

function writerOf({ store, robin }: HoldHouse): Writer {
  const collections = createCollections(store, createDirectPreparation());
  return {
    collections,
    async put(by, uid, emails, source = "dav") {
      const book = (await collections.findCollectionOfRole(robin.agent, "addressbook", "default"))!.number;
      const [held] = await collections.findItemsByUid(robin.agent, uid, { collection: book });
      const lines = emails.map((email) => `EMAIL:${email}\r\n`).join("");
      const { item } = await collections.putItem(
        robin.agent,
        { ...nobody, agent: by, canApprove: false },
        {
          collection: book,
          item: held?.number,
          bytes: Buffer.from(
            `BEGIN:VCARD\r\nVERSION:4.0\r\nUID:${uid}\r\nFN:${uid}\r\n${lines}END:VCARD\r\n`,
          ),
          provenance: { source },
          isAuthenticated: true,
        },
      );
      return item;
    },
  };
}

describe("first_contact", () => {
  it("does not wait for a contact that a person put into the agent's addressbook", async () => {
    await using house = await openHoldHouse();
    const { put, collections } = writerOf(house);
    const item = await put(house.kim.agent, "lee", ["Lee@Elsewhere.example", "mailto:lee@gmail.com"]);
    expect(await outcome(house, "lee@elsewhere.example")).toBe("queued");
    // By domain, at public mail providers by address.
    expect(await outcome(house, "max@elsewhere.example")).toBe("queued");
    expect(await outcome(house, "lee@gmail.com")).toBe("queued");
    expect(await outcome(house, "max@gmail.com")).toBe("first_contact");
    expect(await outcome(house, "lee@sub.elsewhere.example")).toBe("first_contact");
    await collections.deleteItem(
      house.robin.agent,
      { ...nobody, agent: house.kim.agent, canApprove: false },
      item,
    );
    expect(await outcome(house, "ann@elsewhere.example")).toBe("first_contact");
  });

  it("does not wait for a contact that the operator imported", async () => {
    await using house = await openHoldHouse();
    await writerOf(house).put(house.robin.agent, "lee", ["lee@elsewhere.example"], "import");
    expect(await outcome(house, "lee@elsewhere.example")).toBe("queued");
  });

  it.each(["api", "dav"] as const)(
    "waits for a contact that the agent itself added by %s",
    async (source) => {
      await using house = await openHoldHouse();
      await writerOf(house).put(house.robin.agent, "lee", ["lee@elsewhere.example"], source);
      expect(await outcome(house, "lee@elsewhere.example")).toBe("first_contact");
    },
  );

  it("waits for what contact.create adds with the agent's token", async () => {
    await using house = await openHoldHouse();
    await house.client.ok("contact.create", { body: { name: "Lee", emails: ["lee@elsewhere.example"] } });
    expect(await outcome(house, "lee@elsewhere.example")).toBe("first_contact");
  });

  it("waits for an address that the agent adds to a contact of a person", async () => {
    await using house = await openHoldHouse();
    const { put } = writerOf(house);
    await put(house.kim.agent, "lee", ["lee@elsewhere.example"]);
    await put(house.robin.agent, "lee", ["lee@elsewhere.example", "eve@attacker.example"]);
    expect(await outcome(house, "eve@attacker.example")).toBe("first_contact");
    expect(await outcome(house, "lee@elsewhere.example")).toBe("queued");
  });

  it("waits for an address that the agent added, also after a person edits the contact", async () => {
    await using house = await openHoldHouse();
    const { put } = writerOf(house);
    await put(house.robin.agent, "eve", ["eve@attacker.example"]);
    await put(house.kim.agent, "eve", ["eve@attacker.example", "lee@elsewhere.example"]);
    expect(await outcome(house, "eve@attacker.example")).toBe("first_contact");
    expect(await outcome(house, "lee@elsewhere.example")).toBe("queued");
  });

  it("waits for an address that the agent removes and adds again", async () => {
    await using house = await openHoldHouse();
    const { put } = writerOf(house);
    await put(house.kim.agent, "lee", ["lee@elsewhere.example"]);
    await put(house.robin.agent, "lee", []);
    await put(house.robin.agent, "lee", ["lee@elsewhere.example"]);
    expect(await outcome(house, "lee@elsewhere.example")).toBe("first_contact");
  });

  it("waits for contacts of the person's own addressbook", async () => {
    await using house = await openHoldHouse();
    const { collections } = writerOf(house);
    const { kim } = house;
    const book = (await collections.findCollectionOfRole(kim.agent, "addressbook", "default"))!.number;
    await collections.putItem(
      kim.agent,
      { ...nobody, agent: kim.agent, canApprove: false },
      {
        collection: book,
        bytes: Buffer.from(
          "BEGIN:VCARD\r\nVERSION:4.0\r\nUID:l\r\nFN:L\r\nEMAIL:lee@elsewhere.example\r\nEND:VCARD\r\n",
        ),
        provenance: { source: "dav" },
        isAuthenticated: true,
      },
    );
    expect(await outcome(house, "lee@elsewhere.example")).toBe("first_contact");
  });
});
