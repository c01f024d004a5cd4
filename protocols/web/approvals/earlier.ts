/** What was decided before about mail from the same mailbox to the same recipients. It is what an approver may know of the agent's former mail:
 *  the rest of its mailbox is not an approver's. */
import { isDecider } from "#/src/model/holds.ts";
import { type Html, html } from "../html.ts";
import type { SignedVisit } from "../visit.ts";
import { personName, subjectOf } from "./names.ts";
import { holdId, type Opened } from "./waiting.ts";

const readMax = 200;
const shownMax = 10;

export async function earlierBlock(
  visit: SignedVisit,
  { hold }: Pick<Opened, "hold">,
): Promise<Html | undefined> {
  const { rooms, words, format } = visit;
  const recipients = new Set(hold.envelope.recipients.map(({ address }) => address));
  const decided = (await rooms.holds.listDecided(hold.agent, 0, readMax)).filter(
    (one) =>
      isDecider(visit.session.principal.agent, one) &&
      one.hold !== hold.hold &&
      one.envelope.recipients.some(({ address }) => recipients.has(address)),
  );
  if (decided.length === 0) return undefined;
  const w = words.decided;
  const items = await Promise.all(
    decided.slice(0, shownMax).map(async (one) => {
      const state = w.states[one.state === "sent" ? "approved" : one.state];
      const who = await personName(visit, one.decidedBy, "by");
      return html`<li>
      <div><a href="/approvals/${holdId(rooms, one)}"><bdi>${await subjectOf(visit, one)}</bdi></a><small>${format.moment(one.decidedAt!)} · ${who === undefined ? state : w.by(state, who)}</small></div>
      <span class="state${one.state === "sent" && " is-good"}">${w.marks[one.state]}</span>
    </li>`;
    }),
  );
  return html`<section class="block" aria-labelledby="earlier">
  <h2 id="earlier">${words.hold.earlier}</h2>
  <ul class="rows">${items}</ul>
</section>`;
}
