/** A person makes an agent: the form, and the page that shows its token once, with what programs need beside it. */
import { isWaypostError } from "#/src/model/errors.ts";
import { defaultSendingRules, sendingPolicies } from "#/src/model/holds.ts";
import type { MadeAgent } from "#/src/sign-in/sign-in.ts";
import { type Html, html } from "../html.ts";
import { icon, initials } from "../layout.ts";
import { proofFields, proofProblem } from "../proof.ts";
import { type Answer, lineOf, pageAnswer, redirect, type SignedVisit } from "../visit.ts";
import { policyChoices } from "./policy.ts";

const wantedOf = (form: URLSearchParams) => ({
  name: lineOf(form, "name"),
  localPart: lineOf(form, "local").toLowerCase(),
  policy: sendingPolicies.find((one) => one === form.get("policy")) ?? defaultSendingRules.policy,
});

/** What the answer of a passkey is bound to. */
function making(form: URLSearchParams): string {
  const { name, localPart, policy } = wantedOf(form);
  return `agent ${localPart} ${policy} ${name}`;
}

export async function showNewAgent(visit: SignedVisit, problem?: string): Promise<Answer> {
  const { words, signIn, session, form } = visit;
  const w = words.newAgent;
  if ((await signIn.countFree(session)) === 0) return redirect("/agents");
  const hasPasskey = await signIn.hasPasskey(session);
  const { address } = session.principal;
  const wanted = wantedOf(form);
  return pageAnswer({
    title: w.title,
    width: "is-list",
    ...(problem === undefined ? {} : { status: 409, isWrong: true }),
    body: html`<nav class="crumb" aria-label="${words.mine.up}"><a href="/agents">${icon("back")}${words.agents.title}</a></nav>
<div class="head">
  <h1>${w.title}</h1>
  <p>${w.lead}</p>
</div>
${problem !== undefined && html`<div class="note is-bad" role="alert">${icon("warn")}<div><p><b>${problem}</b></p></div></div>`}
<form class="stack${hasPasskey && " needs-script"}" method="post" action="/agents"${hasPasskey && html` data-ask="/agents/options"`}>
  <div class="columns">
    <div class="field"><label for="agent-name">${w.name}</label><input class="input" id="agent-name" name="name" autocomplete="off" maxlength="60" value="${wanted.name}" required></div>
    <div class="field"><label for="agent-local">${w.local(address.slice(address.lastIndexOf("@")))}</label><input class="input" id="agent-local" name="local" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="60" value="${wanted.localPart}" required></div>
  </div>
  ${policyChoices(visit, wanted.policy, defaultSendingRules)}
  ${proofFields(visit, hasPasskey, "agent")}
  <div class="actions"><button class="button is-primary">${w.make}</button>${hasPasskey && html`<span class="soft">${words.mine.confirmIt}</span>`}</div>
</form>`,
  });
}

export function agentOptions({ signIn, session, form }: SignedVisit): Answer {
  return { kind: "json", value: signIn.ask(session, "credential", making(form)) };
}

export async function makeAgent(visit: SignedVisit): Promise<Answer> {
  const { signIn, session, form, words } = visit;
  const wanted = wantedOf(form);
  if (wanted.name === "" || wanted.localPart === "") return showNewAgent(visit, words.newAgent.noName);
  const problem = await proofProblem(visit, "credential", making(form), words.mine);
  if (problem !== undefined) return showNewAgent(visit, problem);
  try {
    return pageAnswer(madePage(visit, await signIn.createAgent(session, wanted)));
  } catch (error) {
    if (!isWaypostError(error) || (error.code !== "policy_refused" && error.code !== "invalid")) throw error;
    const { badAddress, tooMany, tooLoose } = words.newAgent;
    const isFull = error.details.reason === "limit_reached";
    return showNewAgent(visit, error.code === "invalid" ? badAddress : isFull ? tooMany : tooLoose);
  }
}

function madePage(
  { words, format, origin }: SignedVisit,
  { id, name, address, token, expiresAt }: MadeAgent,
) {
  const w = words.newAgent;
  const header = `Authorization: Bearer ${token}`;
  const copied = (text: string, what: string): Html =>
    html`<div class="code" data-copy><pre>${text}</pre><button type="button" class="button is-quiet is-small needs-script">${icon("copy")}${words.copy}<span class="aside"> ${what}</span></button></div>`;
  const program = (title: string, place: string, text: string, isOpen = false): Html =>
    html`<details class="fold" name="program"${isOpen && html` open`}><summary><span>${title}</span><span class="soft">${place}</span></summary><div>${copied(text, title)}</div></details>`;
  const servers = (key: string, entry: Record<string, unknown>): string =>
    JSON.stringify({ [key]: { waypost: entry } }, null, 2);
  const entry = { url: `${origin}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  return {
    title: w.made(name),
    width: "is-list" as const,
    body: html`<nav class="crumb" aria-label="${words.mine.up}"><a href="/agents">${icon("back")}${words.agents.title}</a></nav>
<div class="head">
  <div class="who"><span class="face" aria-hidden="true">${initials(name)}</span><div><h1>${w.made(name)}</h1><small>${address}</small></div></div>
</div>
<div class="note is-good" role="status">${icon("key")}<div><h2>${w.token(name)}</h2>
<p>${w.onlyNow}</p>
<div class="code is-secret" data-copy><code>${token}</code><button type="button" class="button is-quiet is-small needs-script">${icon("copy")}${words.copy}<span class="aside"> ${w.theToken}</span></button></div>
<p class="hint">${w.ends(format.day(expiresAt))}</p></div></div>
<section class="block" aria-labelledby="try">
  <h2 id="try">${w.tryIt}</h2>
  <p>${w.tryLead}</p>
  ${copied(`curl --json '{"id":"${id}"}' -H "${header}" \\\n  ${origin}/v1/part.describe`, "curl")}
</section>
<section class="block" aria-labelledby="connect">
  <h2 id="connect">${w.connect}</h2>
  <p>${w.connectLead}</p>
  <div class="folds">
    ${program("Claude Code", w.oneCommand, `claude mcp add --transport http waypost ${origin}/mcp \\\n  --header "${header}"`, true)}
    ${program("Cursor", "~/.cursor/mcp.json", servers("mcpServers", entry))}
    ${program("Visual Studio Code", ".vscode/mcp.json", servers("servers", { type: "http", ...entry }))}
    ${program("TypeScript", "waypost/client", typeScript(origin))}
  </div>
</section>`,
  };
}

function typeScript(origin: string): string {
  return `import { createClient } from "waypost/client";

const agent = createClient({ url: ${JSON.stringify(origin)}, token: process.env.WAYPOST_TOKEN });
for await (const event of agent.events({ types: ["mail.received"] }))
  console.log(await agent.call("part.describe", { id: event.message }));`;
}
