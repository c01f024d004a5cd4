/** Converts properties of vCard 2.1 to 3.0: words without a name become TYPE, ENCODING or VALUE; quoted-printable and CHARSET
 *  are decoded; text gets the escapes that 2.1 does not have (vCard 2.1 section 2.1). There is no conversion to 2.1. */
import { Buffer } from "node:buffer";
import {
  changeProperty,
  type Parameter,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import { decodeCharset } from "../mime/charset.ts";
import { withoutParameters } from "./card.ts";
import { escapeText } from "./values.ts";

export function fromVersion21(property: Property): Property {
  const parameters = property.parameters.map(withName);
  const encoding = (parameterOf(parameters, "ENCODING") ?? "").toUpperCase();
  if (encoding === "BASE64" || encoding === "B")
    return changeProperty(property, {
      parameters: [...withoutParameters(parameters, "ENCODING"), { name: "ENCODING", values: ["b"] }],
      value: property.value.replaceAll(/\s+/g, ""),
    });
  const text =
    encoding === "QUOTED-PRINTABLE"
      ? decodeQuotedPrintable(property.value, parameterValue(property, "CHARSET"))
      : property.value;
  return changeProperty(property, {
    parameters: withoutParameters(parameters, "ENCODING", "CHARSET"),
    value: isStructured(property.name)
      ? splitStructured(text)
          .map((component) => escapeText(component))
          .join(";")
      : isVerbatim(property.name)
        ? text
        : escapeText(text.replaceAll(/\\([\\;,])/g, "$1")),
  });
}

const encodings = new Set(["QUOTED-PRINTABLE", "BASE64", "7BIT", "8BIT", "B"]);
const valueKinds = new Set(["INLINE", "URL", "URI", "CID", "CONTENT-ID"]);

function withName(parameter: Parameter): Parameter {
  const { name, values } = parameter;
  if (values.length > 0) return parameter;
  if (encodings.has(name)) return { name: "ENCODING", values: [name] };
  if (valueKinds.has(name)) return { name: "VALUE", values: [name === "URL" ? "uri" : name.toLowerCase()] };
  return { name: "TYPE", values: [name] };
}

function parameterOf(parameters: readonly Parameter[], wanted: string): string | undefined {
  return parameters.find(({ name }) => name === wanted)?.values[0];
}

function isStructured(name: string): boolean {
  return name === "N" || name === "ADR" || name === "ORG";
}

function isVerbatim(name: string): boolean {
  return ["VERSION", "REV", "BDAY", "GEO", "TZ", "URL", "PHOTO", "LOGO", "SOUND", "KEY"].includes(name);
}

/** An escaped semicolon is part of the text (vCard 2.1 section 2.1.2). */
function splitStructured(text: string): string[] {
  return text.split(/(?<!\\);/).map((component) => component.replaceAll(/\\([\\;,])/g, "$1"));
}

/** RFC 2045 section 6.7, with soft line ends. Without CHARSET the text is UTF-8 if it is valid UTF-8. */
function decodeQuotedPrintable(value: string, charset: string | undefined): string {
  const octets = Buffer.from(value.replaceAll(/=[ \t]*\r?\n/g, ""), "utf8").toString("latin1");
  const decoded = octets.replaceAll(/=([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return decodeCharset(Buffer.from(decoded, "latin1"), charset ?? "utf-8").replaceAll("\r\n", "\n");
}
