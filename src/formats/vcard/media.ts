/** PHOTO, LOGO, SOUND and KEY: inline data or a URI. vCard 3.0 carries data as ENCODING=b with the type in TYPE (RFC 2426
 *  section 2.4.1), 4.0 as a `data:` URI (RFC 6350 section 6.2.4). Nothing is fetched, and nothing is decoded. */
import { type Parameter, type Property, parameterValue } from "../content-lines/content-line.ts";
import { typesOf, withoutParameters } from "./card.ts";

const familyOf: Readonly<Record<string, string>> = {
  __proto__: null as never,
  PHOTO: "image",
  LOGO: "image",
  SOUND: "audio",
  KEY: "application",
};

export function isMedia(name: string): boolean {
  return name in familyOf;
}

/** Subtypes whose TYPE value differs from the media subtype. */
const subtypes: readonly (readonly [type: string, subtype: string])[] = [
  ["jpg", "jpeg"],
  ["tif", "tiff"],
  ["pgp", "pgp-keys"],
  ["x509", "pkix-cert"],
  ["wave", "wav"],
];

/** The first base64 characters of files of these types. */
const beginnings: readonly (readonly [base64: string, mediaType: string])[] = [
  ["/9j/", "image/jpeg"],
  ["iVBORw0KGgo", "image/png"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

export function isEncoded(property: Property): boolean {
  return /^(?:b|base64)$/i.test(parameterValue(property, "ENCODING") ?? "");
}

/** Value and parameters of 4.0 for inline data of 3.0. */
export function toDataUri(property: Property): { value: string; parameters: readonly Parameter[] } {
  const base64 = property.value.replaceAll(/\s+/g, "");
  const parameters: Parameter[] = [...withoutParameters(property.parameters, "ENCODING", "TYPE", "VALUE")];
  const uses = typesOf(property).filter((type) => useTypes.has(type));
  if (uses.length > 0) parameters.push({ name: "TYPE", values: uses });
  return { value: `data:${mediaTypeOf(property, base64)};base64,${base64}`, parameters };
}

/** TYPE values that describe the use of the data, not its format. */
const useTypes = new Set(["home", "work", "pref"]);

function mediaTypeOf(property: Property, base64: string): string {
  const type = typesOf(property).find((word) => /^[a-z0-9.+/-]+$/.test(word) && !useTypes.has(word));
  if (type?.includes("/")) return type;
  const subtype = subtypes.find(([word]) => word === type)?.[1] ?? type;
  if (subtype !== undefined) return `${familyOf[property.name] ?? "application"}/${subtype}`;
  return beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? "application/octet-stream";
}

const dataUri = /^data:([a-z0-9.+-]+)\/([a-z0-9.+-]+);base64,/i;

/** Value and parameters of 3.0 for a property of 4.0 that is a URI. */
export function toInlineData(property: Property): { value: string; parameters: readonly Parameter[] } {
  const match = dataUri.exec(property.value);
  if (match === null)
    return {
      value: property.value,
      parameters: [{ name: "VALUE", values: ["uri"] }, ...withoutParameters(property.parameters, "VALUE")],
    };
  const [head, family, subtype] = match;
  const isFamily = family!.toLowerCase() === familyOf[property.name];
  const type = isFamily
    ? (subtypes.find(([word, name]) => name === subtype && word.length > 3)?.[0] ?? subtype!)
    : `${family}/${subtype}`;
  return {
    value: property.value.slice(head.length),
    parameters: [
      { name: "ENCODING", values: ["b"] },
      ...(type === "octet-stream" ? [] : [{ name: "TYPE", values: [type.toUpperCase()] }]),
      ...withoutParameters(property.parameters, "VALUE"),
    ],
  };
}
