/** How mail programs write the head of a mail that they quote: "On …, … wrote:", or the header fields of the mail. */

/** Characters of a line that are checked. */
export const lookedAtMax = 600;
/** Lines that "On …, … wrote:" may be broken into, and lines that are searched for the header of a quoted message. */
const attributionLines = 4;
export const headerLines = 12;

/** "-----Original Message-----" in the languages of Outlook and others. Marks of forwarded messages are not in the list, because a
 *  forwarded message is new to its reader. */
export const originalMessage = new RegExp(
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
export function fieldKind(line: string): string | undefined {
  const colon = line.search(/[:：]/);
  if (colon === -1 || !/^\**(?:\s|$)/.test(line.slice(colon + 1))) return undefined;
  const words = line.slice(0, colon).toLowerCase().split(/[*\s]/);
  return kindOfField.get(words.filter((word) => word !== "").join(" "));
}

/** A block of From, Sent, To and Subject in any order. */
export function isQuotedHeader(lines: readonly string[], start: number): boolean {
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

export const forwarded =
  /forwarded message|begin forwarded|weitergeleitete nachricht|anfang der weitergeleiteten|message transféré|mensaje reenviado|messaggio inoltrato|mensagem encaminhada|doorgestuurd bericht|пересылаемое сообщение|転送/i;

/** "wrote" in several languages, before the colon. */
export const wrote =
  /(?:wrote|writes|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|kirjoitti|napisał\(?a?\)?|napsal\(?a?\)?|írta|написала?|пише|yazdı|geschrieben|written|写道|のメール|님이 작성)$/i;
/** "schrieb", and a name of at most 120 characters after it. */
const schrieb = /schrieb\s/i;
const schriebReach = 128;
const dateText = /\d{1,4}[./\-年]\s?\d{1,2}|\d{1,2}:\d{2}|\b(?:19|20)\d\d\b/;
export const attributionOpening = /^[\s>]*(?:on|am|le|el|il|em|op|den|em|dne|w dniu|pada|vào|在|a las)\s/i;

export function saysWrote(line: string): boolean {
  const bare = withoutLinks(line);
  if (!/[:：]$/.test(bare)) return false;
  const said = bare.slice(0, -1);
  return wrote.test(said.trimEnd()) || schrieb.test(said.slice(-schriebReach));
}

/** The line without the link addresses that a client writes at its end: " <https://…>", or with ">>" after a mail address. */
export function withoutLinks(line: string): string {
  let end = line.length;
  while (line[end - 1] === ">") {
    const open = line.lastIndexOf("<", end - 1);
    const inner = line.slice(open + 1, line[end - 2] === ">" ? end - 2 : end - 1);
    if (open < 1 || !/\s/.test(line[open - 1]!) || inner.includes(">")) break;
    end = open - 1;
  }
  return line.slice(0, end);
}

export function quotesFollow(lines: readonly string[], at: number): boolean {
  const next = lines.slice(at + 1, at + 5).find((line) => line.trim() !== "");
  return next !== undefined && isQuoted(next);
}

/** The first line of the sentence that ends in "wrote:" at `at`; undefined when it does not look like one. */
export function attributionStart(lines: readonly string[], at: number): number | undefined {
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

export function isQuoted(line: string): boolean {
  return /^\s{0,3}>/.test(line);
}
