/** Everything of a person as one file. */
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { proofFields, proofProblem } from "../proof.ts";
import { type Answer, redirect, type SignedVisit } from "../visit.ts";

/** What the answer of a passkey is bound to. */
const everything = "export of all my data";

export async function archiveBlock(visit: SignedVisit): Promise<Html> {
  const { words, format, signIn, session } = visit;
  const w = words.mine;
  const made = signIn.findExport(session);
  const hasPasskey = await signIn.hasPasskey(session);
  const asked =
    hasPasskey && html` data-passkey="${JSON.stringify(signIn.ask(session, "credential", everything))}"`;
  return html`<section class="block" id="archive" aria-labelledby="archive-h">
  <h2 id="archive-h">${w.archive}</h2>
  <p>${w.archiveLead}</p>
  ${made?.state === "running" && html`<div class="note" role="status">${icon("clock")}<div><p>${w.archiveRuns} <a href="/mine#archive">${w.archiveAgain}</a></p></div></div>`}
  ${made?.state === "failed" && html`<div class="note is-bad" role="alert">${icon("warn")}<div><p>${w.archiveFailed}</p></div></div>`}
  ${made?.state === "done" && html`<div class="actions"><a class="button" href="/mine/archive" download>${icon("down")}${w.archiveGet}</a><span class="soft">${format.size(made.bytes)}, ${w.until(format.moment(made.until))}</span></div>`}
  ${
    (made === undefined || made.state === "failed") &&
    html`<form class="stack${hasPasskey && " needs-script"}" method="post" action="/mine/archive"${asked}>
    ${proofFields(visit, hasPasskey, "archive")}
    <div class="actions"><button class="button">${w.archiveMake}</button></div>
  </form>`
  }
</section>`;
}

export async function makeArchive(
  visit: SignedVisit,
  refuse: (problem: string) => Promise<Answer>,
): Promise<Answer> {
  const { signIn, session, words } = visit;
  const problem = await proofProblem(visit, "credential", everything, words.mine);
  if (problem !== undefined) return refuse(problem);
  try {
    await signIn.beginExport(session);
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "rate_limited") throw error;
    return refuse(words.mine.archiveBusy);
  }
  return redirect("/mine#archive");
}

export function getArchive({ signIn, session }: SignedVisit): Answer {
  const open = signIn.openExport(session);
  if (open === undefined) throw new WaypostError("not_found", "There is no archive.");
  return { kind: "download", ...open, name: "waypost.tar.gz" };
}
