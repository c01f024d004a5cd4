/** The last day as three charts of 24 bars, each an inline picture with its words. */
import { Html, html } from "../html.ts";
import type { OperatorVisit } from "../visit.ts";

/** As `server.status` answers it. */
export interface Hour {
  readonly at: string;
  readonly mails: number;
  readonly queued: number;
  readonly refused: number;
}

const hourWidth = 12;
const height = 56;
const ground = 60;

export function lastDayBlock({ words, format }: OperatorVisit, hours: readonly Hour[]): Html {
  const w = words.operator.day;
  const chart = (name: "mails" | "queued" | "refused"): Html => {
    const counts = hours.map((hour) => hour[name]);
    const most = Math.max(...counts);
    const shown = name === "queued" ? (counts.at(-1) ?? 0) : counts.reduce((sum, count) => sum + count, 0);
    const mostAt = hours[counts.indexOf(most)];
    const said = most === 0 ? w.nothing : w.most(format.count(most), format.moment(Date.parse(mostAt!.at)));
    const label = `${w[name]}: ${format.count(shown)}. ${said}`;
    const [first, middle] = [hours[0], hours[12]].map((hour) => format.moment(Date.parse(hour?.at ?? "")));
    return html`<figure class="chart"><figcaption><span>${w[name]}</span><b>${format.count(shown)}</b></figcaption><svg viewBox="0 0 288 76" role="img" aria-label="${label}"><line class="base" x1="0" y1="60.5" x2="288" y2="60.5"/><g class="bars${name === "refused" && " is-soft"}">${bars(counts, most)}</g><text x="0" y="74">${first}</text><text x="144" y="74" text-anchor="middle">${middle}</text><text x="288" y="74" text-anchor="end">${w.now}</text></svg></figure>`;
  };
  return html`<section class="block" aria-labelledby="day">
  <h2 id="day">${w.title}</h2>
  <p>${w.lead}</p>
  <div class="charts gap">${chart("mails")}${chart("queued")}${chart("refused")}</div>
</section>`;
}

/** Numbers alone: a count that is not 0 has at least 2 of height. */
function bars(counts: readonly number[], most: number): Html {
  const drawn = counts.map((count, index) => {
    if (count === 0) return "";
    const tall = Math.max(2, Math.round((count / most) * height));
    return `<rect x="${index * hourWidth + 1}" y="${ground - tall}" width="10" height="${tall}" rx="1.5"/>`;
  });
  return new Html(drawn.join(""));
}
