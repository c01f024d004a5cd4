/** Converts properties of vCard 4.0 to 3.0 (RFC 2426). One property becomes one property. A property that 3.0 does not have is
 *  kept: the grammar allows any iana-token as name, and clients ignore unknown properties and parameters. */
import {
  changeProperty,
  makeProperty,
  type Parameter,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import { typesOf, withoutParameters } from "./card.ts";
import { omittedYear, readPartialDate, toExtendedForm } from "./dates.ts";
import { isMedia, toInlineData } from "./media.ts";

/** Returns the given object if it is the same in both versions. */
export function toVersion3(property: Property): Property {
  const { name, value, group } = property;
  if (name === "KIND" && value.trim().toLowerCase() === "group")
    return makeProperty("X-ADDRESSBOOKSERVER-KIND", value, property.parameters, group);
  if (name === "MEMBER") return makeProperty("X-ADDRESSBOOKSERVER-MEMBER", value, property.parameters, group);
  if (name === "SOCIALPROFILE") return socialProfile(property);
  if (isMedia(name) && (parameterValue(property, "VALUE") ?? "uri").toLowerCase() === "uri")
    return withPreference(changeProperty(property, toInlineData(property)));
  return withPreference(withValue(property));
}

/** PREF=1 becomes TYPE=pref. Other numbers stay, because 3.0 has no order of preference. */
function withPreference(property: Property): Property {
  if (parameterValue(property, "PREF") !== "1") return property;
  const types = typesOf(property);
  return changeProperty(property, {
    parameters: [
      ...withoutParameters(property.parameters, "PREF"),
      ...(types.includes("pref") ? [] : [{ name: "TYPE", values: ["pref"] }]),
    ],
  });
}

const dateNames = new Set(["BDAY", "REV", "ANNIVERSARY", "DEATHDATE", "CREATED"]);

function withValue(property: Property): Property {
  const { name, value } = property;
  const valueType = parameterValue(property, "VALUE")?.toLowerCase();
  if (name === "GEO") {
    const position = /^geo:(-?[\d.]+),(-?[\d.]+)$/i.exec(value);
    return position === null
      ? property
      : changeProperty(property, { value: `${position[1]};${position[2]}` });
  }
  if (name === "TZ") {
    const offset = /^([+-]\d\d)(\d\d)$/.exec(value);
    return offset === null ? property : changeProperty(property, { value: `${offset[1]}:${offset[2]}` });
  }
  if (!dateNames.has(name) || valueType === "text") return property;
  const date = readPartialDate(value);
  if (date?.year === undefined && date?.month !== undefined && date.day !== undefined) {
    const [month, day] = [date.month, date.day].map((number) => String(number).padStart(2, "0"));
    const parameters: Parameter[] = [
      ...property.parameters,
      { name: "X-APPLE-OMIT-YEAR", values: [omittedYear] },
    ];
    return changeProperty(property, { value: `${omittedYear}-${month}-${day}`, parameters });
  }
  const extended = toExtendedForm(value);
  return extended === value ? property : changeProperty(property, { value: extended });
}

function socialProfile(property: Property): Property {
  const parameters = property.parameters.flatMap(({ name, values }): Parameter[] => {
    if (name === "USERNAME") return [{ name: "X-USER", values }];
    if (name === "SERVICE-TYPE") return [{ name: "TYPE", values }];
    return [{ name, values }];
  });
  const service = parameters.findIndex(({ name }) => name === "TYPE");
  // The service is written as the first TYPE, where reading expects it.
  const ordered =
    service > 0 && parameterValue(property, "SERVICE-TYPE") !== undefined
      ? [
          ...parameters.filter((_, index) => property.parameters[index]!.name === "SERVICE-TYPE"),
          ...parameters.filter((_, index) => property.parameters[index]!.name !== "SERVICE-TYPE"),
        ]
      : parameters;
  return withPreference(makeProperty("X-SOCIALPROFILE", property.value, ordered, property.group));
}
