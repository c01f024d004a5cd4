/** 200 look-alikes and 2,000 honest authors, against 200 cards of a real store, other ones in each run: names are made of syllables, and
 *  each author is looked up as an arriving mail's is. */
import { domainToASCII } from "node:url";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { ItemNumber } from "#/src/model/numbers.ts";
import { type Author, type Likeness, openLikeness } from "../support/likeness.ts";
import { type RandomSource, randomSource } from "../support/random.ts";

interface Reference extends Author {
  readonly item: ItemNumber;
  readonly label: string;
  readonly ending: string;
}

const endings = ["com", "net", "org", "info"] as const;
const onsets = "b br d dr f fl g gl h k kl l m n p pr r s st t tr v w z sch".split(" ");
const vowels = "a e i o u ei au".split(" ");
const codas = ["", "", "n", "l", "r", "s", "m", "ck", "rn"];
const given =
  "Ayla Bjarne Chiara Dmitri Eun Fatou Gerrit Hadiza Imre Jolanta Kaya Lorcan Mireille Nuri".split(" ");

function syllable(random: RandomSource): string {
  return random.one(onsets) + random.one(vowels) + random.one(codas);
}

function wordOf(random: RandomSource, syllables: number): string {
  return Array.from({ length: syllables }, () => syllable(random)).join("");
}

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}

/** Letters of other scripts; all that a label has are exchanged. */
const cyrillic = { a: "а", c: "с", e: "е", o: "о", p: "р", x: "х", s: "ѕ", k: "к", m: "м", t: "т", h: "һ" };
const greek = { a: "α", i: "ι", k: "κ", n: "η", o: "ο", p: "ρ", t: "τ", u: "υ", v: "ν", y: "γ" };
const armenian = { g: "ց", h: "հ", n: "ո", o: "օ", u: "ս" };
const small = { b: "ʙ", g: "ɡ", l: "ʟ", n: "ɴ", r: "ʀ", w: "ᴡ" };

function inScript(text: string, letters: Readonly<Record<string, string>>): string {
  return [...text].map((letter) => letters[letter] ?? letter).join("");
}

const stranger = (random: RandomSource): string => `${wordOf(random, 2)}@${wordOf(random, 3)}.org`;

/** As an attacker makes them: each gives undefined where it changes nothing. */
const disguises: Readonly<Record<string, (of: Reference, random: RandomSource) => Author | undefined>> = {
  "two letters exchanged": ({ label, ending }, random) => {
    const at = random.below(label.length - 1);
    return ofDomain(`${label.slice(0, at)}${label[at + 1]}${label[at]}${label.slice(at + 2)}.${ending}`);
  },
  "a letter doubled": ({ label, ending }, random) => {
    const at = random.below(label.length);
    return ofDomain(`${label.slice(0, at)}${label[at]}${label.slice(at)}.${ending}`);
  },
  "a letter left out": ({ label, ending }, random) => {
    const at = random.below(label.length);
    return ofDomain(`${label.slice(0, at)}${label.slice(at + 1)}.${ending}`);
  },
  "a hyphen in the brand": ({ label, ending }, random) => {
    const at = 2 + random.below(label.length - 3);
    return ofDomain(`${label.slice(0, at)}-${label.slice(at)}.${ending}`);
  },
  "an ending that is nearly the same": ({ label, ending }) =>
    ofDomain(`${label}.${{ com: "cm", net: "ne", org: "og", info: "nfo" }[ending]!}`),
  "letters of Cyrillic": (of) => inOtherScript(of, cyrillic),
  "letters of Greek": (of) => inOtherScript(of, greek),
  "letters of Armenian, and small capitals": (of) => inOtherScript(of, { ...small, ...armenian }),
  "pairs that read as one letter": ({ label, ending }) =>
    ofDomain(`${label.replaceAll("rn", "m").replaceAll("w", "vv").replaceAll("d", "cl")}.${ending}`),
  "digits for letters": ({ label, ending }) =>
    ofDomain(`${label.replaceAll("l", "1").replaceAll("o", "0").replaceAll("i", "1")}.${ending}`),
  "the address of another person there, one letter off": ({ address }, random) => {
    const [local, domain] = address.split("@") as [string, string];
    const at = random.below(local.length);
    return { name: "", address: `${local.slice(0, at)}q${local.slice(at + 1)}@${domain}` };
  },
  "the display name alone": ({ name }, random) => ({ name: name.toUpperCase(), address: stranger(random) }),
  "the display name in other letters": ({ name }, random) => ({
    name: `  ${inScript(name, cyrillic).replace("i", "í").replace(" ", "\u00a0 ")}`,
    address: stranger(random),
  }),
};

function ofDomain(domain: string): Author {
  return { name: "Accounts", address: `office@${domain}` };
}

function inOtherScript({ label, ending }: Reference, letters: Readonly<Record<string, string>>) {
  const domain = domainToASCII(`${inScript(label, letters)}.${ending}`);
  return domain === "" ? undefined : ofDomain(domain);
}

const honestEndings = ["de", "fr", "eu", "nl", "io", "co.uk", "example"];
/** Whom an office hears from. */
const honest: readonly ((of: Reference, random: RandomSource, at: number) => Author)[] = [
  (_, random) => ({ name: `${random.one(given)} ${capital(wordOf(random, 2))}`, address: stranger(random) }),
  ({ label, ending }, random) => ofDomain(`${random.one(["mail", "news", "mx", "shop"])}.${label}.${ending}`),
  ({ label }, random) => ofDomain(`${label}.${random.one(honestEndings)}`),
  ({ label, ending }, random) => ofDomain(`${label}-${random.one(["group", "labs", "support"])}.${ending}`),
  ({ address }, random) => ({
    name: `${random.one(given)} ${capital(wordOf(random, 2))}`,
    address: `${random.one(["info", "sales", "orders", "billing", "jobs"])}@${address.split("@")[1]}`,
  }),
  ({ address }, random) => ({
    name: "",
    address: `${wordOf(random, 1)}.${wordOf(random, 2)}@${address.split("@")[1]}`,
  }),
  ({ name, address }) => ({
    name: `${name.split(" ")[0]} via Team`,
    address: `list@lists.${address.split("@")[1]}`,
  }),
  (_, random, at) => ({ name: "Newsletter", address: `news${at}@bulk${random.below(90)}.example` }),
  ({ name }, random) => ({ name: name.split(" ")[0]!, address: stranger(random) }),
  ({ name, address }) => ({ name: name.toUpperCase(), address: address.toUpperCase() }),
];

let mailbox: Likeness;
let random: RandomSource;
const references: Reference[] = [];

beforeAll(async () => {
  mailbox = await openLikeness();
  random = randomSource(inject("seed"));
  const taken = new Set<string>();
  while (references.length < 200) {
    const label = wordOf(random, 3);
    const ending = random.one(endings);
    if (label.length < 7 || taken.has(label)) continue;
    taken.add(label);
    const name = `${random.one(given)} ${capital(wordOf(random, 2))}`;
    const address = `${wordOf(random, 2)}.${wordOf(random, 1)}@${label}.${ending}`;
    const item = await mailbox.addCard({ name, address });
    references.push({ item, name, address, label, ending });
  }
});
afterAll(() => mailbox[Symbol.asyncDispose]());

it("finds 190 of 200 look-alikes", async () => {
  const kinds = Object.entries(disguises);
  const missed: string[] = [];
  for (let made = 0, at = 0; made < 200; at++) {
    const [kind, disguise] = kinds[at % kinds.length]!;
    const reference = random.one(references);
    const author = disguise(reference, random);
    const isOther = author?.address !== reference.address && author?.address.split("@")[1] !== "";
    const isChanged =
      author !== undefined &&
      (author.name !== "Accounts" || !author.address.endsWith(`@${reference.label}.${reference.ending}`));
    if (!isOther || !isChanged) continue;
    made++;
    const found = (await mailbox.likeOf(author)).some(({ contact }) => contact === reference.item);
    if (!found)
      missed.push(`${kind}: ${reference.name} <${reference.address}> ${author.name} <${author.address}>`);
  }
  console.log(`look-alikes found: ${200 - missed.length} of 200`, missed);
  expect(missed.length).toBeLessThanOrEqual(10);
});

it("tells at most 10 of 2,000 honest authors", async () => {
  const told: string[] = [];
  for (let at = 0; at < 2000; at++) {
    const reference = random.one(references);
    const author = honest[at % honest.length]!(reference, random, at);
    const found = await mailbox.likeOf(author);
    if (found.length > 0) told.push(`${author.name} <${author.address}> ${JSON.stringify(found)}`);
  }
  console.log(`honest authors told: ${told.length} of 2000`, told);
  expect(told.length).toBeLessThanOrEqual(10);
});
