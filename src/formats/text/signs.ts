/** Signs that a text addresses a program instead of a person ("Text that others wrote" of the interface). A sign is no verdict: it is
 *  told, and nothing is refused for it. Spellings by full-width and look-alike characters and by entities count as well.
 *  chat_tokens: tokens between the turns of a model's conversation. forged_mail: another mail that seems to begin in the text.
 *  closing_tags: the end of an element in which programs hand texts to a model. invisible: characters that write unseen. */
import type { RemovalCounts } from "#/src/model/removal.ts";

export const signs = ["chat_tokens", "forged_mail", "closing_tags", "invisible"] as const;
export type Sign = (typeof signs)[number];

/** Characters of a text that are looked at. */
const lookedMax = 1024 * 1024;

/** `removed`: what was removed of the text. */
export function signsOf(text: string, removed: RemovalCounts = []): readonly Sign[] {
  const plain = plainSpelling(text.slice(0, lookedMax));
  const found: Readonly<Record<Sign, boolean>> = {
    chat_tokens: hasChatToken(plain),
    forged_mail: hasForgedMail(plain),
    closing_tags: plain.includes("</") && closingTag.test(plain),
    invisible: removed.some(([what, count]) => count >= (leastUnseen.get(what) ?? Number.POSITIVE_INFINITY)),
  };
  return signs.filter((sign) => found[sign]);
}

/** Selectors stand after emoji one at a time in honest text, and some of them too many. */
const leastUnseen: ReadonlyMap<string, number> = new Map([
  ["unicode-tag", 1],
  ["variation-selector", 4],
]);

const turn =
  /<\s?\|{1,2}\s?([^<>|\n]{1,40}(?:\n[^<>|\n]{1,20})?)(?:\|\s?>|>)|<\s?\|\s?([^<>|\n]{1,40}) ?\|\s/g;
const turnName =
  /^(?:im(?:start|end)|(?:begin|end|start|eo[tm])[a-z]*|user[a-z]?|assistant|system[a-z]*|human|model|tool[a-z]*|channel|message|output|reset|fim[a-z]+|python[a-z]+|return|call|constrain|text|placeholder|s|pad|sep)$/;
const angleTokens =
  /<<\/?sys>>|<(?:start|end)_of_turn>|<\/?(?:system prompt|assistant|function_calls|tool_calls?|tool_use|api_exec|api_function_exec|new_instructions?|llm-?note|unk|sys(?:tem)?_?message)>|<user><|<invoke name=/i;
const squareToken = /\[\/?inst\]/i;
const wordTokens = /\bim_(?:start|end)\b/i;
const humanTurn = /\n\n?human:[^\n]{0,400}\n\n?assistant:/i;

/** Most texts have none of the characters that a form needs, and are asked for these alone. */
function hasChatToken(text: string): boolean {
  if (text.includes("<")) {
    for (const [, whole, open] of text.matchAll(turn))
      if (turnName.test((whole ?? open ?? "").toLowerCase().replace(/[^a-z]/g, ""))) return true;
    if (angleTokens.test(text)) return true;
  }
  if (text.includes("[") && squareToken.test(text)) return true;
  if (text.includes("_") && wordTokens.test(text)) return true;
  return humanTurn.test(text);
}

const mailInAngles = /<(?:to|recipient)>[^<\n]{3,200}<(?:subject|body|content)>/i;
const mailInSquares = /\[\/?(?:end|begin)? ?(?:of )?(?:summary|e-?mail|send_email)\]/i;
const partOfMail = /(?:subject|body) of the e-?mail\s?:/i;
const fence = /["'`]{8,40}/;

function hasForgedMail(text: string): boolean {
  return (
    (text.includes("<") && mailInAngles.test(text)) ||
    (text.includes("[") && mailInSquares.test(text)) ||
    partOfMail.test(text) ||
    fence.test(text) ||
    hasForgedHead(text)
  );
}

const headLine = /^[>#* \t-]{0,8}(?:e-?mail )?(subject|body) ?:/gim;
const bodyWord = /body ?:/i;
const headLinesMax = 4;
const headLengthMax = 2000;

/** A line with a subject, and soon after it one with a body: mail programs write no word for the body. */
function hasForgedHead(text: string): boolean {
  if (!bodyWord.test(text)) return false;
  let subjectAt: number | undefined;
  for (const { 1: name, index } of text.matchAll(headLine))
    if (name!.toLowerCase() === "subject") subjectAt = index;
    else if (subjectAt !== undefined && index - subjectAt <= headLengthMax)
      if (text.slice(subjectAt, index).split("\n").length - 1 <= headLinesMax) return true;
  return false;
}

const closingTag =
  /<\/\s?(?:e-?mails?|users?|system|assistant|human|tool(?:_result|_output)?s?|function_results|prompt|instructions?|untrusted[\w-]{0,30}|llm-?note|checker-?note|internal|context|documents?|summary|message|external_content)\s?>/i;

const entity =
  /&(?:(lt|#0{0,5}60|#x0{0,5}3c)|(gt|#0{0,5}62|#x0{0,5}3e)|verticalline|verbar|vert|#0{0,5}124|#x0{0,5}7c);?/gi;
const lookAlikes: ReadonlyMap<string, string> = new Map([
  ...pairs("<", "‹〈⟨《˂ᐸ⧼❮❬"),
  ...pairs(">", "›〉⟩》˃ᐳ⧽❯❭"),
  ...pairs("|", "ǀ∣│❘⏐丨ᛁ⎮┃║‖ا׀"),
  ...pairs("[", "【〔⟦❲"),
  ...pairs("]", "】〕⟧❳"),
  ...pairs("a", "аαɑ"),
  ...pairs("c", "сϲ"),
  ...pairs("d", "ԁ"),
  ...pairs("e", "еє"),
  ...pairs("h", "һ"),
  ...pairs("i", "іιı"),
  ...pairs("j", "ј"),
  ...pairs("m", "м"),
  ...pairs("n", "ո"),
  ...pairs("o", "оοօ"),
  ...pairs("p", "рρ"),
  ...pairs("r", "гᴦ"),
  ...pairs("s", "ѕ"),
  ...pairs("t", "тτ"),
  ...pairs("u", "υս"),
  ...pairs("x", "хχ"),
  ...pairs("y", "у"),
]);

function pairs(letter: string, others: string): [string, string][] {
  return [...others].map((other) => [other, letter]);
}

const isAscii = /^[\0-\x7f]*$/;

/** In plain characters: entities, forms for compatibility, look-alikes. What is no letter of a token may become one: the text is
 *  looked at and not given. */
function plainSpelling(text: string): string {
  const read = text.includes("&")
    ? text.replace(entity, (_, less?: string, more?: string) => (less ? "<" : more ? ">" : "|"))
    : text;
  if (isAscii.test(read)) return read;
  return read
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[^\0-\x7f]/gu, (one) => lookAlikes.get(one) ?? one);
}
