/** Files and folders, the ordinary resources and collections of WebDAV (RFC 4918): what the methods do with them. They are of one
 *  agent alone. */
import { withoutApproval } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { fileBytesMax } from "#/src/model/limits.ts";
import type { DavAnswer } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import { etagOf } from "../item-content.ts";
import { checkConditions, checkLocks, isUnmodified } from "../locks/conditions.ts";
import { needPrivileges } from "../privileges.ts";
import type { PropertyChanges } from "../property-changes.ts";
import { readOctets } from "../read-body.ts";
import type { DavRequest } from "../request.ts";
import type { FileResource, FolderResource } from "../resource.ts";
import { dav } from "../xml/names.ts";
import { mayWriteFiles } from "./file-rights.ts";

export function assertWritesFiles(request: DavRequest, href: string): void {
  if (!mayWriteFiles(request.login))
    throw needPrivileges("The login may not change files.", href, dav("write-content"));
}

function actorOf({ login }: DavRequest) {
  return withoutApproval({ ...login.author, agent: login.agent });
}

/** The URL of a file or folder that may not exist yet. */
export interface FilePlace {
  readonly parent: FolderResource;
  readonly path: string;
  readonly href: string;
}

/** undefined if the folder of the URL does not exist. */
export async function findFilePlace({ tree }: DavRequest, href: string): Promise<FilePlace | undefined> {
  const place = await tree.findParent(href);
  if (place === undefined || place.parent.kind !== "folder") return undefined;
  const { parent, segment } = place;
  return {
    parent,
    path: parent.path === "" ? segment : `${parent.path}/${segment}`,
    href: tree.hrefOf(parent, segment),
  };
}

/** GET and HEAD. A browser does not show a file and does not guess its type, as files have the same origin as the web pages. */
export async function answerFile(request: DavRequest, { entry }: FileResource): Promise<DavAnswer> {
  const { modseq, updatedAt, mediaType } = entry;
  const headers = {
    ETag: etagOf(modseq),
    "Last-Modified": new Date(updatedAt).toUTCString(),
    "Cache-Control": "private, no-cache",
  };
  if (isUnmodified(request, headers.ETag, updatedAt)) return { status: 304, headers };
  const body = await request.rooms.files.readFile(entry);
  if (body === undefined) throw new DavError(404, "There is nothing at this URL.");
  const shown = {
    "Content-Type": mediaType,
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "sandbox",
    "X-Content-Type-Options": "nosniff",
  };
  return { status: 200, headers: { ...headers, ...shown }, body };
}

const defaultType = "application/octet-stream";
const mediaTypeLengthMax = 255;

export async function putFile(request: DavRequest, { parent, path, href }: FilePlace): Promise<DavAnswer> {
  const { target, context, login, rooms } = request;
  assertWritesFiles(request, href);
  if (target?.kind === "folder") throw new DavError(405, "There is a folder at this URL.");
  const ofIf = await checkLocks(request, target === undefined ? [href, parent.href] : [href]);
  const expected = checkConditions(request, target, ofIf);
  const bytes = await readOctets(
    request,
    fileBytesMax,
    () => new DavError(413, `A file has at most ${fileBytesMax} octets.`),
  );
  const field = context.koa.get("Content-Type").trim();
  const mediaType = field === "" || field.length > mediaTypeLengthMax ? defaultType : field;
  const put = { path, bytes, mediaType, expected };
  const { modseq, isCreated } = await rooms.files.putFile(login.agent, actorOf(request), put);
  return { status: isCreated ? 201 : 204, headers: { ETag: etagOf(modseq) } };
}

export async function makeFolder(
  request: DavRequest,
  { parent, path, href }: FilePlace,
  { setDead }: Pick<PropertyChanges, "setDead">,
): Promise<DavAnswer> {
  const { login, rooms } = request;
  assertWritesFiles(request, href);
  await checkLocks(request, [href, parent.href]);
  await rooms.files.makeFolder(login.agent, actorOf(request), path, setDead);
  return { status: 201, headers: { Location: `${href}/`, "Cache-Control": "no-cache" } };
}

export async function deleteFile(
  request: DavRequest,
  resource: FileResource | FolderResource,
): Promise<DavAnswer> {
  const { login, rooms, locks, depth, tree } = request;
  const { href } = resource;
  assertWritesFiles(request, href);
  if (pathOf(resource) === "") throw new DavError(403, "The folder above all files stays.");
  if (resource.kind === "folder" && depth !== undefined && depth !== "infinity")
    throw new DavError(400, "A folder is deleted with what is in it.");
  const place = await tree.findParent(href);
  const ofIf = await checkLocks(request, [
    href,
    place?.parent.href ?? href,
    ...locks.listBelow(href).map((one) => one.place),
  ]);
  await rooms.files.remove(
    login.agent,
    actorOf(request),
    pathOf(resource),
    checkConditions(request, resource, ofIf),
  );
  locks.removeAt(href);
  return { status: 204 };
}

/** COPY and MOVE (RFC 4918 sections 9.8 and 9.9). */
export async function transferFile(
  request: DavRequest,
  kind: "copy" | "move",
  resource: FileResource | FolderResource,
  destination: string,
): Promise<DavAnswer> {
  const { login, rooms, locks, depth, tree, context } = request;
  const { href } = resource;
  if (pathOf(resource) === "") throw new DavError(403, "The folder above all files is not copied or moved.");
  const to = await findFilePlace(request, destination);
  if (to === undefined) throw new DavError(409, "The folder of the destination is not there.");
  assertWritesFiles(request, to.href);
  if (resource.kind === "folder" && (depth === "1" || (depth === "0" && kind === "move")))
    throw new DavError(400, "A folder is moved with what is in it, and copied with it or without.");
  const existing = await tree.find(to.href);
  const isOverwriting = context.koa.get("Overwrite").trim().toUpperCase() !== "F";
  if (existing !== undefined && !isOverwriting)
    throw new DavError(412, "There is something at the destination.");
  const from = await tree.findParent(href);
  const ofIf = await checkLocks(request, [
    ...(existing === undefined ? [to.href, to.parent.href] : [to.href]),
    ...locks.listBelow(to.href).map((one) => one.place),
    ...(kind === "move"
      ? [href, from?.parent.href ?? href, ...locks.listBelow(href).map((one) => one.place)]
      : []),
  ]);
  const isDeep = depth !== "0";
  const expected = checkConditions(request, resource, ofIf);
  const action = { kind, path: pathOf(resource), to: to.path, isDeep, isOverwriting, expected };
  const { isCreated } = await rooms.files.transfer(login.agent, actorOf(request), action).catch((error) => {
    // The folder was deleted after it was found and before the write.
    throw isWaypostError(error) && error.code === "not_found" ? new DavError(409, error.message) : error;
  });
  // A moved resource loses its locks and gets those of its destination (section 7.6).
  if (kind === "move") locks.removeAt(href);
  return { status: isCreated ? 201 : 204, headers: { Location: to.href } };
}

export async function changeFileProperties(
  request: DavRequest,
  resource: FileResource | FolderResource,
  { setDead, removeDead }: PropertyChanges,
): Promise<void> {
  const { login, rooms } = request;
  assertWritesFiles(request, resource.href);
  if (pathOf(resource) === "") throw new DavError(403, "The folder above all files keeps no properties.");
  const change = { set: setDead, remove: removeDead };
  await rooms.files.changeProperties(login.agent, actorOf(request), pathOf(resource), change);
}

/** LOCK of an unmapped URL makes an empty file (RFC 4918 section 7.3). */
export async function makeLockedFile(request: DavRequest): Promise<FileResource> {
  const place = await findFilePlace(request, request.href);
  if (place === undefined) throw new DavError(409, "What should contain it is not there.");
  assertWritesFiles(request, place.href);
  await checkLocks(request, [place.href, place.parent.href]);
  const put = { path: place.path, bytes: new Uint8Array(), mediaType: defaultType, expected: "absent" };
  await request.rooms.files.putFile(request.login.agent, actorOf(request), put);
  const made = await request.tree.find(place.href);
  if (made?.kind !== "file") throw new DavError(409, "What was made has gone again.");
  return made;
}

export function pathOf(resource: FileResource | FolderResource): string {
  return resource.kind === "file" ? resource.entry.path : resource.path;
}
