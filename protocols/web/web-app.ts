/** Answers the requests of browsers: who asks, from where, and under which policy the answer is shown. Loaded at the first request. */
import type Koa from "koa";
import { trustProxies } from "#/protocols/connection/trusted-proxies.ts";
import type { HttpContext } from "#/protocols/http/app.ts";
import { CallerGone } from "#/src/model/caller.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { OperatorSession } from "#/src/sign-in/operator-sign-in.ts";
import type { PageSession } from "#/src/sign-in/sign-in.ts";
import { listLive, waitingOf } from "./approvals/waiting.ts";
import { script, stylesheet } from "./assets.ts";
import { languageCookie, operatorCookie, readCookie, sessionCookie } from "./cookies.ts";
import { deviceName } from "./device-name.ts";
import { createFormat } from "./format.ts";
import { homeScreenFile } from "./home-screen.ts";
import { isOperatorPath, layOut } from "./layout.ts";
import { createLiveStreams } from "./live.ts";
import { rememberOpenedMails } from "./opened-mails.ts";
import { openOperatorRoutes, operatorRoutes } from "./operator/routes.ts";
import { readArrival } from "./origin.ts";
import { errorPage, type Trouble, unfitPage } from "./pages/error.ts";
import { openRoutes, signedRoutes } from "./routes.ts";
import { type Answer, type Doors, pageAnswer, redirect, type Visit, type WebRooms } from "./visit.ts";
import { acceptedLanguage, isLanguage, wordsOf } from "./words/words.ts";

export interface WebAppRooms extends WebRooms {
  /** `httpPort`: the port that plain HTTP is bound to. */
  createDoors(httpPort: number | undefined): Doors;
  /** Aborts when the listeners close. */
  readonly closing: AbortSignal;
}

/** What a stranger can send at most: an answer of a passkey has 2 KiB. */
const strangerBodyBytesMax = 4096;
const bodyBytesMax = 16 * 1024;

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** Of every answer. */
const commonFields = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy":
    "camera=(), microphone=(), geolocation=(), publickey-credentials-get=(self), publickey-credentials-create=(self)",
  "X-DNS-Prefetch-Control": "off",
  "Cache-Control": "no-store",
} as const;

export function createWebApp(rooms: WebAppRooms): (context: HttpContext) => Promise<void> {
  const proxies = trustProxies(rooms.settings.server.trustedProxies, rooms.settings.server.clientHeader);
  const opened = rememberOpenedMails();
  const live = createLiveStreams(rooms.closing);
  const doors = new Map<number | undefined, Doors>();
  /** Of each port where no public URL says which it is. */
  const doorsOf = (origin: string): Doors => {
    const port = rooms.settings.server.publicUrl === "" ? Number(new URL(origin).port || 80) : undefined;
    const known = doors.get(port) ?? rooms.createDoors(port);
    doors.set(port, known);
    return known;
  };

  return async (context) => {
    const { koa } = context;
    koa.set(commonFields);
    koa.set("Content-Security-Policy", policy);
    if (await sendAsset(koa)) return;
    let visit = visitOf(context);
    let who: Who = {};
    try {
      who = await whoAsks(visit);
      if (who.session !== undefined) visit = inZoneOf(who.session, visit);
      await send(visit, who, await answer(visit, who));
    } catch (error) {
      if (error instanceof CallerGone) throw error;
      const [trouble, why] = troubleOf(error);
      if (trouble === "failed")
        rooms.log.error({ err: error, requestId: context.requestId }, "request failed");
      await send(visit, who, pageAnswer(errorPage(visit, trouble, why)));
    }
  };

  function visitOf(context: HttpContext): Visit & MayBeUnfit {
    const { koa, remoteAddress } = context;
    const arrival = readArrival(koa.req, rooms.settings, proxies);
    const chosen = readCookie(koa.req, languageCookie);
    const language = isLanguage(chosen) ? chosen : acceptedLanguage(koa.get("Accept-Language"));
    const origin = arrival.origin ?? "http://localhost";
    const words = wordsOf(language);
    const { people, operators } = doorsOf(origin);
    const visit = {
      rooms,
      opened,
      signIn: people,
      operatorSignIn: operators,
      context,
      origin,
      language,
      words,
      format: createFormat(language, rooms.mail.clock.now()),
      browser: { remoteAddress, device: deviceName(koa.get("User-Agent")) },
      names: [],
      query: new URLSearchParams(koa.querystring.slice(0, 2000)),
      form: new URLSearchParams(),
    };
    if (arrival.kind === "here") return visit;
    const unfit: Answer =
      arrival.kind === "elsewhere"
        ? redirect(`${arrival.origin}${koa.url.startsWith("/") ? koa.url : "/"}`)
        : pageAnswer(unfitPage(visit, arrival.why, arrival.origin));
    return { ...visit, unfit };
  }

  /** By the cookie that this origin has set for people, or for operators. */
  async function whoAsks({ context, signIn, operatorSignIn, unfit }: Visit & MayBeUnfit): Promise<Who> {
    const isOperators = isOperatorPath(context.koa.path);
    const token = readCookie(context.koa.req, isOperators ? operatorCookie : sessionCookie);
    if (unfit !== undefined || token === undefined || token === "") return {};
    const { requestId: request } = context;
    if (isOperators) {
      const seat = await operatorSignIn.findSession(token);
      return seat === undefined ? {} : { seat: { ...seat, author: { ...seat.author, request } } };
    }
    const session = await signIn.findSession(token, "request");
    if (session !== undefined && !context.claim(session.principal))
      throw new WaypostError("rate_limited", "This mailbox has too many open connections.");
    return session === undefined ? {} : { session: withRequest(session, request) };
  }

  async function answer(visit: Visit & MayBeUnfit, who: Who): Promise<Answer> {
    if (visit.unfit !== undefined) return visit.unfit;
    const { koa } = visit.context;
    const method = koa.method === "HEAD" ? "GET" : koa.method;
    const found = find(method, koa.path, who);
    const isStranger = who.session === undefined && who.seat === undefined;
    if (found === undefined) {
      if (isStranger && method === "GET") return toSignIn(visit);
      throw new WaypostError("not_found", "There is no such page.");
    }
    if (method === "POST" && !isOurs(koa, visit.origin)) return pageAnswer(errorPage(visit, "forged"));
    if (found.run === undefined) return toSignIn(visit);
    const limit = isStranger ? strangerBodyBytesMax : (found.bodyBytesMax ?? bodyBytesMax);
    const form = method === "POST" ? await readForm(visit.context, limit) : visit.form;
    const names = (found.path.exec(koa.path) ?? []).slice(1);
    return found.run({ ...visit, form, names });
  }

  async function send(visit: Visit, { session, seat }: Who, sent: Answer): Promise<void> {
    const { koa } = visit.context;
    if ("cookies" in sent && sent.cookies !== undefined && sent.cookies.length > 0)
      koa.set("Set-Cookie", [...sent.cookies]);
    switch (sent.kind) {
      case "redirect":
        koa.status = koa.method === "POST" ? 303 : 302;
        koa.set("Location", URL.parse(sent.to, visit.origin)?.origin === visit.origin ? sent.to : "/");
        koa.body = "";
        return;
      case "json":
        koa.type = "application/json";
        koa.body = JSON.stringify(sent.value);
        return;
      case "live":
        // Without content a browser does not ask again (WHATWG HTML section 9.2.3).
        if (koa.method === "HEAD" || !live.open(sent.visit)) koa.status = 204;
        return;
      case "octets":
        for (const [name, value] of Object.entries(sent.headers)) koa.set(name, value);
        koa.body = Buffer.concat(sent.body.map((piece) => Buffer.from(piece as string)));
        koa.set("Content-Type", sent.headers["Content-Type"]!);
        return;
      case "download":
        koa.set("Content-Security-Policy", "sandbox; default-src 'none'");
        koa.set("Content-Disposition", `attachment; filename="${sent.name}"`);
        koa.type = "application/gzip";
        koa.length = sent.bytes;
        koa.body = sent.stream;
        return;
      case "page": {
        const waiting = session === undefined ? 0 : waitingOf(await listLive(rooms, session)).length;
        koa.status = sent.page.status ?? 200;
        koa.type = "text/html; charset=utf-8";
        koa.set("Vary", "Accept-Language, Cookie");
        koa.body = layOut(visit, sent.page, { seat, ...(session && { person: { session, waiting } }) });
      }
    }
  }
}

/** Who is signed in, if anybody is: a person, or on the pages of operators an operator. */
interface Who {
  readonly session?: PageSession;
  readonly seat?: OperatorSession;
}

interface MayBeUnfit {
  readonly unfit?: Answer;
}

/** The route of a path. `run` is absent where somebody has to sign in first. */
function find(method: string, path: string, { session, seat }: Who) {
  const asked = <R extends { readonly method: string; readonly path: RegExp }>(routes: readonly R[]) =>
    routes.find((route) => route.method === method && route.path.test(path));
  const open = asked(isOperatorPath(path) ? openOperatorRoutes : openRoutes);
  if (open !== undefined) return { ...open, run: (visit: Visit) => open.run(visit) };
  if (isOperatorPath(path)) {
    const route = asked(operatorRoutes);
    return route && { ...route, run: seat && ((visit: Visit) => route.run({ ...visit, seat })) };
  }
  const route = asked(signedRoutes);
  return route && { ...route, run: session && ((visit: Visit) => route.run({ ...visit, session })) };
}

/** Its writes name the request. */
function withRequest(session: PageSession, request: string): PageSession {
  const { principal } = session;
  return { ...session, principal: { ...principal, author: { ...principal.author, request } } };
}

function inZoneOf<V extends Visit>({ settings }: PageSession, visit: V): V {
  const { language, format } = visit;
  return { ...visit, format: createFormat(language, format.now, settings.timeZone ?? undefined) };
}

/** The way in, and afterwards back to the page that was asked for. What a form would have done is lost, and the page says so. */
function toSignIn({ context: { koa } }: Visit): Answer {
  const door = isOperatorPath(koa.path) ? "/operator/sign-in" : "/sign-in";
  if (koa.method === "POST") return redirect(`${door}?expired`);
  const isFirst = koa.path === "/" || koa.path === "/operator";
  return redirect(isFirst ? door : `${door}?then=${encodeURIComponent(koa.url.slice(0, 500))}`);
}

/** Whether a form comes from a page of this origin: by the browser's own word (Fetch Metadata), or else by Origin. */
function isOurs(koa: Koa.Context, origin: string): boolean {
  const site = koa.get("Sec-Fetch-Site");
  return site === "" ? koa.get("Origin") === origin : site === "same-origin";
}

async function readForm({ koa, readBody }: HttpContext, limitBytes: number): Promise<URLSearchParams> {
  if (!koa.get("Content-Type").toLowerCase().startsWith("application/x-www-form-urlencoded"))
    throw new WaypostError("invalid", "The form has another type than a browser sends.");
  return new URLSearchParams((await readBody(limitBytes, 3)).toString("utf8"));
}

function troubleOf(error: unknown): readonly [Trouble, string?] {
  if (!isWaypostError(error)) return ["failed"];
  switch (error.code) {
    case "not_found":
    case "forbidden_scope":
      return ["nothing"];
    case "rate_limited":
      return ["busy"];
    case "upstream_unavailable":
      return ["unavailable"];
    case "internal":
      return ["failed"];
    default:
      return ["refused", error.message];
  }
}

async function sendAsset(koa: Koa.Context): Promise<boolean> {
  if (koa.method !== "GET" && koa.method !== "HEAD") return false;
  const file = homeScreenFile(koa.path);
  if (file !== undefined) {
    koa.set("Cache-Control", "public, max-age=3600");
    koa.type = file.type;
    koa.body = file.content;
    return true;
  }
  const asset = [stylesheet, script].find(({ path }) => path === koa.path);
  if (asset === undefined) return false;
  koa.set("Cache-Control", "public, max-age=31536000, immutable");
  koa.set("Vary", "Accept-Encoding");
  koa.type = asset.type;
  const isCompressed = /(?:^|[\s,])br(?:[\s,;]|$)/.test(koa.get("Accept-Encoding"));
  if (isCompressed) koa.set("Content-Encoding", "br");
  koa.body = isCompressed ? await asset.compressed() : asset.text;
  return true;
}
