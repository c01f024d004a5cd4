/** Properties of vCard that are an entry of a collection of JSContact (RFC 9555 section 2), one line a kind. */
import {
  addressContexts,
  contexts,
  features,
  type MappedParameter,
  type ParameterPlan,
  relation,
  type TypeMapping,
} from "./parameters.ts";

export interface EntryKind {
  readonly name: string;
  readonly collection: string;
  /** The `kind` of an entry of this property. */
  readonly kind?: string;
  readonly shape: "value" | "organization" | "address" | "onlineService" | "related" | "member" | "place";
  /** The property of the entry that has the value. */
  readonly field: string;
  readonly valueType: "text" | "uri" | "list";
  readonly plan: ParameterPlan;
}

interface Options {
  readonly kind?: string;
  readonly shape?: EntryKind["shape"];
  readonly valueType?: EntryKind["valueType"];
  readonly mapped?: readonly MappedParameter[];
  readonly types?: readonly TypeMapping[];
  readonly ignored?: readonly string[];
}

function entry(name: string, collection: string, field: string, options: Options = {}): EntryKind {
  const { mapped = ["PREF"], types = [contexts], ignored = [], kind } = options;
  return {
    name,
    collection,
    field,
    shape: options.shape ?? "value",
    valueType: options.valueType ?? "text",
    plan: { mapped, types, ignored: ["VALUE", ...ignored] },
    ...(kind === undefined ? {} : { kind }),
  };
}

function resource(name: string, collection: string, kind?: string, listAs = false): EntryKind {
  return entry(name, collection, "uri", {
    valueType: "uri",
    mapped: listAs ? ["PREF", "MEDIATYPE", "INDEX"] : ["PREF", "MEDIATYPE"],
    ...(kind === undefined ? {} : { kind }),
  });
}

function personal(name: string, level: "LEVEL" | "EXPERTISE"): EntryKind {
  return entry(name, "personalInfo", "value", {
    kind: name.toLowerCase(),
    mapped: [level, "INDEX"],
    types: [],
  });
}

const services: readonly MappedParameter[] = ["PREF", "SERVICE-TYPE", "USERNAME"];

/** The first one of a collection is for entries with an unknown or no `kind`. */
export const entryKinds: readonly EntryKind[] = [
  entry("NICKNAME", "nicknames", "name", { valueType: "list" }),
  entry("EMAIL", "emails", "address"),
  entry("TEL", "phones", "number", { types: [contexts, features] }),
  entry("LANG", "preferredLanguages", "language"),
  entry("SOCIALPROFILE", "onlineServices", "uri", {
    shape: "onlineService",
    valueType: "uri",
    mapped: services,
  }),
  entry("IMPP", "onlineServices", "uri", { shape: "onlineService", valueType: "uri", mapped: services }),
  entry("ORG", "organizations", "name", { shape: "organization", mapped: [], ignored: ["SORT-AS"] }),
  entry("TITLE", "titles", "name", { kind: "title", mapped: [], types: [] }),
  entry("ROLE", "titles", "name", { kind: "role", mapped: [], types: [] }),
  entry("ADR", "addresses", "full", {
    shape: "address",
    mapped: ["LABEL", "PREF", "CC", "TZ", "GEO"],
    types: [addressContexts],
    ignored: ["JSCOMPS", "PHONETIC", "SCRIPT"],
  }),
  entry("GEO", "addresses", "coordinates", { shape: "place", valueType: "uri" }),
  entry("TZ", "addresses", "timeZone", { shape: "place" }),
  resource("PHOTO", "media", "photo"),
  resource("LOGO", "media", "logo"),
  resource("SOUND", "media", "sound"),
  resource("KEY", "cryptoKeys"),
  resource("SOURCE", "directories", "entry"),
  resource("ORG-DIRECTORY", "directories", "directory", true),
  resource("CALURI", "calendars", "calendar"),
  resource("FBURL", "calendars", "freeBusy"),
  resource("CALADRURI", "schedulingAddresses"),
  resource("URL", "links"),
  resource("CONTACT-URI", "links", "contact"),
  personal("EXPERTISE", "EXPERTISE"),
  personal("HOBBY", "LEVEL"),
  personal("INTEREST", "LEVEL"),
  entry("NOTE", "notes", "note", { mapped: ["CREATED"], types: [], ignored: ["AUTHOR", "AUTHOR-NAME"] }),
  entry("PRONOUNS", "speakToAs/pronouns", "pronouns"),
  entry("RELATED", "relatedTo", "", { shape: "related", valueType: "uri", mapped: [], types: [relation] }),
  entry("MEMBER", "members", "", { shape: "member", valueType: "uri", mapped: [], types: [] }),
];

export const entryKindByName: ReadonlyMap<string, EntryKind> = new Map(
  entryKinds.map((kind) => [kind.name, kind]),
);
