/** What makes a name or an address be taken for another one: keys that like ones share, so that an index finds them, and the comparison
 *  that decides. */

import { domainToUnicode } from "node:url";

/** Characters of a name or a domain that are looked at. */
const charactersMax = 200;

/** A display name without regard to case, marks, blanks and letters of other scripts that look like Latin ones; "" for one that is too
 *  short to mean somebody. */
export function foldedName(name: string): string {
  const folded = name
    .slice(0, charactersMax)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(/[^ -~]/gu, (letter) => twins[letter] ?? letter);
  return [...folded].length < nameMin ? "" : folded;
}

const nameMin = 3;

/** Letters of other scripts whose shape is that of a Latin one, and what is read as another letter or digit. */
const twins: Readonly<Record<string, string>> = Object.fromEntries([
  ["а", "a"],
  ["α", "a"],
  ["ɑ", "a"],
  ["в", "b"],
  ["с", "c"],
  ["ϲ", "c"],
  ["ԁ", "d"],
  ["е", "e"],
  ["һ", "h"],
  ["н", "h"],
  ["і", "l"],
  ["ι", "l"],
  ["ı", "l"],
  ["ј", "j"],
  ["к", "k"],
  ["κ", "k"],
  ["м", "m"],
  ["о", "o"],
  ["ο", "o"],
  ["օ", "o"],
  ["р", "p"],
  ["ρ", "p"],
  ["ԛ", "q"],
  ["ѕ", "s"],
  ["т", "t"],
  ["τ", "t"],
  ["υ", "u"],
  ["ս", "u"],
  ["ν", "v"],
  ["ѵ", "v"],
  ["ԝ", "w"],
  ["ω", "w"],
  ["х", "x"],
  ["χ", "x"],
  ["у", "y"],
  ["ү", "y"],
  ["γ", "y"],
  ["β", "b"],
  ["ь", "b"],
  ["ε", "e"],
  ["ց", "g"],
  ["հ", "h"],
  ["ӏ", "l"],
  ["η", "n"],
  ["ո", "n"],
  ["п", "n"],
  ["г", "r"],
  ["ꭰ", "d"],
  ["ꭱ", "r"],
  ["ꭲ", "t"],
  ["ꭻ", "j"],
  ["ꮃ", "w"],
  ["ꮒ", "h"],
  ["ꮪ", "s"],
  ["ꮮ", "l"],
  ["ꮯ", "c"],
  ["ꮶ", "k"],
  ["ᴀ", "a"],
  ["ʙ", "b"],
  ["ᴄ", "c"],
  ["ᴅ", "d"],
  ["ᴇ", "e"],
  ["ɡ", "g"],
  ["ʜ", "h"],
  ["ɪ", "l"],
  ["ɩ", "l"],
  ["ʟ", "l"],
  ["ł", "l"],
  ["ᴍ", "m"],
  ["ɴ", "n"],
  ["ᴏ", "o"],
  ["ø", "o"],
  ["ᴘ", "p"],
  ["ʀ", "r"],
  ["ꜱ", "s"],
  ["ᴛ", "t"],
  ["ᴜ", "u"],
  ["ᴠ", "v"],
  ["ᴡ", "w"],
  ["ʏ", "y"],
  ["ᴢ", "z"],
  ["ꜰ", "f"],
  ["ɢ", "g"],
  ["ᴊ", "j"],
  ["ᴋ", "k"],
  ["đ", "d"],
  ["ħ", "h"],
  ["ŧ", "t"],
  ["1", "l"],
  ["i", "l"],
  ["|", "l"],
  ["0", "o"],
]);

const isAscii = /^[\0-\x7f]*$/;

/** One form for all texts that look alike. */
export function skeletonOf(text: string): string {
  const lower = text.slice(0, charactersMax).toLowerCase();
  const plain = isAscii.test(lower)
    ? lower.replace(/[1i|0]/g, (letter) => twins[letter]!)
    : [...lower.normalize("NFKD").replace(/\p{M}/gu, "")].map((letter) => twins[letter] ?? letter).join("");
  return plain.replaceAll("rn", "m").replaceAll("vv", "w").replaceAll("cl", "d");
}

/** As people see it: the letters of an internationalized domain, which addresses have in A-labels. */
function shownDomain(domain: string): string {
  return (domain.includes("xn--") ? domainToUnicode(domain) : "") || domain;
}

/** Shorter labels are too often one letter from each other. */
const labelMin = 5;

/** Whether the domain is long enough to be compared: the longest of its labels is. */
export function isComparable(domain: string): boolean {
  return domain.split(".").some((label) => label.length >= labelMin);
}

/** The text itself, and it without each one of its characters: two texts that one edit makes equal share a key. */
export function deletionKeys(text: string): string[] {
  const keys = new Set([text]);
  for (let at = 0; at < text.length; at++) keys.add(text.slice(0, at) + text.slice(at + 1));
  return [...keys];
}

/** One character more, less or another one, or two neighbours exchanged. */
export function isOneEdit(one: string, other: string): boolean {
  if (one === other || Math.abs(one.length - other.length) > 1) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const [restOne, restOther] = [one.slice(at), other.slice(at)];
  return (
    restOne.slice(1) === restOther.slice(1) ||
    restOne.slice(1) === restOther ||
    restOne === restOther.slice(1) ||
    (restOne[0] === restOther[1] && restOne[1] === restOther[0] && restOne.slice(2) === restOther.slice(2))
  );
}

/** Whether one domain may be taken for the other. Digits that count, as in mail1 and mail2, are no likeness. */
export function areLikeDomains(oneWritten: string, otherWritten: string): boolean {
  const [one, other] = [shownDomain(oneWritten), shownDomain(otherWritten)];
  if (one === other || !isComparable(one)) return false;
  if (one.replace(/\d/g, "#") === other.replace(/\d/g, "#")) return false;
  return isOneEdit(one, other) || skeletonOf(one) === skeletonOf(other);
}

const localMin = 6;

/** Whether one local part may be taken for the other. */
export function areLikeLocals(one: string, other: string): boolean {
  if (one === other || Math.min(one.length, other.length) < localMin) return false;
  if (one.replace(/\d/g, "#") === other.replace(/\d/g, "#")) return false;
  return isOneEdit(one, other) || skeletonOf(one) === skeletonOf(other);
}

/** Keys of rows of indexes of addresses. No address and no domain begins with "=". */
export function nameKey(name: string): string | undefined {
  const folded = foldedName(name);
  return folded === "" ? undefined : `=n${folded}`;
}

/** Of an author: programs write the name of the family first, too. */
export function nameKeys(name: string): string[] {
  const words = name
    .slice(0, charactersMax)
    .split(/[\s,]+/)
    .filter((word) => word !== "");
  const orders = [
    words,
    [...words.slice(1), ...words.slice(0, 1)],
    [...words.slice(-1), ...words.slice(0, -1)],
  ];
  const keys = orders.map((order) => nameKey(order.join(" "))).filter((key) => key !== undefined);
  return [...new Set(keys)];
}

/** Of a domain, for domains that look like it. */
export function domainKeys(written: string): string[] {
  const domain = shownDomain(written);
  if (!isComparable(domain)) return [];
  return [`=s${skeletonOf(domain)}`, ...deletionKeys(domain).map((key) => `=d${key}`)];
}

/** Of an address, for addresses of the same domain that look like it. */
export function localKeys(address: string): string[] {
  const at = address.lastIndexOf("@");
  const local = address.slice(0, at);
  const domain = address.slice(at);
  // One that is one character shorter than the shortest is compared with nothing.
  if (local.length < localMin) return [];
  return [`=t${skeletonOf(local)}${domain}`, ...deletionKeys(local).map((key) => `=l${key}${domain}`)];
}

/** The key of an address itself, where other keys stand beside it. */
export function exactKey(address: string): string {
  return `=a${address}`;
}

/** That some address of the domain is there. */
export function presenceKey(domain: string): string {
  return `=p${domain}`;
}

/** The key of authors whose mail has come. */
export const seenKey = "=f";

/** Of a mailbox: its name, its addresses, and what looks like them. */
export function ownerKeys(name: string, addresses: readonly string[]): string[] {
  const named = nameKey(name);
  const keys = addresses.flatMap((address) => [exactKey(address), ...localKeys(address)]);
  return [...new Set([...(named === undefined ? [] : [named]), ...keys])];
}

/** Of an address that a person wrote to. `isFirst`: it stands for its domain. */
export function writtenKeys(address: string, isFirst: boolean): string[] {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const ofDomain = isFirst ? [presenceKey(domain), ...domainKeys(domain)] : [];
  return [...new Set([exactKey(address), ...localKeys(address), ...ofDomain])];
}
