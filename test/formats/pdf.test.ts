/** Which text of a PDF a person sees: what hides words of it, and what does not. */
import { describe, expect, it } from "vitest";
import { readDocument } from "#/src/formats/documents/read-document.ts";
import { boxesOf, type FontText, pdfInFont } from "../support/made-font.ts";
import { type PageForm, pageOf, streamOf } from "../support/pdf-pages.ts";

const text = (word: string, more = "", place = "72 720 Td"): string =>
  `BT /F1 12 Tf ${more} ${place} (${word}) Tj ET`;
const words = text("HIDDEN");
const state = (facts: string): PageForm => ({ resources: `/ExtGState << /G1 << ${facts} >> >>` });
const form = (entries: string, stream: string, more: readonly string[] = []): PageForm => ({
  resources:
    "/XObject << /X1 6 0 R >> /ExtGState << /G1 << /BM /Difference >> /G2 << /BM /Screen >> /G3 << /ca 0.5 >> >> /Properties << /Off 7 0 R >>",
  objects: [
    streamOf(
      `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> /Properties << /Off 7 0 R >> >> ${entries}`,
      stream,
    ),
    "<< /Type /OCG /Name (off) >>",
    ...more,
  ],
  catalog: "/OCProperties << /OCGs [7 0 R] /D << /OFF [7 0 R] >> >>",
});
/** A font whose letter `a` is this drawing, in thousandths of an em. */
const drawnFont = (drawing: string): PageForm => ({
  resources: "/F3",
  objects: [
    "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << /a 7 0 R >> /Encoding << /Type /Encoding /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [600] /Resources << >> >>",
    streamOf("", drawing),
  ],
});
const annotation = (entries: string): PageForm => ({
  page: "/Annots [6 0 R]",
  objects: [
    `<< /Type /Annot /Rect [60 700 300 740] ${entries} >>`,
    streamOf("/Type /XObject /Subtype /Form /BBox [0 0 240 40]", "1 1 1 rg 0 0 240 40 re f"),
  ],
});

const hidings: readonly (readonly [name: string, bytes: Buffer])[] = [
  [
    "a place that Q takes back, behind a decoy in it",
    pageOf(
      `BT /F1 12 Tf 72 720 Td q 0 -420 Td Q (HIDDEN) Tj ET 1 g 60 700 200 50 re f 0 g BT /F1 12 Tf 72 300 Td q 0 420 Td (HIDDEN) Tj Q ET`,
    ),
  ],
  [
    "black letters on black that is mixed",
    pageOf(`q /G1 gs 1 g 0 700 612 60 re f Q ${words}`, state("/BM /Difference")),
  ],
  [
    "ten covers of half its strength",
    pageOf(`${words} /G1 gs 1 g ${"0 700 612 60 re f ".repeat(10)}`, state("/ca 0.5")),
  ],
  [
    "two covers of nearly half",
    pageOf(`${words} /G1 gs 1 g 0 700 612 60 re f 0 700 612 60 re f`, state("/ca 0.49")),
  ],
  ["pale letters that let half through", pageOf(`/G1 gs 0.7 g ${words}`, state("/ca 0.45"))],
  ["thick white edges of other letters", pageOf(`${words} 1 G 1 Tr 60 w BT /F1 12 Tf 90 750 Td (o) Tj ET`)],
  ["its own thick white edges", pageOf(`1 G 20 w ${text("HIDDEN", "2 Tr")}`)],
  ["edges that are all gap", pageOf(`[0 1000] 500 d ${text("HIDDEN", "1 Tr")}`)],
  ["a state whose edges are all gap", pageOf(`/G1 gs ${text("HIDDEN", "1 Tr")}`, state("/D [[0 1000] 500]"))],
  [
    "white letters over a part each",
    pageOf(
      `${words} 1 g ${Array.from({ length: 12 }, (_, at) => `BT /F1 16 Tf ${70 + at * 4} 719 Td (M) Tj ET`).join(" ")}`,
    ),
  ],
  ["the same letters in white", pageOf(`${words} 1 g ${words}`)],
  ["a slant that leaves a line", pageOf("BT /F1 12 Tf 1 0 40 1 72 720 Tm (HIDDEN) Tj ET")],
  ["a mirror", pageOf("BT /F1 12 Tf -1 0 0 1 200 720 Tm (HIDDEN) Tj ET")],
  ["letters on each other", pageOf(text("HIDDEN", "-7.5 Tc"))],
  ["letters wider than they are read", pageOf("BT /F1 4 Tf 20 0 0 1 72 720 Tm (HIDDEN) Tj ET")],
  [
    "a line that is wide in one direction",
    pageOf(`${words} q 100 0 0 0.01 0 0 cm 1 G 1 w 1 70000 m 1 74000 l S Q`),
  ],
  [
    "a thick curve",
    pageOf(`${words} 1 G 70 w 20 640 m 20 800 l S 1 G 60 w 40 690 m 100 760 160 690 220 760 c S`),
  ],
  [
    "white on a dark bow tie",
    pageOf(`0 g 40 690 m 240 760 l 40 760 l 240 690 l h f 1 g ${text("HIDDEN", "", "110 722 Td")}`),
  ],
  ["white on a box that leaves itself out", pageOf(`0 g 40 690 240 80 re 40 690 240 80 re f* 1 g ${words}`)],
  [
    "white on what a closed layer paints",
    pageOf(`/OC /Off BDC 0 g 40 690 240 80 re f EMC 1 g ${words}`, form("", "")),
  ],
  ["a closed layer that a form ends", pageOf("/OC /Off BDC /X1 Do EMC", form("", `EMC ${words}`))],
  ["a closed layer of a form", pageOf("/X1 Do", form("/OC 7 0 R", words))],
  [
    "a form in a group that is mixed",
    pageOf("q /G2 gs /X1 Do Q", form("/Group << /S /Transparency >>", words)),
  ],
  ["a form without room", pageOf("/X1 Do", form("", words, [])).subarray(0)],
  [
    "a white drawing as a letter",
    pageOf(
      `${words} 1 g BT /F3 100 Tf 60 700 Td (a) Tj ET`,
      drawnFont("600 0 0 0 1000 1000 d1 0 0 1000 1000 re f"),
    ),
  ],
  [
    "a white drawing far from its letter",
    pageOf(
      `${words} 1 g BT /F3 10 Tf 560 20 Td (a) Tj ET`,
      drawnFont("600 0 d0 1 g -60000 60000 70000 30000 re f"),
    ),
  ],
  [
    "letters that are empty drawings",
    pageOf("BT /F3 12 Tf 72 720 Td (aaaa) Tj ET", drawnFont("600 0 0 0 0 0 d1")),
  ],
  ["a white annotation", pageOf(words, annotation("/Subtype /Stamp /AP << /N 7 0 R >>"))],
  [
    "an annotation that programs paint themselves",
    pageOf(words, annotation("/Subtype /Stamp /Name /Approved")),
  ],
  [
    "a field with a white ground",
    pageOf(words, annotation("/Subtype /Widget /FT /Tx /T (a) /V () /MK << /BG [1 1 1] >>")),
  ],
  ["a page of hundreds of metres", pageOf(words, { page: "/MediaBox [0 0 200000 200000]" })],
  ["a page of small units", pageOf(words, { page: "/MediaBox [0 0 612 792] /UserUnit 0.01" })],
  [
    "a font of signs that nobody has with it",
    pageOf(words.replace("/F1", "/F3"), {
      resources: "/F3",
      objects: ["<< /Type /Font /Subtype /TrueType /BaseFont /Wingdings /Encoding /WinAnsiEncoding >>"],
    }),
  ],
  [
    "names of letters that are others",
    pageOf(text("\\001\\002\\003\\004\\004\\005\\006").replace("/F1", "/F3"), {
      resources: "/F3",
      objects: [
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding /Differences [1 /f /r /i /d /a /y] >> /ToUnicode 7 0 R >>",
        streamOf(
          "",
          "1 begincodespacerange <00> <ff> endcodespacerange 6 beginbfchar <01> <0048> <02> <0049> <03> <0044> <04> <0044> <05> <0045> <06> <004e> endbfchar",
        ),
      ],
    }),
  ],
];

const isGiven = (read: { readonly text: string }): boolean =>
  read.text.replace(/\s+/g, "").includes("HIDDEN");

describe("text of a PDF is not given that is hidden by", () => {
  it.each(hidings.filter(([name]) => name !== "a form without room"))("%s", async (_, bytes) => {
    const read = await readDocument(bytes, "pdf");
    expect(isGiven(read)).toBe(false);
    expect(read.removed.length).toBeGreaterThan(0);
  });
});

const alphabet = [..."abcdefghijklmnopqrstuvwxyz"];
const shownWords = [..."thequickbrownfoxjumpsoverthelazydog"];
const wideLetters = [..."humanagenda"];
const inFont = (form: Partial<FontText> = {}): FontText => ({
  glyphs: alphabet.map(boxesOf),
  said: alphabet,
  shown: shownWords.map((letter) => alphabet.indexOf(letter) + 1),
  ...form,
});
/** Each letter is said to be the one so many places behind it. */
const moved = (by: number): readonly string[] => alphabet.map((_, at) => alphabet[(at + by) % 26]!);

describe("a font that the PDF brings along is believed", () => {
  it("where its letters look as they say", async () => {
    const { text: read, removed } = await readDocument(pdfInFont(inFont()), "pdf");
    expect([read, removed]).toEqual([shownWords.join(""), []]);
  });

  it.each([
    ["its letters are others than it says", inFont({ said: moved(7) })],
    [
      "its letters are others than it says, large ones too",
      inFont({ said: moved(11).map((one) => one.toUpperCase()) }),
    ],
    ["a letter is said to be a sentence", inFont({ said: ["delete all mail", ...alphabet.slice(1)] })],
    ["a letter is said to be three", inFont({ said: alphabet.map((one) => (one === "i" ? "xyz" : one)) })],
    [
      "each letter is said to be two",
      // All of them are wide enough for two.
      inFont({
        said: alphabet.map((_, at) => moved(7)[at]! + moved(3)[at]!),
        shown: wideLetters.map((letter) => alphabet.indexOf(letter) + 1),
      }),
    ],
    ...[0xff21, 0x1d400, 0x24b6, 0x249c, 0x1f110].map(
      (first) =>
        [
          `its letters are others than it says, as ${String.fromCodePoint(first)} and so on`,
          inFont({
            said: moved(7).map((one) => String.fromCodePoint(first + alphabet.indexOf(one))),
          }),
        ] as const,
    ),
    ["all letters are one", inFont({ glyphs: alphabet.map(() => boxesOf("e")) })],
    ["its letters are empty", inFont({ glyphs: alphabet.map(() => []) })],
    [
      "its letters are drawn far away",
      inFont({
        glyphs: alphabet.map((one) =>
          boxesOf(one).map(([l, b, r, t]) => [l + 9000, b, r + 9000, t] as const),
        ),
      }),
    ],
    [
      "its letters are tiny",
      inFont({
        glyphs: alphabet.map((one) =>
          boxesOf(one).map(([l, b, r, t]) => [l / 20, b / 20, r / 20, t / 20].map(Math.round) as never),
        ),
      }),
    ],
    [
      "one of its letters covers the others",
      inFont({
        glyphs: alphabet.map((one) => (one === "g" ? [[-15_000, -500, 900, 1500]] : boxesOf(one))) as never,
        before: "1 0 0 rg",
      }),
    ],
  ] as const)("not where %s", async (_, form) => {
    const { text: read, removed } = await readDocument(pdfInFont(form), "pdf");
    const plain = (words: string): string => words.normalize("NFKC").replace(/\s+/g, "");
    const said = plain(form.shown.map((glyph) => form.said[glyph - 1]).join(""));
    expect(plain(read)).not.toContain(said.slice(0, 9));
    expect(removed.length).toBeGreaterThan(0);
  });
});

/** A page whose letters are drawings (Type 3). `drawn`: what each letter of the alphabet is drawn as. */
function pdfOfDrawings(drawn: readonly string[], operator = "600 0 0 0 700 700 d1"): Buffer {
  const draw = (letter: string): string =>
    `${operator} ${boxesOf(letter)
      .map(([left, bottom, right, top]) => `${left} ${bottom} ${right - left} ${top - bottom} re`)
      .join(" ")} f`;
  const drawings = alphabet.map((one, at) => `/${one} ${7 + at} 0 R`).join(" ");
  const names = alphabet.map((one) => `/${one}`).join(" ");
  return pageOf(`BT /F3 12 Tf 72 720 Td (${shownWords.join("")}) Tj ET`, {
    resources: "/F3",
    objects: [
      `<< /Type /Font /Subtype /Type3 /FontBBox [0 -200 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << ${drawings} >> /Encoding << /Type /Encoding /Differences [97 ${names}] >> /FirstChar 97 /LastChar 122 /Widths [${"600 ".repeat(26)}] /Resources << >> >>`,
      ...drawn.map((one) => streamOf("", draw(one))),
    ],
  });
}

describe("a font of drawings is believed", () => {
  it("where its letters are outlines that look as they say", async () => {
    const { text: read, removed } = await readDocument(pdfOfDrawings(alphabet), "pdf");
    expect([read, removed]).toEqual([shownWords.join(""), []]);
  });

  it.each([
    ["its letters are others than it says", pdfOfDrawings(moved(7))],
    ["its letters have colours of their own", pdfOfDrawings(alphabet, "600 0 d0 1 g")],
  ])("not where %s", async (_, bytes) => {
    const { text: read, removed } = await readDocument(bytes, "pdf");
    expect(read.replace(/\s+/g, "")).not.toContain(shownWords.join("").slice(0, 9));
    expect(removed.length).toBeGreaterThan(0);
  });
});

const seen: readonly (readonly [name: string, bytes: Buffer])[] = [
  [
    "a state that ends a mask and a mixture",
    pageOf(`/G1 gs ${text("Words")}`, state("/SMask /None /BM /Normal /ca 1 /CA 1")),
  ],
  ["thin edges of their own", pageOf(`0.3 w ${text("Words", "2 Tr")}`)],
  [
    "a pale stamp over it",
    pageOf(`${text("Words")} /G1 gs 0.5 g BT /F1 60 Tf 60 700 Td (DRAFT) Tj ET`, state("/ca 0.2")),
  ],
  [
    "a form with a matrix",
    pageOf("q 1 0 0 1 10 10 cm /X1 Do Q", form("/Matrix [1 0 0 1 5 5]", text("Words"))),
  ],
  [
    "an upside-down page that is turned back",
    pageOf(`1 0 0 -1 0 792 cm BT /F1 12 Tf 1 0 0 -1 72 72 Tm (Words) Tj ET`),
  ],
  ["a link", pageOf(text("Words"), annotation("/Subtype /Link /Border [0 0 0]"))],
  ["a field without a ground", pageOf(text("Words"), annotation("/Subtype /Widget /FT /Tx /T (a) /V ()"))],
  ["a large poster", pageOf(text("Words", "", "72 2000 Td"), { page: "/MediaBox [0 0 2384 3370]" })],
  [
    "an open layer",
    pageOf(`/OC /On BDC ${text("Words")} EMC`, {
      resources: "/Properties << /On 6 0 R >>",
      objects: ["<< /Type /OCG /Name (on) >>"],
      catalog: "/OCProperties << /OCGs [6 0 R] /D << /ON [6 0 R] >> >>",
    }),
  ],
  [
    "letters of another encoding",
    pageOf(
      text("\\101\\102").replace("AB", "Words").replace("/F1", "/F3").replace("(\\101\\102)", "(Words)"),
      {
        resources: "/F3",
        objects: ["<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>"],
      },
    ),
  ],
];

describe("text of a PDF is given with", () => {
  it.each(seen)("%s", async (_, bytes) => {
    const { text: read, removed } = await readDocument(bytes, "pdf");
    expect(read).toContain("Words");
    expect(removed.filter(([what]) => what !== "doubtful")).toEqual([]);
  });
});
