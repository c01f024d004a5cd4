/** What makes a name or an address be taken for another one: keys that like ones share, so that an index finds them, and the comparison
 *  that decides. */

/** Characters of a name or a domain that are looked at. */
const charactersMax = 200;

/** A display name without regard to case, marks and blanks; "" for one that is too short to mean somebody. */
export function foldedName(name: string): string {
  const folded = name
    .slice(0, charactersMax)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
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
  ["1", "l"],
  ["i", "l"],
  ["|", "l"],
  ["0", "o"],
]);

/** One form for all texts that look alike. */
export function skeletonOf(text: string): string {
  const plain = text.slice(0, charactersMax).toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  return [...plain]
    .map((letter) => twins[letter] ?? letter)
    .join("")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll("cl", "d");
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
export function areLikeDomains(one: string, other: string): boolean {
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

/** Keys of rows of an index of addresses. No address and no domain begins with "=". */
export function nameKey(name: string): string | undefined {
  const folded = foldedName(name);
  return folded === "" ? undefined : `=n${folded}`;
}

export function domainKeys(domain: string): string[] {
  if (!isComparable(domain)) return [];
  return [`=s${skeletonOf(domain)}`, ...deletionKeys(domain).map((key) => `=d${key}`)];
}
