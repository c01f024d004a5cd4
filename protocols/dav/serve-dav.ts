/** /dav/ over HTTP: reads the credential, finds the resource of the URL, runs the method, and writes the answer. `/.well-known/caldav`
 *  and `/.well-known/carddav` redirect to it without a login (RFC 6764 section 5). */
import { Readable } from "node:stream";
import type { HttpContext, HttpRoute } from "#/protocols/http/app.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { createCollectionReach } from "#/src/reach/collection-reach.ts";
import { type DavAnswer, pieceCharacters, xmlAnswer } from "./answer.ts";
import { authenticate } from "./authentication.ts";
import { DavError } from "./dav-error.ts";
import { davErrorOf } from "./errors.ts";
import { parseHref, rootHref } from "./hrefs.ts";
import { createLocks } from "./locks/locks.ts";
import { listMethods, methods } from "./methods/registry.ts";
import { listReports } from "./methods/report-method.ts";
import { readPreferences } from "./preferences.ts";
import { readDontNotify } from "./push/dont-notify.ts";
import type { DavRequest, Depth } from "./request.ts";
import type { DavRooms } from "./rooms.ts";
import { createTree } from "./tree.ts";
import { dav } from "./xml/names.ts";
import { element, noXml, textElement } from "./xml/write-xml.ts";

const wellKnown = new Set(["/.well-known/caldav", "/.well-known/carddav"]);

export function createDavRoute(rooms: DavRooms): HttpRoute {
  const locks = createLocks(rooms.collections.clock);

  async function answer(context: HttpContext): Promise<DavAnswer> {
    const { koa } = context;
    if (wellKnown.has(koa.path.replace(/\/$/, "")))
      return { status: 301, headers: { Location: rootHref, "Cache-Control": "public, max-age=3600" } };
    const method = methods.find(({ name }) => name === koa.method);
    const quietPushes = readDontNotify(koa.get("Push-Dont-Notify"));
    const principal = await authenticate(rooms, context);
    const login =
      quietPushes === undefined ? principal : { ...principal, author: { ...principal.author, quietPushes } };
    if (method === undefined) throw new DavError(501, "There is no such method.");
    const reach = createCollectionReach({ rooms, principal: login });
    const tree = createTree(rooms, login, reach);
    if (parseHref(koa.path) === undefined) throw new DavError(400, "The path is none of DAV.");
    const target = await tree.find(koa.path);
    const request: DavRequest = {
      context,
      rooms,
      login,
      reach,
      tree,
      href: koa.path,
      target,
      get resource() {
        if (target === undefined) throw nothingThere();
        return target;
      },
      depth: depthOf(koa.get("Depth")),
      preferences: readPreferences(koa.get("Prefer"), koa.get("Brief")),
      locks: locks((href) => tree.placeOf(href)),
      listReports,
      listMethods,
    };
    if (target === undefined ? method.makesResource !== true : !method.on.includes(target.kind)) {
      if (target === undefined) throw nothingThere();
      throw new DavError(method.statusElsewhere ?? 405, "This resource does not have that method.", {
        headers: { Allow: listMethods(target.kind).join(", ") },
      });
    }
    return method.run(request);
  }

  return {
    accepts: (path) => path === "/dav" || path.startsWith(rootHref) || wellKnown.has(path.replace(/\/$/, "")),
    async serve(context) {
      await forCaller(
        context.signal,
        async () => {
          try {
            await send(rooms, context, await answer(context));
          } catch (error) {
            if (error instanceof CallerGone) throw error;
            await send(rooms, context, refusalAnswer(rooms, context, error));
          }
        },
        context.owner,
      );
    },
  };
}

function nothingThere(): DavError {
  return new DavError(404, "There is nothing at this URL.");
}

function depthOf(field: string): Depth | undefined {
  const depth = field.trim().toLowerCase();
  if (depth === "") return undefined;
  if (depth === "0" || depth === "1" || depth === "infinity") return depth;
  throw new DavError(400, "Depth is 0, 1 or infinity.");
}

/** RFC 4918 has no place for it; this is where Apple's server put it, and clients look past it. */
const descriptionName = {
  namespace: "http://twistedmatrix.com/xml_namespace/dav/",
  name: "error-description",
};

/** DAV:error with what was not met (RFC 4918 section 16), and a sentence for people. */
function refusalAnswer({ log }: DavRooms, { requestId }: HttpContext, error: unknown): DavAnswer {
  const refusal = davErrorOf(error) ?? new DavError(500, "The server failed; the request is not the reason.");
  if (refusal.status === 500) log.error({ err: error, requestId }, "request failed");
  const { condition, content = noXml, headers } = refusal.details;
  const answer = xmlAnswer(
    refusal.status,
    dav("error"),
    condition === undefined ? noXml : element(condition, content),
    textElement(descriptionName, refusal.message),
  );
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function isShort({ done, value }: IteratorResult<string>): boolean {
  return done !== true && value.length < pieceCharacters;
}

async function send({ log }: DavRooms, { koa, requestId }: HttpContext, answer: DavAnswer): Promise<void> {
  const { status, headers = {}, body } = answer;
  // The first piece is made before the status is sent, so that an error in it can still change the status.
  const pieces =
    typeof body === "object" && Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : undefined;
  const first = await pieces?.next();
  // One piece that is the whole has a length and leaves in one packet.
  const second = first !== undefined && isShort(first) ? await pieces!.next() : undefined;
  koa.status = status;
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) koa.set(name, value);
  if (pieces === undefined)
    koa.body = typeof body === "object" ? Buffer.from(body as Uint8Array) : (body ?? null);
  else if (first!.done === true) koa.body = "";
  else if (second?.done === true) koa.body = first!.value;
  else koa.body = Readable.from(onwards(first!.value, pieces, second), { objectMode: false });
  // What koa thinks of an empty or a binary body is not what is meant.
  koa.status = status;
  if (headers["Content-Type"] !== undefined) koa.set("Content-Type", headers["Content-Type"]);

  /** After the first piece there is nothing to answer a failure with but the end of the connection. */
  async function* onwards(
    piece: string,
    rest: AsyncIterator<string>,
    after: IteratorResult<string> | undefined,
  ): AsyncGenerator<string> {
    yield piece;
    try {
      for (let next = after ?? (await rest.next()); next.done !== true; next = await rest.next())
        yield next.value;
    } catch (error) {
      // A client that closed the connection is not an error.
      if (!koa.res.destroyed) log.error({ err: error, requestId }, "answer ended early");
      koa.res.destroy();
    } finally {
      await rest.return?.();
    }
  }
}
