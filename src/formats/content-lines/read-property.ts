/** One content line (RFC 5545 section 3.1, RFC 6350 section 3.3, RFC 6868; vCard 2.1 section 2.1).
 *  contentline = [group "."] name *(";" param) ":" value
 *  param       = name "=" value *("," value), or a bare word (vCard 2.1)
 *  Lenient: a quote that is not closed, or that is inside a value (`CN=Ann "Ace" Doe`), is an ordinary character. */
import { contentParametersMax, contentParameterValuesMax } from "#/src/model/limits.ts";
import { decodeUnlabelled } from "../mime/octets.ts";
import type { FaultReason, Parameter, Property } from "./content-line.ts";

const namePattern = /^(?:([A-Za-z0-9_-]+)\.)?([A-Za-z0-9_-]+)$/;
const standardName = /^(?:[A-Za-z0-9-]+\.)?[A-Za-z0-9-]+$/;

interface ReadLine {
  readonly property: Property | undefined;
  readonly fault: FaultReason | undefined;
}

interface Scanner {
  readonly text: string;
  position: number;
  valuesLeft: number;
  isFaulty: boolean;
}

/** `octets` as they stand in the stream; `unfolded` without line end and folds. */
export function readProperty(octets: string, unfolded: string): ReadLine {
  const nameEnd = endOfName(unfolded);
  if (nameEnd === unfolded.length) return { property: undefined, fault: "no colon" };
  const writtenName = unfolded.slice(0, nameEnd);
  const match = namePattern.exec(writtenName);
  if (match === null) return { property: undefined, fault: "bad name" };
  const scanner: Scanner = {
    text: unfolded,
    position: nameEnd,
    valuesLeft: contentParameterValuesMax,
    isFaulty: false,
  };
  const parameters = readParameters(scanner);
  if (parameters === undefined)
    return { property: undefined, fault: scanner.isFaulty ? "bad parameter" : "no colon" };
  const isStandard = standardName.test(writtenName) && !scanner.isFaulty;
  return {
    property: {
      kind: "property",
      group: match[1],
      name: match[2]!.toUpperCase(),
      writtenName: match[2]!,
      parameters,
      value: decodeUnlabelled(unfolded.slice(scanner.position)),
      octets,
    },
    fault: isStandard ? undefined : scanner.isFaulty ? "bad parameter" : "bad name",
  };
}

function endOfName(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 58 || code === 59) return at;
  }
  return text.length;
}

/** Moves past the colon. undefined if there is no colon, or if the parameters exceed the limits. */
function readParameters(scanner: Scanner): readonly Parameter[] | undefined {
  const { text } = scanner;
  if (text[scanner.position] === ":") {
    scanner.position++;
    return none;
  }
  const parameters: Parameter[] = [];
  while (text[scanner.position] === ";") {
    scanner.position++;
    const start = scanner.position;
    while (scanner.position < text.length && !isOneOf(text.charCodeAt(scanner.position), "=;:"))
      scanner.position++;
    const name = text.slice(start, scanner.position).trim().toUpperCase();
    const values = text[scanner.position] === "=" ? readValues(scanner) : [];
    if (values === undefined || parameters.length === contentParametersMax) {
      scanner.isFaulty = true;
      return undefined;
    }
    // `DTSTART;:2026…` has an empty parameter, which some writers leave behind.
    if (name === "") scanner.isFaulty = true;
    else parameters.push({ name, values });
  }
  if (text[scanner.position] !== ":") return undefined;
  scanner.position++;
  return parameters;
}

const none: readonly Parameter[] = [];

/** The values of one parameter: from after the equals sign to a semicolon, the colon or the end. */
function readValues(scanner: Scanner): string[] | undefined {
  const { text } = scanner;
  const values: string[] = [];
  do {
    if (scanner.valuesLeft-- === 0) return undefined;
    scanner.position++;
    values.push(decodeParameterValue(decodeUnlabelled(readQuoted(scanner) ?? readPlain(scanner))));
  } while (text[scanner.position] === ",");
  return values;
}

/** The quoted string at the position, if a delimiter directly follows it. */
function readQuoted(scanner: Scanner): string | undefined {
  const { text, position } = scanner;
  if (text[position] !== '"') return undefined;
  const end = text.indexOf('"', position + 1);
  if (end < 0 || end + 1 >= text.length || !isOneOf(text.charCodeAt(end + 1), ",;:")) {
    scanner.isFaulty = true;
    return undefined;
  }
  scanner.position = end + 1;
  return text.slice(position + 1, end);
}

function readPlain(scanner: Scanner): string {
  const { text, position } = scanner;
  while (scanner.position < text.length && !isOneOf(text.charCodeAt(scanner.position), ",;:"))
    scanner.position++;
  return text.slice(position, scanner.position);
}

function isOneOf(code: number, characters: string): boolean {
  for (let at = 0; at < characters.length; at++) if (characters.charCodeAt(at) === code) return true;
  return false;
}

/** RFC 6868 section 3.2. Other characters behind the circumflex stay as they are. */
function decodeParameterValue(value: string): string {
  if (!value.includes("^")) return value;
  return value.replace(/\^([n^'])/g, (_, escaped: string) =>
    escaped === "n" ? "\n" : escaped === "'" ? '"' : "^",
  );
}
