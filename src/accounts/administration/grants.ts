import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import type { GrantedKind, GrantedObjects, GrantRight } from "#/src/model/grants.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { listGrants } from "#/storage/queries/accounts/credentials.ts";
import { listCollections } from "#/storage/queries/collections/collections.ts";
import { listMailboxes } from "#/storage/queries/mail/mailboxes.ts";
import type { Store } from "#/storage/store.ts";
import { hasScope, primaryAddress } from "../principal.ts";
import { administrationOperation } from "./operation.ts";
import {
  expiryField,
  expiryOf,
  grantRightsField,
  isoTime,
  numberField,
  ownerField,
  selectCollections,
  selectMailboxes,
  selectOwner,
} from "./selectors.ts";

/** Bound on the named objects of a kind. A mailbox owner may have more mailboxes; a grant for most of them should be for all. */
const namedObjectsMax = 1000;

function objectsField(word: string) {
  return z
    .array(z.string().min(1).max(1000))
    .min(1)
    .max(namedObjectsMax)
    .optional()
    .describe(`${word}, by name or id; the grant keeps them when they are renamed. Without it, all of them.`);
}

/** The least right that gives access to objects of a kind. */
const leastRights: Record<GrantedKind, GrantRight> = {
  mailbox: "mail:read",
  calendar: "calendar:freebusy",
  addressbook: "contacts:read",
};

/** Refuses a grant that names objects without a scope for them: naming calendars and omitting the scopes would share mail instead. */
function assertReachable(scopes: readonly GrantRight[], kind: GrantedKind, named: unknown): void {
  const least = leastRights[kind];
  if (named === undefined || hasScope(new Set(scopes), least)) return;
  throw new WaypostError(
    "invalid",
    `The grant names objects of the kind ${kind}, but no scope gives access to them.`,
    {
      field: "/scopes",
      hint: `Add ${least}, or what holds it.`,
    },
  );
}

/** The objects of a grant with their current names. */
async function shownObjects(store: Store, agent: AgentNumber, objects: GrantedObjects) {
  const mailboxes = objects.mailbox === "all" ? [] : await listMailboxes(store, agent);
  const isNamed = objects.calendar !== "all" || objects.addressbook !== "all";
  const collections = isNamed ? await listCollections(store, agent) : [];
  const namesOf = (kind: "calendar" | "addressbook"): "all" | readonly string[] => {
    const named = objects[kind];
    if (named === "all") return "all";
    return collections
      .filter((row) => named.includes(row.collection))
      .map((row) => `${row.displayName} (${store.ids.encode(kind, agent, row.collection)})`);
  };
  const { mailbox } = objects;
  return {
    mailboxes:
      mailbox === "all"
        ? "all"
        : mailboxes.filter((row) => mailbox.includes(row.mailbox)).map(({ name }) => name),
    calendars: namesOf("calendar"),
    addressbooks: namesOf("addressbook"),
  };
}

export const grantOperations = [
  administrationOperation({
    name: "grant.create",
    kind: "access",
    summary: "Let one agent or person reach the data of another one of the same account.",
    input: z.strictObject({
      holder: ownerField.describe("Who may reach: address or id."),
      target: ownerField.describe("Whose data: address or id."),
      scopes: grantRightsField.default(["mail:read"]),
      mailboxes: objectsField("Mailboxes"),
      calendars: objectsField("Calendars"),
      addressbooks: objectsField("Addressbooks"),
      expiresInDays: expiryField,
    }),
    positional: ["holder", "target"],
    async run({ store }, input, by) {
      const holder = await selectOwner(store, input.holder);
      const target = await selectOwner(store, input.target);
      if (holder.account !== target.account)
        throw new WaypostError("invalid", "A grant cannot reach beyond the account.", { field: "/target" });
      if (holder.agent === target.agent)
        throw new WaypostError("invalid", "Everybody reaches their own data.", { field: "/target" });
      const { scopes, mailboxes, calendars, addressbooks } = input;
      assertReachable(scopes, "mailbox", mailboxes);
      assertReachable(scopes, "calendar", calendars);
      assertReachable(scopes, "addressbook", addressbooks);
      const objects: GrantedObjects = {
        mailbox: mailboxes ? await selectMailboxes(store, target, mailboxes, "/mailboxes") : "all",
        calendar: calendars
          ? await selectCollections(store, target, "calendar", calendars, "/calendars")
          : "all",
        addressbook: addressbooks
          ? await selectCollections(store, target, "addressbook", addressbooks, "/addressbooks")
          : "all",
      };
      const expiresAt = expiryOf(input.expiresInDays, store.clock.now());
      const { grant } = await store.write(by, "createGrant", {
        agent: holder.agent,
        targetAgent: target.agent,
        scopes,
        objects,
        expiresAt,
        at: store.clock.now(),
      });
      return {
        number: grant,
        holder: primaryAddress(holder),
        target: primaryAddress(target),
        scopes,
        ...(await shownObjects(store, target.agent, objects)),
        expiresAt: isoTime(expiresAt),
      };
    },
  }),
  administrationOperation({
    name: "grant.list",
    kind: "access",
    isRead: true,
    summary: "List what an agent or a person has been granted.",
    input: z.strictObject({ holder: ownerField }),
    positional: ["holder"],
    async run({ store }, { holder }) {
      const rows = await listGrants(store, (await selectOwner(store, holder)).agent);
      const grants = [];
      for (const row of rows) {
        const target = await findAgent(store, row.targetAgent);
        grants.push({
          number: row.grant,
          target: target === undefined ? null : primaryAddress(target),
          scopes: row.scopes,
          ...(await shownObjects(store, row.targetAgent, row.objects)),
          ...(row.lostMailboxes.length === 0 ? {} : { lostMailboxes: row.lostMailboxes }),
          createdAt: isoTime(row.createdAt),
          expiresAt: isoTime(row.expiresAt),
          revokedAt: isoTime(row.revokedAt),
        });
      }
      return { grants };
    },
  }),
  administrationOperation({
    name: "grant.revoke",
    kind: "access",
    summary: "End a grant.",
    input: z.strictObject({ number: numberField }),
    positional: ["number"],
    async run({ store }, { number }, by) {
      await store.write(by, "revokeGrant", { grant: number, at: store.clock.now() });
      return { number, revoked: true };
    },
  }),
];
