/** Mails that take much work to read, one of each kind. Suites use them to see whether other mail has to wait. */

export interface ExpensiveMail {
  readonly kind: string;
  readonly message: Buffer;
}

const top = "From: Ann <ann@peer.example>\r\nTo: agent@x.example\r\nSubject: much work\r\n";

/** The mails, each of about `bytes` octets. */
export function expensiveMails(bytes: number): readonly ExpensiveMail[] {
  return [
    ["signatures with lengths", signed(bytes, (at) => ` c=relaxed/relaxed; l=${bytes / 2 - at};`)],
    ["signatures in all forms", signed(bytes, (at) => ` c=${forms[at % forms.length]};`)],
    ["seals", sealed(bytes)],
    ["fields", mail(many("X-Field: a value of some length\r\n", Math.min(bytes, 250_000)), "")],
    ["one folded field", mail(`X-Field: ${many("a\r\n b", bytes)}\r\n`, "")],
    ["empty fields", mail(many("a:\r\n", Math.min(bytes, 250_000)), "")],
    ["parts", multipart(many("--b\r\n\r\n\r\n", bytes))],
    ["parts with headers", multipart(many("--b\r\nContent-Type: text/plain; name=a\r\n\r\nx\r\n", bytes))],
    ["boundaries that are almost there", multipart(many("--\r\n--a\r\n-\r\n", bytes))],
    ["nesting of multiparts", nested(bytes)],
    [
      "nesting of messages",
      mail("Content-Type: message/rfc822\r\n", many("Content-Type: message/rfc822\r\n\r\n", bytes)),
    ],
    ["addresses", mail(`Cc: ${many("a@b.example,\r\n ", bytes)}z@b.example\r\n`, "")],
    ["groups", mail(`Cc: ${many("g:a@b,c@d;,\r\n ", bytes)}z@b.example\r\n`, "")],
    ["comments", mail(`Cc: ${many("(", bytes / 2)}${many(")", bytes / 2)} a@b.example\r\n`, "")],
    ["quotes that do not end", mail(`From: ${many('"\\', bytes)}\r\nTo: ${many("<", bytes / 2)}\r\n`, "")],
    ["encoded words", mail(`Subject: ${many("=?utf-8?q?=C3=A4?=\r\n ", bytes)}\r\n`, "")],
    ["encoded words that are almost there", mail(`Subject: ${many("=?a?b?", bytes)}\r\n`, "")],
    [
      "encoded words in odd charsets",
      mail(`Subject: ${many("=?iso-2022-jp?b?GyRCJCI=?=\r\n ", bytes)}\r\n`, ""),
    ],
    [
      "odd charsets",
      mail("Content-Type: text/plain; charset=iso-2022-kr\r\n", many("\x1b$)C\x0e!!\x0f", bytes)),
    ],
    [
      "long parameters",
      mail(`Content-Type: text/plain; ${many("a*0*=utf-8''%41;\r\n ", bytes)} b=c\r\n`, ""),
    ],
    ["continued parameters", mail(`Content-Type: text/plain;${continued(bytes)}\r\n`, "")],
    ["references", mail(`References: ${many("<a@b>\r\n ", bytes)}\r\n`, "")],
    ["prefixes of a subject", mail(`Subject: ${many("Re: [x] Fwd: ", bytes)}\r\n`, "")],
    [
      "spaces",
      mail(`Subject: a${many(" ", bytes)}b\r\nDate: ${many(" ", bytes / 4)}\r\n`, many(" ", bytes / 2)),
    ],
    ["empty lines", mail("", many("\r\n", bytes))],
    ["forged results", mail(many("Authentication-Results: ((\r\n", Math.min(bytes, 250_000)), "")],
    [
      "HTML",
      mail(
        "Content-Type: text/html\r\n",
        `<style>${many("a b>c~d{color:red}", bytes / 2)}</style>${many("<b>", bytes / 2)}`,
      ),
    ],
    [
      "quoted-printable",
      mail(
        "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n",
        many("=\r\n", bytes),
      ),
    ],
  ].map(([kind, message]) => ({ kind: kind as string, message: message as Buffer }));
}

const forms = ["simple/simple", "relaxed/simple", "simple/relaxed", "relaxed/relaxed"];

function mail(header: string, body: string): Buffer {
  return Buffer.from(`${top}${header}\r\n${body}\r\n`, "latin1");
}

function many(text: string, bytes: number): string {
  return text.repeat(Math.max(1, Math.floor(bytes / text.length)));
}

function multipart(body: string): Buffer {
  return mail("Content-Type: multipart/mixed; boundary=b\r\n", body);
}

function signed(bytes: number, tags: (at: number) => string): Buffer {
  const fields = Array.from(
    { length: 400 },
    (_, at) =>
      `DKIM-Signature: v=1; a=rsa-sha256;${tags(at)} d=s${at}.example; s=k; h=from:subject; bh=AAAA; b=AAAA\r\n`,
  );
  return mail(fields.join(""), many("some words in a line   of  text \r\n", bytes));
}

function sealed(bytes: number): Buffer {
  const sets = Array.from({ length: 50 }, (_, at) => {
    const i = at + 1;
    return `ARC-Seal: i=${i}; a=rsa-sha256; cv=${i === 1 ? "none" : "pass"}; d=s${i}.example; s=k; b=AAAA\r\nARC-Message-Signature: i=${i}; a=rsa-sha256; c=relaxed/relaxed; d=s${i}.example; s=k; h=from; bh=AAAA; b=AAAA\r\nARC-Authentication-Results: i=${i}; s.example; none\r\n`;
  });
  return mail(sets.reverse().join(""), many("some words in a line \r\n", bytes));
}

function nested(bytes: number): Buffer {
  let body = "";
  for (let depth = 0; body.length < bytes; depth++)
    body += `--b${depth}\r\nContent-Type: multipart/mixed; boundary=b${depth + 1}\r\n\r\n`;
  return mail("Content-Type: multipart/mixed; boundary=b0\r\n", body);
}

function continued(bytes: number): string {
  let text = "";
  for (let at = 0; text.length < bytes; at++) text += `\r\n name*${at}=a;`;
  return text;
}
