/** The agents that a person approves for: what each did today, what it may do, pause and resume. */
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentOfMine } from "#/src/sign-in/sign-in.ts";
import { type Html, html } from "../html.ts";
import { icon, initials } from "../layout.ts";
import { type Answer, pageAnswer, redirect, type SignedVisit } from "../visit.ts";

const listedMax = 12;

export async function showAgents(visit: SignedVisit): Promise<Answer> {
  const { words, signIn, session } = visit;
  const agents = await agentsToday(visit);
  const free = await signIn.countFree(session);
  const w = words.agents;
  return pageAnswer({
    title: w.title,
    width: "is-list",
    body: html`<div class="head is-split">
  <h1>${w.title}</h1>
  ${free > 0 && html`<a class="button is-primary" href="/agents/new">${words.newAgent.title}</a>`}
  <p>${agents.length === 0 ? words.list.nobody : w.lead}</p>
</div>
<div class="agents">
${agents.map((agent) => card(visit, agent))}
</div>`,
  });
}

function agentsToday({ signIn, session, format }: SignedVisit): Promise<readonly AgentOfMine[]> {
  return signIn.listAgents(session, format.midnight);
}

function card(visit: SignedVisit, agent: AgentOfMine): Html {
  const { words, format, rooms } = visit;
  const w = words.agents;
  const { id, name, address, pause, rules, sent, waiting, declined } = agent;
  const figure = (word: string, count: number): Html =>
    html`<div><dt>${word}</dt><dd>${format.count(count)}</dd></div>`;
  const list = (entries: readonly string[]): string => {
    const more = entries.length - listedMax;
    return entries.length === 0
      ? w.nobody
      : format.list([...entries.slice(0, listedMax), ...(more > 0 ? [w.more(more, format)] : [])]);
  };
  return html`<article class="card agent${pause !== undefined && " is-paused"}" aria-labelledby="${id}">
  <header>
    <div class="who"><span class="face" aria-hidden="true">${initials(name)}</span><div><h2 id="${id}">${name}</h2><small>${address}</small></div></div>
    <div class="actions">${stateAndAct(visit, agent, "/agents")}</div>
  </header>
  ${pause !== undefined && html`<div class="note is-warn">${icon("pause")}<div><p>${w.pausedText[pause.reason]}${pause.since !== undefined && ` ${w.pausedSince(format.moment(pause.since))}`}</p></div></div>`}
  <dl class="figures">${figure(w.sent, sent)}${figure(w.waiting, waiting)}${figure(w.declined, declined)}</dl>
  <dl class="facts">
    <dt>${w.asksBefore}</dt><dd>${w.policies[rules.policy]}</dd>
    <dt>${w.allowed}</dt><dd><bdi>${list(rules.allowed)}</bdi></dd>
    <dt>${w.blocked}</dt><dd><bdi>${list(rules.blocked)}</bdi></dd>
  </dl>
  ${rooms.settings.pages.policies !== "none" && html`<div class="actions"><a class="button is-small" href="/agents/${id}/policy">${w.change}<span class="aside"> ${name}</span></a></div>`}
</article>`;
}

/** Only the pause of an approver is taken back here. */
function stateAndAct({ words }: SignedVisit, { id, name, pause }: AgentOfMine, from: string): Html {
  const w = words.agents;
  const aside = html`<span class="aside"> ${name}</span>`;
  const form = (act: "pause" | "resume", word: string): Html =>
    html`<form method="post" action="/agents/${id}/${act}"><input type="hidden" name="from" value="${from}"><button class="button is-small">${act === "pause" && icon("pause")}${word}${aside}</button></form>`;
  if (pause === undefined)
    return html`<span class="state is-good">${w.active}</span>${form("pause", w.pause)}`;
  return html`<span class="state is-warn">${w.paused}</span>${
    pause.reason === "approver"
      ? form("resume", w.resume)
      : html`<span class="soft">${w.operatorResumes}</span>`
  }`;
}

/** In the list of what is mine. */
export async function agentsBlock(visit: SignedVisit): Promise<Html> {
  const { words, format } = visit;
  const agents = await agentsToday(visit);
  const w = words.mine;
  const row = (agent: AgentOfMine): Html =>
    html`<li><div class="who"><span class="face" aria-hidden="true">${initials(agent.name)}</span><div><b>${agent.name}</b><small>${w.today(agent.sent, agent.waiting, agent.declined, format)}</small></div></div>${stateAndAct(visit, agent, "/mine#agents")}</li>`;
  return html`<section class="block" id="agents" aria-labelledby="agents-h">
  <h2 id="agents-h">${w.agents}</h2>
  <p>${agents.length === 0 ? words.list.nobody : html`${w.agentsLead} <a href="/agents">${w.allAboutThem}</a>`}</p>
  ${agents.length > 0 && html`<ul class="rows">${agents.map(row)}</ul>`}
</section>`;
}

export async function setPaused(visit: SignedVisit): Promise<Answer> {
  const { rooms, signIn, session, names, form } = visit;
  const [id = "", act] = names;
  const agent = rooms.mail.ids.decode(id);
  if (agent?.kind !== "agent") throw new WaypostError("not_found", "There is no such agent.");
  await signIn.setPaused(session, agent.agent, act === "pause");
  return redirect(form.get("from") === "/agents" ? "/agents" : "/mine#agents");
}
