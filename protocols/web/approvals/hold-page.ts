/** One waiting mail: as its recipient sees it beside what the agent wrote, what to look at first, and the decision. */
import type { Hold } from "#/src/outbound/holds/holds.ts";
import type { Passage, ShownMail } from "#/src/render/shown-mail.ts";
import { editableText, showFile, showMail } from "#/src/render/shown-mail.ts";
import { type Html, html } from "../html.ts";
import { icon, initials } from "../layout.ts";
import type { ShownVersion } from "../opened-mails.ts";
import type { Page, SignedVisit } from "../visit.ts";
import { changedBlock, comparedMax } from "./changed.ts";
import { earlierBlock } from "./earlier.ts";
import { likenessesOf } from "./likeness.ts";
import { lookBlock } from "./look.ts";
import { subjectOf } from "./names.ts";
import { holdId, listLive, type Opened, standingOf, versionOf, waitingOf } from "./waiting.ts";

/** Files whose text stands on the page itself. */
const previewsMax = 3;
const previewBytesMax = 256 * 1024;
const previewCharacters = 2000;
const shortText = 600;
const longText = 2500;

interface Addressed {
  readonly name?: string;
  readonly address: string;
}

export interface HoldPageOptions {
  /** Why nothing was decided: another version was shown, or the proof is missing. */
  readonly problem?: "changed" | { readonly text: string };
  readonly note?: "edited";
  /** What was typed into the form, where it could not be saved. */
  readonly written?: {
    readonly to: string;
    readonly cc: string;
    readonly subject: string;
    readonly text: string;
  };
}

/** What an approval of this version is bound to. */
export function shownOf({ id, hold }: Pick<Opened, "id" | "hold">): string {
  return `approve ${id} ${versionOf(hold)}`;
}

export async function holdPage(
  visit: SignedVisit,
  opened: Opened & { readonly message: NonNullable<Opened["message"]> },
  options: HoldPageOptions = {},
): Promise<Page> {
  const { rooms, words, format, session, signIn } = visit;
  const { id, reached, hold, message } = opened;
  const w = words.hold;
  const shown = await showMail(rooms.mail, message);
  const news = await rooms.holds.listNewRecipients(hold);
  const names = namesOf(shown);
  const recipients = await rooms.holds.listRecipientFacts(
    hold,
    (address) => names.get(address.toLowerCase()) ?? "",
  );
  const likenesses = await likenessesOf(visit, hold, recipients.facts);
  const subject = await subjectOf(visit, hold);
  const request = (await signIn.hasPasskey(session))
    ? JSON.stringify(signIn.ask(session, "decide", shownOf(opened)))
    : undefined;
  const now = comparedOf(hold, subject, shown);
  const former = visit.opened.formerOf(session.number, id, now.version);
  visit.opened.note(session.number, id, now);
  const version = html`<input type="hidden" name="version" value="${versionOf(hold)}">`;
  return {
    title: subject,
    width: "",
    shows: { id, standing: standingOf(hold) },
    ...(options.problem === undefined ? {} : { status: 409, isWrong: true }),
    body: html`${await crumb(visit, opened)}
<div class="head">
  <p class="who"><span class="face is-small" aria-hidden="true">${initials(reached.name)}</span><span><b>${reached.name}</b>${w.asks}</span></p>
  <h1><bdi>${subject}</bdi></h1>
  <p>${w.waitsSince(words.reasons[hold.reason], format.moment(hold.createdAt), format.date(hold.expiresAt))}</p>
</div>
<div class="stack">
${notes(visit, opened, options)}
${former !== undefined && changedBlock(visit, former, now)}
${lookBlock(visit, hold, shown, { news, recipients, likenesses })}
</div>
<div class="sides">
  <section class="side" aria-labelledby="seen">
    <header><h2 id="seen">${w.seen}</h2><p><a href="#edit">${w.edit}</a><a href="/approvals/${id}/frame">${w.openAlone}</a></p></header>
    ${paper(visit, opened, shown, news)}
  </section>
  <section class="side" aria-labelledby="written">
    <header><h2 id="written">${w.written(reached.name)}</h2><p>${w.words(shown.words, format)}</p></header>
    ${source(visit, shown)}
  </section>
</div>
${await files(visit, opened, shown)}
${await earlierBlock(visit, opened)}
${await editForm(visit, opened, shown, version, options)}
<div class="bar" role="group" aria-label="${w.decide}">
  <p>${w.shown(rooms.settings.holds.graceS, format)}</p>
  <button type="button" class="button is-danger is-big" popovertarget="decline">${w.decline}</button>
  ${
    session.settings.approvesWith === "session"
      ? html`<form method="post" action="/approvals/${id}/decide">
    ${version}
    <button class="button is-primary is-big" name="act" value="approve">${icon("check")}${w.approve}</button>
  </form>`
      : request === undefined
        ? html`<button type="button" class="button is-primary is-big" popovertarget="by-password">${w.approve}</button>`
        : html`<form class="needs-script" method="post" action="/approvals/${id}/decide" data-passkey="${request}">
    ${version}
    <input type="hidden" name="assertion">
    <button class="button is-primary is-big" name="act" value="approve">${icon("key")}${w.approve}</button>
    <p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${w.passkeyFailed}<button type="button" class="button is-quiet is-small" popovertarget="by-password">${w.usePassword}</button></span></p>
  </form>
  <button type="button" class="button is-primary is-big without-script" popovertarget="by-password">${w.approve}</button>`
  }
</div>
${declineSheet(visit, opened, version)}
${passwordSheet(visit, opened, version)}`,
  };
}

/** The names that the mail gives its recipients. */
function namesOf({ content: { to, cc } }: ShownMail): ReadonlyMap<string, string> {
  return new Map([...to, ...cc].map(({ address, name = "" }: Addressed) => [address.toLowerCase(), name]));
}

function comparedOf(hold: Hold, subject: string, { passages, isCut }: ShownMail): ShownVersion {
  const text = passages.map((passage) => passage.text).join("");
  return {
    version: versionOf(hold),
    recipients: hold.envelope.recipients.map(({ address }) => address).toSorted(),
    subject,
    text: isCut || text.length > comparedMax ? undefined : text,
  };
}

/** The way up, and the mails before and after this one. */
export async function crumb(visit: SignedVisit, { hold }: Pick<Opened, "hold">): Promise<Html> {
  const { rooms, words, session } = visit;
  const w = words.hold;
  const waiting = waitingOf(await listLive(rooms, session));
  const at = waiting.findIndex((one) => one.agent === hold.agent && one.hold === hold.hold);
  const [before, after] = [waiting[at - 1], waiting[at + 1]];
  const next = at < 0 ? waiting[0] : undefined;
  return html`<nav class="crumb" aria-label="${w.waitingMails}">
  <a href="/approvals">${icon("back")}${words.approvals}</a>
  <span>${
    at < 0
      ? next !== undefined &&
        html`<a href="/approvals/${holdId(rooms, next)}" rel="next" accesskey="n">${w.nextWaiting}${icon("next")}</a>`
      : html`${before !== undefined && html`<a href="/approvals/${holdId(rooms, before)}" rel="prev" accesskey="p" aria-label="${w.previous}">${icon("back")}</a>`}${w.of(at + 1, waiting.length)}${after !== undefined && html`<a href="/approvals/${holdId(rooms, after)}" rel="next" accesskey="n" aria-label="${w.next}">${icon("next")}</a>`}`
  }</span>
</nav>`;
}

function notes({ words }: SignedVisit, { id, reached }: Opened, { problem, note }: HoldPageOptions): Html {
  const w = words.hold;
  const live = html`<div class="note is-warn" data-changed="${id}" role="status" hidden>${icon("warn")}<div><p><b>${w.changedLive(reached.name)}</b> ${w.changedLiveThen} <a href="/approvals/${id}">${w.showNow}</a></p></div></div>`;
  if (problem === "changed")
    return html`${live}<div class="note is-warn" role="alert">${icon("warn")}<div><h2>${w.changedTitle}</h2>
<p>${w.changedText(reached.name)}<b>${w.changedNothing}</b>${w.changedDecide}</p></div></div>`;
  if (problem !== undefined)
    return html`${live}<div class="note is-bad" role="alert">${icon("warn")}<div><p><b>${problem.text}</b></p></div></div>`;
  if (note === undefined) return live;
  return html`${live}<div class="note is-good" role="status">${icon("check")}<div><p><b>${w.edited}</b> ${w.editedThen}</p></div></div>`;
}

export function paper(
  { words }: SignedVisit,
  { id, hold }: Opened,
  { content, passages, isPage }: ShownMail,
  news: readonly string[],
): Html {
  const w = words.hold;
  const isNew = new Set(news.map((address) => address.toLowerCase()));
  const mark = html` <span class="mark is-new">${icon("plus")}${words.marks.new}</span>`;
  const one = ({ name, address }: Addressed): Html =>
    html`<bdi>${name === undefined ? address : `${name} <${address}>`}</bdi>${isNew.has(address.toLowerCase()) && mark}`;
  const all = (addresses: readonly Addressed[]): Html =>
    html`${addresses.map((address, at) => html`${at > 0 && ", "}${one(address)}`)}`;
  const named = new Set([...content.to, ...content.cc].map(({ address }) => address.toLowerCase()));
  const bcc: readonly Addressed[] = hold.envelope.recipients.filter(
    ({ address }) => !named.has(address.toLowerCase()),
  );
  const length = passages.reduce((sum, { text }) => sum + text.length, 0);
  const height = length > longText || isPage ? "is-long" : length > shortText ? "is-tall" : "is-short";
  const [to] = [...content.to, ...content.cc, ...bcc];
  return html`<div class="paper">
      <dl id="recipients">
        <dt>${w.from}</dt><dd>${content.from !== undefined && one(content.from)}</dd>
        ${content.to.length > 0 && html`<dt>${w.to}</dt><dd>${all(content.to)}</dd>`}
        ${content.cc.length > 0 && html`<dt>${w.cc}</dt><dd>${all(content.cc)}</dd>`}
        ${bcc.length > 0 && html`<dt>${w.bcc}</dt><dd>${all(bcc)}</dd>`}
        <dt>${w.subject}</dt><dd><b><bdi>${content.subject}</bdi></b></dd>
      </dl>
      <iframe class="${height}" src="/approvals/${id}/frame" sandbox title="${w.seenBy(to?.name ?? to?.address ?? "?")}" loading="eager"></iframe>
    </div>`;
}

function source({ words, format }: SignedVisit, { passages, isCut }: ShownMail): Html {
  const w = words.hold;
  if (passages.length === 0) return html`<p class="soft">${w.noText}</p>`;
  let hidden = 0;
  const write = (passage: Passage): Html => {
    if (passage.kind !== "hidden")
      return passage.kind === "text"
        ? html`${passage.text}`
        : html`<span class="quote">${passage.text}</span>`;
    const why = w.whys[passage.why] ?? w.mayBeHidden;
    hidden++;
    return html`<span class="hidden-text" id="hidden-${hidden}"><b>${icon("hidden")}${w.hiddenWhy(why, passage.words, format)}</b>${passage.text}</span>`;
  };
  return html`<div class="source" tabindex="0" role="region" aria-labelledby="written">${passages.map(write)}</div>${isCut && html`<p class="hint">${w.isCut}</p>`}`;
}

async function files(
  { rooms, words, format }: SignedVisit,
  { id, message }: Opened,
  { files: all }: ShownMail,
): Promise<Html | undefined> {
  const w = words.hold;
  if (all.length === 0 || message === undefined) return undefined;
  const folds: Html[] = [];
  for (const [at, file] of all.entries()) {
    const isShown = file.isReadable && at < previewsMax && file.size <= previewBytesMax;
    const text = isShown
      ? (await showFile(rooms.mail, message, file.section, previewCharacters))?.text.trim()
      : undefined;
    folds.push(html`<details class="fold">
      <summary>${icon("clip")}<span><bdi>${file.name || file.type}</bdi></span><span class="soft">${file.type}, ${format.size(file.size)}</span></summary>
      <div class="stack is-tight">
        ${text !== undefined && text !== "" ? html`<p class="hint">${w.fileHint}</p><div class="source">${text}</div>` : html`<p class="hint">${w.notReadable}</p>`}
        <p><a class="button is-small" href="/approvals/${id}/files/${file.section}" download>${icon("down")}${w.download}<span class="aside">${w.downloadFile(file.name)}</span></a></p>
      </div>
    </details>`);
  }
  return html`<section class="block" aria-labelledby="files">
  <h2 id="files">${w.files}</h2>
  <div class="folds">${folds}</div>
</section>`;
}

async function editForm(
  { rooms, words }: SignedVisit,
  { id, message }: Opened,
  { content }: ShownMail,
  version: Html,
  { written }: HoldPageOptions,
): Promise<Html | undefined> {
  const w = words.hold;
  if (message === undefined) return undefined;
  const { text, quoted } = await editableText(rooms.mail, message);
  const line = (addresses: readonly Addressed[]): string =>
    addresses
      .map(({ name, address }) =>
        name === undefined ? address : `"${name.replaceAll('"', "")}" <${address}>`,
      )
      .join(", ");
  return html`<details class="fold gap" id="edit"${written !== undefined && html` open`}>
  <summary>${icon("edit")}<span>${w.editTitle}</span><span class="soft">${w.editHint}</span></summary>
  <form class="stack" method="post" action="/approvals/${id}/edit">
    ${version}
    <div class="field"><label for="edit-to">${w.to}</label><input class="input" id="edit-to" name="to" value="${written?.to ?? line(content.to)}" autocomplete="off"></div>
    <div class="field"><label for="edit-cc">${w.cc}</label><input class="input" id="edit-cc" name="cc" value="${written?.cc ?? line(content.cc)}" autocomplete="off"></div>
    <div class="field"><label for="edit-subject">${w.subject}</label><input class="input" id="edit-subject" name="subject" value="${written?.subject ?? content.subject}" autocomplete="off" maxlength="900"></div>
    <div class="field"><label for="edit-text">${w.text}</label><textarea class="input" id="edit-text" name="text" rows="9" aria-describedby="edit-hint">
${written?.text ?? text}</textarea><p class="hint" id="edit-hint">${quoted === "" ? w.editTextHint : w.editQuotedHint}</p></div>
    <div class="actions"><button class="button">${w.save}</button></div>
  </form>
</details>`;
}

function declineSheet({ words }: SignedVisit, { id, reached }: Opened, version: Html): Html {
  const w = words.hold;
  const why = Object.entries(w.why);
  return html`<div class="sheet" id="decline" popover role="dialog" aria-labelledby="decline-title">
  <form method="post" action="/approvals/${id}/decide">
    ${version}
    <h2 id="decline-title">${w.declineTitle}</h2>
    <p class="soft">${w.declineText(reached.name)}</p>
    <fieldset>
      <legend class="aside">${w.reason}</legend>
      ${why.map(([value, label], at) => html`<label class="choice"><input type="radio" name="why" value="${value}"${at === 0 && html` checked`}><span>${label}</span></label>`)}
    </fieldset>
    <div class="field">
      <label for="reason">${w.tell(reached.name)} <span class="soft">${w.optional}</span></label>
      <textarea class="input" id="reason" name="reason" rows="3" maxlength="500"></textarea>
    </div>
    <div class="actions">
      <button class="button is-danger" name="act" value="decline">${w.decline}</button>
      <button type="button" class="button is-quiet" popovertarget="decline" popovertargetaction="hide">${w.back}</button>
    </div>
  </form>
</div>`;
}

function passwordSheet({ words }: SignedVisit, { id }: Opened, version: Html): Html {
  const w = words.hold;
  return html`<div class="sheet" id="by-password" popover role="dialog" aria-labelledby="by-password-title">
  <form method="post" action="/approvals/${id}/decide">
    ${version}
    <h2 id="by-password-title">${w.byPassword}</h2>
    <div class="field">
      <label for="app-password">${words.signIn.password}</label>
      <input class="input" id="app-password" name="password" type="password" autocomplete="current-password" required aria-describedby="app-password-hint">
      <p class="hint" id="app-password-hint">${w.byPasswordHint}</p>
    </div>
    <div class="actions">
      <button class="button is-primary" name="act" value="approve">${w.approve}</button>
      <button type="button" class="button is-quiet" popovertarget="by-password" popovertargetaction="hide">${w.back}</button>
    </div>
  </form>
</div>`;
}
