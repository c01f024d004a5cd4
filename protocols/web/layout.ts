/** What all pages have in common: head, places, account, foot. */

import type { OperatorSession } from "#/src/sign-in/operator-sign-in.ts";
import type { PageSession } from "#/src/sign-in/sign-in.ts";
import { script, stylesheet } from "./assets.ts";
import { drawings, type Icon } from "./drawings.ts";
import { Html, html } from "./html.ts";
import type { Page, Visit } from "./visit.ts";
import { languages, wordsOf } from "./words/words.ts";

const brandIcon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='-2 0 26 26'%3E%3Cpath fill='%230a6648' d='M2 3h13.5L20 7.5 15.5 12H2zM9 12h3v14H9z'/%3E%3C/svg%3E";
const brandSign = html`<svg width="22" height="26" viewBox="0 0 22 26" aria-hidden="true"><path fill="currentColor" d="M2 3h13.500L20 7.500 15.500 12H2z"/><path fill="currentColor" opacity=".45" d="M9 0h3v3H9zM9 12h3v14H9z"/></svg>`;

export function icon(name: Icon): Html {
  return new Html(`<svg class="icon" aria-hidden="true"><use href="#i-${name}"/></svg>`);
}

/** Up to two letters that stand for a name. */
export function initials(name: string): string {
  const words = name.split(/[\s.@_-]+/).filter((word) => word !== "");
  return words
    .slice(0, 2)
    .map((word) => [...word][0]!.toUpperCase())
    .join("");
}

export interface SignedIn {
  readonly person?: {
    readonly session: PageSession;
    /** Mails that wait for the person. */
    readonly waiting: number;
  };
  readonly seat?: OperatorSession | undefined;
}

export function isOperatorPath(path: string): boolean {
  return path === "/operator" || path.startsWith("/operator/");
}

export function layOut(visit: Visit, page: Page, { person, seat }: SignedIn): string {
  const { words, language, origin, format } = visit;
  const host = new URL(origin).host;
  const isOperators = isOperatorPath(visit.context.koa.path);
  const isStranger = person === undefined && seat === undefined;
  const home = isOperators ? "/operator" : "/approvals";
  const count = person === undefined || person.waiting === 0 ? "" : `(${person.waiting}) `;
  const title = `${page.isWrong === true ? words.error : ""}${count}${page.title} – Waypost`;
  const { text } = html`<!doctype html>
<html lang="${language}"${isOperators && html` class="is-operator"`}>
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${brandIcon}">
${!isOperators && html`<link rel="manifest" href="/manifest.webmanifest"><link rel="apple-touch-icon" href="/icon-192.png">`}
<link rel="stylesheet" href="${stylesheet.path}">
<script src="${script.path}" defer></script>
</head>
<body data-now="${format.now}"${person !== undefined && html` data-live="${liveOf(page)}"`}>
<a class="skip" href="#main">${words.skip}</a>
<!--signs-->
<header class="top">
  <a class="brand" href="${isStranger ? `${isOperators ? home : ""}/sign-in` : home}">${brandSign}Waypost${isOperators ? html` <small>${words.operator.operator}</small>` : isStranger && html` <small>${host}</small>`}</a>
  ${person !== undefined && places(visit, person)}
  ${seat !== undefined && operatorPlaces(visit, seat)}
</header>
<main class="page ${page.width}" id="main" tabindex="-1">
${page.body}
</main>
<footer class="foot">
  <span>${words.serverOn(host)}</span>
  ${isStranger && languageForms(visit)}
</footer>
</body>
</html>
`;
  return text.replace("<!--signs-->", () => signsOf(text).text);
}

/** Where the stream of a page is. */
function liveOf({ shows }: Page): string {
  return shows === undefined ? "/live" : `/live?shows=${shows.id}.${shows.standing}`;
}

/** Marks the place where the page is. */
function hereOn(path: string): (place: string) => Html | false {
  return (place) =>
    (path === place || (place !== "/operator" && path.startsWith(`${place}/`))) && html` aria-current="page"`;
}

const operatorTabs = [
  ["now", "/operator"],
  ["domains", "/operator/domains"],
  ["accounts", "/operator/accounts"],
  ["access", "/operator/access"],
  ["queue", "/operator/queue"],
  ["webhooks", "/operator/webhooks"],
  ["trace", "/operator/trace"],
  ["reports", "/operator/reports"],
] as const;

function operatorPlaces({ words, format, ...visit }: Visit, { operator }: OperatorSession): Html {
  const here = hereOn(visit.context.koa.path);
  const w = words.operator;
  const name = w.named(operator.name);
  return html`<nav class="tabs" aria-label="${words.places}">
    ${operatorTabs.map(([place, path]) => html`<a href="${path}"${here(path)}>${w.places[place]}</a>`)}
  </nav>
  <details class="me">
    <summary><span class="aside">${words.account(name)}</span><span class="face is-person is-small">${initials(operator.name)}</span></summary>
    <div>
      <p>${name}<br>${words.mine.until(format.day(operator.expiresAt))}</p>
      <a href="/operator/me">${w.me.title}</a>
      ${languageForms({ words, format, ...visit })}
      <form method="post" action="/operator/sign-out"><button>${words.signOut}</button></form>
    </div>
  </details>`;
}

function places({ words, ...visit }: Visit, { session, waiting }: NonNullable<SignedIn["person"]>): Html {
  const here = hereOn(visit.context.koa.path);
  const { name, address } = session.principal;
  return html`<nav class="tabs" aria-label="${words.places}">
    <a href="/approvals"${here("/approvals")}>${words.approvals} <span class="count" data-count${waiting === 0 && html` hidden`}>${waiting}<span class="aside"> ${words.waitingAside}</span></span></a>
    <a href="/mine"${here("/mine")}>${words.mine.title}</a>
    <a href="/agents"${here("/agents")}>${words.agents.title}</a>
  </nav>
  <details class="me">
    <summary><span class="aside">${words.account(name)}</span><span class="face is-person is-small">${initials(name)}</span></summary>
    <div>
      <p>${words.signedInAs}<br>${address}</p>
      ${languageForms({ words, ...visit })}
      <form method="post" action="/sign-out"><button>${words.signOut}</button></form>
    </div>
  </details>`;
}

/** A link changes nothing, so it is a button. */
function languageForms({ language, context }: Visit): Html {
  const others = languages.filter((one) => one !== language);
  return html`${others.map(
    (one) => html`<form method="post" action="/language">
        <input type="hidden" name="from" value="${context.koa.method === "GET" ? context.koa.url.slice(0, 500) : "/"}">
        <button name="language" value="${one}" lang="${one}">${wordsOf(one).languageName}</button>
      </form>`,
  )}`;
}

/** The symbols that a page uses. Text of others has no quotes, so it names none. */
function signsOf(text: string): Html {
  const used = new Set([...text.matchAll(/<use href="#i-([a-z]+)"\/>/g)].map(([, name]) => name as Icon));
  if (used.size === 0) return html``;
  const symbols = [...used].map(
    (name) => `<symbol id="i-${name}" viewBox="0 0 20 20">${drawings[name]}</symbol>`,
  );
  return new Html(`<svg hidden>\n${symbols.join("\n")}\n</svg>`);
}
