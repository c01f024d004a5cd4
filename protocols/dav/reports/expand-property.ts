/** DAV:expand-property (RFC 3253 section 3.8): properties of a resource; hrefs in a property are replaced by properties of the
 *  resources that they name. Apple's clients read the groups of a principal with it. */
import {
  davPropertiesMax,
  davXmlNameCharactersMax,
  expandedCharactersMax,
  expandedDepthMax,
  expandedResourcesMax,
} from "#/src/model/limits.ts";
import { multistatus, statusResponse } from "../answer.ts";
import { DavError, unmet } from "../dav-error.ts";
import { propertiesOf } from "../properties/registry.ts";
import type { Property, PropertyValue } from "../property.ts";
import { writeResponse } from "../read-properties.ts";
import type { Report } from "../report.ts";
import type { DavRequest } from "../request.ts";
import { type DavResource, everyResource } from "../resource.ts";
import { findAttribute, listChildren, type XmlElement } from "../xml/element.ts";
import { dav, davNamespace, type XmlName, xmlKey } from "../xml/names.ts";
import { join, type Xml } from "../xml/write-xml.ts";

interface Expansion {
  readonly request: DavRequest;
  resourcesLeft: number;
  charactersLeft: number;
}

export const expandProperty: Report = {
  name: dav("expand-property"),
  on: everyResource,
  async run(request, body) {
    if (request.depth !== "0") throw new DavError(400, "The depth of this report is 0.");
    if (depthOf(body) > expandedDepthMax)
      throw new DavError(400, `Properties stand inside ${expandedDepthMax} others at most.`);
    if (countProperties(body) > davPropertiesMax)
      throw new DavError(400, `More than ${davPropertiesMax} properties are asked for.`);
    const expansion = {
      request,
      resourcesLeft: expandedResourcesMax,
      charactersLeft: expandedCharactersMax,
    };
    return multistatus([await writeExpanded(expansion, request.resource, body)]);
  },
};

function depthOf({ children }: XmlElement): number {
  return children.length === 0 ? 0 : 1 + Math.max(...children.map(depthOf));
}

function countProperties({ children }: XmlElement): number {
  return children.reduce((sum, child) => sum + 1 + countProperties(child), 0);
}

/** `asked`: the parent of the DAV:property elements for the resource. */
async function writeExpanded(expansion: Expansion, resource: DavResource, asked: XmlElement): Promise<Xml> {
  const { request } = expansion;
  const inner = listAsked(asked);
  const expanded = inner
    .filter((one) => one.asked.children.length > 0)
    .map((one) => expandedProperty(expansion, one.name, one.asked));
  const names = inner.map(({ name }) => ({ ...name, attributes: [], content: [], children: [], text: "" }));
  return writeResponse(request, resource, { kind: "named", names }, expanded);
}

/** Each property once, as its first element asks for it. */
function listAsked(above: XmlElement) {
  const named = listChildren(above, dav("property")).map((asked) => ({ asked, name: nameOf(asked) }));
  return [...Map.groupBy(named, ({ name }) => xmlKey(name)).values()].map(([first]) => first!);
}

/** Section 3.8: the default namespace is DAV:. */
function nameOf(element: XmlElement): XmlName {
  const name = findAttribute(element, "name");
  const namespace = findAttribute(element, "namespace") ?? davNamespace;
  if (namespace.length > davXmlNameCharactersMax)
    throw new DavError(400, "The name of a namespace is too long.");
  if (
    name === undefined ||
    name.length > davXmlNameCharactersMax ||
    !/^[\p{L}_][\p{L}\p{N}._-]*$/u.test(name)
  )
    throw new DavError(400, "DAV:property has a name.");
  return { namespace, name };
}

function expandedProperty(expansion: Expansion, name: XmlName, asked: XmlElement): Property {
  const key = xmlKey(name);
  return {
    name,
    on: everyResource,
    isHidden: true,
    write: undefined,
    async read(resource, request, element): Promise<PropertyValue | undefined> {
      const value = await propertiesOf(resource.kind).get(key)?.read(resource, request, element);
      if (value === undefined) return undefined;
      const text = typeof value === "string" ? value : value.content;
      const hrefs = [...text.matchAll(hrefElements)].map((match) => unescapeText(match[1]!));
      if (hrefs.length === 0) return value;
      const responses: Xml[] = [];
      for (const href of hrefs) responses.push(await writeHref(expansion, href, asked));
      return join(responses);
    },
  };
}

/** As `textElement` writes them. */
const hrefElements = /<D:href>([^<]*)<\/D:href>/g;

const entities: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&#13;": "\r" };

function unescapeText(text: string): string {
  return text.replace(/&(?:amp|lt|gt|#13);/g, (entity) => entities[entity]!);
}

async function writeHref(expansion: Expansion, href: string, asked: XmlElement): Promise<Xml> {
  if (expansion.resourcesLeft-- <= 0 || expansion.charactersLeft <= 0)
    throw unmet(507, dav("number-of-matches-within-limits"), "The answer has too many resources.");
  const resource = await expansion.request.tree.find(href);
  if (resource === undefined) return statusResponse(href, 404);
  const written = await writeExpanded(expansion, resource, asked);
  expansion.charactersLeft -= written.length;
  return written;
}
