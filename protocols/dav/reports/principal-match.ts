/** DAV:principal-match (RFC 3744 section 9.3): the members of a collection that are the login itself, or name it in a property.
 *  Items are not searched, because they have the owner of their collection. */
import { multistatus } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import { principalHref } from "../hrefs.ts";
import { propertiesOf } from "../properties/registry.ts";
import { type Property, readPropertyQuery } from "../property.ts";
import { listDeadProperties, writeResponse } from "../read-properties.ts";
import type { Report } from "../report.ts";
import type { DavRequest } from "../request.ts";
import { type DavResource, everyResource } from "../resource.ts";
import { findChild } from "../xml/element.ts";
import { dav, type XmlName, xmlKey } from "../xml/names.ts";

export const principalMatch: Report = {
  name: dav("principal-match"),
  on: everyResource,
  async run(request, body) {
    if (request.depth !== "0") throw new DavError(400, "The depth of this report is 0.");
    const named = findChild(body, dav("principal-property"))?.children[0];
    const isSelf = findChild(body, dav("self")) !== undefined;
    if (isSelf === (named !== undefined))
      throw new DavError(400, "A DAV:principal-match has DAV:self or one DAV:principal-property.");
    const query = readPropertyQuery(body) ?? { kind: "named", names: [] };
    const found = named === undefined ? listSelf(request) : await listNaming(request, named);
    return multistatus(await Promise.all(found.map((one) => writeResponse(request, one, query))));
  },
};

function listSelf({ tree, resource }: DavRequest): readonly DavResource[] {
  const href = principalHref(tree.own.id);
  return href.startsWith(resource.href) ? [{ kind: "principal", href, principal: tree.own }] : [];
}

async function listNaming(request: DavRequest, name: XmlName): Promise<readonly DavResource[]> {
  const { resource, tree } = request;
  const own = principalHref(tree.own.id);
  const found: DavResource[] = [];
  for (const one of [resource, ...(await tree.listMembers(resource))])
    if (namesHref(await readXml(request, one, name), own)) found.push(one);
  return found;
}

/** A live property, or one that a client has set. */
async function readXml(request: DavRequest, resource: DavResource, name: XmlName): Promise<string> {
  const key = xmlKey(name);
  const property: Property | undefined = propertiesOf(resource.kind).get(key);
  if (property === undefined)
    return (await listDeadProperties(request, resource)).find((one) => xmlKey(one) === key)?.xml ?? "";
  const value = await property.read(resource, request, name);
  return typeof value === "string" ? value : "";
}

/** `href` has no special character of XML. */
function namesHref(xml: string, href: string): boolean {
  const named = xml.matchAll(/<(?:\w{1,100}:)?href[^<>]*>([^<]*)<\//g);
  return named.some(([, text]) => text!.trim() === href);
}
