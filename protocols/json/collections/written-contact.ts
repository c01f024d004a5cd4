/** A contact that is created or changed: its stored truth is the vCard, and a change goes into the text that is there. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { PutItem } from "#/src/collections/collections.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import type { JsonObject } from "#/src/formats/jscontact/json.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { jsonPointer } from "../json-pointer.ts";
import type { OperationContext } from "../operation.ts";
import { writeResult } from "../schemas.ts";

export const contactBody = z
  .record(z.string(), z.unknown())
  .describe(
    'A JSContact Card (RFC 9553), or the short form {name: "Ada Lovelace", emails: ["ada@example.com"], phones: ["+44 20 7946 0000"]}; both may be mixed.',
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

/** Made with a credential that may: nobody else has a say in it. */
const made = { provenance: { source: "api" }, isAuthenticated: true } as const;

/** An object of a request: what the reader of JSON has made. */
type Given = Readonly<Record<string, unknown>>;

export async function newContact({ rooms }: OperationContext, given: Given): Promise<Written> {
  const uid = `urn:uuid:${randomUUID()}`;
  const body = given as JsonObject;
  return { bytes: await atBody(() => rooms.contacts.run("create", { body, uid })), ...made };
}

export interface ContactChange {
  readonly body?: Given | undefined;
  readonly patch?: Given | undefined;
}

/** Undefined if it says already what the change makes of it. `id`: of the contact. */
export async function changedContact(
  { rooms }: OperationContext,
  { bytes: stored }: StoredItem,
  id: string,
  given: ContactChange,
): Promise<Written | undefined> {
  const { body, patch } = given as Readonly<Record<keyof ContactChange, JsonObject | undefined>>;
  const bytes =
    patch === undefined
      ? await atBody(() => rooms.contacts.run("change", { bytes: stored, id, change: { body: body! } }))
      : await atPatch(patch, () => rooms.contacts.run("change", { bytes: stored, id, change: { patch } }));
  return bytes === undefined ? undefined : { bytes, ...made };
}

/** The pointer of a refusal, from the top of the request. */
function atBody<R>(run: () => Promise<R>): Promise<R> {
  return rethrown(run, (field) => `/body${field}`);
}

/** Within a patch, what is wrong stands at one of its pointers. */
function atPatch<R>(patch: JsonObject, run: () => Promise<R>): Promise<R> {
  const keys = Object.keys(patch).toSorted((one, other) => other.length - one.length);
  return rethrown(run, (field) => {
    const key = keys.find((one) => `${field}/`.startsWith(`/${plain(one)}/`));
    return key === undefined ? "/patch" : jsonPointer(["patch", key]) + field.slice(plain(key).length + 1);
  });
}

function plain(pointer: string): string {
  return pointer.replace(/^\//, "");
}

async function rethrown<R>(run: () => Promise<R>, fieldOf: (field: string) => string): Promise<R> {
  try {
    return await run();
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "invalid") throw error;
    const { field = "", hint = "The members of a Card are those of RFC 9553." } = error.details;
    throw new WaypostError("invalid", error.message, { ...error.details, field: fieldOf(field), hint });
  }
}
