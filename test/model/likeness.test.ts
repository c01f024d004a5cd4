/** Look-alikes of our own making are found, honest pairs are not told. */
import { describe, expect, it } from "vitest";
import {
  areLikeDomains,
  areLikeLocals,
  deletionKeys,
  domainKeys,
  foldedName,
  isOneEdit,
  skeletonOf,
} from "#/src/model/likeness.ts";
import { randomSource } from "../support/random.ts";

const words =
  "brand kontor papier hof nord licht ink weekly bind heft falz press paper print harbour stone river maple cedar anchor bright silver copper falcon meadow orchard lantern compass garden bakery library studio castle island summit valley forest market bridge corner window kitchen ladder marble velvet cotton saddle hammer basket candle mirror feather pepper ginger".split(
    " ",
  );
const endings = ["com", "de", "net", "org", "co.uk", "io", "example", "fr"];

/** As an attacker makes them: of a domain, one that a person reads as the same. */
const disguises: readonly ((domain: string, at: number) => string)[] = [
  (domain, at) => domain.slice(0, at) + domain.slice(at + 1),
  (domain, at) => domain.slice(0, at) + domain[at]! + domain.slice(at),
  (domain, at) => `${domain.slice(0, at)}x${domain.slice(at + 1)}`,
  (domain, at) => domain.slice(0, at) + domain[at + 1]! + domain[at]! + domain.slice(at + 2),
  (domain) => domain.replaceAll("m", "rn").replaceAll("w", "vv"),
  (domain) => domain.replace("l", "1").replace("i", "1").replace("o", "0"),
  (domain) => domain.replace("a", "а").replace("e", "е").replace("o", "о").replace("p", "р"),
  (domain) => domain.replaceAll("l", "I"),
];

function domainOf(random: ReturnType<typeof randomSource>): string {
  const [one, other] = [words[random.below(words.length)]!, words[random.below(words.length)]!];
  return `${one}${other}.${endings[random.below(endings.length)]!}`;
}

/** Whether an index that has the keys of the reference finds it by those of the other. */
function isFound(reference: string, other: string): boolean {
  const keys = new Set(domainKeys(reference));
  return (
    domainKeys(other.toLowerCase()).some((key) => keys.has(key)) &&
    areLikeDomains(other.toLowerCase(), reference)
  );
}

it("finds 190 of 200 look-alikes", () => {
  const random = randomSource(200);
  const pairs: [string, string][] = [];
  while (pairs.length < 200) {
    const domain = domainOf(random);
    const other = disguises[pairs.length % disguises.length]!(domain, 1 + random.below(5));
    if (other !== domain) pairs.push([domain, other]);
  }
  const missed = pairs.filter(([domain, other]) => !isFound(domain, other));
  console.log(`look-alikes found: ${200 - missed.length} of 200`, missed);
  expect(200 - missed.length).toBeGreaterThanOrEqual(190);
});

it("tells at most 10 of 2,000 honest pairs", () => {
  const random = randomSource(2000);
  const honest: ((domain: string) => string)[] = [
    () => domainOf(random),
    (domain) => `news.${domain}`,
    (domain) => domain.replace(/\..*/, `.${endings[random.below(endings.length)]!}`),
    (domain) => `${words[random.below(words.length)]!}${domain.replace(/^\w{4}/, "")}`,
    (domain) => domain.replace(/^\w+?(?=\.)/, (label) => `${label}-group`),
    (domain) => `mail${random.below(9)}.${domain}`,
  ];
  const told: [string, string][] = [];
  for (let at = 0; at < 2000; at++) {
    const domain = domainOf(random);
    const other = honest[at % honest.length]!(domain);
    if (other !== domain && isFound(domain, other)) told.push([domain, other]);
  }
  console.log(`honest pairs told: ${told.length} of 2000`, told);
  expect(told.length).toBeLessThanOrEqual(10);
});

describe("likeness", () => {
  it.each([
    ["kimball", "kimbal", true],
    ["kimball", "kimbalI", true],
    ["kimball", "kmiball", true],
    ["kimball", "kimball", false],
    ["kimball", "kimbaxx", false],
  ])("is one edit: %s, %s: %s", (one, other, isLike) => {
    expect(isOneEdit(one, other)).toBe(isLike);
    const keys = new Set(deletionKeys(one));
    if (isLike) expect(deletionKeys(other).some((key) => keys.has(key))).toBe(true);
  });

  it("folds case, marks and blanks of a name", () => {
    expect(foldedName("  KÏM  O'Neill ")).toBe(foldedName("kim oneill"));
    expect(foldedName("Al")).toBe("");
  });

  it("has one skeleton for what looks alike", () => {
    expect(skeletonOf("rnaroceramics")).toBe(skeletonOf("maroceramics"));
    expect(skeletonOf("раураl")).toBe(skeletonOf("paypa1"));
  });

  it("says nothing of numbered names, short local parts and the same", () => {
    expect(areLikeDomains("server1.example", "server2.example")).toBe(false);
    expect(areLikeDomains("ab.io", "ac.io")).toBe(false);
    expect(areLikeLocals("jan", "jane")).toBe(false);
    expect(areLikeLocals("ottilie", "ottille")).toBe(true);
  });
});
