/** One request of a browser, as the pages see it, and what they answer. */
import type { Readable } from "node:stream";
import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { HttpContext } from "#/protocols/http/app.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { OperatorDoor } from "#/src/accounts/administration/operator-door.ts";
import type { Collections } from "#/src/collections/collections.ts";
import type { Feed } from "#/src/feed/feed.ts";
import type { Mail } from "#/src/mail/mail.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { Holds } from "#/src/outbound/holds/holds.ts";
import { cleanLine } from "#/src/render/clean-text.ts";
import { createRemovalTally } from "#/src/render/removal.ts";
import type { OperatorSession, OperatorSignIn } from "#/src/sign-in/operator-sign-in.ts";
import type { Browser, PageSession, SignIn } from "#/src/sign-in/sign-in.ts";
import type { Format } from "./format.ts";
import type { Html } from "./html.ts";
import type { OpenedMails } from "./opened-mails.ts";
import type { Language, Words } from "./words/words.ts";

export interface WebRooms {
  readonly settings: Settings;
  readonly log: Logger;
  readonly accounts: Accounts;
  readonly mail: Mail;
  readonly collections: Collections;
  readonly holds: Holds;
  readonly operatorDoor: OperatorDoor;
  readonly feed: Feed;
}

/** Who signs people in, and who operators. */
export interface Doors {
  readonly people: SignIn;
  readonly operators: OperatorSignIn;
}

export interface Visit {
  readonly rooms: WebRooms;
  readonly signIn: SignIn;
  readonly operatorSignIn: OperatorSignIn;
  readonly opened: OpenedMails;
  readonly context: HttpContext;
  readonly origin: string;
  readonly language: Language;
  readonly words: Words;
  readonly format: Format;
  readonly browser: Browser;
  /** Parts of the path that the route names. */
  readonly names: readonly string[];
  readonly query: URLSearchParams;
  /** Of a POST. */
  readonly form: URLSearchParams;
}

/** A visit of somebody who is signed in. */
export interface SignedVisit extends Visit {
  readonly session: PageSession;
}

/** A visit of an operator who is signed in. */
export interface OperatorVisit extends Visit {
  readonly seat: OperatorSession;
}

export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly width: "" | "is-list" | "is-narrow";
  readonly status?: number;
  /** The waiting mail that it shows, as it is now: the stream of the page tells what has become of it since (`live.ts`). */
  readonly shows?: { readonly id: string; readonly standing: string };
  /** The title begins with it where a form was filled in wrongly. */
  readonly isWrong?: boolean;
}

export type Answer =
  | { readonly kind: "page"; readonly page: Page; readonly cookies?: readonly string[] }
  | { readonly kind: "redirect"; readonly to: string; readonly cookies?: readonly string[] }
  | { readonly kind: "json"; readonly value: unknown }
  /** A stream that stays open. */
  | { readonly kind: "live"; readonly visit: SignedVisit }
  | {
      readonly kind: "octets";
      readonly headers: Readonly<Record<string, string>>;
      readonly body: readonly (string | Buffer)[];
    }
  /** A file of any length, which the browser saves. */
  | { readonly kind: "download"; readonly stream: Readable; readonly bytes: number; readonly name: string };

export function pageAnswer(page: Page): Answer {
  return { kind: "page", page };
}

/** After a POST (RFC 9110 section 15.4.4): to load the page again does nothing again. */
export function redirect(to: string, cookies?: readonly string[]): Answer {
  return { kind: "redirect", to, ...(cookies === undefined ? {} : { cookies }) };
}

/** What somebody has typed into a field of one line, without characters that draw nothing. */
export function lineOf(form: URLSearchParams, name: string, charactersMax = 60): string {
  return cleanLine(form.get(name) ?? "", name, createRemovalTally(), charactersMax);
}

/** How long to wait, in words, if that is why an attempt was refused. */
export function waitOf({ format }: Visit, error: unknown): string | undefined {
  if (!isWaypostError(error) || error.code !== "rate_limited") return undefined;
  return format.length(error.details.retryAfterMs ?? 1000);
}
