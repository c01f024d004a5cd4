import { expect, it } from "vitest";
import type { HttpClient } from "../support/clients/http.ts";
import { deliver, openHoldHouse } from "./hold-house.ts";

it.each([
  ["under one subject", () => ({})],
  ["with another subject each time", (n: number) => ({ subject: `Thought ${n}` })],
])(
  "two agents that answer every mail %s are held after ten mails, and both mailboxes show the reason",
  async (_, more) => {
    await using house = await openHoldHouse();
    const wren = await house.create("agent", "wren@ours.example");
    const agents = [
      { client: house.client, ...house.robin },
      { client: house.clientOf(wren.token!), ...wren },
    ];
    // Each begins a conversation of its own.
    for (const [n, { client }] of agents.entries())
      await client.ok("send", {
        body: { to: [agents[1 - n]!.address], subject: `Begun by ${n}`, text: "What do you think?" },
      });
    const answered = new Set<string>();
    for (let hasMail = true; hasMail; ) {
      await house.deliverQueued();
      hasMail = false;
      for (const { client } of agents)
        for (const id of await inboxOf(client)) {
          if (answered.has(id)) continue;
          answered.add(id);
          hasMail = true;
          const body = { in_reply_to: id, text: "And you?", ...more(answered.size) };
          await client.ok("send", { body });
        }
    }
    for (const { client } of agents) {
      expect(await inboxOf(client)).toHaveLength(10);
      const waiting = (await client.ok("search", { folder: "holds" })).content.items;
      expect(waiting).toHaveLength(1);
      const { events } = await client.ok("wait", { types: ["mail.held"], cursor: await beginningOf(client) });
      expect(events).toMatchObject([{ type: "mail.held", message: waiting[0].id, reason: "loop" }]);
    }

    async function beginningOf(client: HttpClient): Promise<string> {
      return house.beginning(agents.find((one) => one.client === client)!.agent);
    }
  },
);

it("answers that are sent at the same time are counted one by one", async () => {
  await using house = await openHoldHouse();
  const question = await deliver(house, "Question", { isAuthenticated: true });
  const states = await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      const body = { in_reply_to: question, text: `Answer ${n}` };
      return (await house.client.ok("send", { body })).state as string;
    }),
  );
  expect(states.filter((state) => state === "queued")).toHaveLength(10);
  expect(states.filter((state) => state === "held")).toHaveLength(20);
});

async function inboxOf(client: HttpClient): Promise<string[]> {
  const { content } = await client.ok("search", { folder: "inbox", limit: 100 });
  return content.items.map(({ id }: { id: string }) => id);
}
