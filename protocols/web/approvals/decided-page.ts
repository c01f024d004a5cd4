/** A mail that somebody has decided about: who and when is always said, and an approval can be taken back until the mail leaves. */
import { showMail } from "#/src/render/shown-mail.ts";
import { type Html, html } from "../html.ts";
import { icon, initials } from "../layout.ts";
import type { Page, SignedVisit } from "../visit.ts";
import { crumb, paper } from "./hold-page.ts";
import { personName, subjectOf } from "./names.ts";
import type { Opened } from "./waiting.ts";

export async function decidedPage(visit: SignedVisit, opened: Opened): Promise<Page> {
  const { words, rooms, query } = visit;
  const { reached, hold, message } = opened;
  const w = words.decided;
  const subject = await subjectOf(visit, hold);
  const shown = message === undefined ? undefined : await showMail(rooms.mail, message);
  return {
    title: `${w.titles[hold.state]}: ${subject}`,
    width: "is-list",
    body: html`${await crumb(visit, opened)}
<div class="head">
  <p class="who"><span class="face is-small" aria-hidden="true">${initials(reached.name)}</span><span><b>${reached.name}</b>${words.hold.asked}</span></p>
  <h1><bdi>${subject}</bdi></h1>
</div>
${query.get("late") === "undo" && html`<div class="note is-warn" role="alert">${icon("warn")}<div><p><b>${w.tooLate}</b></p></div></div>`}
${hold.state === "approved" ? await undoBlock(visit, opened) : await outcome(visit, opened)}
${await trail(visit, opened)}
${
  shown !== undefined &&
  html`<section class="block" aria-labelledby="seen">
  <h2 id="seen">${w.mail}</h2>
  ${paper(visit, opened, shown, [])}
</section>`
}`,
  };
}

async function undoBlock(visit: SignedVisit, { id, reached, hold }: Opened): Promise<Html> {
  const { rooms, words, format, session, query } = visit;
  const w = words.decided;
  const { graceS } = rooms.settings.holds;
  const leavesAt = hold.decidedAt! + graceS * 1000;
  const until = new Date(leavesAt).toISOString();
  const who = (await personName(visit, hold.decidedBy, "first")) ?? w.somebody;
  const isLate = query.get("late") === "approve" && hold.decidedBy !== session.principal.agent;
  const facts = await rooms.accounts.findAgentFacts(reached.agent);
  const left = Math.max(0, Math.ceil((leavesAt - format.now) / 1000));
  return html`<section class="undo" aria-labelledby="undo">
  <div class="stack is-tight">
    <h2 id="undo">${w.approved(who)}</h2>
    <p data-before>${isLate ? w.first(format.clock(hold.decidedAt!)) : w.at(format.clock(hold.decidedAt!))}<span class="countdown" data-until="${until}">${w.lessThan(graceS)}</span>${w.leavesAt}<time datetime="${until}">${format.clock(leavesAt)}</time>${w.until}</p>
    ${facts?.pause !== undefined && html`<p><b>${w.paused}</b></p>`}
  </div>
  <form method="post" action="/approvals/${id}/undo">
    <button class="button is-big is-full" data-before>${icon("undo")}${w.takeBack}</button>
  </form>
  <progress class="needs-script" data-before max="${graceS}" value="${left}" data-until="${until}" aria-label="${w.secondsLeft}"></progress>
  <p data-after hidden role="status"><b>${w.left}</b> ${w.leftThen}<a href="/approvals/${id}">${w.see}</a></p>
</section>`;
}

async function outcome(visit: SignedVisit, { hold }: Opened): Promise<Html> {
  const { words, session } = visit;
  const w = words.decided;
  const isGood = hold.state === "sent";
  const isMine = hold.decidedBy === session.principal.agent;
  const why = hold.why === null ? "" : words.hold.why[hold.why];
  const said = [why, hold.note ?? ""].filter((text) => text !== "").join(". ");
  return html`<div class="note${isGood && " is-good"}" role="status">${icon(isGood ? "check" : "info")}<div><h2>${w.titles[hold.state]}</h2>
<p>${w.texts[hold.state]}</p>${said !== "" && html`<p>${isMine ? w.note : w.noteOf}<b><bdi>${said}</bdi></b></p>`}</div></div>`;
}

async function trail(visit: SignedVisit, { reached, hold }: Opened): Promise<Html> {
  const { words, format, rooms } = visit;
  const w = words.decided;
  const who = await personName(visit, hold.decidedBy, "by");
  const step = (at: number, text: Html | string, isDone = true): Html =>
    html`<li${isDone && html` class="is-good"`}><div><time datetime="${new Date(at).toISOString()}">${format.moment(at)}</time><span>${text}</span></div></li>`;
  // A mail that left, or that could not, was approved before.
  const decision = hold.state === "sent" || hold.state === "failed" ? "approved" : hold.state;
  return html`<section class="block" aria-labelledby="way">
  <h2 id="way">${w.what}</h2>
  <ol class="trail gap">
    ${step(hold.createdAt, w.asked(reached.name))}
    ${hold.toldAt !== null && step(hold.toldAt, w.told)}
    ${
      hold.decidedAt !== null &&
      step(
        hold.decidedAt,
        html`<b>${who === undefined ? w.states[decision] : w.by(w.states[decision], who)}</b>`,
      )
    }
    ${hold.state === "approved" && step(hold.decidedAt! + rooms.settings.holds.graceS * 1000, w.leaves, false)}
    ${(hold.state === "sent" || hold.state === "failed") && html`<li${hold.state === "sent" && html` class="is-good"`}><div><time></time><span>${w.states[hold.state]}</span></div></li>`}
  </ol>
</section>`;
}
