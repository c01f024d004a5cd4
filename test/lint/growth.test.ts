/** Whoever writes to us chooses the text that is read. A text that is twice as long takes at most 2.5 times as long to read, whatever it
 *  repeats: so what reads foreign text is in this table. */
import { expect, test } from "vitest";
import { parseHref } from "#/protocols/dav/hrefs.ts";
import { parseIf } from "#/protocols/dav/locks/if-field.ts";
import { readPreferences } from "#/protocols/dav/preferences.ts";
import { readXml } from "#/protocols/dav/xml/read-xml.ts";
import { parseMessageUrl } from "#/protocols/imap/append/message-url.ts";
import { readFetchItems } from "#/protocols/imap/fetch/items.ts";
import { decodeMailboxName } from "#/protocols/imap/mailboxes/mailbox-name.ts";
import { readSearchKeys } from "#/protocols/imap/search/grammar.ts";
import { readSequenceSet } from "#/protocols/imap/wire/sequence-set.ts";
import { decodeUtf8, WireReader } from "#/protocols/imap/wire/wire-reader.ts";
import { parseGs2Header } from "#/protocols/sasl/gs2-header.ts";
import { parseClientFinal, parseClientFirst } from "#/protocols/sasl/scram-message.ts";
import { readPath } from "#/protocols/smtp/path.ts";
import { parseAddress, parseDomain } from "#/src/accounts/address.ts";
import { withoutForgedResults } from "#/src/evidence/authentication-results.ts";
import { authorDomains } from "#/src/evidence/author.ts";
import { namesAnother } from "#/src/evidence/shown-address.ts";
import { listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { findsLetters } from "#/src/formats/content-lines/unfold.ts";
import { parseStyleAttribute, parseStyleSheets } from "#/src/formats/css/stylesheet.ts";
import { tokenizeCss } from "#/src/formats/css/tokens.ts";
import { renderHtml } from "#/src/formats/html/render-html.ts";
import { readCalendarAddress } from "#/src/formats/icalendar/calendar-address.ts";
import { parseCalendarTime, parsePeriod } from "#/src/formats/icalendar/calendar-time.ts";
import { checkCalendarObject } from "#/src/formats/icalendar/check-calendar-object.ts";
import { parseDuration } from "#/src/formats/icalendar/duration.ts";
import { needsRules } from "#/src/formats/icalendar/needs-rules.ts";
import { parseRecurrenceRule } from "#/src/formats/icalendar/recurrence-rule.ts";
import { parseText, parseTexts } from "#/src/formats/icalendar/text-value.ts";
import { readEvent } from "#/src/formats/jscalendar/read-event.ts";
import { readContact } from "#/src/formats/jscontact/read-contact.ts";
import { readAddressTokens } from "#/src/formats/mime/address-tokens.ts";
import { parseAddressList } from "#/src/formats/mime/addresses.ts";
import { decodeCharset } from "#/src/formats/mime/charset.ts";
import { parseDateTime } from "#/src/formats/mime/dates.ts";
import { decodeWords } from "#/src/formats/mime/encoded-words.ts";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { parseMessageIds } from "#/src/formats/mime/message-ids.ts";
import { decodeUnlabelled } from "#/src/formats/mime/octets.ts";
import { parseParameterized } from "#/src/formats/mime/parameters.ts";
import { parseStructure } from "#/src/formats/mime/structure-reader.ts";
import { parseSubject } from "#/src/formats/mime/subject.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import { readDmarcReport } from "#/src/formats/reports/read-dmarc-report.ts";
import { readTlsReport } from "#/src/formats/reports/read-tls-report.ts";
import { cleanText } from "#/src/formats/text/clean-text.ts";
import { calendarText, contactText } from "#/src/formats/text/content-lines.ts";
import { joinFlowed } from "#/src/formats/text/flowed.ts";
import { extractReply } from "#/src/formats/text/reply.ts";
import { checkAddressData } from "#/src/formats/vcard/address-data.ts";
import { readPartialDate, toBasicForm } from "#/src/formats/vcard/dates.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { dataFacts } from "#/src/render/shown-object.ts";
import { sampleOf } from "../support/samples.ts";

const lengthMax = 200_000;
const growthMax = 2.5;
/** A text of this length that is read once for each of its characters, or each pair of its words, takes ten times as long as what is
 *  quick. Most readers need no more than this look. */
const firstLength = 25_000;
const quickMs = 8;
/** What takes less at the full length is too short to be compared. */
const wholeQuickMs = 100;
/** Nobody waits for what takes longer than this. */
const endlessMs = 1000;
const rounds = 6;

const pieces: readonly string[] = [
  ..." \t\n\r,;:\"'\\()<>@.=[]{}-_/#&%*!+a0é",
  ...["\r\n", "\r\n ", "\u200d", "\u{1f600}", "a@", "a.", "a ", "a,", "a@b ", "a@b,", "<a@b>,", '"a" ', "(a"],
  ...[
    "=?",
    "?=",
    "=?utf-8?q?a?=",
    "=?utf-8?q?a?= ",
    "=\r\n",
    "a:",
    "a=",
    ";a=",
    ";a*0=",
    '="',
    "='",
    '="a";',
  ],
  ...[
    "<a",
    "<a ",
    "</a>",
    "<a>",
    "<a href=",
    "<!--",
    "<![CDATA[",
    "&amp;",
    "http://",
    "www.a.",
    "xn--",
    "+1",
    "1.",
  ],
  ...[
    "BEGIN:VEVENT\r\n",
    "END:VEVENT\r\n",
    "BEGIN:VTIMEZONE\r\n",
    "a:b\r\n",
    ";TZID=",
    "\\n",
    "\\,",
    "BY",
    "FREQ=",
  ],
  ...[
    "> a\n",
    ">",
    " <a>",
    " >",
    "wrote:",
    "wrote ",
    "schrieb ",
    "on 1.1.2026 a\n",
    "-- \n",
    "a:\n",
    "--b\r\n",
  ],
  ...[
    "style=",
    "display:",
    "display:a",
    "--a:",
    "var(",
    "@media ",
    "a{",
    "}",
    "/*",
    "url(",
    "\\a",
    "NOT ",
    "OR ",
    "1:",
  ],
];

const octets = (text: string): Buffer => Buffer.from(text);
const nothing = (): void => {};
const calendarOf = (line: string): Buffer =>
  octets(
    `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTAMP:20260101T000000Z\r\n${line}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`,
  );
const cardOf = (line: string): Buffer =>
  octets(`BEGIN:VCARD\r\nVERSION:4.0\r\nFN:a\r\n${line}\r\nEND:VCARD\r\n`);
const folded = (text: string): string => text.replaceAll(/[\r\n]/g, "");
const wire = (text: string): WireReader => new WireReader({ lines: [folded(text)], literals: [] });
const attribute = (text: string): string => text.replaceAll('"', "'");

const calendarLines = [
  "SUMMARY:?",
  "DTSTART:?",
  'DTSTART;TZID="?":20260101T000000',
  "DTSTART;X=?:20260101T000000",
  "RRULE:?",
  "ATTENDEE;CN=?:mailto:a@b",
  "ATTENDEE:?",
  "ORGANIZER:?",
  "ORGANIZER;?:a",
  "FREEBUSY:?",
  "EXDATE:?",
  "DURATION:?",
  "CATEGORIES:?",
  "X-ALT-DESC;FMTTYPE=text/html:?",
  "GEO:?",
  "ATTACH:?",
  'JSPROP;JSPTR="x.example:a/?":1',
  'JSPROP;JSPTR="locations/?":1',
];
const cardLines = [
  "N:?",
  "ADR:?",
  "TEL;?:1",
  "TEL:?",
  "BDAY:?",
  "EMAIL;TYPE=?:a@b",
  "NOTE:?",
  "PHOTO:?",
  "RELATED:?",
  "CATEGORIES:?",
  "URL:?",
  "TZ:?",
  "ORG:?",
  "REV:?",
  'JSPROP;JSPTR="x.example:a/?":1',
  'JSPROP;JSPTR="localizations/de/?":1',
];
const pages = [
  "?",
  "<p>?",
  '<p style="?">a',
  "<style>?</style><p>a",
  '<a href="?">a</a>',
  '<a href="a?">a</a>',
  "<a href=b>?</a>",
  '<img alt="?">',
  '<noscript><img style="?"></noscript>',
  "<noscript><img ?></noscript>",
  "<table>?",
  '<div class="?">a',
  '<meta charset="?">a',
];

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  readCalendarAddress,
  calendarText: (text) => calendarText(`BEGIN:VCALENDAR\n${text}`, nothing),
  contactText: (text) => contactText(`BEGIN:VCARD\n${text}`, nothing),
  ...contexts(
    "calendarText",
    calendarLines,
    (line) => calendarText(calendarOf(line).toString(), nothing),
    folded,
  ),
  ...contexts("contactText", cardLines, (line) => contactText(cardOf(line).toString(), nothing), folded),
  ...contexts(
    "readEvent",
    calendarLines,
    (line) => readEvent(listComponents(readContentLines(calendarOf(line)))[0]!),
    folded,
  ),
  ...contexts(
    "readContact",
    cardLines,
    (line) => readContact(listComponents(readContentLines(cardOf(line)))[0]!),
    folded,
  ),
  ...contexts(
    "checkCalendarObject",
    calendarLines,
    (line) => checkCalendarObject(readContentLines(calendarOf(line))),
    folded,
  ),
  ...contexts("checkAddressData", cardLines, (line) => checkAddressData(cardOf(line)), folded),
  readContentLines: (text) => readContentLines(octets(text)),
  findsLetters: (text) => findsLetters("aba\n")(octets(text)),
  parseText,
  parseTexts,
  parseDuration,
  parsePeriod: (text) => parsePeriod(text),
  parseCalendarTime: (text) => parseCalendarTime(text),
  parseRecurrenceRule,
  readPartialDate,
  toBasicForm,
  extractReply,
  joinFlowed: (text) => joinFlowed(text, true),
  cleanText: (text) => cleanText(text, nothing),
  ...contexts("renderHtml", pages, (page) => renderHtml(page, "text"), attribute),
  tokenizeCss: (text) => tokenizeCss(text, lengthMax),
  parseStyleSheets: (text) => parseStyleSheets([{ text, isMaybe: false }]),
  parseStyleAttribute,
  dataFacts: (text) => dataFacts(`data:${text}`),
  readAddressTokens: (text) => readAddressTokens(text, lengthMax),
  parseAddressList,
  parseAddress,
  parseDomain,
  parseDateTime,
  decodeWords,
  decodeUnlabelled,
  parseMessageIds,
  parseParameterized: (text) => parseParameterized(`text/plain; ${text}`),
  parseSubject,
  readHeaderFields: (text) => readHeaderFields(octets(text)),
  parseStructure: (text) => parseStructure(octets(text)),
  "parseStructure, multipart": (text) =>
    parseStructure(octets(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${text}`)),
  "parseStructure, type": (text) => parseStructure(octets(`Content-Type: ${folded(text)}\r\n\r\na`)),
  "decodeTransfer, base64": (text) => decodeTransfer(octets(text), "base64"),
  "decodeTransfer, quoted-printable": (text) => decodeTransfer(octets(text), "quoted-printable"),
  "decodeTransfer, uuencode": (text) => decodeTransfer(octets(text), "uuencode"),
  "decodeTransfer, uuencoded lines": (text) => decodeTransfer(octets(`begin 644 a\n${text}`), "uuencode"),
  "needsRules, zone": (text) => needsRules(octets(`BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n${text}`)),
  "needsRules, name": (text) => needsRules(octets(`BEGIN:VTIMEZONE\r\nTZID:${text}\r\nRRULE`)),
  "decodeCharset, utf-7": (text) => decodeCharset(octets(text), "utf-7"),
  "decodeCharset, iso-2022-jp": (text) => decodeCharset(octets(text), "iso-2022-jp"),
  authorDomains: (text) => authorDomains(readHeaderFields(octets(`From: ${folded(text)}\r\n\r\n`))),
  namesAnother: (text) => namesAnother(text, "a@b.example"),
  withoutForgedResults: (text) =>
    withoutForgedResults(octets(`Authentication-Results: ${folded(text)}\r\n\r\na`), ["a.example"]),
  readDmarcReport: (text) => readDmarcReport(`<feedback>${text}`),
  readTlsReport,
  decodeMailboxName: (text) => decodeMailboxName(text, "utf8"),
  parseMessageUrl: (text) => parseMessageUrl(`/${text}`),
  readSearchKeys: (text) => readSearchKeys(wire(text), { decode: decodeUtf8 }),
  "readSearchKeys, text": (text) => readSearchKeys(wire(`TEXT "${attribute(text)}"`), { decode: decodeUtf8 }),
  readFetchItems: (text) => readFetchItems(wire(`(${text}`)),
  readSequenceSet: (text) => readSequenceSet(wire(text)),
  readPath: (text) => readPath(`<${text}`),
  parseGs2Header,
  parseClientFirst: (text) => parseClientFirst(octets(`n=${text}`)),
  parseClientFinal: (text) => parseClientFinal(octets(`c=${text}`)),
  readXml: (text) => readXml(octets(`<a>${text}`)),
  "readXml, attribute": (text) => readXml(octets(`<a b="${attribute(text)}"/>`)),
  readPreferences: (text) => readPreferences(text, text),
  parseHref,
  parseIf: (text) => parseIf(`(${text}`),
};

/** One reader for each context, with the text in the place of "?". */
function contexts(
  name: string,
  places: readonly string[],
  read: (text: string) => unknown,
  shape: (text: string) => string = (text) => text,
): Record<string, (text: string) => unknown> {
  const made = places.map((place) => {
    const [before, after] = place.split("?");
    return [`${name}, ${place}`, (text: string) => read(`${before}${shape(text)}${after}`)] as const;
  });
  return Object.fromEntries(made);
}

/** Milliseconds of this thread's processor time. */
function costOf(read: (text: string) => unknown, text: string): number {
  const before = process.threadCpuUsage();
  try {
    read(text);
  } catch (error) {
    // Refusing a text is an answer.
    if (!isWaypostError(error) && !(error instanceof Error)) throw error;
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function growthOf(read: (text: string) => unknown, piece: string, ending: string): number {
  const textOf = (length: number): string => piece.repeat(length / piece.length) + ending;
  const first = costOf(read, textOf(firstLength));
  if (first <= quickMs) return 1;
  if (first > endlessMs) return Number.POSITIVE_INFINITY;
  const whole = textOf(lengthMax);
  const half = textOf(lengthMax / 2);
  let [least, leastOfHalf] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    leastOfHalf = Math.min(leastOfHalf, costOf(read, half));
    if (leastOfHalf > 4 * endlessMs) return Number.POSITIVE_INFINITY;
    least = Math.min(least, costOf(read, whole));
    if (least <= wholeQuickMs || least / leastOfHalf <= growthMax) return 1;
  }
  return least / leastOfHalf;
}

/** With the second one, a form that the repeated piece has is broken at its end. */
const endings = ["", ":!\n!"];

test.each(sampleOf(Object.entries(readers), 25))(
  "%s takes time in proportion to its text",
  (_, read) => {
    const grows = (piece: string): boolean =>
      endings.some((ending) => growthOf(read, piece, ending) > growthMax);
    expect(pieces.find(grows)).toBeUndefined();
  },
  120_000,
);
