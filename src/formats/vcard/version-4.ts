/** Converts properties of vCard 2.1 and 3.0 to 4.0 (RFC 6350, from appendix A on). One property becomes one property; a property
 *  that 4.0 does not have is kept (RFC 6350 section 3.3: any iana-token). Apple's group properties become KIND and MEMBER. */
import {
  changeProperty,
  makeProperty,
  type Parameter,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import { typesOf, type VCardVersion, withoutParameters } from "./card.ts";
import { omittedYear, toBasicForm } from "./dates.ts";
import { isEncoded, isMedia, toDataUri } from "./media.ts";
import { fromVersion21 } from "./version-21.ts";

/** Returns the given object if it is the same in both versions. */
export function toVersion4(property: Property, version: VCardVersion): Property {
  // Some writers of 3.0 and 4.0 still encode as in 2.1, and some of 4.0 write inline data as in 3.0.
  if (isQuotedPrintable(property)) return fromVersion3(fromVersion21(property));
  if (version === "4.0")
    return isMedia(property.name) && isEncoded(property)
      ? changeProperty(property, toDataUri(property))
      : property;
  return fromVersion3(version === "2.1" ? fromVersion21(property) : property);
}

function isQuotedPrintable(property: Property): boolean {
  return property.parameters.some(
    ({ name, values }) =>
      name === "QUOTED-PRINTABLE" || (name === "ENCODING" && values[0]?.toUpperCase() === "QUOTED-PRINTABLE"),
  );
}

const appleNames: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "X-ADDRESSBOOKSERVER-KIND": "KIND",
  "X-ADDRESSBOOKSERVER-MEMBER": "MEMBER",
};

function fromVersion3(property: Property): Property {
  const { name } = property;
  if (name in appleNames)
    return makeProperty(appleNames[name]!, property.value, property.parameters, property.group);
  if (name === "X-SOCIALPROFILE") return socialProfile(property);
  const preferred = withPreference(property);
  return isMedia(name) && isEncoded(property)
    ? changeProperty(preferred, toDataUri(preferred))
    : withValue(preferred);
}

function withPreference(property: Property): Property {
  const types = typesOf(property);
  const isPreferred = types.includes("pref") && parameterValue(property, "PREF") === undefined;
  // RFC 2426 section 3.3.2: "internet" is the default in 3.0 and does not exist in 4.0.
  const dropped = (type: string) =>
    (type === "pref" && isPreferred) || (type === "internet" && property.name === "EMAIL");
  if (!types.some(dropped)) return property;
  const parameters: Parameter[] = [];
  for (const parameter of property.parameters) {
    if (parameter.name !== "TYPE") parameters.push(parameter);
    else {
      const values = parameter.values
        .flatMap((value) => value.split(","))
        .filter((value) => !dropped(value.toLowerCase()));
      if (values.length > 0) parameters.push({ name: "TYPE", values });
    }
  }
  if (isPreferred) parameters.push({ name: "PREF", values: ["1"] });
  return changeProperty(property, { parameters });
}

const dateNames = new Set(["BDAY", "REV", "ANNIVERSARY", "DEATHDATE", "CREATED"]);
const uriNames = new Set(["URL", "PHOTO", "LOGO", "SOUND", "KEY", "SOURCE", "FBURL", "CALURI", "CALADRURI"]);

function withValue(property: Property): Property {
  const { name, value } = property;
  const valueType = parameterValue(property, "VALUE")?.toLowerCase();
  if (name === "GEO" && valueType === undefined) {
    const position = /^\s*(-?[\d.]+)\s*;\s*(-?[\d.]+)\s*$/.exec(value);
    return position === null
      ? property
      : changeProperty(property, { value: `geo:${position[1]},${position[2]}` });
  }
  if (name === "TZ" && (valueType ?? "utc-offset") === "utc-offset") {
    const offset = /^([+-]\d\d):(\d\d)$/.exec(value.trim());
    return offset === null ? property : changeProperty(property, { value: `${offset[1]}${offset[2]}` });
  }
  if (dateNames.has(name)) return withDate(property, valueType);
  if (uriNames.has(name) && (valueType === "uri" || valueType === "url"))
    return changeProperty(property, { parameters: withoutParameters(property.parameters, "VALUE") });
  return property;
}

function withDate(property: Property, valueType: string | undefined): Property {
  if (valueType === "text") return property;
  const basic = toBasicForm(property.value);
  const omitted = parameterValue(property, "X-APPLE-OMIT-YEAR") ?? omittedYear;
  const isWithoutYear = property.name !== "REV" && basic.startsWith(omitted) && /^\d{8}$/.test(basic);
  const value = isWithoutYear ? `--${basic.slice(4)}` : basic;
  const parameters = withoutParameters(
    property.parameters,
    ...(/^date(?:-time|-and-or-time)?$/.test(valueType ?? "") ? ["VALUE"] : []),
    ...(isWithoutYear ? ["X-APPLE-OMIT-YEAR"] : []),
  );
  return value === property.value && parameters === property.parameters
    ? property
    : changeProperty(property, { value, parameters });
}

/** Apple's form: the service in TYPE, the account in X-USER. */
function socialProfile(property: Property): Property {
  const parameters = property.parameters.flatMap(({ name, values }): Parameter[] => {
    if (name === "X-USER") return [{ name: "USERNAME", values }];
    if (name !== "TYPE") return [{ name, values }];
    const [service, ...types] = values.filter((value) => value.toLowerCase() !== "pref");
    return [
      ...(service === undefined ? [] : [{ name: "SERVICE-TYPE", values: [service] }]),
      ...(types.length === 0 ? [] : [{ name: "TYPE", values: types }]),
      ...(values.some((value) => value.toLowerCase() === "pref") ? [{ name: "PREF", values: ["1"] }] : []),
    ];
  });
  return makeProperty("SOCIALPROFILE", property.value, parameters, property.group);
}
