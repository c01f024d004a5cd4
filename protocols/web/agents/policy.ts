/** What an agent may send without asking: the approver changes it as far as the operator lets approvers. */
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { mayApproverSet, type SendingPolicy, type SendingRules, sendingPolicies } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { AgentOfMine } from "#/src/sign-in/sign-in.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { proofFields, proofProblem } from "../proof.ts";
import { type Answer, pageAnswer, redirect, type SignedVisit } from "../visit.ts";

const listLengthMax = 100_000;

/** Those that the operator lets an approver put in the place of `before`. */
export function policyChoices(
  { words, rooms }: SignedVisit,
  chosen: SendingPolicy,
  before: SendingRules,
): Html {
  const { policies, asksBefore } = words.agents;
  const freedom = rooms.settings.pages.policies;
  const offered = sendingPolicies.filter((policy) => mayApproverSet(freedom, { ...before, policy }, before));
  return html`<fieldset>
    <legend>${asksBefore}</legend>
    ${offered.map((one) => html`<label class="choice"><input type="radio" name="policy" value="${one}"${one === chosen && html` checked`}><span>${policies[one]}</span></label>`)}
  </fieldset>`;
}

/** Throws `not_found` for an agent that the person does not approve for. */
async function agentOf({ rooms, signIn, session, names, format }: SignedVisit): Promise<AgentOfMine> {
  const id = rooms.mail.ids.decode(names[0]!);
  const agents = await signIn.listAgents(session, format.now);
  const found = agents.find(({ agent }) => agent === id?.agent);
  if (found === undefined) throw new WaypostError("not_found", "You do not approve for this agent.");
  return found;
}

function wantedOf(form: URLSearchParams): SendingRules {
  const list = (name: string): readonly string[] =>
    (form.get(name) ?? "")
      .slice(0, listLengthMax)
      .split(/[\s,]+/)
      .filter((entry) => entry !== "");
  const policy = sendingPolicies.find((one) => one === form.get("policy")) ?? "always";
  return { policy, allowed: list("allowed"), blocked: list("blocked") };
}

/** What the answer of a passkey is bound to. */
function changing(agent: AgentNumber, { policy, allowed, blocked }: SendingRules): string {
  return JSON.stringify(["policy", agent, policy, allowed, blocked]);
}

export async function showPolicy(visit: SignedVisit, problem?: string): Promise<Answer> {
  const { words, signIn, session, form, rooms } = visit;
  const agent = await agentOf(visit);
  const w = words.policy;
  const { policies } = rooms.settings.pages;
  if (policies === "none") return redirect("/agents");
  const hasPasskey = await signIn.hasPasskey(session);
  const shown = problem === undefined ? agent.rules : wantedOf(form);
  const list = (name: "allowed" | "blocked"): Html =>
    html`<div class="field"><label for="${name}">${words.agents[name]}</label><textarea class="input" id="${name}" name="${name}" rows="4" spellcheck="false" autocapitalize="off" aria-describedby="${name}-hint">${shown[name].join("\n")}</textarea><p class="hint" id="${name}-hint">${w.listHint}</p></div>`;
  return pageAnswer({
    title: w.title(agent.name),
    width: "is-list",
    ...(problem === undefined ? {} : { status: 409, isWrong: true }),
    body: html`<nav class="crumb" aria-label="${words.mine.up}"><a href="/agents">${icon("back")}${words.agents.title}</a></nav>
<div class="head">
  <h1>${w.title(agent.name)}</h1>
  <p>${policies === "stricter" ? w.onlyStricter : w.lead}</p>
</div>
${problem !== undefined && html`<div class="note is-bad" role="alert">${icon("warn")}<div><p><b>${problem}</b></p></div></div>`}
<form class="stack${hasPasskey && " needs-script"}" method="post" action="/agents/${agent.id}/policy"${hasPasskey && html` data-ask="/agents/${agent.id}/policy/options"`}>
  ${policyChoices(visit, shown.policy, agent.rules)}
  ${list("allowed")}
  ${list("blocked")}
  ${proofFields(visit, hasPasskey, "policy")}
  <div class="actions"><button class="button is-primary">${words.mine.save}</button>${hasPasskey && html`<span class="soft">${words.mine.confirmIt}</span>`}</div>
</form>`,
  });
}

export async function policyOptions(visit: SignedVisit): Promise<Answer> {
  const { signIn, session, form } = visit;
  const { agent } = await agentOf(visit);
  return { kind: "json", value: signIn.ask(session, "credential", changing(agent, wantedOf(form))) };
}

export async function setPolicy(visit: SignedVisit): Promise<Answer> {
  const { signIn, session, form, words } = visit;
  const { agent } = await agentOf(visit);
  const wanted = wantedOf(form);
  const problem = await proofProblem(visit, "credential", changing(agent, wanted), words.mine);
  if (problem !== undefined) return showPolicy(visit, problem);
  try {
    await signIn.setPolicy(session, agent, wanted);
    return redirect("/agents");
  } catch (error) {
    if (!isWaypostError(error) || (error.code !== "policy_refused" && error.code !== "invalid")) throw error;
    return showPolicy(visit, error.code === "invalid" ? words.policy.badEntry : words.policy.refused);
  }
}
