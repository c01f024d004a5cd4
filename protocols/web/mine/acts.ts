/** What a person makes, ends and chooses on the page Mine. */
import { isOfServer, isWaypostError } from "#/src/model/errors.ts";
import { html } from "../html.ts";
import { icon } from "../layout.ts";
import { proofProblem } from "../proof.ts";
import { type Answer, lineOf, pageAnswer, redirect, type SignedVisit } from "../visit.ts";
import { makeArchive } from "./archive.ts";
import { refused, showMine } from "./mine-page.ts";
import { beginNotices } from "./notices.ts";
import { anotherOne, removal } from "./passkeys.ts";
import { madeNote, making } from "./programs.ts";
import { lowering, zones } from "./settings.ts";

/** The second step: the answer to what this page asks makes the passkey. */
export async function allowPasskey(visit: SignedVisit): Promise<Answer> {
  const { words, signIn, session, browser } = visit;
  const problem = await proofProblem(visit, "credential", anotherOne, words.mine);
  if (problem !== undefined) return refused(visit, problem);
  const w = words.mine;
  return pageAnswer({
    title: w.makePasskey,
    width: "is-narrow",
    body: html`<nav class="crumb" aria-label="${w.up}"><a href="/mine">${icon("back")}${w.title}</a></nav>
<div class="head">
  <h1>${w.makePasskey}</h1>
  <p>${w.makePasskeyLead}</p>
</div>
<form class="stack" method="post" action="/mine/passkeys" data-act="create" data-passkey="${JSON.stringify(await signIn.askForPasskey(session))}">
  <input type="hidden" name="assertion">
  <div class="field">
    <label for="device">${words.join.device}</label>
    <input class="input" id="device" name="device" autocomplete="off" maxlength="60" value="${browser.device}" required>
  </div>
  <button class="button is-primary is-big is-full">${icon("key")}${w.makePasskey}</button>
  <p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${w.noPasskeyMade}</span></p>
</form>`,
  });
}

export async function addPasskey(visit: SignedVisit): Promise<Answer> {
  const { signIn, session, form, browser } = visit;
  const created = form.get("assertion") ?? "";
  return unlessRefused(visit, () =>
    signIn.addPasskey(session, created, lineOf(form, "device") || browser.device),
  );
}

export async function removePasskey(visit: SignedVisit): Promise<Answer> {
  const { signIn, session, names, words } = visit;
  const passkey = Number(names[0]);
  const problem = await proofProblem(visit, "credential", removal(passkey), words.mine);
  if (problem !== undefined) return refused(visit, problem);
  return unlessRefused(visit, () => signIn.removePasskey(session, passkey));
}

async function unlessRefused(visit: SignedVisit, act: () => Promise<void>): Promise<Answer> {
  try {
    await act();
  } catch (error) {
    if (isOfServer(error)) throw error;
    return refused(visit, visit.words.mine.wrongProof);
  }
  return redirect("/mine#passkeys");
}

/** What the passkey is asked, for the name that was typed. */
export function programOptions({ signIn, session, form }: SignedVisit): Answer {
  return { kind: "json", value: signIn.ask(session, "credential", making(lineOf(form, "name"))) };
}

export async function makeProgram(visit: SignedVisit): Promise<Answer> {
  const { signIn, session, form, words } = visit;
  const name = lineOf(form, "name");
  if (name === "") return refused(visit, words.mine.noName);
  const problem = await proofProblem(visit, "credential", making(name), words.mine);
  if (problem !== undefined) return refused(visit, problem);
  try {
    const { secret } = await signIn.createPassword(session, name);
    return await showMine(visit, { made: madeNote(visit, name, secret) });
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "policy_refused") throw error;
    return refused(visit, words.mine.tooMany);
  }
}

export async function revokeProgram({ signIn, session, names }: SignedVisit): Promise<Answer> {
  await signIn.revokePassword(session, Number(names[0]));
  return redirect("/mine#programs");
}

export async function setZone({ signIn, session, form }: SignedVisit): Promise<Answer> {
  const timeZone = zones().find((zone) => zone === form.get("zone")) ?? null;
  await signIn.setSettings(session, { timeZone });
  return redirect("/mine#settings");
}

export async function setApproving(visit: SignedVisit): Promise<Answer> {
  const { signIn, session, form, words } = visit;
  const approvesWith = form.get("with") === "session" ? "session" : "proof";
  const problem =
    approvesWith === "session" ? await proofProblem(visit, "credential", lowering, words.mine) : undefined;
  if (problem !== undefined) return refused(visit, problem);
  await signIn.setSettings(session, { approvesWith });
  return redirect("/mine#settings");
}

export function exportAll(visit: SignedVisit): Promise<Answer> {
  return makeArchive(visit, (problem) => refused(visit, problem));
}

export function tellHere(visit: SignedVisit): Promise<Answer> {
  return beginNotices(visit, () => refused(visit, visit.words.mine.noticesNotTaken));
}

export async function tellHereNoMore({ signIn, session }: SignedVisit): Promise<Answer> {
  await signIn.endPush(session);
  return redirect("/mine#notices");
}

export async function endSession({ signIn, session, names }: SignedVisit): Promise<Answer> {
  await signIn.endSessions(session, { number: Number(names[0]) });
  return redirect("/mine");
}

export async function endOtherSessions({ signIn, session }: SignedVisit): Promise<Answer> {
  await signIn.endSessions(session, "others");
  return redirect("/mine");
}

export async function endShare({ signIn, session, names }: SignedVisit): Promise<Answer> {
  await signIn.endShare(session, Number(names[0]));
  return redirect("/mine#shares");
}
