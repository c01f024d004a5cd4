import { createRequire } from "node:module";
import { expect, inject, test, vi } from "vitest";
import { libraries } from "#/src/evidence/libraries.ts";
import { organizationOf, relatedTo } from "#/src/evidence/organization.ts";
import { randomSource } from "../support/random.ts";

interface Tools {
  getAlignment(domain: string, domains: readonly string[], isStrict: boolean): object | false;
}
const { getAlignment } = createRequire(import.meta.url)("mailauth/lib/tools.js") as Tools;

const suffixes = [
  "com",
  "co.uk",
  "github.io",
  "example",
  "xn--p1ai",
  "рф",
  "kobe.jp",
  "city.kobe.jp",
  "ck",
  "www.ck",
  "local",
];
const labels = ["a", "shop", "mail", "xn--bcher-kva", "bücher", "EXAMPLE", "b2b"];

test("domains are of one organization where the library that judges DMARC aligns them", async () => {
  const random = randomSource(inject("seed"));
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!;
  const domain = (): string =>
    [...Array.from({ length: random.below(3) }, () => pick(labels)), pick(suffixes)].join(".") +
    (random.below(9) === 0 ? "." : "");
  const drawn = Array.from({ length: 3000 }, () => [domain(), domain()] as const);
  // Whatever is drawn, some are of one organization.
  const pairs = [["a.shop.com", "mail.shop.com"] as const, ...drawn];
  let related = 0;
  for (const [one, other] of pairs) {
    const expected = getAlignment(one, [other], false) !== false;
    expect((await relatedTo([one]))(other), `${one} ${other}`).toBe(expected);
    if (expected) related++;
  }
  expect(related).toBeGreaterThan(0);
});

test.each(["", ".", " "])("%j is no organization", async (none) => {
  expect((await relatedTo([none]))(none)).toBe(false);
});

test("the list of public suffixes is asked once for a domain", async () => {
  const suffixes = await libraries.suffixes();
  const asked: string[] = [];
  const getDomain: typeof suffixes.getDomain = (name, options) => {
    asked.push(name);
    return suffixes.getDomain(name, options);
  };
  const loading = vi.spyOn(libraries, "suffixes").mockResolvedValue({ ...suffixes, getDomain });
  try {
    // Nobody has asked for it before.
    const domain = `asked-once-${inject("seed")}.example`;
    for (let time = 0; time < 3; time++) {
      expect(await organizationOf(`mail.${domain}`)).toBe(domain);
      expect((await relatedTo([domain]))(`mail.${domain}`)).toBe(true);
    }
    expect(asked.toSorted()).toEqual([domain, `mail.${domain}`]);
  } finally {
    loading.mockRestore();
  }
});
