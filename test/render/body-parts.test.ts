import { describe, expect, it } from "vitest";
import { parseStructure } from "#/src/formats/mime/structure.ts";
import { type BodySequence, bodyPartsMax, partsOf, planBody } from "#/src/render/body-parts.ts";

/** `text/plain`, `mixed(…)`; a name makes a file of it, `#id` is a Content-ID. `related;start=id(…)` has a parameter. */
function message(shape: string): Buffer {
  let boundaries = 0;
  const part = (text: string): string => {
    const open = text.indexOf("(");
    if (open === -1) {
      const [type, name = ""] = text.trim().split(" ");
      const id = name.startsWith("#") ? `\r\nContent-ID: <${name.slice(1)}>` : "";
      const disposition = name === "" || id !== "" ? "" : `\r\nContent-Disposition: inline; filename=${name}`;
      return `Content-Type: ${type}${disposition}${id}\r\n\r\nx`;
    }
    const boundary = `b${boundaries++}`;
    const children = split(text.slice(open + 1, text.lastIndexOf(")"))).map(
      (one) => `--${boundary}\r\n${part(one)}\r\n`,
    );
    const [subtype, parameter] = text.slice(0, open).trim().split(";");
    const type = parameter === undefined ? subtype : `${subtype}; ${parameter.replace(/=(.*)/, '="$1"')}`;
    return `Content-Type: multipart/${type}; boundary=${boundary}\r\n\r\n${children.join("")}--${boundary}--`;
  };
  return Buffer.from(part(shape));
}

function split(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")") depth--;
    if (at === text.length || (text[at] === "," && depth === 0)) {
      found.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return found;
}

/** `1|2` are alternatives, the preferred one first; `1+2` is a choice of two parts. */
function shown(sequence: BodySequence): string[] {
  return sequence.map((place) =>
    place.kind === "part"
      ? place.part.section
      : place.choices.map((choice) => shown(choice).join("+")).join("|"),
  );
}

describe("the body of a message", () => {
  it.each([
    ["text/plain", ["1"]],
    ["text/html", ["1"]],
    ["image/png", []],
    ["text/calendar", ["1"]],
    ["mixed(text/plain, image/png)", ["1"]],
    ["mixed(text/plain, text/plain, text/html)", ["1", "2", "3"]],
    ["mixed(text/plain, text/plain notes.txt)", ["1"]],
    ["mixed(image/png, text/plain)", ["2"]],
    ["mixed(text/plain, text/csv)", ["1"]],
    ["alternative(text/plain, text/html)", ["2|1"]],
    ["alternative(text/html, text/plain)", ["2|1"]],
    ["alternative(text/calendar, text/html)", ["2|1"]],
    ["alternative(text/plain, text/html, text/html)", ["3|2|1"]],
    ["alternative(text/plain, text/html, text/calendar)", ["2|1|3"]],
    ["alternative(text/plain, related(text/html, image/png))", ["2.1|1"]],
    ["alternative(text/plain, mixed(text/html, application/pdf, text/html))", ["2.1+2.3|1"]],
    [
      "alternative(text/plain, mixed(alternative(text/plain, text/html), image/png, text/html))",
      ["2.1.2|2.1.1+2.3|1"],
    ],
    ["alternative(image/png, text/plain)", ["2"]],
    ["mixed(alternative(text/plain, text/html), application/pdf)", ["1.2|1.1"]],
    ["related(text/html, image/png, text/plain)", ["1"]],
    ["related;start=<root>(text/plain #other, image/png, text/html #root)", ["3"]],
    ["related;start=root(text/plain #other, text/html #root)", ["2"]],
    ["related;start=<missing>(text/html #root, text/plain)", ["1"]],
    ["signed(mixed(text/plain, image/png), application/pgp-signature)", ["1.1"]],
    ["report(text/plain, message/delivery-status, message/rfc822)", ["1"]],
  ])("of %s is %j", (shape, expected) => {
    const plan = planBody(parseStructure(message(shape)));
    expect(shown(plan.places)).toEqual(expected);
    expect(plan.isCut).toBe(false);
    expect(plan.unread).toEqual([]);
  });

  it.each([
    ["parts", `mixed(${Array(300).fill("text/plain").join(",")})`],
    ["alternatives", `alternative(${Array(300).fill("text/html").join(",")})`],
    ["places of alternatives", `mixed(${Array(150).fill("alternative(text/plain,text/html)").join(",")})`],
  ])("has a bound on its %s, and says that it is cut", (_, shape) => {
    const plan = planBody(parseStructure(message(shape)));
    expect(partsOf(plan.places)).toHaveLength(bodyPartsMax);
    expect(plan.isCut).toBe(true);
  });

  it("is not cut at exactly the limit of parts", () => {
    const shape = `mixed(${Array(bodyPartsMax).fill("text/plain").join(",")}, image/png)`;
    expect(planBody(parseStructure(message(shape))).isCut).toBe(false);
  });

  it("names the multiparts whose boundary never occurs", () => {
    const bytes = Buffer.from(
      "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n\r\nseen\r\n--a\r\n" +
        "Content-Type: multipart/related; boundary=never\r\n\r\nunseen\r\n--a--\r\n",
    );
    const plan = planBody(parseStructure(bytes));
    expect(shown(plan.places)).toEqual(["1"]);
    expect(plan.unread.map(({ section }) => section)).toEqual(["2"]);
  });
});
