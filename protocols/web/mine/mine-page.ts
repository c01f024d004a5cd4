/** What belongs to a person: mail programs, passkeys, sessions, agents, shares, and how the pages show times. */
import { agentsBlock } from "../agents/agents-page.ts";
import { type Html, html } from "../html.ts";
import { icon } from "../layout.ts";
import { type Answer, pageAnswer, type SignedVisit } from "../visit.ts";
import { archiveBlock } from "./archive.ts";
import { noticesBlock } from "./notices.ts";
import { passkeysBlock } from "./passkeys.ts";
import { programsBlock } from "./programs.ts";
import { sessionsBlock } from "./sessions.ts";
import { settingsBlock } from "./settings.ts";
import { sharesBlock } from "./shares.ts";

export interface MineNews {
  /** What was refused. */
  readonly problem?: string | undefined;
  /** What was made, shown once in its block. */
  readonly made?: Html | undefined;
}

const places = [
  "programs",
  "passkeys",
  "notices",
  "sessions",
  "agents",
  "shares",
  "archive",
  "settings",
] as const;

export async function showMine(visit: SignedVisit, { problem, made }: MineNews = {}): Promise<Answer> {
  const { words, session } = visit;
  const w = words.mine;
  return pageAnswer({
    title: w.title,
    width: "is-list",
    ...(problem === undefined ? {} : { status: 409, isWrong: true }),
    body: html`<div class="head">
  <h1>${w.title}</h1>
  <p>${session.principal.address} · ${session.principal.name}</p>
</div>
${problem !== undefined && html`<div class="note is-bad" role="alert">${icon("warn")}<div><p><b>${problem}</b></p></div></div>`}
<div class="settings">
<nav aria-label="${w.onThisPage}"><ul>
  ${places.map((place) => html`<li><a href="#${place}">${w[place]}</a></li>`)}
</ul></nav>
<div>
${await programsBlock(visit, made)}
${await passkeysBlock(visit)}
${await noticesBlock(visit)}
${await sessionsBlock(visit)}
${await agentsBlock(visit)}
${await sharesBlock(visit)}
${await archiveBlock(visit)}
${await settingsBlock(visit)}
</div>
</div>`,
  });
}

/** A refusal stands at the head of the page, which shows how things are. */
export function refused(visit: SignedVisit, problem: string): Promise<Answer> {
  return showMine(visit, { problem });
}
