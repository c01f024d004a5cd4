/** Who reaches what of a person, and what of others the person reaches. */
import type { Share } from "#/src/sign-in/sign-in.ts";
import { type Html, html } from "../html.ts";
import type { SignedVisit } from "../visit.ts";

export async function sharesBlock({ words, format, signIn, session }: SignedVisit): Promise<Html> {
  const w = words.mine;
  const shares = await signIn.listShares(session);
  const row = ({ grant, isGiven, other, rights, names, createdAt, expiresAt }: Share): Html => {
    const what = format.list(rights.map((right) => words.rights[right]));
    const until = expiresAt === null ? w.withoutEnd : w.until(format.day(expiresAt));
    const about = names.length === 0 ? w.allOfIt : format.list(names);
    return html`<li><div>${isGiven ? html`<b><bdi>${other}</bdi></b> ${w.reachesYours}` : html`<b>${w.youReach}</b> <bdi>${other}</bdi>`}: ${what}<small><bdi>${about}</bdi> · ${w.since(format.day(createdAt))} · ${until}</small></div>${
      isGiven
        ? html`<form method="post" action="/mine/shares/${grant}/end"><button class="button is-small is-quiet is-danger">${w.end}<span class="aside"> ${other}</span></button></form>`
        : html`<span class="soft">${w.byOperator}</span>`
    }</li>`;
  };
  return html`<section class="block" id="shares" aria-labelledby="shares-h">
  <h2 id="shares-h">${w.shares}</h2>
  <p>${shares.length === 0 ? w.noShares : w.sharesLead}</p>
  ${shares.length > 0 && html`<ul class="rows">${shares.map(row)}</ul>`}
</section>`;
}
