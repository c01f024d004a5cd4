/** What can't be undone asks the operator anew, and not only the browser: a passkey that signs this act on this thing. */
import { isWaypostError } from "#/src/model/errors.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import type { Answer, OperatorVisit } from "../visit.ts";

/** What a passkey is asked for: the fields that say what is done, and to what. */
const boundFields = ["act", "value", "id", "to"];

function shownIn({ form }: OperatorVisit): string {
  return boundFields.map((name) => `${name} ${(form.get(name) ?? "").slice(0, 300)}`).join("\n");
}

/** The attributes of a form that asks. Its fields are asked about when it is sent. */
export const asking = html` data-ask="/operator/ask"`;

/** In such a form. */
export function askedFields({ words }: OperatorVisit): Html {
  return html`<input type="hidden" name="assertion"><p class="wrong" role="alert" data-failure hidden>${icon("warn")}<span>${words.mine.notConfirmed}</span></p>`;
}

/** What the browser is asked, for the form that it is about to send. */
export function askAnew(visit: OperatorVisit): Answer {
  return { kind: "json", value: visit.operatorSignIn.ask(visit.seat, shownIn(visit)) };
}

/** Why the form is not enough; undefined where a passkey of the operator has signed what it asks for. */
export async function missingProof(visit: OperatorVisit): Promise<string | undefined> {
  const { operatorSignIn, seat, form, words } = visit;
  const answer = form.get("assertion") ?? "";
  if (answer === "") return words.operator.needsPasskey;
  try {
    await operatorSignIn.prove(seat, shownIn(visit), answer);
    return undefined;
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "unauthorized") throw error;
    return words.operator.wrongPasskey;
  }
}
