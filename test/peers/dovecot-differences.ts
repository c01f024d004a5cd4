/** Where Dovecot 2.3 says something else of messages that are broken, and by which section Waypost does not. */
const reasons = {
  noSubtype: "RFC 2045 section 5.2: a type without a subtype is text/plain, so it has a charset and lines",
  onceOnly:
    "RFC 5322 section 3.6: a field that may stand once is the first of those that stand; there it is the last",
  encoded:
    "RFC 2046 section 5.2.1: a message in an encoding is not one to look into; its form has a body all the same",
  extendedParameter: "RFC 2231 section 4: a boundary in this form is a boundary",
  octets: "RFC 2231 section 4: octets that are not UTF-8 are read as a charset that has them all",
  unquoted: "RFC 2045 section 5.1: a value ends at a semicolon, not at a space: clients forget the quotes",
  boundary: 'RFC 2045 section 5.1: a boundary with "=" and without quotes is read to its end',
  delimiter:
    "RFC 2046 section 5.1.1: a delimiter is the whole line, and a part begins behind each that is not the last",
  noHeader:
    "RFC 2046 section 5.1.1: text that begins a part is its body, though the empty line before it is missing",
  encoding: "RFC 2045 section 6.1: an encoding that nobody knows is shown as it is",
  obsoleteAddress: "RFC 5322 section 4.4: empty elements of a list are none",
  comment: "RFC 5322 section 3.4: a comment behind an address is its name where it has no other",
  address:
    "RFC 5322 section 3.4: what is no address is read for the one in angle brackets, or for its last words",
} as const;

/** By file of the corpus. */
export const dovecotFiles: Readonly<Record<string, string>> = {
  "comm-central/mail__test__browser__message-window__data__test-alt-rel-text.eml": reasons.noSubtype,
  "comm-central/mail__test__browser__message-window__data__test-triple-alt.eml": reasons.noSubtype,
  "comm-central/mail__test__browser__openpgp__data__eml__inline-signed-utf8.eml": reasons.onceOnly,
  "comm-central/mail__test__browser__openpgp__data__eml__signed-by-0xfbfcc82a015e7330-encrypted-to-0xf231550c4f47e38e-multi-from.eml":
    reasons.onceOnly,
  "comm-central/mailnews__mime__jsmime__test__unit__data__bug505221.eml": reasons.address,
  "comm-central/mailnews__mime__jsmime__test__unit__data__message-encoded.eml": reasons.encoded,
  "cpython/msg_14.eml": reasons.noSubtype,
  "cpython/msg_33.eml": reasons.extendedParameter,
  "cpython/msg_38.eml": reasons.noHeader,
  "flanker/russian-attachment-yahoo.eml": reasons.octets,
  "flanker/torture.eml": reasons.noSubtype,
  "mailauth/message2.eml": reasons.onceOnly,
  "mailauth/message4.eml": reasons.onceOnly,
  "mimekit/feedback-report.eml": reasons.address,
  "mimekit/issue358.eml": reasons.address,
  "mimekit/missing-subtype.eml": reasons.noSubtype,
  "mimekit/stack-overflow.eml": reasons.address,
  "rspamd/badboundary.eml": reasons.delimiter,
  "ruby-mail/attachment_emails__attachment_with_unquoted_name.eml": reasons.unquoted,
  "ruby-mail/error_emails__missing_body.eml": reasons.address,
  "ruby-mail/error_emails__weird_to_header.eml": reasons.obsoleteAddress,
  "ruby-mail/mime_emails__raw_email_with_binary_encoded.eml": reasons.onceOnly,
  "ruby-mail/mime_emails__raw_email_with_illegal_boundary.eml": reasons.boundary,
  "ruby-mail/mime_emails__raw_email_with_multipart_mixed_quoted_boundary.eml": reasons.onceOnly,
  "ruby-mail/plain_emails__mix_caps_content_type.eml": reasons.address,
  "ruby-mail/plain_emails__raw_email_multiple_from.eml": reasons.address,
  "ruby-mail/plain_emails__raw_email_with_at_display_name.eml": reasons.address,
  "ruby-mail/rfc2822__example11.eml": reasons.obsoleteAddress,
  "sisimai-set-of-emails/bsd__arf-15.eml": reasons.address,
  "sisimai-set-of-emails/bsd__arf-24.eml": reasons.address,
  "sisimai-set-of-emails/bsd__lhost-mailfoundry-02.eml": reasons.onceOnly,
  "sisimai-set-of-emails/bsd__rfc3464-10.eml": reasons.comment,
  "sisimai-set-of-emails/bsd__rhost-google-08.eml": reasons.onceOnly,
  "sisimai-set-of-emails/dos__lhost-amazonworkmail-01.eml": reasons.address,
  "sisimai-set-of-emails/mac__rhost-apple-01.eml": reasons.comment,
  "stalwart-mail-parser/malformed__007.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__016.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__017.eml": reasons.delimiter,
  "stalwart-mail-parser/malformed__019.eml": reasons.onceOnly,
  "stalwart-mail-parser/rfc__001.eml": reasons.unquoted,
  "stalwart-mail-parser/thirdparty__004.eml": reasons.encoding,
  "webklex-php-imap/issue-462.eml": reasons.address,
  "webklex-php-imap/plain.eml": reasons.unquoted,
};
