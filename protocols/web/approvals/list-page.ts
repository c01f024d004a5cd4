/** The list of mails that wait, a form for each agent, and what was decided today. */

import { walkParts } from "#/src/formats/mime/structure.ts";
import type { Hold } from "#/src/outbound/holds/holds.ts";
import type { UsedInvitationRow } from "#/src/sign-in/sign-in.ts";
import { type Html, html } from "../html.ts";
import { icon, initials } from "../layout.ts";
import type { Page, SignedVisit } from "../visit.ts";
import { firstSteps } from "./first-steps.ts";
import { personName, subjectOf } from "./names.ts";
import { type AgentOfMine, holdId, listLive, versionOf, waitingOf } from "./waiting.ts";

const shownMax = 15;
const askedMax = 500;
const decidedMax = 10;
const dayMs = 86_400_000;
const soonMs = 3_600_000;
const namedMax = 3;

export async function listPage(visit: SignedVisit): Promise<Page> {
  const { rooms, session, words, format, signIn } = visit;
  const agents = await listLive(rooms, session);
  const waiting = waitingOf(agents);
  const w = words.list;
  const shown = Math.min(askedMax, Math.max(shownMax, Number(visit.query.get("show")) || 0));
  const oldest = Math.min(...waiting.map(({ createdAt }) => createdAt));
  let left = shown;
  const groups: Html[] = [];
  for (const agent of agents) {
    const holds = agent.holds.filter(({ state }) => state === "waiting");
    if (holds.length === 0 || left <= 0) continue;
    groups.push(await group(visit, agent, holds.slice(0, left), holds.length));
    left -= Math.min(left, holds.length);
  }
  const decided = await decidedBlock(visit, agents);
  return {
    title: words.approvals,
    width: "is-list",
    body: html`<div class="head">
  <h1>${words.approvals}</h1>
  <p>${waiting.length === 0 ? w.empty : html`${w.waiting(waiting.length, format)}${w.oldest(format.length(format.now - oldest))}`}</p>
</div>
${invitedNote(visit, await signIn.listUsedInvitations(session))}
${await soonNote(visit, waiting)}
${groups}
${waiting.length > shown && html`<p><a class="button" href="/approvals?show=${shown + 100}">${w.more(waiting.length - shown, format)}</a></p>`}
${decided}
${waiting.length === 0 && (await firstSteps(visit))}
${waiting.length === 0 && emptyBlock(visit, agents)}`,
  };
}

function invitedNote({ words, format }: SignedVisit, used: readonly UsedInvitationRow[]): Html {
  const w = words.invited;
  return html`${used.map(
    ({ usedAt, device }) =>
      html`<div class="note is-warn">${icon("warn")}<div><p><b>${w.title}.</b> ${w.text(format.date(usedAt), device)}</p></div></div>`,
  )}`;
}

async function soonNote(visit: SignedVisit, waiting: readonly Hold[]): Promise<Html | undefined> {
  const { rooms, words, format } = visit;
  const [soonest] = waiting.toSorted((a, b) => a.expiresAt - b.expiresAt);
  if (soonest === undefined || soonest.expiresAt - format.now > soonMs) return undefined;
  const w = words.list;
  const left = format.length(soonest.expiresAt - format.now);
  return html`<div class="note is-warn">${icon("clock")}<div><p><b>${w.expiresSoon(left)}</b> ${w.expiresWhat}<a href="/approvals/${holdId(rooms, soonest)}">${await subjectOf(visit, soonest)}</a>${w.expiresAt(format.moment(soonest.expiresAt))}</p></div></div>`;
}

async function group(
  visit: SignedVisit,
  { reached }: AgentOfMine,
  holds: readonly Hold[],
  count: number,
): Promise<Html> {
  const { words, format } = visit;
  const rows = await Promise.all(holds.map((hold) => row(visit, hold)));
  const canSelect = rows.some(({ isOpened }) => isOpened);
  return html`<form method="post" action="/approvals/select">
<fieldset class="group">
  <legend><span class="face" aria-hidden="true">${initials(reached.name)}</span><h2>${reached.name} <span class="soft">· ${reached.address}</span></h2><span class="soft">${words.list.ofAgent(count, format)}</span></legend>
  <ul class="waits">
    ${rows.map(({ item }) => item)}
  </ul>
  ${
    canSelect &&
    html`<footer>
    <button class="button is-small">${words.list.approveSelected}</button>
    <span>${words.list.selectHint}</span>
  </footer>`
  }
</fieldset>
</form>`;
}

async function row(visit: SignedVisit, hold: Hold) {
  const { rooms, words, format, session, opened } = visit;
  const w = words.list;
  const id = holdId(rooms, hold);
  const isOpened = opened.versionOf(session.number, id) === versionOf(hold);
  const subject = await subjectOf(visit, hold);
  const news = new Set(await rooms.holds.listNewRecipients(hold));
  const isSoon = hold.expiresAt - format.now <= soonMs;
  const item = html`<li class="wait${isOpened && " is-read"}">
      ${
        isOpened
          ? html`<label class="wait-pick"><input type="checkbox" name="hold" value="${id}"><span class="aside">${w.select}${subject}</span></label>`
          : html`<span class="wait-pick"><span class="unread"></span></span>`
      }
      <div class="wait-body">
        <h3><a class="wait-link" href="/approvals/${id}">${!isOpened && html`<span class="aside">${w.notOpened}</span>`}<bdi>${subject}</bdi></a></h3>
        <p>${recipients(visit, hold, news)}</p>
        <p>${words.reasons[hold.reason]} ${marks(visit, hold)} ${await filesMark(visit, hold)}</p>
      </div>
      <p class="wait-when"><span>${format.length(format.now - hold.createdAt)}</span>${
        isSoon
          ? html`<span class="mark is-soon">${icon("clock")}${w.expiresIn(format.length(hold.expiresAt - format.now))}</span>`
          : html`<span>${w.expires(format.moment(hold.expiresAt))}</span>`
      }</p>
    </li>`;
  return { item, isOpened };
}

function recipients({ words, format }: SignedVisit, hold: Hold, news: ReadonlySet<string>): Html {
  const w = words.list;
  const all = hold.envelope.recipients.map(({ address }) => address);
  const mark = html` <span class="mark is-new">${icon("plus")}${words.marks.new}</span>`;
  if (all.length > namedMax)
    return html`${w.recipients(all.length, format)}${news.size > 0 && html`, <b>${w.newOnes(news.size, format)}</b>${mark}`}`;
  return html`${w.to}${all.map(
    (address, at) =>
      html`${at > 0 && ", "}${news.has(address) ? html`<b><bdi>${address}</bdi></b>${mark}` : html`<bdi>${address}</bdi>`}`,
  )}`;
}

function marks({ words }: SignedVisit, { reason }: Hold): Html | undefined {
  if (reason !== "answering_unauthenticated") return undefined;
  return html`<span class="mark is-unproven">${icon("unproven")}${words.marks.unproven}</span>`;
}

async function filesMark({ rooms, words }: SignedVisit, hold: Hold): Promise<Html | undefined> {
  const message = await rooms.mail.findMessage(hold.agent, hold.message);
  if (message === undefined) return undefined;
  const parts = walkParts(await rooms.mail.readStructure(message));
  const count = parts.filter(({ disposition }) => disposition === "attachment").length;
  return count === 0
    ? undefined
    : html`<span class="mark is-plain">${icon("clip")}${words.marks.files(count)}</span>`;
}

async function decidedBlock(visit: SignedVisit, agents: readonly AgentOfMine[]): Promise<Html | undefined> {
  const { rooms, words, format } = visit;
  const w = words.decided;
  const lists = await Promise.all(
    agents.map(async ({ reached }) => {
      const holds = await rooms.holds.listDecided(reached.agent, format.now - dayMs, decidedMax);
      return holds.filter(reached.decides).map((hold) => ({ reached, hold }));
    }),
  );
  const newest = lists
    .flat()
    .sort((a, b) => b.hold.decidedAt! - a.hold.decidedAt!)
    .slice(0, decidedMax);
  if (newest.length === 0) return undefined;
  const items = await Promise.all(
    newest.map(async ({ reached, hold }) => {
      const id = holdId(rooms, hold);
      const subject = await subjectOf(visit, hold);
      const to = format.list(hold.envelope.recipients.slice(0, namedMax).map(({ address }) => address));
      const state = w.states[hold.state === "sent" ? "approved" : hold.state];
      const who = await personName(visit, hold.decidedBy, "by");
      const line =
        who === undefined ? w.lineAlone(state, reached.name, to) : w.line(state, who, reached.name, to);
      const leavesAt = hold.decidedAt! + rooms.settings.holds.graceS * 1000;
      const isLeaving = hold.state === "approved" && leavesAt > format.now;
      return html`<li>
      <div><a href="/approvals/${id}"><bdi>${subject}</bdi></a><small>${line}${hold.note !== null && html`: “${hold.note}”`}</small></div>
      ${
        isLeaving
          ? html`<span>${w.leavesIn}<span class="countdown" data-until="${new Date(leavesAt).toISOString()}">${format.clock(leavesAt)}</span></span>
      <form method="post" action="/approvals/${id}/undo"><button class="button is-small" data-before>${icon("undo")}${w.undo}<span class="aside">: ${subject}</span></button></form>`
          : html`<span class="state${hold.state === "sent" && " is-good"}">${w.marks[hold.state]}</span>`
      }
    </li>`;
    }),
  );
  return html`<section class="block" aria-labelledby="decided">
  <h2 id="decided">${words.list.decided}</h2>
  <ul class="rows">${items}</ul>
</section>`;
}

function emptyBlock({ words, session }: SignedVisit, agents: readonly AgentOfMine[]): Html {
  const w = words.list;
  if (agents.length === 0)
    return html`<section class="block"><p>${w.nobody}</p>
  <div class="code"><code>waypost agent update robin@example.org --approver ${session.principal.address}</code></div></section>`;
  return html`<section class="block" aria-labelledby="mine">
  <h2 id="mine">${w.youApproveFor}</h2>
  <p>${w.theirMail}</p>
  <ul class="rows">
    ${agents.map(
      ({ reached }) =>
        html`<li><div class="who"><span class="face" aria-hidden="true">${initials(reached.name)}</span><div><b>${reached.name}</b><small>${reached.address}</small></div></div></li>`,
    )}
  </ul>
</section>`;
}
