/** PROPFIND (RFC 4918 section 9.1), to Depth 0 and 1. A missing Depth means infinity there, which is refused; many clients mean 0.
 *  An empty body means allprop. Items are written page by page, as fast as the client reads. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { multistatus } from "../answer.ts";
import { DavError, unmet } from "../dav-error.ts";
import type { Method } from "../method.ts";
import { preferenceApplied } from "../preferences.ts";
import { type PropertyQuery, readPropertyQuery } from "../property.ts";
import { readXmlBody } from "../read-body.ts";
import { writeResponse } from "../read-properties.ts";
import type { DavRequest } from "../request.ts";
import { type CollectionResource, everyResource, type FolderResource } from "../resource.ts";
import { dav, isNamed } from "../xml/names.ts";
import type { Xml } from "../xml/write-xml.ts";

export const propfind = {
  name: "PROPFIND",
  on: everyResource,
  async run(request) {
    const query = await readQuery(request);
    const { resource, depth, preferences } = request;
    const isDeep = depth === undefined || depth === "infinity";
    if (isDeep && resource.kind !== "item" && resource.kind !== "file")
      throw unmet(403, dav("propfind-finite-depth"), "Properties are told to depth 0 or 1.");
    const answer = multistatus(
      depth === "1" ? writeMembers(request, query) : [await writeResponse(request, resource, query)],
    );
    return preferences.isMinimal
      ? { ...answer, headers: { ...answer.headers, ...preferenceApplied("return=minimal") } }
      : answer;
  },
} as const satisfies Method;

async function readQuery(request: DavRequest): Promise<PropertyQuery> {
  const body = await readXmlBody(request);
  if (body === undefined) return { kind: "all", include: [] };
  if (!isNamed(body, dav("propfind"))) throw new DavError(400, "The body is not a DAV:propfind.");
  const query = readPropertyQuery(body);
  if (query === undefined) throw new DavError(400, "The DAV:propfind asks for nothing.");
  return query;
}

async function* writeMembers(request: DavRequest, query: PropertyQuery): AsyncGenerator<Xml> {
  const { resource, tree, preferences } = request;
  if (!preferences.isWithoutRoot) yield writeResponse(request, resource, query);
  const turns = new LoopTurns();
  for (const member of await tree.listMembers(resource)) {
    yield writeResponse(request, member, query);
    await turns.turn();
  }
  if (resource.kind === "folder") yield* writeFiles(request, resource, query);
  if ("collection" in resource && resource.collection.rights.has("read"))
    yield* writeItems(request, resource, query);
}

async function* writeFiles(
  request: DavRequest,
  { path, principal }: FolderResource,
  query: PropertyQuery,
): AsyncGenerator<Xml> {
  const { rooms, tree } = request;
  const turns = new LoopTurns();
  for await (const page of rooms.files.listFolder(principal.agent, path))
    for (const entry of page) {
      await turns.turn();
      yield writeResponse(request, tree.fileOf(entry), query);
    }
}

async function* writeItems(
  request: DavRequest,
  parent: CollectionResource,
  query: PropertyQuery,
): AsyncGenerator<Xml> {
  const { rooms, tree } = request;
  const turns = new LoopTurns();
  for await (const page of rooms.collections.listItems(parent.collection.agent, parent.collection.number))
    for (const item of page) {
      await turns.turn();
      yield writeResponse(request, tree.itemOf(parent, item), query);
    }
}
