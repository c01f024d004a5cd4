/** What changed since the version that this browser opened before: recipients, subject and text, line by line. */
import { type Html, html } from "../html.ts";
import type { ShownVersion } from "../opened-mails.ts";
import type { SignedVisit } from "../visit.ts";

/** Characters of a text that is compared: no more than this of others' text is worked on at once. */
export const comparedMax = 4000;
const linesMax = 200;

interface Line {
  readonly sign: "" | "is-gone" | "is-come";
  readonly text: string;
}

export function changedBlock({ words }: SignedVisit, former: ShownVersion, now: ShownVersion): Html {
  const w = words.changed;
  const parts: readonly (readonly [string, readonly Line[] | undefined])[] = [
    [w.recipients, linesOf(former.recipients, now.recipients)],
    [w.subject, linesOf([former.subject], [now.subject])],
    [w.text, textLines(former.text, now.text)],
  ];
  const changed = parts.filter(([, lines]) => lines === undefined || lines.some(({ sign }) => sign !== ""));
  return html`<section aria-labelledby="since">
  <header class="cluster"><h2 id="since">${w.title}</h2></header>
  ${changed.length === 0 && html`<p>${w.nothing}</p>`}
  ${
    changed.length > 0 &&
    html`<div class="diff gap">${changed.map(
      ([title, lines]) => html`
    <h3>${title}</h3>${lines === undefined ? html`<div><span>${w.tooLong}</span></div>` : lines.map(lineOf)}`,
    )}</div>`
  }
</section>`;

  function lineOf({ sign, text }: Line): Html {
    const aside = sign !== "" && html`<span class="aside">${sign === "is-gone" ? w.gone : w.come} </span>`;
    const shown =
      sign === "is-gone" ? html`<del>${text}</del>` : sign === "is-come" ? html`<ins>${text}</ins>` : text;
    return html`
    <div${sign !== "" && html` class="${sign}"`}><span>${aside}<bdi>${shown}</bdi></span></div>`;
  }
}

function textLines(former: string | undefined, now: string | undefined): readonly Line[] | undefined {
  if (former === undefined || now === undefined) return former === now ? [] : undefined;
  const [before, after] = [former.split("\n"), now.split("\n")];
  return before.length > linesMax || after.length > linesMax ? undefined : near(linesOf(before, after));
}

/** By the longest common subsequence of lines. */
export function linesOf(before: readonly string[], after: readonly string[]): readonly Line[] {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: "", text: before[i]! });
      i++;
      j++;
    } else if (
      j >= after.length ||
      (i < before.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    )
      lines.push({ sign: "is-gone", text: before[i++]! });
    else lines.push({ sign: "is-come", text: after[j++]! });
  }
  return lines;
}

/** Changed lines with one line around them. */
function near(lines: readonly Line[]): readonly Line[] {
  return lines.filter((_, at) => [at - 1, at, at + 1].some((one) => (lines[one]?.sign ?? "") !== ""));
}
