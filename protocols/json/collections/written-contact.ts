/** Contacts that are created or changed. The vCard is what is stored; a change edits its text. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { PutItem } from "#/src/collections/collections.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import type { JsonObject } from "#/src/formats/jscontact/json.ts";
import type { OperationContext } from "../operation.ts";
import { writeResult } from "../schemas.ts";
import { atBody, atPatch, atWholeBody } from "./field-of-change.ts";
import { cardInUtc, cardPatchInUtc } from "./written-card-times.ts";

export const contactBody = z
  .record(z.string(), z.unknown())
  .describe(
    'A JSContact Card (RFC 9553), also in short forms: {name: "Ada Dee", emails: ["ada@example.com"], phones: ["+4420"], organizations: […], titles: […], notes: […]}.',
  );

export const contactPatch = z
  .record(z.string().max(2000), z.unknown())
  .describe(
    'JSON pointers of the Card and their new values, null deletes: {"emails/k1/address": "ada@example.com", "phones/k2": null}.',
  );

export const contactResult = writeResult.extend({
  uid: z.string().optional().describe("UID of its vCard, which names it too: addressbook_…#<uid>."),
});

type Written = Pick<PutItem, "bytes" | "provenance" | "isAuthenticated">;

/** The provenance of items that a credential with the scope has written. */
const made = { provenance: { source: "api" }, isAuthenticated: true } as const;

/** An object of a request, as parsed from JSON. */
type Given = Readonly<Record<string, unknown>>;

const members = "The members of a Card are those of RFC 9553.";

export async function newContact(context: OperationContext, given: Given): Promise<Written> {
  const uid = `urn:uuid:${randomUUID()}`;
  const body = await cardInUtc(context, given as JsonObject);
  return { bytes: await atBody(members, () => context.rooms.contacts.run("create", { body, uid })), ...made };
}

export interface ContactChange {
  readonly body?: Given | undefined;
  readonly patch?: Given | undefined;
}

/** undefined if the change changes nothing. `id`: the contact's id. */
export async function changedContact(
  context: OperationContext,
  { bytes: stored }: StoredItem,
  id: string,
  given: ContactChange,
): Promise<Written | undefined> {
  const { body, patch } = given as Readonly<Record<keyof ContactChange, JsonObject | undefined>>;
  const change =
    patch === undefined
      ? { body: await cardInUtc(context, body!) }
      : { patch: await cardPatchInUtc(context, patch) };
  const run = () => context.rooms.contacts.run("change", { bytes: stored, id, change });
  const bytes = await (patch === undefined ? atWholeBody(members, run) : atPatch(members, patch, run));
  return bytes === undefined ? undefined : { bytes, ...made };
}
