/** The objects that a grant names, by name or id, each kind in a member of its own (`mailboxes`, `calendars`, …). */
import { z } from "zod";
import { server } from "#/src/model/author.ts";
import type { CollectionKind } from "#/src/model/collections.ts";
import { WaypostError } from "#/src/model/errors.ts";
import {
  type GrantedKind,
  type GrantedObjects,
  type GrantRight,
  grantDeclarations,
  grantMembers,
  ofGrantedKinds,
} from "#/src/model/grants.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { findCollectionOfRole, listCollections } from "#/storage/queries/collections/collections.ts";
import { listMailboxes } from "#/storage/queries/mail/mailboxes.ts";
import type { Store } from "#/storage/store.ts";
import { hasScope } from "../principal.ts";

/** Bound on the named objects of a kind. A mailbox owner may have more mailboxes; a grant for most of them should be for all. */
const namedObjectsMax = 1000;
const hintCharactersMax = 1000;

interface Grantable {
  readonly number: number;
  readonly name: string;
  /** For a kind in which several have the same name: with the id. */
  readonly shown: string;
}

/** The objects of an owner that a grant can name. */
const listers: Record<GrantedKind, (store: Store, agent: AgentNumber) => Promise<readonly Grantable[]>> = {
  mailbox: async (store, agent) =>
    (await listMailboxes(store, agent)).map(({ mailbox, name }) => ({ number: mailbox, name, shown: name })),
  calendar: listerOf("calendar"),
  addressbook: listerOf("addressbook"),
};

function listerOf(kind: CollectionKind): (typeof listers)[GrantedKind] {
  return async (store, agent) => {
    const rows = await listCollections(store, agent);
    return rows
      .filter((row) => row.kind === kind && row.role !== "inbox")
      .map(({ collection, displayName: name }) => ({
        ...{ number: collection, name },
        shown: `${name} (${store.ids.encode(kind, agent, collection)})`,
      }));
  };
}

const firstUpper = (word: string): string => `${word[0]!.toUpperCase()}${word.slice(1)}`;

export const objectFields = grantMembers((kind) =>
  z
    .array(z.string().min(1).max(1000))
    .max(namedObjectsMax)
    .optional()
    .describe(
      `${firstUpper(grantDeclarations[kind].plural)}, by name or id; the grant keeps them when they are renamed. Without it, all of them; an empty list: none.`,
    ),
);

type Named = { readonly [Member in keyof typeof objectFields]?: readonly string[] | undefined };

/** Refuses a grant that names objects without a scope for them: naming calendars and omitting the scopes would share mail instead. */
export function assertReachable(scopes: readonly GrantRight[], named: Named): void {
  for (const { word, plural, least } of Object.values(grantDeclarations))
    if ((named[plural]?.length ?? 0) > 0 && !hasScope(new Set(scopes), least))
      throw new WaypostError(
        "invalid",
        `The grant names objects of the kind ${word}, but no scope gives access to them.`,
        { field: "/scopes", hint: `Add ${least}, or what holds it.` },
      );
}

/** The default collections are made at their first use. */
async function makeDefaults(store: Store, agent: AgentNumber): Promise<void> {
  if ((await findCollectionOfRole(store, agent, "calendar", "default")) === undefined)
    await store.write(server, "createDefaultCollections", { agent, at: store.clock.now() });
}

/** The numbers of some of an owner's objects. */
export async function selectGranted(store: Store, agent: AgentNumber, named: Named): Promise<GrantedObjects> {
  const objects: Partial<Record<GrantedKind, readonly number[]>> = {};
  if (named.calendars !== undefined || named.addressbooks !== undefined) await makeDefaults(store, agent);
  for (const { kind, word, plural } of Object.values(grantDeclarations)) {
    const texts = named[plural];
    if (texts === undefined) continue;
    const rows = await listers[word](store, agent);
    objects[word] = texts.map((text, at) => {
      const id = store.ids.decode(text);
      const number = id?.kind === kind && id.agent === agent ? id.object : undefined;
      const found = rows.filter((row) => row.number === number || row.name === text);
      if (found.length === 1) return found[0]!.number;
      throw new WaypostError(
        found.length === 0 ? "not_found" : "invalid",
        found.length === 0 ? `There is no ${word} ${text}.` : `Several ${plural} are called ${text}.`,
        {
          field: `/${plural}/${at}`,
          hint: `The ${plural}: ${rows.map(({ shown }) => shown).join(", ")}`.slice(0, hintCharactersMax),
        },
      );
    });
  }
  return ofGrantedKinds((kind) => objects[kind] ?? "all");
}

/** The objects of a grant with their current names. */
export async function shownGranted(store: Store, agent: AgentNumber, objects: GrantedObjects) {
  const rows: Partial<Record<GrantedKind, readonly Grantable[]>> = {};
  for (const { word } of Object.values(grantDeclarations))
    if (objects[word] !== "all" && objects[word].length > 0) rows[word] = await listers[word](store, agent);
  return grantMembers((kind) => {
    const named = objects[kind];
    if (named === "all") return "all";
    return (rows[kind] ?? []).filter(({ number }) => named.includes(number)).map(({ shown }) => shown);
  });
}
