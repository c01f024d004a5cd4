/** Text of a PDF that only some programs draw, or none, by what a form, a group, a layer or an annotation leaves behind. */
import { describe, expect, it } from "vitest";
import { readDocument } from "#/src/formats/documents/read-document.ts";
import { type PageForm, pageOf, streamOf } from "../support/pdf-pages.ts";

const text = (word: string, more = ""): string => `BT /F1 12 Tf ${more} 72 720 Td (${word}) Tj ET`;
const hidden = text("HIDDEN");
const form = (entries: string, stream: string, resources = ""): PageForm => ({
  resources: `/XObject << /X1 6 0 R >> /Properties << /L 7 0 R >> ${resources}`,
  objects: [
    streamOf(
      `/Type /XObject /Subtype /Form /Resources << /Font << /F1 3 0 R >> /Properties << /L 7 0 R >> /ExtGState << /G1 << /ca 0.01 >> >> >> ${entries}`,
      stream,
    ),
    "<< /Type /OCG /Name (off) >>",
  ],
  catalog: "/OCProperties << /OCGs [7 0 R] /D << /OFF [7 0 R] >> >>",
});
const page = "/BBox [0 0 612 792]";
const group = "/Group << /S /Transparency >>";
const annotation = (entries: string, drawing = "", catalog = ""): PageForm => ({
  page: "/Annots [6 0 R]",
  objects: [
    `<< /Type /Annot /Rect [60 700 300 740] ${entries} >>`,
    streamOf(
      "/Type /XObject /Subtype /Form /BBox [0 0 240 40] /Resources << /Font << /F1 3 0 R >> >>",
      drawing,
    ),
  ],
  catalog,
});
const typed = "BT /F1 12 Tf 12 14 Td (HIDDEN) Tj ET";
const white = "<< /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [1] /N 1 >>";

const hidings: readonly (readonly [name: string, bytes: Buffer])[] = [
  ["the box of a group", pageOf("/X1 Do", form(`/BBox [0 0 5 5] ${group}`, hidden))],
  ["a group without a box", pageOf("/X1 Do", form(group, hidden))],
  ["a form without a box", pageOf("/X1 Do", form("", hidden))],
  ["a cut that a form takes back", pageOf(`q 0 0 1 1 re W n /X1 Do ${hidden}`, form(page, "Q Q"))],
  ["a colour that a group takes back", pageOf(`q 1 g /X1 Do ${hidden}`, form(`${page} ${group}`, "Q Q Q"))],
  [
    "pale paint over it in a knockout group",
    pageOf(
      "/X1 Do",
      form(`${page} /Group << /S /Transparency /K true >>`, `${hidden} /G1 gs 1 g 0 700 612 60 re f`),
    ),
  ],
  ["a cut by letters that are blank", pageOf(`q ${text(" ", "7 Tr")} 0 Tr ${hidden} Q`)],
  [
    "a function for all colours",
    pageOf(`/G1 gs ${hidden}`, { resources: `/ExtGState << /G1 << /TR ${white} >> >>` }),
  ],
  [
    "another function for all colours",
    pageOf(`/G1 gs ${hidden}`, { resources: `/ExtGState << /G1 << /TR /Identity /TR2 ${white} >> >>` }),
  ],
  ["a layer that a form leaves open", pageOf(`/X1 Do ${hidden}`, form(page, "/OC /L BDC"))],
  [
    "a layer of the page that ends what a form has left open",
    pageOf(`/OC /L BDC /X1 Do EMC ${hidden}`, form(page, "/Span BMC")),
  ],
  ["a thick edge of a link", pageOf(hidden, annotation("/Subtype /Link /C [1 1 1] /Border [0 0 19]"))],
  [
    "a thick edge of a low link",
    pageOf(hidden, {
      page: "/Annots [6 0 R]",
      objects: ["<< /Type /Annot /Subtype /Link /Rect [72 712 115 722] /C [1 1 1] /BS << /W 5 /S /S >> >>"],
    }),
  ],
  [
    "a thick edge of a field",
    pageOf(hidden, annotation("/Subtype /Widget /FT /Tx /T (a) /V () /MK << /BC [1 1 1] >> /BS << /W 19 >>")),
  ],
  ["what a link draws", pageOf("", annotation("/Subtype /Link /AP << /N 7 0 R >>", typed))],
  ["what a window of a remark draws", pageOf("", annotation("/Subtype /Popup /AP << /N 7 0 R >>", typed))],
  [
    "what a field without a form draws",
    pageOf("", annotation("/Subtype /Widget /FT /Sig /T (a) /AP << /N 7 0 R >>", typed)),
  ],
];

describe("text of a PDF is not given that some programs do not draw, by", () => {
  it.each(hidings)("%s", async (_, bytes) => {
    const { text: read, removed } = await readDocument(bytes, "pdf");
    expect(read.replace(/\s+/g, "")).not.toContain("HIDDEN");
    expect(removed.length).toBeGreaterThan(0);
  });
});

const seen: readonly (readonly [name: string, bytes: Buffer])[] = [
  ["in a group with a box", pageOf("/X1 Do", form(`${page} ${group}`, text("Words")))],
  [
    "after a form that paints beyond its box",
    pageOf(`${text("Words")} /X1 Do`, form(`/BBox [0 0 5 5] ${group}`, "1 g 0 0 612 792 re f")),
  ],
  [
    "after a form that saves without end",
    pageOf(`/X1 Do ${text("Words")}`, form(page, "q q 1 g 0 0 1 1 re W n")),
  ],
  [
    "with a function that changes no colour",
    pageOf(`/G1 gs ${text("Words")}`, {
      resources: "/ExtGState << /G1 << /TR /Identity /TR2 /Default >> >>",
    }),
  ],
  [
    "in a link with a thin edge",
    pageOf(text("Words"), annotation("/Subtype /Link /C [1 0 0] /Border [0 0 1]")),
  ],
  [
    "on a field that is signed",
    pageOf(
      "",
      annotation(
        "/Subtype /Widget /FT /Sig /T (a) /AP << /N 7 0 R >>",
        typed.replace("HIDDEN", "Words"),
        "/AcroForm << /Fields [6 0 R] /SigFlags 1 >>",
      ),
    ),
  ],
];

it.each(seen)("text of a PDF is given %s", async (_, bytes) => {
  const { text: read, removed } = await readDocument(bytes, "pdf");
  expect(read).toContain("Words");
  expect(removed).toEqual([]);
});
