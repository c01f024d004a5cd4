/** What an archive of an account has: a tar whose first entry is `manifest.json`. Its other entries come in an order in which each can be stored when
 *  it is read: a page, which says what the files behind it are, and then these files. An export writes no page that an import refuses as too large.
 *
 *  annotations/<folder>/<page>.json  annotations of a folder
 *  mail/<folder>/<page>.json         messages of a folder, in the order of their UIDs; mail/<folder>/<n>.eml are their octets
 *  collections/<n>.json              a calendar or addressbook, before its items
 *  collections/<n>/<page>.json       items of a calendar or addressbook; collections/<n>/<n>.ics and .vcf are their octets
 *  files/<page>.json                 files and folders of WebDAV; files/<n>.bin are their octets
 *
 *  `<folder>` is a place in the list of the manifest, from 0. */
import { z } from "zod";
import { collectionProperties } from "#/src/model/collection-properties.ts";
import { collectionKinds } from "#/src/model/collections.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { folderProperties } from "#/src/model/folder-properties.ts";
import { grantMembers } from "#/src/model/grants.ts";
import { jsonShape } from "#/src/model/json-depth.ts";
import {
  archiveJsonDepthMax,
  archiveJsonMembersMax,
  archiveJsonValuesMax,
  metadataEntriesMax,
} from "#/src/model/limits.ts";
import { messageProperties } from "#/src/model/message-properties.ts";
import { mailboxRoles } from "#/src/model/roles.ts";

/** Of a page or the manifest. */
export const jsonBytesMax = 16 * 1024 * 1024;
/** Octets of the entries of a page as an export writes it: with its spaces it stays below `jsonBytesMax`, and others wait less for it. */
export const pageBytesMax = 4 * 1024 * 1024;
/** Entries of a page. */
export const pageEntriesMax = 250;
/** Of a page of items, which are stored in one transaction: others wait for it. */
export const pageItemsMax = 50;
/** Annotations of a page, which are stored in one transaction: those that all share and those of the agent. */
export const pageAnnotationsMax = 2 * metadataEntriesMax;

const listMax = 10_000;
const text = z.string().max(64 * 1024);
const name = z.string().max(2000);
const deadProperty = z.strictObject({ namespace: text, name: text, xml: text });
const deadProperties = z.array(deadProperty).max(1000).optional();
/** A property that was not there yet when the archive was written is not set. */
const propertyForms = {
  name: text.default(""),
  text: text.optional(),
  number: z.number().optional(),
  flag: z.boolean().default(false),
  time: z.int().optional(),
};

const folder = z.strictObject({
  /** Levels divided by `/`. */
  path: name,
  role: z.enum(Object.keys(mailboxRoles) as [keyof typeof mailboxRoles]).optional(),
  isSubscribed: z.boolean(),
  ...folderProperties.forEachForm(propertyForms),
});

export const archivedCollection = z.strictObject({
  kind: z.enum(collectionKinds),
  role: z.enum(["default", "inbox"]).optional(),
  segment: name.optional(),
  components: z.array(name).max(20).optional(),
  ...collectionProperties.forEachForm(propertyForms),
  deadProperties,
});

const settings = z.strictObject({
  name: name.optional(),
  aliases: z.array(name).max(listMax),
  quotaBytes: z.number().nullable().optional(),
  holdPolicy: name.optional(),
  approver: name.nullable().optional(),
  allow: z.array(name).max(listMax).optional(),
  block: z.array(name).max(listMax).optional(),
  /** Who else reaches the mailbox. */
  grants: z
    .array(
      z.strictObject({
        holder: name,
        scopes: z.array(name).max(20),
        // A kind that was not there yet when the archive was written is not named: the grant reaches none of it.
        ...grantMembers(() => z.union([z.literal("all"), z.array(name).max(listMax)]).default([])),
        expiresAt: name.nullable(),
      }),
    )
    .max(listMax),
});

export const manifest = z.strictObject({
  format: z.literal("waypost-account"),
  version: z.literal(1),
  /** By which an import knows what it has stored of this archive. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  madeAt: name,
  address: name,
  kind: z.enum(["agent", "person"]),
  counts: z.strictObject({ messages: z.number(), items: z.number() }),
  settings,
  folders: z.array(folder).max(listMax),
});
export type Manifest = z.infer<typeof manifest>;
export type ArchivedFolder = z.infer<typeof folder>;
export type ArchivedCollection = z.infer<typeof archivedCollection>;
export type ArchivedSettings = z.infer<typeof settings>;

/** Annotations (RFC 5464). */
export const annotationPage = z.strictObject({
  annotations: z.array(z.strictObject({ name, /** As base64. */ value: text })).max(pageAnnotationsMax),
});
export type AnnotationPage = z.infer<typeof annotationPage>;

const file = z.string().max(40);
const flags = z.array(z.string().min(1).max(255)).max(1000);

export const messagePage = z.strictObject({
  messages: z
    .array(
      z.union([
        z.strictObject({
          file,
          /** System flags and keywords, by their names. */
          flags,
          /** Milliseconds since 1970. */
          internalDate: z.number(),
          /** It is in another folder too, and is named there. */
          isShared: z.literal(true).optional(),
          ...messageProperties.forEachForm(propertyForms),
          /** Of mail that waits for approval: to whom it goes when it is approved. */
          hold: z.strictObject({ recipients: z.array(name).min(1).max(1000) }).optional(),
        }),
        /** The same message as one that came before. */
        z.strictObject({ copyOf: name, flags }),
      ]),
    )
    .max(pageEntriesMax),
});
export type MessagePage = z.infer<typeof messagePage>;

export const itemPage = z.strictObject({
  items: z.array(z.strictObject({ file, segment: name.optional(), deadProperties })).max(pageItemsMax),
});
export type ItemPage = z.infer<typeof itemPage>;

export const filePage = z.strictObject({
  files: z
    .array(
      z.strictObject({
        path: z.string().max(8192),
        /** Absent for a folder. */
        file: file.optional(),
        mediaType: name.optional(),
        deadProperties,
      }),
    )
    .max(pageEntriesMax),
});
export type FilePage = z.infer<typeof filePage>;

/** Throws `policy_refused` for what `readJson` would refuse as too much. */
export function writeJson(path: string, value: object): Buffer {
  const bytes = Buffer.from(`${JSON.stringify(value, undefined, 1)}\n`);
  if (bytes.length > jsonBytesMax || isTooMuch(bytes))
    throw new WaypostError(
      "policy_refused",
      `There is no archive: its ${path} would have more than an import reads.`,
      { reason: "too_large" },
    );
  return bytes;
}

/** Throws `invalid` for JSON of another form. What is too much of it is found on the octets, before values are made. */
export function readJson<T>(schema: z.ZodType<T>, path: string, bytes: Uint8Array): T {
  if (isTooMuch(bytes)) throw unfit(path);
  try {
    return schema.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  } catch (cause) {
    throw unfit(path, cause);
  }
}

function isTooMuch(bytes: Uint8Array): boolean {
  const { depth, values, members } = jsonShape(bytes, archiveJsonValuesMax);
  return depth > archiveJsonDepthMax || values > archiveJsonValuesMax || members > archiveJsonMembersMax;
}

function unfit(path: string, cause?: unknown): WaypostError {
  return new WaypostError("invalid", `${path} of the archive is not as it has to be.`, {
    field: "/file",
    cause,
  });
}
