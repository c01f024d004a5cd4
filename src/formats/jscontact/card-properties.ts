/** Properties of a vCard that JSContact does not have, as jCard properties in `vCardProps` (RFC 9555 section 2.15.1;
 *  RFC 7095 section 3.3): name, parameters, type, value. A value of type `unknown` is the same as in the vCard. */
import {
  makeProperty,
  type Parameter,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import { escapeText, formatTextComponents, readTextComponents, unescapeText } from "../vcard/values.ts";
import { isArray, isObject, type Json, type OpenObject, put } from "./json.ts";

const textNames = new Set(["FN", "NICKNAME", "NOTE", "TITLE", "ROLE", "XML"]);
const structuredNames = new Set(["GENDER"]);

export function readCardProperty(property: Property): Json {
  const { name, value, group } = property;
  const parameters: OpenObject = group === undefined ? {} : { group };
  for (const { name: parameter, values } of property.parameters)
    if (parameter !== "VALUE")
      put(parameters, parameter.toLowerCase(), values.length === 1 ? values[0]! : values);
  const type = parameterValue(property, "VALUE")?.toLowerCase();
  if (type !== undefined)
    return [name.toLowerCase(), parameters, type, type === "text" ? unescapeText(value) : value];
  if (structuredNames.has(name)) {
    const texts = readTextComponents(value);
    return [name.toLowerCase(), parameters, "text", texts.length === 1 ? texts[0]! : texts];
  }
  return textNames.has(name)
    ? [name.toLowerCase(), parameters, "text", unescapeText(value)]
    : [name.toLowerCase(), parameters, "unknown", value];
}

export function writeCardProperty(property: Json): Property[] {
  if (!isArray(property)) return [];
  const [name, parameters, type, value] = property;
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]+$/.test(name) || typeof type !== "string") return [];
  const { group, ...others } = isObject(parameters) ? parameters : {};
  const upper = name.toUpperCase();
  const isDefault =
    type === "unknown" || (type === "text" && (textNames.has(upper) || structuredNames.has(upper)));
  const written: Parameter[] = Object.entries(others).map(([parameter, values]) => ({
    name: parameter.toUpperCase(),
    values: [values].flat().filter((each): each is string => typeof each === "string"),
  }));
  if (!isDefault) written.push({ name: "VALUE", values: [type] });
  return [
    makeProperty(upper, writeValue(type, value), written, typeof group === "string" ? group : undefined),
  ];
}

/** The property as it is after writing and reading it: names in lower case, the type from the vCard. */
export function canonicalProperty(property: Json): Json {
  const [written] = writeCardProperty(property);
  return written === undefined ? property : readCardProperty(written);
}

function writeValue(type: string, value: Json | undefined): string {
  if (isArray(value))
    return formatTextComponents(value.map((each) => (typeof each === "string" ? each : "")));
  const text = typeof value === "string" ? value : "";
  return type === "text" ? escapeText(text) : text;
}
