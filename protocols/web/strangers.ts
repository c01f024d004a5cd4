/** What somebody can do who is not signed in: sign in, by one of three ways, and choose a language. */
import { peerOf } from "#/protocols/connection/peer.ts";
import { logNoLogin } from "#/protocols/connection/stranger-lines.ts";
import { CallerGone } from "#/src/model/caller.ts";
import { isOfServer, isWaypostError } from "#/src/model/errors.ts";
import { pageSessionMs } from "#/src/model/limits.ts";
import type { Begun } from "#/src/sign-in/sign-in.ts";
import { cookieField, languageCookie, sessionCookie } from "./cookies.ts";
import { joinPage } from "./pages/join.ts";
import { type SignInPage, signInPage } from "./pages/sign-in.ts";
import { type Answer, lineOf, pageAnswer, redirect, type Visit, waitOf } from "./visit.ts";
import { isLanguage } from "./words/words.ts";

const languageSeconds = 365 * 86_400;

export function showSignIn(visit: Visit, shown: Partial<SignInPage> = {}): Answer {
  const then = localPath(visit.query.get("then") ?? visit.form.get("then"));
  const { words, query } = visit;
  const note = query.has("ended")
    ? words.signIn.ended
    : query.has("expired")
      ? words.signIn.expired
      : undefined;
  return pageAnswer(
    signInPage(visit, {
      options: visit.signIn.askToSignIn(),
      then,
      ...(note === undefined ? {} : { note }),
      ...shown,
    }),
  );
}

export async function signIn(visit: Visit): Promise<Answer> {
  const { form, browser, words, signIn: door } = visit;
  const w = words.signIn;
  const answer = form.get("assertion") ?? "";
  const address = (form.get("address") ?? "").slice(0, 300);
  try {
    const begun =
      answer === ""
        ? await door.byPassword(address, form.get("password") ?? "", browser)
        : await door.byPasskey(answer, browser);
    return begin(visit, begun, localPath(form.get("then")));
  } catch (error) {
    const wait = waitOf(visit, error);
    noteFailure(visit, error);
    if (answer !== "") return showSignIn(visit, { wrongPasskey: w.wrongPasskey });
    const isBound = isWaypostError(error) && error.code === "forbidden_scope";
    const wrong = isBound ? w.bound : w.wrong;
    return showSignIn(visit, { address, wrongPassword: wait === undefined ? wrong : w.tooOften(wait) });
  }
}

export function showJoin(visit: Visit): Answer {
  return pageAnswer(joinPage(visit));
}

/** What the browser is asked that makes a passkey. It spends nothing. */
export async function joinOptions(visit: Visit): Promise<Answer> {
  return { kind: "json", value: await visit.signIn.askToJoin(visit.form.get("invitation") ?? "") };
}

export async function join(visit: Visit): Promise<Answer> {
  const { form, browser, words, signIn: door } = visit;
  const created = form.get("assertion") || undefined;
  const device = lineOf(form, "device") || browser.device;
  try {
    const invitation = (form.get("invitation") ?? "").trim();
    const begun = await door.byInvitation(invitation, created, { ...browser, device });
    return begin(visit, begun, "/approvals");
  } catch (error) {
    noteFailure(visit, error);
    return pageAnswer(joinPage(visit, words.join.wrong));
  }
}

function begin(visit: Visit, { token, principal }: Begun, to: string): Answer {
  return beginSession(visit, { login: principal.address, cookie: sessionCookie, token }, to);
}

export interface BegunSession {
  /** For the log. */
  readonly login: string;
  readonly cookie: string;
  readonly token: string;
}

/** A session of its own for each sign-in: the cookie that the browser had is of no use afterwards. */
export function beginSession(
  { context, rooms }: Visit,
  { login, cookie, token }: BegunSession,
  to: string,
): Answer {
  const { remoteAddress, requestId } = context;
  rooms.log.info({ ...peerOf(remoteAddress), protocol: "pages", requestId, login }, "login");
  return redirect(to, [cookieField(cookie, token, pageSessionMs / 1000)]);
}

/** Only refusals end here; anything else says nothing of the credential. */
export function noteFailure({ context, rooms }: Visit, error: unknown): void {
  if (error instanceof CallerGone) throw error;
  const { remoteAddress, requestId } = context;
  logNoLogin(rooms.log, remoteAddress, { protocol: "pages", requestId }, error);
  if (isOfServer(error)) throw error;
}

export function chooseLanguage({ form }: Visit): Answer {
  const language = form.get("language") ?? undefined;
  const cookies = isLanguage(language) ? [cookieField(languageCookie, language, languageSeconds)] : [];
  return redirect(localPath(form.get("from")), cookies);
}

/** A path of this server: no other place, however it is written. */
export function localPath(text: string | null): string {
  const url =
    text === null || !/^\/(?![/\\])/.test(text) ? undefined : URL.parse(text, "http://here.invalid");
  // A path that begins with two slashes names a host ("/.//evil.example").
  const isHere = url?.host === "here.invalid" && !url.pathname.startsWith("//");
  return isHere ? `${url.pathname}${url.search}` : "/approvals";
}
