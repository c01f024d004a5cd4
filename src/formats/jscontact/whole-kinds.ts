/** Units of a Card that are not entries: properties of one value, keywords, the name, anniversaries (RFC 9555
 *  section 2). */
import { makeProperty, type Property, parameterValue } from "../content-lines/content-line.ts";
import { formatPartialDate, formatTimestamp, readPartialDate, readTimestamp } from "../vcard/dates.ts";
import {
  escapeText,
  formatStructured,
  formatTextList,
  readStructured,
  readTextList,
  unescapeText,
} from "../vcard/values.ts";
import {
  componentFields,
  namePlan,
  readComponents,
  textOfComponents,
  withPhonetics,
  writeComponents,
} from "./components.ts";
import { orderOf, phoneticFields, sortAsOf, writePhonetic, writeSortAs } from "./entries.ts";
import { isId, isObject, type Json, type JsonObject, member, type OpenObject } from "./json.ts";
import { readParameters, writeParameters } from "./parameters.ts";

interface Single {
  readonly field: string;
  readonly read: (value: string) => Json | undefined;
  readonly write: (value: string) => string | undefined;
}

const text = (field: string): Single => ({ field, read: unescapeText, write: escapeText });
const time = (field: string): Single => ({ field, read: readTimestamp, write: formatTimestamp });

/** Properties that occur once and have one value. */
export const singles: ReadonlyMap<string, Single> = new Map([
  ["KIND", { ...text("kind"), read: (value: string) => unescapeText(value).trim().toLowerCase() }],
  [
    "UID",
    {
      field: "uid",
      read: (value: string) => unescapeText(value).trim(),
      write: (uid: string) => (/^[a-z][a-z0-9+.-]*:/i.test(uid) ? uid : escapeText(uid)),
    },
  ],
  ["PRODID", text("prodId")],
  ["LANGUAGE", text("language")],
  ["REV", time("updated")],
  ["CREATED", time("created")],
  [
    "GRAMGENDER",
    {
      field: "speakToAs",
      read: (value: string) => ({ grammaticalGender: value.trim().toLowerCase() }),
      write: (value: string) => value,
    },
  ],
]);

const singleNames: ReadonlyMap<string, string> = new Map(
  [...singles].map(([name, { field }]) => [field, name]),
);

export function writeSingle(field: string, value: Json): Property[] {
  const name = singleNames.get(field);
  const inner = field === "speakToAs" && isObject(value) ? member(value, "grammaticalGender") : value;
  if (name === undefined || typeof inner !== "string") return [];
  const written = singles.get(name)!.write(inner);
  return written === undefined ? [] : [makeProperty(name, written)];
}

export function readKeywords(properties: readonly Property[]): Json | undefined {
  const words = properties.flatMap(({ value }) => readTextList(value)).filter((word) => word !== "");
  return words.length === 0 ? undefined : Object.fromEntries(words.map((word) => [word, true]));
}

export function writeKeywords(value: Json): Property[] {
  const words = isObject(value)
    ? Object.keys(value).filter((word) => word !== "" && value[word] === true)
    : [];
  return words.length === 0 ? [] : [makeProperty("CATEGORIES", formatTextList(words))];
}

const namePlanOfParameters = {
  mapped: [],
  types: [],
  ignored: ["VALUE", "SORT-AS", "JSCOMPS", "PHONETIC", "SCRIPT", "DERIVED"],
};

export function isDerived(property: Property): boolean {
  return parameterValue(property, "DERIVED")?.toLowerCase() === "true";
}

/** Reads FN, N and the N with phonetic values. `vCardParams` has the parameters of N, or of FN if there is no N. */
export function readName(properties: readonly Property[]): Json | undefined {
  const full = properties.find((property) => property.name === "FN" && !isDerived(property));
  const names = properties.filter(({ name }) => name === "N");
  const phonetic =
    names.length > 1
      ? names.find((property) => parameterValue(property, "PHONETIC") !== undefined)
      : undefined;
  const main = names.find((property) => property !== phonetic);
  const object: OpenObject = {};
  if (main !== undefined) Object.assign(object, readMain(main, phonetic));
  if (full !== undefined) object.full = unescapeText(full.value);
  const owner = main ?? full;
  if (owner !== undefined) Object.assign(object, readParameters(owner, namePlanOfParameters));
  return Object.keys(object).length === 0 ? undefined : object;
}

function readMain(main: Property, phonetic: Property | undefined): JsonObject {
  const read = readComponents(readStructured(main.value), parameterValue(main, "JSCOMPS"), namePlan);
  if (read.components.length === 0) return {};
  const [surname, given] = sortAsOf(main);
  const sortAs = { ...(surname ? { surname } : {}), ...(given ? { given } : {}) };
  const alone = parameterValue(main, "PHONETIC") === undefined ? {} : phoneticFields(main);
  return {
    ...componentFields(read),
    ...(Object.keys(sortAs).length === 0 ? {} : { sortAs }),
    ...(phonetic === undefined
      ? alone
      : { ...phoneticFields(phonetic), components: withPhonetics(read, readStructured(phonetic.value)) }),
  };
}

/** FN is required (RFC 6350 section 6.2.1): without `full` it is made from the components, or is `otherwise`. */
export function writeName(value: Json | undefined, otherwise: string): Property[] {
  const name = isObject(value) ? value : {};
  const parameters = writeParameters(name, namePlanOfParameters);
  const { structured, phonetic, jscomps } = writeComponents(name, namePlan);
  const hasComponents = structured.flat().length > 0;
  const full = member(name, "full");
  const written: Property[] = [
    typeof full === "string"
      ? makeProperty("FN", escapeText(full), hasComponents ? [] : parameters)
      : makeProperty("FN", escapeText(textOfComponents(name) || otherwise), [
          { name: "DERIVED", values: ["true"] },
        ]),
  ];
  if (!hasComponents) return written;
  const sortAs = member(name, "sortAs");
  const sortTexts = ["surname", "given"].map((kind) =>
    isObject(sortAs) ? (member(sortAs, kind) ?? "") : "",
  );
  written.push(
    makeProperty("N", formatStructured(structured), [
      ...writeSortAs(sortTexts.filter((each) => typeof each === "string")),
      ...orderOf(jscomps),
      ...(phonetic === undefined ? writeAlonePhonetic(name) : []),
      ...parameters,
    ]),
    ...(phonetic === undefined ? [] : writePhonetic("N", name, phonetic)),
  );
  return written;
}

/** A name that has only phonetic values. */
function writeAlonePhonetic(name: JsonObject) {
  return (writePhonetic("N", name, [])[0]?.parameters ?? []).slice();
}

interface AnniversaryKind {
  readonly name: string;
  readonly place?: string;
  readonly kind: string;
}

export const anniversaryKinds: readonly AnniversaryKind[] = [
  { name: "BDAY", place: "BIRTHPLACE", kind: "birth" },
  { name: "DEATHDATE", place: "DEATHPLACE", kind: "death" },
  { name: "ANNIVERSARY", kind: "wedding" },
];

const anniversaryPlan = { mapped: [], types: [], ignored: ["VALUE", "CALSCALE"] };

export function readAnniversary([property, place]: readonly Property[]): Json | undefined {
  const known = anniversaryKinds.find(({ name }) => name === property?.name);
  if (property === undefined || known === undefined) return undefined;
  const utc = readTimestamp(property.value);
  const partial =
    parameterValue(property, "VALUE")?.toLowerCase() === "text" ? undefined : readPartialDate(property.value);
  if (utc === undefined && partial === undefined) return undefined;
  const calendarScale = parameterValue(property, "CALSCALE")?.toLowerCase();
  const date: JsonObject =
    utc === undefined
      ? {
          ...(partial as JsonObject),
          ...(calendarScale === undefined || calendarScale === "gregorian" ? {} : { calendarScale }),
        }
      : { "@type": "Timestamp", utc };
  return {
    kind: known.kind,
    date,
    ...readParameters(property, anniversaryPlan),
    ...(place === undefined ? {} : { place: readPlace(place) }),
  };
}

function readPlace(place: Property): JsonObject {
  const isUri = parameterValue(place, "VALUE")?.toLowerCase() === "uri";
  return {
    ...(isUri ? { coordinates: place.value } : { full: unescapeText(place.value) }),
    ...readParameters(place, anniversaryPlan),
  };
}

export function writeAnniversary(id: string, value: Json): Property[] {
  if (!isObject(value)) return [];
  const known = anniversaryKinds.find(({ kind }) => kind === member(value, "kind"));
  const date = member(value, "date");
  if (known === undefined || !isObject(date)) return [];
  const utc = member(date, "utc");
  const written =
    typeof utc === "string" ? formatTimestamp(utc) : formatPartialDate(date as Record<string, number>);
  if (written === undefined) return [];
  const ids = isId(id) ? [{ name: "PROP-ID", values: [id] }] : [];
  const scale = member(date, "calendarScale");
  const property = makeProperty(known.name, written, [
    ...writeParameters(value, anniversaryPlan),
    ...(typeof scale === "string" && isId(scale) ? [{ name: "CALSCALE", values: [scale] }] : []),
    ...ids,
  ]);
  const place = member(value, "place");
  return [
    property,
    ...(known.place !== undefined && isObject(place) ? writePlace(known.place, place, ids) : []),
  ];
}

function writePlace(name: string, place: JsonObject, ids: Property["parameters"]): Property[] {
  const [full, coordinates] = [member(place, "full"), member(place, "coordinates")];
  const parameters = [...writeParameters(place, anniversaryPlan), ...ids];
  if (typeof full === "string") return [makeProperty(name, escapeText(full), parameters)];
  return typeof coordinates === "string"
    ? [makeProperty(name, coordinates, [{ name: "VALUE", values: ["uri"] }, ...parameters])]
    : [];
}
