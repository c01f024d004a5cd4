import { describe, expect, it } from "vitest";
import { parseStructure } from "#/src/formats/mime/structure.ts";
import { bodyPlaces } from "#/src/render/body-parts.ts";

/** `text/plain`, `mixed(…)`; a name makes a file of it. */
function message(shape: string): Buffer {
  let boundaries = 0;
  const part = (text: string): string => {
    const open = text.indexOf("(");
    if (open === -1) {
      const [type, name] = text.trim().split(" ");
      const disposition = name === undefined ? "" : `\r\nContent-Disposition: inline; filename=${name}`;
      return `Content-Type: ${type}${disposition}\r\n\r\nx`;
    }
    const boundary = `b${boundaries++}`;
    const children = split(text.slice(open + 1, text.lastIndexOf(")"))).map(
      (one) => `--${boundary}\r\n${part(one)}\r\n`,
    );
    return `Content-Type: multipart/${text.slice(0, open).trim()}; boundary=${boundary}\r\n\r\n${children.join("")}--${boundary}--`;
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
    ["alternative(text/html, text/plain)", ["1|2"]],
    ["alternative(text/calendar, text/html)", ["2|1"]],
    ["alternative(text/plain, related(text/html, image/png))", ["2.1|1"]],
    ["mixed(alternative(text/plain, text/html), application/pdf)", ["1.2|1.1"]],
    ["related(text/html, image/png, text/plain)", ["1"]],
    ["signed(mixed(text/plain, image/png), application/pgp-signature)", ["1.1"]],
    ["report(text/plain, message/delivery-status, message/rfc822)", ["1"]],
  ])("of %s is %j", (shape, expected) => {
    const places = bodyPlaces(parseStructure(message(shape)));
    expect(places.map((place) => place.map((part) => part.section).join("|"))).toEqual(expected);
  });

  it("has a bound on the parts that are joined", () => {
    const places = bodyPlaces(parseStructure(message(`mixed(${Array(300).fill("text/plain").join(",")})`)));
    expect(places).toHaveLength(50);
  });
});
