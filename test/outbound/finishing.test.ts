import { expect, it } from "vitest";
import { finishDraft, withMailLines } from "#/src/outbound/finishing.ts";

const facts = {
  date: Date.UTC(2026, 0, 5, 12),
  messageId: "new@first.example",
  autoSubmitted: "auto-generated" as const,
};

const finish = (text: string) => finishDraft(withMailLines(Buffer.from(text)), facts);

it("sends what a mail client has written, dated now and without Bcc", () => {
  const { bytes, recipients, bcc, authors } = finish(
    "Date: Mon, 1 Jan 2024 00:00:00 +0000\r\nFrom: Ada <ada@first.example>\r\nTo: Bob <bob@first.example>,\r\n Kit <Kit.K@Müller.example>\r\nBcc: secret@far.example,\r\n bob@first.example\r\nX-Waypost-Draft: 1\r\nMessage-ID: <own@first.example>\r\nSubject: s\r\n\r\nBcc: of the text\r\n",
  );
  expect(bytes.toString()).toBe(
    "Date: Mon, 05 Jan 2026 12:00:00 +0000\r\nAuto-Submitted: auto-generated\r\nFrom: Ada <ada@first.example>\r\nTo: Bob <bob@first.example>,\r\n Kit <Kit.K@Müller.example>\r\nMessage-ID: <own@first.example>\r\nSubject: s\r\n\r\nBcc: of the text\r\n",
  );
  expect(recipients).toEqual(["bob@first.example", "Kit.K@xn--mller-kva.example", "secret@far.example"]);
  expect(bcc).toBe("Bcc: secret@far.example, bob@first.example");
  expect(authors).toEqual(["ada@first.example"]);
});

it("adds missing header fields, and converts line ends to CRLF", () => {
  const { bytes } = finish("From: ada@first.example\nBcc: b@far.example\nAuto-Submitted: no\n\nhi\n");
  expect(bytes.toString()).toBe(
    "Date: Mon, 05 Jan 2026 12:00:00 +0000\r\nTo: undisclosed-recipients:;\r\nMessage-ID: <new@first.example>\r\nFrom: ada@first.example\r\nAuto-Submitted: no\r\n\r\nhi\r\n",
  );
});

it("lists every address in From, Sender and the Resent fields", () => {
  const { senders, authors } = finish(
    "From: a@x.example, b@x.example\r\nSender: c@x.example\r\nResent-From: d@x.example\r\nTo: e@x.example\r\n\r\n",
  );
  expect(authors).toEqual(["a@x.example", "b@x.example"]);
  expect(senders).toEqual(["a@x.example", "b@x.example", "c@x.example", "d@x.example"]);
});

it.each([
  ["a line that is too long", `From: a@x.example\r\nTo: b@x.example\r\n\r\n${"x".repeat(999)}\r\n`],
  ["NUL", "From: a@x.example\r\nTo: b@x.example\r\n\r\n\0\r\n"],
  ["a recipient whose address is none", "From: a@x.example\r\nTo: somebody\r\n\r\n"],
])("refuses %s", (_, text) => {
  expect(() => finish(text)).toThrow(expect.objectContaining({ code: "invalid" }));
});
