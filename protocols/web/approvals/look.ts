/** What to look at before one decides: what is odd about a mail, each point with its place on the page. */
import type { FactsOfRecipients, Hold } from "#/src/outbound/holds/holds.ts";
import type { ShownMail } from "#/src/render/shown-mail.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import type { SignedVisit } from "../visit.ts";
import type { Likenesses } from "./likeness.ts";

/** Characters that draw nothing. */
const invisible = new Set([
  "zero-width",
  "bidi-control",
  "unicode-tag",
  "variation-selector",
  "control-character",
]);

export interface Looked {
  /** Recipients who never had mail from here. */
  readonly news: readonly string[];
  readonly recipients: FactsOfRecipients;
  readonly likenesses: Likenesses;
}

/** Sentences of one point; more of them would hide the other points. */
const sentencesMax = 5;

export function lookBlock(
  { words, format }: SignedVisit,
  hold: Hold,
  shown: ShownMail,
  { news, recipients: { facts, compared }, likenesses: { ofRecipients, ofAuthor } }: Looked,
): Html {
  const w = words.hold;
  const count = (isCounted: (what: string) => boolean): number =>
    shown.removed.filter(({ what }) => isCounted(what)).reduce((sum, one) => sum + one.count, 0);
  const hiddenWords = shown.passages.reduce((sum, one) => sum + (one.kind === "hidden" ? one.words : 0), 0);
  const points: Html[] = [];
  const bad = (sign: Html, title: string, text: Html | string): void => {
    points.push(html`<li class="is-bad">${sign}<span><b>${title}</b> ${text}</span></li>`);
  };
  const plain = (sign: Html, title: string, text: Html | string): void => {
    points.push(html`<li>${sign}<span><b>${title}</b> ${text}</span></li>`);
  };
  if (hold.reason === "answering_unauthenticated")
    bad(icon("unproven"), w.senderUnproven, w.senderUnprovenText);
  const list = (sentences: readonly Html[]): Html =>
    html`${sentences.slice(0, sentencesMax).map((one, at) => html`${at > 0 && " "}${one}`)}${sentences.length > sentencesMax && ` ${w.andMore(sentences.length - sentencesMax, format)}`}`;
  if (ofAuthor.length > 0) bad(icon("warn"), w.like.authorTitle, list(ofAuthor));
  if (ofRecipients.length > 0)
    bad(icon("warn"), w.like.title, html`${list(ofRecipients)} <a href="#recipients">${w.like.look}</a>`);
  const failed = facts.flatMap(({ address, failure }) =>
    failure === undefined ? [] : [html`<bdi>${address}</bdi>: ${w.failures[failure] ?? w.failedSomehow}`],
  );
  if (failed.length > 0) bad(icon("warn"), w.failed(failed.length, format), list(failed));
  if (compared < hold.envelope.recipients.length)
    plain(icon("info"), w.like.notAll, w.like.notAllText(compared, format));
  if (hiddenWords > 0) {
    const [before, linked, after] = w.hiddenTextText(hiddenWords, format);
    bad(icon("hidden"), w.hiddenText, html`${before}<a href="#hidden-1">${linked}</a>${after}`);
  }
  const unseen = count((what) => invisible.has(what));
  if (unseen > 0) bad(icon("hidden"), w.invisible, w.invisibleText(unseen, format));
  if (shown.isDiffering) bad(icon("warn"), w.differing, w.differingText);
  if (count((what) => what === "unsafe-link") > 0) bad(icon("warn"), w.links, w.linksText);
  if (count((what) => what === "over-limit") > 0) bad(icon("warn"), w.overLimit, w.overLimitText);
  if (news.length > 0)
    plain(
      icon("plus"),
      w.newRecipients(news.length, format),
      html`<a href="#recipients">${format.list(news.slice(0, 3))}</a>${w.newRecipientsText("", news.length, format)}`,
    );
  const remote = count((what) => what === "remote-image" || what === "tracking-pixel");
  if (remote > 0)
    points.push(
      html`<li>${icon("picture")}<span><b>${w.remote(remote, format)}</b>${w.remoteText}</span></li>`,
    );
  const isCalm = !points.some(({ text }) => text.startsWith('<li class="is-bad"'));
  if (points.length === 0) plain(icon("proven"), w.nothingOdd, w.nothingOddText);
  return html`<section class="look${isCalm && " is-calm"}" aria-labelledby="look">
  <h2 id="look">${isCalm ? w.calm : w.look}</h2>
  <ul>${points}</ul>
</section>`;
}
