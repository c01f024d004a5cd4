/** DAV:principal-property-search (RFC 3744 section 9.4): people and agents of the account whose properties contain what is looked
 *  for, case aside. `test` and `match-type` are Apple's additions: any instead of all, and equal or beginning instead of
 *  containing. Every listed property of DAV:principal-search-property-set is searched; of others nothing is found. */
import { multistatus } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import { principalHref } from "../hrefs.ts";
import { readPropertyQuery } from "../property.ts";
import { writeResponse } from "../read-properties.ts";
import type { Report } from "../report.ts";
import type { DavRequest } from "../request.ts";
import { everyResource, type PrincipalResource } from "../resource.ts";
import { readSearchedText } from "../searched-principals.ts";
import { findAttribute, findChild, listChildren, type XmlElement } from "../xml/element.ts";
import { dav, type XmlName } from "../xml/names.ts";

interface Condition {
  readonly properties: readonly XmlName[];
  readonly text: string;
  readonly matchType: string;
}

export const principalPropertySearch: Report = {
  name: dav("principal-property-search"),
  on: everyResource,
  async run(request, body) {
    if (request.depth !== "0") throw new DavError(400, "The depth of this report is 0.");
    const conditions = listChildren(body, dav("property-search")).map(readCondition);
    if (conditions.length === 0) throw new DavError(400, "The report looks for nothing.");
    const isAny = findAttribute(body, "test") === "anyof";
    const query = readPropertyQuery(body) ?? { kind: "named", names: [] };
    const found: PrincipalResource[] = [];
    for (const principal of await searched(request, body)) {
      const met = (condition: Condition) => isMet(condition, principal, request);
      const results = await Promise.all(conditions.map(met));
      if (isAny ? results.includes(true) : !results.includes(false)) found.push(principal);
    }
    return multistatus(await Promise.all(found.map((one) => writeResponse(request, one, query))));
  },
};

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
    properties,
    text: match.text.trim().toLowerCase(),
    matchType: findAttribute(match, "match-type") ?? "contains",
  };
}

/** All of the properties of one condition have to match (section 9.4). */
async function isMet(
  { properties, text, matchType }: Condition,
  { principal }: PrincipalResource,
  request: DavRequest,
): Promise<boolean> {
  for (const name of properties) {
    const values = await readSearchedText(request, principal, name);
    if (!values.some((value) => isMatch(value.toLowerCase(), text, matchType))) return false;
  }
  return true;
}

function isMatch(value: string, text: string, matchType: string): boolean {
  if (matchType === "equals") return value === text;
  if (matchType === "starts-with") return value.startsWith(text);
  return matchType === "ends-with" ? value.endsWith(text) : value.includes(text);
}
