/** Quoted mails, and whom they name as their authors. */
import { expect, it } from "vitest";
import { quotesIn, quotesMax } from "#/src/formats/text/quotes.ts";

it.each([
  [
    "a sentence",
    "Yes.\n\nOn Monday Mel <mel@far.example> wrote:\n> Pay now.",
    [{ name: "Mel", address: "mel@far.example" }],
  ],
  [
    "a sentence with a time",
    "Yes.\n\nOn Mon, 5 Jan 2026 at 10:00, Mel Smith <mel@far.example> wrote:\n\n> Pay now.",
    [{ name: "Mel Smith", address: "mel@far.example" }],
  ],
  [
    "a sentence of two lines",
    "Yes.\n\nOn Mon, Jan 5, 2026 at 10:00 AM Mel Smith\n<mel@far.example> wrote:\n\nPay now.",
    [{ name: "Mel Smith", address: "mel@far.example" }],
  ],
  ["German", "Ja.\n\nAm 05.01.2026 um 10:00 schrieb Kurt Meier:\n> Zahle.", [{ name: "Kurt Meier" }]],
  [
    "Outlook",
    "Yes.\n\nFrom: Mel Smith <mel@far.example>\nSent: Monday, 5 January 2026 10:00\nTo: Ada\nSubject: Order\n\nPay now.",
    [{ name: "Mel Smith", address: "mel@far.example" }],
  ],
  [
    "Markdown",
    "**From:** Mel <mel@far.example>\n**Sent:** Monday\n**To:** Ada\n**Subject:** Order\n\nPay.",
    [{ name: "Mel", address: "mel@far.example" }],
  ],
  [
    "a forwarded mail with one field",
    "See below.\n\n---- Forwarded message ----\nFrom: boss@ours.example\n\nPay now.",
    [{ address: "boss@ours.example" }],
  ],
  [
    "a quotation in a quotation",
    "A\n\nOn 1.1.2026 Ann <ann@a.example> wrote:\n> B\n> On 31.12.2025 Bob <bob@b.example> wrote:\n>> C",
    [
      { name: "Ann", address: "ann@a.example" },
      { name: "Bob", address: "bob@b.example" },
    ],
  ],
  ["no author", "> quoted\n\nYes: he wrote a letter.\nFrom: here\n", []],
])("%s", (_, text, authors) => {
  expect(quotesIn(text)).toEqual(authors.map((from) => ({ from, authenticated: false })));
});

it("are told up to a number, and each author once", () => {
  const one = (at: number) => `On 1.1.2026 Ann <ann${at}@a.example> wrote:\n> B\n`;
  expect(quotesIn(one(1).repeat(3))).toHaveLength(1);
  expect(quotesIn(Array.from({ length: 50 }, (_, at) => one(at)).join("\n"))).toHaveLength(quotesMax);
});

it("hostile texts are read in linear time", () => {
  for (const piece of ["From: a@b\n", "On 1.1.2026 a wrote:\n", "> ", "a@", "wrote:\n", ">".repeat(600)]) {
    const startedAt = process.cpuUsage().user;
    quotesIn(piece.repeat(400_000).slice(0, 1024 * 1024));
    expect(process.cpuUsage().user - startedAt, piece).toBeLessThan(5_000_000);
  }
});
