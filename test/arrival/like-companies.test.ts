/** Look-alikes and honest authors of another construction than those of `look-alikes.test.ts`: companies of a family's name and a trade, in nine
 *  countries. What is outside the rule (section 26 of the decisions: one edit, or one shape) is counted and printed, and may be missed. */
import { domainToASCII } from "node:url";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { ItemNumber } from "#/src/model/numbers.ts";
import { type Author, type Likeness, openLikeness } from "../support/likeness.ts";
import { type RandomSource, randomSource } from "../support/random.ts";

const countries = {
  de: [
    "Brandt Hoffmeister Keller Lorenz Neumann Petersen Schröder Vogel",
    "optik logistik druck gartenbau spedition",
  ],
  nl: ["Bakker DeVries Hendriks Jansen Smit VanDijk Vermeer", "bouw drukkerij kwekerij transport"],
  fr: ["Bernard Chevalier Dubois Fournier Lefevre Moreau", "menuiserie transports imprimerie"],
  it: ["Bianchi Colombo Ferrari Gallo Ricci Romano", "arredamenti trasporti officina"],
  pl: ["Kowalski Nowak Wisniewski Zielinski Wojcik", "meble transport drukarnia"],
  es: ["Alvarez Castillo Navarro Romero Vidal", "muebles seguros imprenta"],
  com: [
    "Archer Bennett Caldwell Donovan Ellison Fletcher Garrison",
    "supply printing freight consulting partners",
  ],
  "co.uk": ["Ashworth Barlow Clifford Dawson Entwistle", "joinery haulage stationers"],
  "com.br": ["Almeida Barbosa Cardoso Ferreira Oliveira", "moveis transportes grafica"],
} as const;
type Ending = keyof typeof countries;
const endings = Object.keys(countries) as Ending[];
const given =
  "Agnieszka Bruno Carmen Dieuwke Enzo Fiona Gustavo Helga Ignacio Joost Katarzyna Luciana Marek Nadine Otavio Paola Quirin Rhys Sabine Thijs".split(
    " ",
  );
const letters = [..."abcdefghijklmnopqrstuvwxyz"];

interface Company extends Author {
  readonly item?: ItemNumber;
  readonly label: string;
  readonly ending: Ending;
  readonly family: string;
}

const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/[^a-z]/gi, "")
    .toLowerCase();

function drawCompany(random: RandomSource): Company {
  const ending = random.one(endings);
  const [families, trades] = countries[ending];
  const family = random.one(families.split(" "));
  const trade = random.one(trades.split(" "));
  const label = random.one([
    `${plain(family)}-${trade}`,
    `${plain(family)}${trade}`,
    `${trade}-${plain(family)}`,
  ]);
  const first = random.one(given);
  // People of a company seldom have the name of its family.
  const last = random.one(Object.values(countries).flatMap(([names]) => names.split(" ")));
  const local = random.one([
    `${plain(first)}.${plain(last)}`,
    `${plain(first)[0]}.${plain(last)}`,
    `${plain(first)}`,
  ]);
  return { name: `${first} ${last}`, address: `${local}@${label}.${ending}`, label, ending, family };
}

const glyphs: Readonly<Record<string, string>> = {
  a: "аàåа",
  c: "сçϲ",
  d: "ԁđ",
  e: "еéẹ",
  g: "ɡğ",
  h: "һħ",
  i: "іìıl",
  k: "κкķ",
  l: "ӏłI1",
  n: "ոñη",
  o: "оοöօ0",
  p: "рρ",
  r: "ŕř",
  s: "ѕśş",
  t: "тţ",
  u: "υüս",
  v: "νѵ",
  x: "хχ",
  y: "уýү",
  z: "żźᴢ",
};

function withGlyph(text: string, random: RandomSource): string | undefined {
  const places = [...text].flatMap((letter, at) => (glyphs[letter] === undefined ? [] : [at]));
  if (places.length === 0) return undefined;
  const at = random.one(places);
  return text.slice(0, at) + random.one([...glyphs[text[at]!]!]) + text.slice(at + 1);
}

function withInsertion(text: string, random: RandomSource): string {
  const at = 1 + random.below(text.length);
  return text.slice(0, at) + random.one(letters) + text.slice(at);
}

function withExchange(text: string, random: RandomSource): string {
  const at = random.below(text.length - 1);
  return `${text.slice(0, at)}${text[at + 1]}${text[at]}${text.slice(at + 2)}`;
}

function withOther(text: string, random: RandomSource): string {
  const at = random.below(text.length);
  return text.slice(0, at) + random.one(letters) + text.slice(at + 1);
}

const nearEndings: Partial<Record<Ending, readonly string[]>> = {
  com: ["co", "cm", "con"],
  "co.uk": ["co.uk.com", "com.uk"],
  de: ["dk", "be", "ee"],
  nl: ["nu", "no", "pl"],
  fr: ["hr", "gr"],
  it: ["lt", "is", "ie"],
  es: ["ee", "ec", "eu"],
};

type Disguise = (of: Company, random: RandomSource) => Author | undefined;
const at = (domain: string, local = "accounts", name = "Accounts Payable"): Author | undefined => {
  const ascii = domainToASCII(domain);
  return ascii === "" ? undefined : { name, address: `${local}@${ascii}` };
};
const elsewhere = (random: RandomSource): string =>
  random.one([
    `${random.one(letters)}${random.below(99999)}@gmail.com`,
    `office@tmp${random.below(9999)}.example`,
  ]);

/** What the rule names. */
const disguises: Readonly<Record<string, Disguise>> = {
  "a letter put in": ({ label, ending }, random) => at(`${withInsertion(label, random)}.${ending}`),
  "two letters exchanged": ({ label, ending }, random) => at(`${withExchange(label, random)}.${ending}`),
  "another letter": ({ label, ending }, random) => at(`${withOther(label, random)}.${ending}`),
  "the hyphen": ({ label, ending }) =>
    label.includes("-") ? at(`${label.replace("-", "")}.${ending}`) : undefined,
  "one letter of another script or with a mark": ({ label, ending }, random) => {
    const other = withGlyph(label, random);
    return other === undefined ? undefined : at(`${other}.${ending}`);
  },
  "an ending one letter off": ({ label, ending }, random) => {
    const other = nearEndings[ending]?.filter((one) => !one.includes("."));
    return other === undefined || other.length === 0 ? undefined : at(`${label}.${random.one(other)}`);
  },
  "below a domain like it": ({ label, ending }, random) =>
    at(
      `${random.one(["mail", "smtp", "invoice", "login"])}.${random.one([withInsertion, withExchange])(label, random)}.${ending}`,
    ),
  "the name": ({ name }, random) => ({ name, address: elsewhere(random) }),
  "the name, the family's first": ({ name }, random) => {
    const [first, ...last] = name.split(" ");
    return {
      name: random.one([`${last.join(" ")}, ${first}`, `${last.join(" ")} ${first}`]),
      address: elsewhere(random),
    };
  },
  "the name in capitals, with other blanks": ({ name }, random) => ({
    name: ` ${name.toUpperCase().replace(" ", random.one(["\u00a0", "  ", " \u200b", "."]))}`,
    address: elsewhere(random),
  }),
  "the name with one other letter": ({ name }, random) => {
    const other = withGlyph(name, random);
    return other === undefined ? undefined : { name: other, address: elsewhere(random) };
  },
  "a person of the company, one letter off": ({ address }, random) => {
    const [local, domain] = address.split("@") as [string, string];
    return local.length < 7
      ? undefined
      : { name: "", address: `${random.one([withInsertion, withExchange])(local, random)}@${domain}` };
  },
};

/** Others, which the rule does not name. */
const beyond: Readonly<Record<string, Disguise>> = {
  "another ending": ({ label, ending }, random) =>
    at(`${label}.${random.one(["biz", "info", "online", "net", "xyz"].filter((one) => one !== ending))}`),
  "as the beginning of another domain": ({ label, ending }) => at(`${label}.${ending}.secure-portal.net`),
  "with a word": ({ label, ending }, random) =>
    at(`${label}-${random.one(["billing", "invoices", "secure"])}.${ending}`),
  "the name with a title": ({ name }, random) => ({
    name: random.one([`Dr. ${name}`, `${name} (Director)`, `${name} - CEO`]),
    address: elsewhere(random),
  }),
  "two letters": ({ label, ending }, random) =>
    at(`${withInsertion(withInsertion(label, random), random)}.${ending}`),
};

/** Whom an office of this kind hears from. */
const honest: readonly ((
  of: Company,
  random: RandomSource,
  taken: ReadonlySet<string>,
) => Author | undefined)[] = [
  (_, random, taken) => {
    const other = drawCompany(random);
    // Of two companies of one family, trade and country, one imitates the other.
    const isSame = [...taken].some((domain) => plain(domain) === plain(`${other.label}.${other.ending}`));
    return isSame ? undefined : other;
  },
  (_, random) => {
    const { name } = drawCompany(random);
    const [first, last] = name.split(" ").map(plain) as [string, string];
    return {
      name: "",
      address: `${random.one([`${first}.${last}`, `${last}${random.below(99)}`])}@gmail.com`,
    };
  },
  ({ label, ending }, random) => at(`${random.one(["mail", "em", "news", "shop", "eu"])}.${label}.${ending}`),
  ({ label, ending }, random) =>
    at(`${label}.${random.one(endings.filter((one) => one.length > ending.length + 1 || one === "com"))}`),
  ({ address }, random) => ({
    name: drawCompany(random).name,
    address: `${random.one(["info", "sales", "rechnung", "orders", "jobs", "support"])}@${address.split("@")[1]}`,
  }),
  ({ address }, random) => {
    const { name } = drawCompany(random);
    const [first, last] = name.split(" ").map(plain);
    return { name: "", address: `${first}.${last}@${address.split("@")[1]}` };
  },
  ({ label }, random) => ({
    name: `${label} via Mailer`,
    address: `bounce-${random.below(1e6)}@mail${random.below(200)}.mailer.example`,
  }),
  ({ name }, random) => ({ name: name.split(" ")[random.below(2)]!, address: elsewhere(random) }),
  ({ name, address }) => ({ name: `${name} (${address.split("@")[1]})`, address: address.toUpperCase() }),
  ({ family }, random) => ({ name: `${random.one(given)} ${family}`, address: elsewhere(random) }),
];

let mailbox: Likeness;
let random: RandomSource;
const companies: Company[] = [];
const domains = new Set<string>();
const names = new Set<string>();

beforeAll(async () => {
  mailbox = await openLikeness();
  random = randomSource(inject("seed") ^ 0x5bd1e995);
  while (companies.length < 150) {
    const company = drawCompany(random);
    const domain = company.address.split("@")[1]!;
    if (domains.has(domain) || names.has(company.name)) continue;
    domains.add(domain);
    names.add(company.name);
    companies.push({ ...company, item: await mailbox.addCard(company) });
  }
});
afterAll(() => mailbox[Symbol.asyncDispose]());

async function missedOf(kinds: Readonly<Record<string, Disguise>>, count: number): Promise<string[]> {
  const missed: string[] = [];
  for (let made = 0, kind = 0; made < count; kind++) {
    const [title, disguise] = Object.entries(kinds)[kind % Object.keys(kinds).length]!;
    const company = random.one(companies);
    const author = disguise(company, random);
    const domain = author?.address.split("@")[1];
    // It may be the company itself, or another one that is known.
    const isOwn = domain === company.address.split("@")[1] && author?.address.split("@")[0] === "accounts";
    const isKnown = isOwn || companies.some(({ address }) => address === author?.address);
    if (author === undefined || isKnown || (domain !== company.address.split("@")[1] && domains.has(domain!)))
      continue;
    made++;
    if ((await mailbox.likeOf(author)).some(({ contact }) => contact === company.item)) continue;
    missed.push(`${title}: ${company.name} <${company.address}> as ${author.name} <${author.address}>`);
  }
  return missed;
}

// Of 93 seeds 2.7 of 200 were missed on average, by a distribution of Poisson. Of 400, more than 20 are for one seed in a million.
it("finds 380 of 400 look-alikes of companies", async () => {
  const missed = await missedOf(disguises, 400);
  console.log(`look-alikes of companies found: ${400 - missed.length} of 400`, missed);
  expect(missed.length).toBeLessThanOrEqual(20);
});

it("counts those that no rule names", async () => {
  const missed = await missedOf(beyond, 200);
  const kinds = Object.keys(beyond).map(
    (kind) => `${kind}: ${missed.filter((one) => one.startsWith(`${kind}:`)).length}`,
  );
  console.log(`look-alikes beyond the rule missed: ${missed.length} of 200`, kinds);
  expect(missed.length).toBeLessThanOrEqual(200);
});

it("tells at most 10 of 2,000 honest authors of companies", async () => {
  const told: string[] = [];
  for (let made = 0, kind = 0; made < 2000; kind++) {
    const author = honest[kind % honest.length]!(random.one(companies), random, domains);
    // Who has the name of a contact is told by it.
    if (
      author === undefined ||
      (names.has(author.name) && !companies.some(({ address }) => address === author.address))
    )
      continue;
    made++;
    const found = await mailbox.likeOf(author);
    if (found.length > 0) told.push(`${author.name} <${author.address}> ${JSON.stringify(found)}`);
  }
  console.log(`honest authors of companies told: ${told.length} of 2000`, told);
  expect(told.length).toBeLessThanOrEqual(10);
});
