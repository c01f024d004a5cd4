/** Finds the new text of a reply: without the quoted history and the signature. Nothing is lost: each cut is a range of the text.
 *  If nothing would remain, nothing is cut. Forwarded messages are kept. */

import { readForeign } from "#/src/model/foreign-text.ts";

export interface ReplyCut {
  readonly what: "quoted-history" | "signature";
  /** UTF-16 units of the text. */
  readonly start: number;
  readonly end: number;
}

export interface Reply {
  readonly text: string;
  readonly cuts: readonly ReplyCut[];
}

/** Characters of a line that are checked. */
const lookedAtMax = 600;
/** Lines that "On …, … wrote:" may be broken into, and lines that are searched for the header of a quoted message. */
const attributionLines = 4;
const headerLines = 12;
const signatureLines = 20;

export function extractReply(text: string): Reply {
  return readForeign(
    "reply",
    text,
    () => cutReply(text),
    () => ({ text, cuts: [] }),
  );
}

function cutReply(text: string): Reply {
  const lines = text.split("\n");
  const looked = lines.map((line) => line.slice(0, lookedAtMax).trimEnd());
  const cut = new Array<ReplyCut["what"] | undefined>(lines.length);
  const end = historyStart(looked);
  cut.fill("quoted-history", end);
  cutQuotations(looked, end, cut);
  cutSignature(looked, cut);
  const hasText = looked.some((line, at) => cut[at] === undefined && line.trim() !== "");
  if (!hasText) return { text, cuts: [] };
  return assemble(lines, cut);
}

/** The first line of an older message that is quoted to the end of the text without a mark on each line. */
function historyStart(lines: readonly string[]): number {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (originalMessage.test(line) || isQuotedHeader(lines, at)) return withRule(lines, at);
    if (saysWrote(line) && !quotesFollow(lines, at)) {
      const start = attributionStart(lines, at);
      if (start !== undefined) return start;
    }
  }
  return lines.length;
}

/** "-----Original Message-----" in the languages of Outlook and others. Marks of forwarded messages are not in the list, because a
 *  forwarded message is new to its reader. */
const originalMessage = new RegExp(
  `^\\s*[-_*]{2,}\\s*(?:${[
    "original message",
    "reply message",
    "original appointment",
    "ursprüngliche nachricht",
    "originalnachricht",
    "message d['’]origine",
    "message original",
    "mensaje original",
    "messaggio originale",
    "mensagem original",
    "oorspronkelijk bericht",
    "original-nachricht",
    "originalmeddelande",
    "ursprungligt meddelande",
    "oprindelig meddelelse",
    "opprinnelig melding",
    "alkuperäinen viesti",
    "wiadomość oryginalna",
    "oryginalna wiadomość",
    "původní zpráva",
    "eredeti üzenet",
    "исходное сообщение",
    "оригинальное сообщение",
    "orijinal mesaj",
    "原始邮件",
    "原始郵件",
    "邮件原件",
    "元のメッセージ",
    "원본 메시지",
  ].join("|")})\\s*[-_*]{2,}`,
  "i",
);

/** Names of header fields as clients write them above a quoted message. */
const fieldNames: readonly (readonly [kind: string, names: string])[] = [
  [
    "from",
    "from|von|de|da|van|fra|från|lähettäjä|od|от|от кого|gönderen|kimden|feladó|expéditeur|remitente|差出人|发件人|寄件者|보낸사람|보낸 사람",
  ],
  [
    "date",
    "date|sent|gesendet|datum|envoyé|enviado|enviado el|fecha|data|inviato|verzonden|sendt|skickat|dato|lähetetty|päivämäärä|wysłano|odesláno|дата|отправлено|tarih|gönderildi|elküldve|送信日時|日期|发送时间|寄件日期|보낸날짜|날짜",
  ],
  [
    "to",
    "to|an|à|para|a|aan|til|till|vastaanottaja|do|komu|кому|kime|címzett|宛先|收件人|收件者|받는사람|받는 사람",
  ],
  [
    "subject",
    "subject|betreff|objet|asunto|oggetto|assunto|onderwerp|emne|ämne|aihe|temat|předmět|тема|konu|tárgy|件名|主题|主旨|제목",
  ],
  ["cc", "cc|kopie|copie|копия|抄送|副本"],
];
const kindOfField: ReadonlyMap<string, string> = new Map(
  fieldNames.flatMap(([kind, names]) => names.split("|").map((name) => [name, kind])),
);

/** Of a line like "From: …" or "*Sent:* …". */
function fieldKind(line: string): string | undefined {
  const colon = line.search(/[:：]/);
  if (colon === -1 || !/^\**(?:\s|$)/.test(line.slice(colon + 1))) return undefined;
  const words = line.slice(0, colon).toLowerCase().split(/[*\s]/);
  return kindOfField.get(words.filter((word) => word !== "").join(" "));
}

/** A block of From, Sent, To and Subject in any order. */
function isQuotedHeader(lines: readonly string[], start: number): boolean {
  const first = fieldKind(lines[start]!);
  if (first === undefined || first === "cc") return false;
  const kinds = new Set([first]);
  let blank = 0;
  for (let at = start + 1; at < Math.min(lines.length, start + headerLines) && blank < 2; at++) {
    const line = lines[at]!;
    if (line.trim() === "") {
      blank++;
      continue;
    }
    blank = 0;
    const kind = fieldKind(line);
    if (kind !== undefined) kinds.add(kind);
    // A long list of recipients continues on the next lines; any other line begins the message.
    else if (!/@|;\s*$/.test(line)) break;
  }
  return kinds.size >= 3 && kinds.has("from") && (kinds.has("date") || kinds.has("subject"));
}

/** Includes the rule that Outlook draws above the quoted header. A forwarded message is not cut. */
function withRule(lines: readonly string[], at: number): number {
  let start = at;
  while (start > 0 && at - start < 3 && /^[_-]{0,80}$/.test(lines[start - 1]!.trim())) start--;
  if (start > 0 && forwarded.test(lines[start - 1]!)) return lines.length;
  return start;
}

const forwarded =
  /forwarded message|begin forwarded|weitergeleitete nachricht|anfang der weitergeleiteten|message transféré|mensaje reenviado|messaggio inoltrato|mensagem encaminhada|doorgestuurd bericht|пересылаемое сообщение|転送/i;

/** "wrote" in several languages, before the colon. */
const wrote =
  /(?:wrote|writes|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|kirjoitti|napisał\(?a?\)?|napsal\(?a?\)?|írta|написала?|пише|yazdı|geschrieben|written|写道|のメール|님이 작성)$/i;
/** "schrieb", and a name of at most 120 characters after it. */
const schrieb = /schrieb\s/i;
const schriebReach = 128;
const dateText = /\d{1,4}[./\-年]\s?\d{1,2}|\d{1,2}:\d{2}|\b(?:19|20)\d\d\b/;
const attributionOpening = /^[\s>]*(?:on|am|le|el|il|em|op|den|em|dne|w dniu|pada|vào|在|a las)\s/i;

function saysWrote(line: string): boolean {
  const bare = withoutLinks(line);
  if (!/[:：]$/.test(bare)) return false;
  const said = bare.slice(0, -1);
  return wrote.test(said.trimEnd()) || schrieb.test(said.slice(-schriebReach));
}

/** The line without the link addresses that a client writes at its end: " <https://…>", or with ">>" after a mail address. */
function withoutLinks(line: string): string {
  let end = line.length;
  while (line[end - 1] === ">") {
    const open = line.lastIndexOf("<", end - 1);
    const inner = line.slice(open + 1, line[end - 2] === ">" ? end - 2 : end - 1);
    if (open < 1 || !/\s/.test(line[open - 1]!) || inner.includes(">")) break;
    end = open - 1;
  }
  return line.slice(0, end);
}

function quotesFollow(lines: readonly string[], at: number): boolean {
  const next = lines.slice(at + 1, at + 5).find((line) => line.trim() !== "");
  return next !== undefined && isQuoted(next);
}

/** The first line of the sentence that ends in "wrote:" at `at`; undefined when it does not look like one. */
function attributionStart(lines: readonly string[], at: number): number | undefined {
  for (let start = at; start > Math.max(-1, at - attributionLines); start--) {
    const line = lines[start]!;
    if (line.trim() === "" || (start < at && isQuoted(line) && !isQuoted(lines[at]!))) return undefined;
    const sentence = lines.slice(start, at + 1).join(" ");
    if ((attributionOpening.test(line) || dateText.test(line)) && dateText.test(sentence)) {
      // "On Monday" on its own line above a line that begins with the date.
      const above = lines[start - 1];
      const goesOn =
        above !== undefined &&
        at - start < attributionLines - 1 &&
        attributionOpening.test(above) &&
        !attributionOpening.test(line) &&
        above.trim() !== "";
      return goesOn ? start - 1 : start;
    }
  }
  return undefined;
}

function isQuoted(line: string): boolean {
  return /^\s{0,3}>/.test(line);
}

/** Cuts lines that begin with ">", and the attribution line above them. */
function cutQuotations(lines: readonly string[], end: number, cut: (ReplyCut["what"] | undefined)[]): void {
  for (let at = 0; at < end; at++) {
    if (!isQuoted(lines[at]!)) continue;
    cut[at] = "quoted-history";
    if (at > 0 && cut[at - 1] === "quoted-history") continue;
    let above = at - 1;
    while (above >= 0 && at - above < 4 && lines[above]!.trim() === "") above--;
    if (above < 0) continue;
    const bare = withoutLinks(lines[above]!);
    if (!/[:：]$/.test(bare) || forwarded.test(bare)) continue;
    const start =
      attributionStart(lines, above) ??
      (saysWrote(lines[above]!) || (bare.endsWith(":") && /@\S/.test(bare.slice(0, -1))) ? above : undefined);
    if (start !== undefined) cut.fill("quoted-history", start, at);
  }
}

/** Cuts the line of two hyphens (RFC 3676 section 4.3) and the lines after it, up to the next quotation. */
function cutSignature(lines: readonly string[], cut: (ReplyCut["what"] | undefined)[]): void {
  for (let at = 0; at < lines.length; at++) {
    if (cut[at] !== undefined || !/^\s{0,2}(?:--|—|––)\s*$/.test(lines[at]!)) continue;
    let end = at + 1;
    while (end < lines.length && cut[end] === undefined && end - at <= signatureLines) end++;
    const isWhole = end === lines.length || cut[end] !== undefined;
    if (isWhole) cut.fill("signature", at, end);
  }
}

function assemble(lines: readonly string[], cut: readonly (ReplyCut["what"] | undefined)[]): Reply {
  const cuts: { what: ReplyCut["what"]; start: number; end: number }[] = [];
  const kept: string[] = [];
  let position = 0;
  for (const [at, line] of lines.entries()) {
    const what = cut[at];
    const next = position + line.length + 1;
    if (what === undefined) kept.push(line);
    else {
      const last = cuts.at(-1);
      if (last?.what === what && last.end === position) last.end = next;
      else cuts.push({ what, start: position, end: next });
    }
    position = next;
  }
  const last = cuts.at(-1);
  if (last !== undefined) last.end = Math.min(last.end, position - 1);
  return {
    text: kept
      .join("\n")
      .trimEnd()
      .replace(/^\s*\n/, "")
      .replace(/\n{3,}/g, "\n\n"),
    cuts,
  };
}
