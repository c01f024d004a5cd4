/** What the columns say about archives of an account and files of mail (`storage/schema`): an object with a value of its own in every column
 *  that is carried has the same ones after the journey. */
import path from "node:path";
import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { collectionProperties } from "#/src/model/collection-properties.ts";
import { keywordNumbers, systemFlagsMask } from "#/src/model/flags.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Journey } from "#/storage/schema/column.ts";
import { carriedColumns, schema, type TableName } from "#/storage/schema/schema.ts";
import { basic, davClient } from "../support/clients/dav-client.ts";
import { httpClient } from "../support/clients/http.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import type { InProcessDaemon } from "../support/daemon.ts";
import { eventText } from "../support/item-texts.ts";
import { ownOfFolder, ownOfMessage } from "../support/own-properties.ts";
import { owner, run, start, useFolder } from "./archive-scene.ts";

const { pathOf, archiveOf, takeBack } = useFolder();

async function fill(server: InProcessDaemon): Promise<void> {
  const { address, password, id } = server.agents[0]!;
  const { store, collections } = server.daemon.house;
  const { agent } = store.ids.decode(id)!;
  await using client = await connectRawImap(server.imap);
  for (const command of [
    `LOGIN ${address} ${password}`,
    "CREATE Own/Box",
    "SUBSCRIBE Own/Box",
    'SETMETADATA Own/Box (/private/comment "own")',
  ])
    expect((await client.command(command)).status, command).toMatch(/^OK/);
  const mail = "From: Own <own@far.example>\r\nSubject: Own\r\nMessage-ID: <own@far.example>\r\n\r\nOwn\r\n";
  const append = `APPEND Own/Box (\\Seen \\Flagged Own $label1) "05-Jan-2020 10:00:00 +0000" {${mail.length}+}\r\n${mail}`;
  expect((await client.command(append)).status).toMatch(/^OK/);

  const { ok } = httpClient(server.http.url, server.agents[0]!.token);
  const { id: own, folder } = (await ok("search", { folder: "Own/Box" })).content.items[0];
  if (Object.keys(ownOfMessage).length > 0) await ok("message.update", { id: own, ...ownOfMessage });
  const { version } = await ok("part.describe", { id: folder });
  if (Object.keys(ownOfFolder).length > 0) await ok("folder.update", { id: folder, version, ...ownOfFolder });

  const { collection } = await collections.createCollection(nobody, agent, {
    kind: "calendar",
    segment: "own",
    properties: {
      ...collectionProperties.forEachForm({
        name: "Own",
        text: "Of one that is added",
        number: 7,
        flag: true,
        time: 7,
      }),
      description: "Its own",
      color: "#ff0000",
      order: 7,
      components: ["VEVENT"],
      timeZone: "Europe/Berlin",
      isTransparent: true,
      availability: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:own\r\nEND:VCALENDAR\r\n",
    },
    deadProperties: [{ namespace: "urn:own", name: "own", xml: '<x:own xmlns:x="urn:own">own</x:own>' }],
  });
  const dead = { namespace: "urn:own", name: "own", xml: '<x:own xmlns:x="urn:own">own</x:own>' };
  await collections.putItem(agent, nobody, {
    collection,
    segment: "own.ics",
    bytes: Buffer.from(eventText("own", "SUMMARY:Own")),
    provenance: { source: "dav" },
    isAuthenticated: true,
    deadProperties: [dead],
  });
  const dav = davClient(server.http.url, basic(address, password));
  const file = `/dav/files/${id}/own.txt`;
  await dav.request("PUT", file, "own", { "Content-Type": "text/own" });
  const patch =
    '<propertyupdate xmlns="DAV:"><set><prop><x:own xmlns:x="urn:own">own</x:own></prop></set></propertyupdate>';
  expect((await dav.request("PROPPATCH", file, patch)).status).toBeLessThan(300);

  const settings = { name: "Own", quotaBytes: 123_456_789, holdPolicy: "external" };
  await run(server, "agent.update", { owner, ...settings, allow: ["far.example"], block: ["bad.example"] });
  await run(server, "agent.alias", { owner, address: "own@waypost.test" });
  const grant = { holder: "person1@waypost.test", target: owner, scopes: ["mail:read"], expiresInDays: 9 };
  await run(server, "grant.create", grant);
}

/** For each table the values of its carried columns in all rows of the owner, flags and keywords by their names. */
async function carriedOf(server: InProcessDaemon, ...journeys: readonly Journey[]) {
  const { store } = server.daemon.house;
  const { agent } = store.ids.decode(server.agents[0]!.id)!;
  const carried: Record<string, readonly string[]> = {};
  for (const table of Object.keys(schema) as TableName[]) {
    const columns = carriedColumns(table, ...journeys);
    if (columns.length === 0) continue;
    const of = table === "agent_grant" ? "target_agent_id" : "agent_id";
    const rows = await store.all<Record<string, unknown>>(`select * from ${table} where ${of} = ?`, agent);
    carried[table] = (
      await Promise.all(rows.map((row) => valuesOf(server, agent, table, columns, row)))
    ).sort();
    for (const column of columns) {
      const isOwn = rows.some((row) => row[column] !== null && row[column] !== "" && row[column] !== 0);
      expect(isOwn, `${table}.${column} has a value of its own`).toBe(true);
    }
  }
  return carried;
}

async function valuesOf(
  server: InProcessDaemon,
  agent: AgentNumber,
  table: TableName,
  columns: readonly string[],
  row: Readonly<Record<string, unknown>>,
): Promise<string> {
  const values = columns.map((column) => [column, row[column]] as const);
  if (table !== "entry") return JSON.stringify(values);
  const held = keywordNumbers({ mask: row.flags as number, overflow: row.keywords as string | null });
  const names = await server.daemon.house.store.all<{ number: number; name: string }>(
    "select keyword_number as number, name from keyword where agent_id = ?",
    agent,
  );
  return JSON.stringify([
    ...values.map(([column, value]) => [
      column,
      column === "flags" ? (value as number) & systemFlagsMask : value,
    ]),
    ...held.map((number) => names.find((one) => one.number === number)!.name).sort(),
  ]);
}

it("an account as an archive carries what the columns say", async () => {
  await using there = await start();
  await fill(there);
  await archiveOf(there, "all.tar");
  await using here = await start();
  await takeBack(here, "all.tar", { takesSettings: true });
  expect(await carriedOf(here, "export", "import")).toEqual(await carriedOf(there, "export", "import"));
});

it.each(["Maildir", "mbox"])("mail as %s carries what the columns say", async (form) => {
  await using there = await start();
  await fill(there);
  const file = pathOf("mail");
  await run(there, "mail.export", { owner, file, isMbox: form === "mbox" });
  await using here = await start();
  const sources = form === "mbox" ? [path.join(file, "Own", "Box.mbox")] : [file];
  for (const source of sources) await run(here, "mail.import", { owner, file: source });
  expect(await carriedOf(here, "mailboxFile")).toEqual(await carriedOf(there, "mailboxFile"));
});
