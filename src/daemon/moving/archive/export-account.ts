/** Exports everything of an agent or a person to an archive: mail, calendars, addressbooks, files and settings. Secrets are not
 *  exported: of tokens and passwords only digests are stored. An object that changes during the export is in the archive as it was
 *  before or after the change. */

import { randomBytes } from "node:crypto";
import { primaryAddress } from "#/src/accounts/principal.ts";
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import { type GrantedKind, grantDeclarations, grantMembers } from "#/src/model/grants.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { TransferRooms } from "../transfer-rooms.ts";
import { isArchive, writeArchive } from "./archive-file.ts";
import { json } from "./export-entries.ts";
import type { ArchivedFolder, ArchivedSettings, Manifest } from "./format.ts";
import { archiveParts } from "./parts.ts";
import { tarEnd } from "./tar.ts";

export { isArchive };

export interface ArchiveExport {
  readonly file: string;
  readonly messages: number;
  readonly items: number;
  readonly files: number;
}

interface Watcher {
  readonly signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

/** The file exists only when it is complete. Refuses a name that is taken. */
export async function exportAccount(
  rooms: TransferRooms,
  owner: AgentRow,
  file: string,
  { signal, onProgress }: Watcher,
): Promise<ArchiveExport> {
  const { mail, collections } = rooms;
  const boxes = await mail.listMailboxes(owner.agent);
  const places = await collections.listCollections(owner.agent);
  const counts = {
    messages: boxes.reduce((sum, { messageCount }) => sum + messageCount, 0),
    items: places.reduce((sum, { itemCount }) => sum + itemCount, 0),
  };
  const done = { messages: 0, items: 0, files: 0 };
  const tell = (kind: keyof typeof done, count: number): void => {
    done[kind] += count;
    onProgress(
      done.messages + done.items,
      Math.max(counts.messages + counts.items, done.messages + done.items),
    );
  };
  await writeArchive(file, entries(), signal);
  return { file, ...done };

  async function* entries(): AsyncGenerator<Uint8Array> {
    const manifest: Manifest = {
      format: "waypost-account",
      version: 1,
      id: randomBytes(16).toString("hex"),
      madeAt: new Date(rooms.store.clock.now()).toISOString(),
      address: primaryAddress(owner),
      kind: owner.kind,
      counts,
      settings: await describeSettings(rooms, owner),
      folders: await describeFolders(rooms, owner, boxes),
    };
    yield* json("manifest.json", manifest);
    for (const part of Object.values(archiveParts))
      if (typeof part !== "string") yield* part.entries({ rooms, owner, boxes, places, tell });
    yield tarEnd;
  }
}

async function describeSettings(rooms: TransferRooms, owner: AgentRow): Promise<ArchivedSettings> {
  const ask = (operation: string, input: Readonly<Record<string, unknown>>) =>
    rooms.operator.administer(operation, input) as unknown as Promise<Shown>;
  const address = primaryAddress(owner);
  const shown = await ask(`${owner.kind}.show`, { owner: address });
  const grants: ArchivedSettings["grants"] = [];
  for (const grant of (await ask("grant.list", { target: address })).grants ?? []) {
    const { holder, scopes, expiresAt, revokedAt } = grant;
    if (holder === null || revokedAt !== null) continue;
    const named = grantMembers((kind) => namesOf(kind, grant[grantDeclarations[kind].plural]));
    grants.push({ holder, scopes, ...named, expiresAt });
  }
  const { name, aliases = [], quotaBytes, holdPolicy, approver, allow, block } = shown;
  return { name, aliases, quotaBytes, holdPolicy, approver, allow, block, grants };
}

/** What the operations answer that are asked. */
interface Shown extends Partial<Omit<ArchivedSettings, "grants">> {
  readonly grants?: readonly (Omit<ArchivedSettings["grants"][number], "holder"> & {
    readonly holder: string | null;
    readonly revokedAt: string | null;
  })[];
}

/** A grant shows folders by their paths, and other objects with the id behind the name. */
function namesOf(kind: GrantedKind, shown: "all" | string[]): "all" | string[] {
  if (shown === "all" || kind === "mailbox") return shown;
  return shown.map((one) => one.replace(/ \([a-z]+_[a-z0-9]{26}\)$/, ""));
}

async function describeFolders(
  { mail }: TransferRooms,
  { agent }: AgentRow,
  boxes: readonly Mailbox[],
): Promise<ArchivedFolder[]> {
  const subscribed = new Set(await mail.listSubscriptions(agent));
  return boxes.map(({ name, role, properties }) => ({
    path: name,
    ...(role === undefined ? {} : { role }),
    isSubscribed: subscribed.has(name),
    ...properties,
  }));
}
