/** Mail that waits for approval still waits after an export and an import, to the same recipients. Nothing of it leaves, and no decision goes with it. */
import { expect, it } from "vitest";
import { httpClient } from "../support/clients/http.ts";
import type { InProcessDaemon } from "../support/daemon.ts";
import { madeArchive, owner, run, start, useFolder } from "./archive-scene.ts";

const { pathOf, writeFile, archiveOf, takeBack } = useFolder();

const person = "person1@waypost.test";
const hidden = "agent2@waypost.test";

async function hold(server: InProcessDaemon): Promise<void> {
  const client = httpClient(server.http.url, server.agents[0]!.token);
  const mail = { to: [person], bcc: [hidden], subject: "Waits", text: "Please" };
  expect(await client.ok("send", { body: mail, hold: "always" })).toMatchObject({ state: "held" });
}

async function holdsOf(server: InProcessDaemon) {
  const { holds } = (await run(server, "hold.list", {})) as {
    holds: { id: string; state: string; from: string; to: string[]; subject: string }[];
  };
  return holds;
}

const waits = { state: "waiting", from: owner, to: [person, hidden], subject: "Waits" };

it.each(["whole.tar", "Maildir"])(
  "waits again after %s, once, and leaves when it is approved",
  async (form) => {
    await using there = await start();
    await using here = await start();
    await hold(there);
    if (form.endsWith(".tar")) await archiveOf(there, form);
    else await run(there, "mail.export", { owner, file: pathOf(form) });
    const bring = () => takeBack(here, form);
    await bring();
    expect(await holdsOf(here)).toMatchObject([waits]);
    expect(await run(here, "queue.list", {})).toMatchObject({ mails: [] });
    await bring();
    const [one, ...others] = await holdsOf(here);
    expect(others).toEqual([]);
    await run(here, "hold.approve", { hold: one!.id });
    await expect
      .poll(
        async () => {
          const { store, mail } = here.daemon.house;
          const boxes = await mail.listMailboxes(store.ids.decode(here.people[0]!.id)!.agent);
          return boxes.find(({ role }) => role === "inbox")!.messageCount;
        },
        { timeout: 60_000 },
      )
      .toBe(1);
  },
);

it("is a draft where it is from somebody else, or was not waiting", async () => {
  await using server = await start();
  const facts = { flags: [], internalDate: 0 };
  writeFile(
    "a.tar",
    madeArchive(
      [
        [
          "mail/0/0.json",
          JSON.stringify({ messages: [{ ...facts, file: "1.eml", hold: { recipients: [person] } }] }),
        ],
        ["mail/0/1.eml", "From: ceo@bank.example\r\nTo: x@x.example\r\nSubject: forged\r\n\r\nx\r\n"],
        ["mail/1/0.json", JSON.stringify({ messages: [{ ...facts, file: "2.eml" }] })],
        ["mail/1/2.eml", `From: ${owner}\r\nTo: ${person}\r\nSubject: approved\r\n\r\nx\r\n`],
      ],
      {
        folders: [
          { path: "Holds/Waiting", role: "holds", isSubscribed: true },
          { path: "Holds/Approved", role: "holds_approved", isSubscribed: true },
        ],
      },
    ),
  );
  const { refusals } = await takeBack(server, "a.tar");
  expect(refusals).toMatchObject([{ why: expect.stringContaining("It became a draft") }]);
  expect(await holdsOf(server)).toEqual([]);
  const { store, mail } = server.daemon.house;
  const boxes = await mail.listMailboxes(store.ids.decode(server.agents[0]!.id)!.agent);
  expect(boxes.find(({ role }) => role === "drafts")!.messageCount).toBe(2);
});
