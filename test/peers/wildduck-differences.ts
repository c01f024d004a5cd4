/** Where WildDuck 1.46.1 says something else, and by which section Waypost does not. */
import { Buffer } from "node:buffer";
import { decodeWords } from "../../src/formats/mime/encoded-words.ts";
import { type Explanation, folded } from "./explanations.ts";
import type { Difference } from "./flat-structure.ts";

export const wildduckRules: readonly Explanation[] = [
  {
    rfc: "RFC 9051 section 7.5.2",
    why: "ENVELOPE has the header's octets; encoded words are the client's to decode",
    explains: ({ field, ours, theirs }) =>
      /^(?:subject|\w[\w-]*\.name|[\w-]+\.mailbox|[\w-]+\.host)$/.test(field) && isSameDecoded(ours, theirs),
  },
  {
    rfc: "RFC 9051 section 7.5.2",
    why: "a message part shows the envelope and the parts of its message wherever it stands, not only at the top",
    explains: ({ name }, { ours, theirs }) =>
      prefixesOf(name).some(
        (prefix) => ours.has(`${prefix}envelope.subject`) && !theirs.has(`${prefix}envelope.subject`),
      ),
  },
  {
    rfc: "RFC 9051 section 9",
    why: "a multipart has a part (body-type-mpart = 1*body): where none comes, an empty text stands for it",
    explains: ({ name, theirs }, { ours }) => {
      const prefix = prefixesOf(name).at(-1) ?? "";
      return theirs === null && ours.get(`${prefix}size`) === 0 && ours.get(`${prefix}subtype`) === "plain";
    },
  },
  {
    rfc: "RFC 9051 section 7.5.2",
    why: "NIL for mailbox or host marks a group, so an address without one has a word there",
    explains: ({ ours }) => /^MISSING_(?:MAILBOX|DOMAIN)$/.test(`${ours}`),
  },
  {
    rfc: "RFC 5322 section 3.4",
    why: "a display name is shown also where it looks like an address, and a word without a domain is a mailbox",
    explains: ({ field, ours, theirs }) =>
      theirs === null && ((field.endsWith(".name") && `${ours}`.includes("@")) || field.endsWith(".mailbox")),
  },
  {
    rfc: "RFC 5322 section 3.4",
    why: "a phrase without an address is no display name: its words are what there is of the mailbox",
    explains: ({ name, field, ours, theirs }, structures) =>
      field.endsWith(".name") &&
      ours === null &&
      structures.ours.get(name.replace(/name$/, "mailbox")) === `${theirs}`.replace(/\s/g, ""),
  },
  {
    rfc: "RFC 2045 section 5.1",
    why: "a multipart whose delimiters never come has the subtype that it says",
    explains: ({ field, theirs }) => field === "subtype" && theirs === null,
  },
  {
    rfc: "RFC 5322 section 3.2.2",
    why: "a comment is no part of an address",
    explains: ({ field, theirs }) => /\.(?:mailbox|host|name)$/.test(field) && /[()]/.test(`${theirs}`),
  },
  {
    rfc: "RFC 5322 section 3.6",
    why: "a field that may stand once is the first of those that stand; here two of them give octets that neither has",
    explains: ({ field, theirs }) =>
      (field === "subject" && theirs === "\0\0") || (field === "date" && theirs === null),
  },
  {
    rfc: "RFC 9051 section 7.5.2",
    why: "octets that are not UTF-8 are shown as they are",
    explains: ({ theirs }) => `${theirs}`.includes("\xef\xbf\xbd"),
  },
];

/** "3.1.2.size": "3.", "3.1.", "3.1.2.". */
function prefixesOf(name: string): string[] {
  const numbers = /^(?:\d+\.)*/.exec(name)![0].split(".").slice(0, -1);
  return numbers.map((_number, index) => `${numbers.slice(0, index + 1).join(".")}.`);
}

/** For BODY alone. */
export const bodyRule: Explanation = {
  rfc: "RFC 9051 section 7.5.2",
  why: "BODY has no extension data: nothing behind a multipart's subtype",
  explains: ({ field, ours }) =>
    ours === null && /^(?:parameters|disposition|language|location|md5)\b/.test(field),
};

function isSameDecoded(ours: Difference["ours"], theirs: Difference["ours"]): boolean {
  const text = (value: Difference["ours"]): string => Buffer.from(`${value ?? ""}`, "latin1").toString();
  return folded(decodeWords(text(ours))) === folded(decodeWords(text(theirs)));
}

/** Why a message that is broken, or that uses what it does not know, is another one to it. */
const reasons = {
  onceOnly: "RFC 5322 section 3.6: a field that may stand once is the first of those that stand",
  extendedParameter:
    "RFC 2231 sections 3 and 4: a parameter in pieces or with a charset, and a semicolon in quotes, are put together first",
  comment:
    "RFC 5322 section 3.2.2: a comment is no name where it stands behind a group or inside of an address",
  noSubtype: "RFC 2045 section 5.2: a type without a subtype is text/plain",
  digest: "RFC 2046 section 5.1.5: a part of a digest is a message, and a delimiter ends it",
  phrase: "RFC 5322 section 3.2.5: the words of a phrase have the space between them that they came with",
  address: "RFC 5322 section 3.4: what is no address is read to its last word with a domain",
  obsoleteAddress: "RFC 5322 section 4.4: routes are kept and empty elements are none",
  folding:
    "RFC 5322 section 2.2.3: a line of white space goes on with the field before it and ends no header",
  octets: "RFC 9051 section 7.5.2: names and subjects are shown as they stand in the header",
  parameter: "RFC 2045 section 5.1: a value ends at a semicolon outside of quotes",
  encoding: "RFC 2045 section 6.1: the name of an encoding is one token",
  delimiter:
    "RFC 2046 section 5.1.1: a delimiter of any multipart around a part ends it, also with white space behind, in its header, or without a close; the line end before it is no part of it",
} as const;

/** By file of the corpus. */
export const wildduckFiles: Readonly<Record<string, string>> = {
  "comm-central/mail__test__browser__attachment__data__unreferenced_related_inline_image.eml":
    reasons.delimiter,
  "comm-central/mail__test__browser__openpgp__data__eml__inline-signed-utf8.eml": reasons.onceOnly,
  "comm-central/mail__test__browser__openpgp__data__eml__signed-by-0xfbfcc82a015e7330-encrypted-to-0xf231550c4f47e38e-multi-from.eml":
    reasons.onceOnly,
  "cpython/msg_15.eml": reasons.delimiter,
  "cpython/msg_32.eml": reasons.extendedParameter,
  "cpython/msg_33.eml": reasons.extendedParameter,
  "cpython/msg_37.eml": reasons.delimiter,
  "cpython/msg_38.eml": reasons.delimiter,
  "cpython/msg_39.eml": reasons.delimiter,
  "libetpan/imf__data__messages__folded-comments-rfc822.eml": reasons.comment,
  "libetpan/mime__data__messages__rfc822-multipart.eml": reasons.delimiter,
  "mimekit/delivery-status-no-blank-line.eml": reasons.comment,
  "mimekit/delivery-status.eml": reasons.comment,
  "mimekit/missing-subtype.eml": reasons.noSubtype,
  "mimekit/multipart-digest.eml": reasons.digest,
  "rspamd/from__from_quoted_dn_middle_inner.eml": reasons.phrase,
  "rspamd/fws_fn.eml": reasons.folding,
  "ruby-mail/attachment_emails__attachment_message_rfc822_inline_image.eml": reasons.delimiter,
  "ruby-mail/error_emails__missing_body.eml": reasons.address,
  "ruby-mail/mime_emails__raw_email4.eml": reasons.delimiter,
  "ruby-mail/plain_emails__raw_email_multiple_from.eml": reasons.address,
  "ruby-mail/rfc2822__example10.eml": reasons.comment,
  "ruby-mail/rfc2822__example11.eml": reasons.obsoleteAddress,
  "sisimai-set-of-emails/bsd__lhost-courier-01.eml": reasons.delimiter,
  "sisimai-set-of-emails/bsd__lhost-sendmail-24.eml": reasons.octets,
  "sisimai-set-of-emails/bsd__rfc3464-36.eml": reasons.delimiter,
  "sisimai-set-of-emails/bsd__rhost-cox-01.eml": reasons.delimiter,
  "sisimai-set-of-emails/dos__lhost-mailru-01.eml": reasons.octets,
  "stalwart-mail-parser/malformed__000.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__003.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__004.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__005.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__007.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__008.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__009.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__012.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__013.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__016.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__019.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__020.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__021.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__022.eml": reasons.delimiter,
  "stalwart-mail-parser/rfc__000.eml": reasons.comment,
  "stalwart-mail-parser/rfc__001.eml": reasons.parameter,
  "stalwart-mail-parser/rfc__007.eml": reasons.delimiter,
  "stalwart-mail-parser/thirdparty__004.eml": reasons.encoding,
  "stalwart-mail-parser/thirdparty__010.eml": reasons.parameter,
  "stalwart-mail-parser/thirdparty__015.eml": reasons.delimiter,
  "webklex-php-imap/attachment_encoded_filename.eml": reasons.extendedParameter,
  "webklex-php-imap/attachment_long_filename.eml": reasons.extendedParameter,
  "webklex-php-imap/attachment_no_disposition.eml": reasons.extendedParameter,
  "webklex-php-imap/bcc.eml": reasons.octets,
  "webklex-php-imap/issue-410symbols.eml": reasons.extendedParameter,
  "webklex-php-imap/issue-462.eml": reasons.address,
  "webklex-php-imap/plain.eml": reasons.parameter,
};
