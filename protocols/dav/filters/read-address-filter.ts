/** CARDDAV:filter and CARDDAV:address-data (RFC 6352 section 10.4 and 10.5) out of a request's body. Throws the preconditions of
 *  section 8.6: supported-filter, supported-collation, supported-address-data. */
import { filterPartsMax } from "#/src/model/limits.ts";
import { type DavError, unmet } from "../dav-error.ts";
import { findAttribute, findChild, listChildren, type XmlElement } from "../xml/element.ts";
import { carddav } from "../xml/names.ts";
import type { AddressDataRequest } from "./address-data.ts";
import type { AddressFilter, AddressParamFilter, AddressPropFilter, Test } from "./address-filter.ts";
import { findCollation, type MatchType, makeTextMatch, matchTypes, type TextMatch } from "./text-match.ts";

interface Reading {
  partsLeft: number;
}

/** Without a filter every card matches (clients leave it out, where section 10.3 has it). */
export function readAddressFilter(body: XmlElement): AddressFilter {
  const filter = findChild(body, carddav("filter"));
  if (filter === undefined) return { test: "anyof", props: [] };
  const reading = { partsLeft: filterPartsMax };
  return {
    test: readTest(filter),
    props: listChildren(filter, carddav("prop-filter")).map((one) => readProp(one, reading)),
  };
}

function unsupported(message: string): DavError {
  return unmet(403, carddav("supported-filter"), message);
}

function readTest(element: XmlElement): Test {
  const test = findAttribute(element, "test") ?? "anyof";
  if (test !== "anyof" && test !== "allof")
    throw unsupported(`The test of ${element.name} is anyof or allof.`);
  return test;
}

function nameOf(element: XmlElement, reading: Reading): string {
  if (reading.partsLeft-- === 0) throw unsupported(`A filter has at most ${filterPartsMax} parts.`);
  const name = findAttribute(element, "name")?.trim();
  if (name === undefined || name === "") throw unsupported(`CARDDAV:${element.name} has a name.`);
  return name.toUpperCase();
}

function readProp(element: XmlElement, reading: Reading): AddressPropFilter {
  const written = nameOf(element, reading);
  const dot = written.lastIndexOf(".");
  const matches = listChildren(element, carddav("text-match"));
  if (matches.length > filterPartsMax) throw unsupported(`A filter has at most ${filterPartsMax} parts.`);
  return {
    name: written.slice(dot + 1),
    group: dot < 0 ? undefined : written.slice(0, dot),
    test: readTest(element),
    isNotDefined: findChild(element, carddav("is-not-defined")) !== undefined,
    textMatches: matches.map((one) => readText(one, reading)),
    params: listChildren(element, carddav("param-filter")).map((one) => readParam(one, reading)),
  };
}

function readParam(element: XmlElement, reading: Reading): AddressParamFilter {
  const match = findChild(element, carddav("text-match"));
  return {
    name: nameOf(element, reading),
    isNotDefined: findChild(element, carddav("is-not-defined")) !== undefined,
    textMatch: match === undefined ? undefined : readText(match, reading),
  };
}

function readText(element: XmlElement, reading: Reading): TextMatch {
  if (reading.partsLeft-- === 0) throw unsupported(`A filter has at most ${filterPartsMax} parts.`);
  const name = findAttribute(element, "collation");
  const collation = findCollation(name, "i;unicode-casemap");
  if (collation === undefined)
    throw unmet(403, carddav("supported-collation"), `The collation ${name?.slice(0, 60)} is not known.`);
  const written = findAttribute(element, "match-type") ?? "contains";
  const type: MatchType | undefined = matchTypes.find((known) => known === written);
  if (type === undefined) throw unsupported(`The match-type ${written.slice(0, 40)} is not known.`);
  return makeTextMatch(element.text, collation, type, findAttribute(element, "negate-condition") === "yes");
}

/** Section 10.4: without a version, 3.0 is requested. */
export function readAddressData(element: XmlElement): AddressDataRequest {
  const type = findAttribute(element, "content-type")?.trim().toLowerCase() ?? "text/vcard";
  const version = findAttribute(element, "version")?.trim() ?? "3.0";
  if (type !== "text/vcard" || (version !== "3.0" && version !== "4.0"))
    throw unmet(403, carddav("supported-address-data"), "Address data is text/vcard of version 3.0 or 4.0.");
  const props = listChildren(element, carddav("prop"));
  if (props.length === 0 || findChild(element, carddav("allprop")) !== undefined)
    return { version, props: undefined };
  return {
    version,
    props: new Map(
      props.map((prop) => [
        (findAttribute(prop, "name") ?? "").trim().toUpperCase(),
        findAttribute(prop, "novalue") === "yes",
      ]),
    ),
  };
}
