/** DAV:principal-property-search (RFC 3744 section 9.4): people and agents of the account whose properties contain what is looked
 *  for, case aside. `test` and `match-type` are Apple's additions: any instead of all, and equal or beginning instead of
 *  containing. Every listed property of DAV:principal-search-property-set is searched; of others nothing is found.
 *  Lenient: without DAV:property-search everybody is found, whom a PROPFIND lists too. python-caldav asks so. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { davPropertiesMax, filterPartsMax } from "#/src/model/limits.ts";
import { multistatus } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import { principalHref } from "../hrefs.ts";
import { eachOnce, type PropertyQuery, readPropertyQuery } from "../property.ts";
import { writeResponse } from "../read-properties.ts";
import type { Report } from "../report.ts";
import type { DavRequest } from "../request.ts";
import { everyResource, type PrincipalResource } from "../resource.ts";
import { readSearchedTexts, type SearchedTexts } from "../searched-principals.ts";
import { findAttribute, findChild, listChildren, type XmlElement } from "../xml/element.ts";
import { dav, xmlKey } from "../xml/names.ts";
import type { Xml } from "../xml/write-xml.ts";

interface Condition {
  /** Their keys, each once. */
  readonly properties: readonly string[];
  readonly text: string;
  readonly matchType: string;
}

export const principalPropertySearch: Report = {
  name: dav("principal-property-search"),
  on: everyResource,
  async run(request, body) {
    if (request.depth !== "0") throw new DavError(400, "The depth of this report is 0.");
    const conditions = listChildren(body, dav("property-search")).map(readCondition);
    if (conditions.length > filterPartsMax)
      throw new DavError(400, `The report has at most ${filterPartsMax} conditions.`);
    const isAny = findAttribute(body, "test") === "anyof";
    const query = readQuery(body);
    const principals = await searched(request, body);
    return multistatus(
      writeFound(request, principals, query, (texts) => {
        const met = (condition: Condition) => isMet(condition, texts);
        return isAny ? conditions.some(met) : conditions.every(met);
      }),
    );
  },
};

const searching: ReadonlySet<string> = new Set(
  [dav("property-search"), dav("prop"), dav("apply-to-principal-collection-set")].map(xmlKey),
);

/** Lenient: python-caldav writes the properties that it asks for beside an empty DAV:prop, where section 9.4 has them in it. */
function readQuery(body: XmlElement): PropertyQuery {
  const query = readPropertyQuery(body) ?? { kind: "named", names: [] };
  if (query.kind !== "named" || query.names.length > 0) return query;
  const beside = body.children.filter((child) => !searching.has(xmlKey(child)));
  return beside.length > davPropertiesMax ? query : { kind: "named", names: eachOnce(beside) };
}

/** DAV:response for each principal whose texts are what is looked for, as the client takes them. */
export async function* writeFound(
  request: DavRequest,
  principals: readonly PrincipalResource[],
  query: PropertyQuery,
  isFound: (texts: SearchedTexts) => boolean,
): AsyncGenerator<Xml> {
  const turns = new LoopTurns();
  for (const one of principals) {
    if (isFound(await readSearchedTexts(request, one.principal)))
      yield await writeResponse(request, one, query);
    await turns.turn();
  }
}

/** All principals where the search goes to the collection of principals; else the one that the URL names, if it names one. */
async function searched(
  { resource, tree }: DavRequest,
  body: XmlElement,
): Promise<readonly PrincipalResource[]> {
  const isEverywhere = findChild(body, dav("apply-to-principal-collection-set")) !== undefined;
  if (!isEverywhere && resource.kind !== "principals" && resource.kind !== "root")
    return resource.kind === "principal" ? [resource] : [];
  const principals = await tree.listPrincipals();
  return principals.map((principal) => ({ kind: "principal", href: principalHref(principal.id), principal }));
}

function readCondition(search: XmlElement): Condition {
  const match = findChild(search, dav("match"));
  const properties = findChild(search, dav("prop"))?.children ?? [];
  if (match === undefined || properties.length === 0)
    throw new DavError(400, "A DAV:property-search has a DAV:prop and a DAV:match.");
  return {
    properties: [...new Set(properties.map(xmlKey))],
    text: match.text.trim().toLowerCase(),
    matchType: findAttribute(match, "match-type") ?? "contains",
  };
}

/** All of the properties of one condition have to match (section 9.4). */
function isMet({ properties, text, matchType }: Condition, texts: SearchedTexts): boolean {
  return properties.every((key) =>
    texts.get(key)?.some((value) => isMatch(value.toLowerCase(), text, matchType)),
  );
}

function isMatch(value: string, text: string, matchType: string): boolean {
  if (matchType === "equals") return value === text;
  if (matchType === "starts-with") return value.startsWith(text);
  return matchType === "ends-with" ? value.endsWith(text) : value.includes(text);
}
