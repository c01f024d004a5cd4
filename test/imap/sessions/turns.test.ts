import { expect, test } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import { createOwner } from "#/src/accounts/administration/agents-and-people.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { connectRawImap } from "../../support/clients/raw-imap.ts";
import { startImap } from "../server.ts";

const sessions = 40;

test("answers a mailbox's one command before the many that others sent at the same time", async () => {
  await using server = await startImap();
  const kim = await createOwner(
    atCommandLine,
    { store: server.store, settings: defaultSettings() },
    "person",
    {
      address: "kim@example.test",
    },
  );
  const logIn = async (owner: typeof kim) => {
    const imap = await connectRawImap({ host: "127.0.0.1", port: server.port });
    await imap.command(`LOGIN ${owner.address} "${owner.password}"`);
    return imap;
  };
  await using all = new AsyncDisposableStack();
  const [first, ...others] = await Promise.all(Array.from({ length: sessions }, () => logIn(server.robin)));
  for (const imap of [first!, ...others]) all.use(imap);
  await Promise.all([first!, ...others].map((imap) => imap.command("SELECT INBOX")));
  const quiet = all.use(await logIn(kim));

  const set = Array.from({ length: 6000 }, (_, n) => 2 * n + 1).join(",");
  let answered = 0;
  const busy = [first!, ...others].map(async (imap) => {
    const { status } = await imap.command(`UID FETCH ${set} (FLAGS)`);
    expect(status).toMatch(/^OK/);
    answered++;
  });
  await quiet.command("NOOP");
  expect(answered).toBeLessThan(sessions / 2);
  await Promise.all(busy);
});
