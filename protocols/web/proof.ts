/** What proves that the person decides, and not a program that drives the browser: the answer of a passkey, or a typed app password. */
import { isWaypostError } from "#/src/model/errors.ts";
import type { Proof, Purpose } from "#/src/sign-in/sign-in.ts";
import { type Html, html } from "./html.ts";
import { icon } from "./layout.ts";
import { type SignedVisit, waitOf } from "./visit.ts";

/** What a page says where the proof is not there, not right, or was tried too often. */
export interface ProofTexts {
  readonly missingProof: string;
  readonly wrongProof: string;
  readonly boundProof: string;
  tooOften(wait: string): string;
}

/** undefined where the proof is right. `shown`: what the page showed, to which the answer of the passkey is bound. */
export async function proofProblem(
  visit: SignedVisit,
  purpose: Purpose,
  shown: string,
  texts: ProofTexts,
): Promise<string | undefined> {
  const { signIn, session, browser } = visit;
  if (purpose === "decide" && session.settings.approvesWith === "session") return undefined;
  const proof = proofOf(visit.form, browser.remoteAddress);
  if (proof === undefined) return texts.missingProof;
  try {
    await signIn.prove(session, purpose, shown, proof);
    return undefined;
  } catch (error) {
    const wait = waitOf(visit, error);
    if (wait !== undefined) return texts.tooOften(wait);
    if (isWaypostError(error) && error.code === "unauthorized") return texts.wrongProof;
    if (isWaypostError(error) && error.code === "forbidden_scope") return texts.boundProof;
    throw error;
  }
}

function proofOf(form: URLSearchParams, remoteAddress: string): Proof | undefined {
  const answer = form.get("assertion") ?? "";
  if (answer !== "") return { kind: "passkey", answer };
  const password = form.get("password") ?? "";
  return password === "" ? undefined : { kind: "password", password, remoteAddress };
}

/** The part of a form that proves who sends it: the passkey, or, for somebody who has none, an app password. `id`: of the form, for
 *  its label. */
export function proofFields({ words }: SignedVisit, hasPasskey: boolean, id: string): Html {
  const w = words.mine;
  return hasPasskey
    ? html`<input type="hidden" name="assertion"><p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${w.notConfirmed}</span></p>`
    : html`<div class="field"><label for="${id}-password">${w.yourPassword}</label><input class="input" id="${id}-password" name="password" type="password" autocomplete="current-password" required></div>`;
}
