/** What a person sees who has nothing to decide and has set up no mail program yet: the way to one, and a mail to try it with. */
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { type Answer, redirect, type SignedVisit } from "../visit.ts";

export async function firstSteps({ words, session, signIn, query }: SignedVisit): Promise<Html | undefined> {
  const w = words.first;
  const hasTried = query.get("sent") === "test";
  // The first app password was made with the mailbox.
  if (!hasTried && (await signIn.listPasswords(session)).length > 1) return undefined;
  return html`<div class="stack">
  <h2 class="aside">${w.title}</h2>
  ${hasTried && html`<div class="note is-good" role="status">${icon("check")}<div><p>${w.sent}</p></div></div>`}
  <ol class="steps">
    <li class="step is-done"><header><h3>${w.youAreIn}</h3><span class="soft"><bdi>${session.device}</bdi></span></header></li>
    <li class="step is-now" aria-current="step"><header><h3>${w.program}</h3><a class="button is-small" href="/mine#programs">${words.mine.makePassword}</a></header>
      <div><p class="measure">${w.programText} <b>${session.principal.address}</b></p></div></li>
    <li class="step"><header><h3>${w.test}</h3><form method="post" action="/approvals/test-mail"><button class="button is-small">${icon("send")}${w.sendTest}</button></form></header>
      <div><p class="measure">${w.testText}</p></div></li>
  </ol>
</div>`;
}

export async function sendTestMail({ signIn, session, words }: SignedVisit): Promise<Answer> {
  const { subject, text } = words.first.mail;
  await signIn.sendTestMail(session, { subject, text });
  return redirect("/approvals?sent=test");
}
