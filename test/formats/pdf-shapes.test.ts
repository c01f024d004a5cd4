/** Which text of a PDF a person sees that stands in or on shapes: round cuts, grounds, gradients, masks, lines, fields. */
import { describe, expect, it } from "vitest";
import { paintOf } from "#/src/formats/documents/pdf-paint.ts";
import { readDocument } from "#/src/formats/documents/read-document.ts";
import { pageOf, streamOf } from "../support/pdf-pages.ts";

const text = (word: string, more = "", place = "72 720 Td"): string =>
  `BT /F1 12 Tf ${more} ${place} (${word}) Tj ET`;
const hidden = text("HIDDEN");
/** A circle around a point. */
const circle = (x: number, y: number, r: number): string => {
  const k = 0.5523 * r;
  return (
    `${x + r} ${y} m ${x + r} ${y + k} ${x + k} ${y + r} ${x} ${y + r} c ${x - k} ${y + r} ${x - r} ${y + k} ${x - r} ${y} c ` +
    `${x - r} ${y - k} ${x - k} ${y - r} ${x} ${y - r} c ${x + k} ${y - r} ${x + r} ${y - k} ${x + r} ${y} c h`
  );
};
/** A box with round corners. */
const round = (x: number, y: number, w: number, h: number, r = 8): string =>
  `${x + r} ${y} m ${x + w - r} ${y} l ${x + w} ${y} ${x + w} ${y + r} ${x + w} ${y + r} c ${x + w} ${y + h - r} l ` +
  `${x + w} ${y + h} ${x + w - r} ${y + h} ${x + w - r} ${y + h} c ${x + r} ${y + h} l ${x} ${y + h} ${x} ${y + h - r} ${x} ${y + h - r} c ` +
  `${x} ${y + r} l ${x} ${y} ${x + r} ${y} ${x + r} ${y} c h`;
const card = round(60, 700, 120, 40);
const box = (x: number, y: number, w: number, h: number): string => `${x} ${y} ${w} ${h} re`;

/** Colours at the two ends of an axis. */
const shading = (from: string, to: string, more = "/Extend [true true]", coords = "60 0 180 0"): string =>
  `<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [${coords}] ${more} /Function << /FunctionType 2 /Domain [0 1] /C0 [${from}] /C1 [${to}] /N 1 >> >>`;
const withShading = (of: string) => ({
  resources: `/Shading << /S1 ${of} >> /Pattern << /P1 << /PatternType 2 /Shading ${of} >> >>`,
});
const painted = (path: string): string => `/Pattern cs /P1 scn ${path} f`;
const states = {
  resources:
    "/ExtGState << /G5 << /ca 0.5 >> /G9 << /ca 0.95 >> /M << /SMask << /S /Luminosity /G 6 0 R >> >> /N << /SMask /None >> >>",
};
/** A mask whose drawing this is. */
const masked = (drawing: string) => ({
  ...states,
  objects: [
    streamOf(
      "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Group << /S /Transparency /CS /DeviceGray >> /Resources << /Font << /F1 3 0 R >> >>",
      drawing,
    ),
  ],
});
const annotation = (entries: string, drawing = "", form = "") => ({
  page: "/Annots [6 0 R]",
  objects: [
    `<< /Type /Annot /Rect [60 700 300 740] ${entries} >>`,
    streamOf(
      "/Type /XObject /Subtype /Form /BBox [0 0 240 40] /Resources << /Font << /F1 3 0 R >> >>",
      drawing,
    ),
  ],
  catalog: `/AcroForm << /Fields [6 0 R] /DA (/F1 12 Tf 0 g) /DR << /Font << /F1 3 0 R >> >> ${form} >>`,
});
const field = (value: string, drawing: string, more = "", form = "") =>
  annotation(`/Subtype /Widget /FT /Tx /T (a) /V (${value}) /AP << /N 7 0 R >> ${more}`, drawing, form);
const fieldText = (words: string, more = ""): string => `BT /F1 12 Tf ${more} 12 14 Td (${words}) Tj ET`;

const hidings: Readonly<Record<string, readonly (readonly [name: string, bytes: Buffer])[]>> = {
  "a cut that is no box": [
    ["a circle beside it", pageOf(`q ${circle(300, 300, 40)} W n ${hidden} Q`)],
    ["a small circle in it", pageOf(`q ${circle(95, 724, 4)} W n ${hidden} Q`)],
    ["a ring around it", pageOf(`q ${circle(95, 724, 60)} ${circle(95, 724, 50)} W* n ${hidden} Q`)],
    ["a box with a hole where it stands", pageOf(`q ${box(0, 0, 612, 792)} ${card} W* n ${hidden} Q`)],
    [
      "two circles of which it is in one",
      pageOf(`q ${circle(95, 724, 60)} W n ${circle(400, 300, 50)} W n ${hidden} Q`),
    ],
    ["a triangle that touches its box", pageOf(`q 60 690 m 180 690 l 60 712 l h W n ${hidden} Q`)],
    ["a bow whose waist it is", pageOf(`q 20 640 m 20 800 l 170 640 l 170 800 l h W n ${hidden} Q`)],
    ["a star that winds twice where it stands", pageOf(`q ${card} ${card} W* n ${hidden} Q`)],
    ["a path that does not begin", pageOf(`q 60 700 l 180 700 l 180 740 l h W n ${hidden} Q`)],
    ["letters", pageOf(`q BT /F1 12 Tf 7 Tr 72 300 Td (o) Tj ET ${hidden} Q`)],
    [
      "a circle of a page that is turned",
      pageOf(`q ${circle(300, 300, 40)} W n 0 1 -1 0 400 0 cm ${text("HIDDEN", "", "300 20 Td")} Q`),
    ],
    [
      "many thin stripes",
      pageOf(
        `q ${Array.from({ length: 30 }, (_, at) => `${60 + at * 4} 700 m ${60.3 + at * 4} 700 l ${60.3 + at * 4} 740 l ${60 + at * 4} 740 l h`).join(" ")} W n ${hidden} Q`,
      ),
    ],
  ],
  "a ground that is no box": [
    ["white on a circle beside it", pageOf(`0 g ${circle(300, 300, 40)} f 1 g ${hidden}`)],
    ["white on a small circle", pageOf(`0 g ${circle(95, 724, 6)} f 1 g ${hidden}`)],
    ["white in a ring", pageOf(`0 g ${circle(95, 724, 60)} ${circle(95, 724, 50)} f* 1 g ${hidden}`)],
    ["white on two cards one in the other", pageOf(`0 g ${card} ${card} f* 1 g ${hidden}`)],
    ["white on a card that is cut", pageOf(`q ${circle(300, 300, 40)} W n 0 g ${card} f Q 1 g ${hidden}`)],
    ["white on a card that is half there", pageOf(`/G5 gs 1 g ${card} f /N gs 1 g ${hidden}`, states)],
    ["black on a black card", pageOf(`0 g ${card} f ${hidden}`)],
    [
      "grey on half a white card over black",
      pageOf(`0 g ${box(0, 690, 612, 60)} f /G5 gs 1 g ${card} f 0.5 g ${hidden}`, states),
    ],
    [
      "grey on half a white box over black",
      pageOf(
        `0 g ${box(0, 690, 612, 60)} f q /G5 gs 1 g ${box(60, 700, 120, 40)} f Q 0.5 g ${hidden}`,
        states,
      ),
    ],
    [
      "white on a card under a white card",
      pageOf(`0 g ${card} f 1 g ${round(62, 702, 116, 36)} f ${hidden}`),
    ],
    ["white on a bow", pageOf(`0 g 20 640 m 20 800 l 170 640 l 170 800 l h f 1 g ${hidden}`)],
    ["white on edges alone", pageOf(`0 G 3 w ${card} S 1 g ${hidden}`)],
    ["under a white card", pageOf(`${hidden} 1 g ${card} f`)],
    [
      "under a white circle with a hole beside it",
      pageOf(`${hidden} 1 g ${circle(95, 724, 60)} ${circle(140, 750, 5)} f*`),
    ],
  ],
  "a gradient": [
    [
      "white on a gradient to white",
      pageOf(`${painted(box(60, 700, 120, 40))} 1 g ${hidden}`, withShading(shading("0 0 0", "1 1 1"))),
    ],
    [
      "grey between black and white",
      pageOf(`${painted(box(60, 700, 120, 40))} 0.5 g ${hidden}`, withShading(shading("0 0 0", "1 1 1"))),
    ],
    [
      "olive between red and green",
      pageOf(
        `${painted(box(60, 700, 120, 40))} 0.45 0.45 0 rg ${hidden}`,
        withShading(shading("1 0 0", "0 1 0")),
      ),
    ],
    [
      "white on one that ends before it",
      pageOf(
        `${painted(box(60, 700, 120, 40))} 1 g ${hidden}`,
        withShading(shading("0 0 0", "0 0 0.2", "", "0 0 50 0")),
      ),
    ],
    [
      "white on one that goes on to one side",
      pageOf(
        `${painted(box(60, 700, 120, 40))} 1 g ${hidden}`,
        withShading(shading("0 0 0", "0 0 0.2", "/Extend [true false]", "0 0 50 0")),
      ),
    ],
    [
      "white on one with a small box",
      pageOf(
        `${painted(box(60, 700, 120, 40))} 1 g ${hidden}`,
        withShading(shading("0 0 0", "0 0 0.2", "/Extend [true true] /BBox [0 0 50 50]")),
      ),
    ],
    [
      "white on one that is round",
      pageOf(
        `${painted(box(60, 700, 120, 40))} 1 g ${hidden}`,
        withShading(
          `<< /ShadingType 3 /ColorSpace /DeviceRGB /Coords [300 300 0 300 300 10] /Function << /FunctionType 2 /Domain [0 1] /C0 [0 0 0] /C1 [0 0 0] /N 1 >> >>`,
        ),
      ),
    ],
    [
      "white on one without a length",
      pageOf(
        `${painted(box(60, 700, 120, 40))} 1 g ${hidden}`,
        withShading(shading("0 0 0", "0 0 0.2", "/Extend [true true]", "100 100 100 100")),
      ),
    ],
    [
      "white on one whose matrix is flat",
      pageOf(`${painted(box(60, 700, 120, 40))} 1 g ${hidden}`, {
        resources: `/Pattern << /P1 << /PatternType 2 /Matrix [1 0 0 0 0 0] /Shading ${shading("0 0 0", "0 0 0.2")} >> >>`,
      }),
    ],
    [
      "white on one that a flat page paints",
      pageOf(`q 1 0 0 0 0 0 cm /S1 sh Q 1 g ${hidden}`, withShading(shading("0 0 0", "0 0 0.2"))),
    ],
    [
      "white on one in a circle beside it",
      pageOf(`${painted(circle(300, 300, 40))} 1 g ${hidden}`, withShading(shading("0 0 0", "0 0 0.2"))),
    ],
    ["under one", pageOf(`${hidden} ${painted(card)}`, withShading(shading("0 0 0", "0 0 0.2")))],
    ["under one that fills the page", pageOf(`${hidden} /S1 sh`, withShading(shading("1 1 1", "0.9 1 1")))],
    ["letters of one", pageOf(`/Pattern cs /P1 scn ${hidden}`, withShading(shading("1 1 1", "0.97 1 1")))],
    [
      "white on one that is nearly not there",
      pageOf(`/G5 gs ${painted(card)} 1 g ${hidden}`, {
        resources: `${withShading(shading("0 0 0", "0 0 0.2")).resources} /ExtGState << /G5 << /ca 0.05 >> >>`,
      }),
    ],
  ],
  "a mask": [
    ["letters that make a mask", pageOf(`/M gs`, masked(`1 g ${hidden}`))],
    [
      "letters that make a mask of white",
      pageOf(`/M gs 1 g ${box(0, 0, 612, 792)} f`, masked(`1 g ${hidden}`)),
    ],
    ["a mask that lets nothing through", pageOf(`/M gs ${hidden}`, masked(""))],
    ["a mask that ends beside it", pageOf(`/M gs ${hidden}`, masked(`1 g ${box(300, 300, 50, 50)} f`))],
    [
      "white on what makes a mask",
      pageOf(`/M gs /N gs 1 g ${hidden}`, masked(`0 g ${box(0, 0, 612, 792)} f`)),
    ],
    [
      "white on a masked ground",
      pageOf(
        `/M gs 0 g ${box(60, 700, 120, 40)} f /N gs 1 g ${hidden}`,
        masked(`1 g ${box(300, 300, 50, 50)} f`),
      ),
    ],
    [
      "white on a masked card",
      pageOf(`/M gs 0 g ${card} f /N gs 1 g ${hidden}`, masked(`1 g ${box(300, 300, 50, 50)} f`)),
    ],
    [
      "under a masked cover",
      pageOf(`${hidden} /M gs 1 g ${box(60, 700, 120, 40)} f`, masked(`1 g ${box(0, 0, 612, 792)} f`)),
    ],
    [
      "black on white that a mask lets through",
      pageOf(`/M gs 0 g ${box(60, 700, 120, 40)} f /N gs ${hidden}`, masked(`1 g ${box(0, 0, 612, 792)} f`)),
    ],
    [
      "white in a mask that was never ended",
      pageOf(`/M gs 1 g ${hidden}`, masked(`1 g ${box(0, 0, 612, 792)} f`)),
    ],
  ],
  "lines and words": [
    [
      "stripes along it",
      pageOf(
        `${hidden} 1 g ${[0, 1.8, 3.6, 5.4, 7.2].map((y) => `${box(60, 719.8 + y, 140, 1.7)} f`).join(" ")}`,
      ),
    ],
    [
      "three stripes of its small letters",
      pageOf(
        `${text("hidden").replace("hidden", "HIDDEN")} 1 g ${[0, 2, 4].map((y) => `${box(60, 719.8 + y, 140, 1.8)} f`).join(" ")}`,
      ),
    ],
    [
      "stripes across it",
      pageOf(
        `${hidden} 1 g ${Array.from({ length: 14 }, (_, at) => `${box(72 + at * 3.4, 716, 1.7, 20)} f`).join(" ")}`,
      ),
    ],
    [
      "drawn lines across it",
      pageOf(
        `${hidden} 1 G 1.7 w ${Array.from({ length: 24 }, (_, at) => `${72 + at * 2} 712 m ${72 + at * 2} 736 l S`).join(" ")}`,
      ),
    ],
    [
      "slanting lines across it",
      pageOf(
        `${hidden} 1 G 1.7 w ${Array.from({ length: 40 }, (_, at) => `${52 + at * 2} 712 m ${62 + at * 2} 736 l S`).join(" ")}`,
      ),
    ],
    [
      "lines along it that rise a little",
      pageOf(
        `${text("HIDDEN-HIDDEN-HIDDEN-HIDDEN-H")} 1 G 0.84 w ${[0, 2, 4, 6].map((y) => `70 ${719.5 + y} m 320 ${721.4 + y} l S`).join(" ")}`,
      ),
    ],
    [
      "lines along a word that is turned",
      pageOf(
        `BT /F1 12 Tf 0.988 0.156 -0.156 0.988 72 600 Tm (HIDDEN-HIDDEN-HIDDEN-HIDDEN-H) Tj ET 1 G 0.84 w ${[0, 2, 4, 6].map((y) => `72 ${600 + y} m 319 ${639 + y} l S`).join(" ")}`,
      ),
    ],
    [
      "black lines behind it",
      pageOf(
        `0 G 1.7 w ${Array.from({ length: 8 }, (_, at) => `60 ${717 + at * 1.6} m 200 ${717 + at * 1.6} l S`).join(" ")} ${hidden}`,
      ),
    ],
    [
      "lines across a short word",
      pageOf(
        `BT /F1 12 Tf 72 720 Td [(H) -10] TJ ET ${text("IDDEN", "", "80.67 720 Td")} 1 g ${box(72.5, 716, 1.7, 20)} f ${box(74, 716, 1.7, 20)} f ${box(76, 716, 1.7, 20)} f ${box(78.5, 716, 1.7, 20)} f`,
      ),
    ],
    [
      "boxes over each letter",
      pageOf(
        `${hidden} 1 g ${[72, 80.6, 84, 92.6, 101.3, 109.3].map((x) => `${box(x, 718, 8.7, 12)} f`).join(" ")}`,
      ),
    ],
    [
      "a word of a line that is covered",
      pageOf(`${text("Please do HIDDEN now")} 1 g ${box(126, 716, 52, 14)} f`),
    ],
    ["a word beyond the page", pageOf(text(`${"Please wait here ".repeat(7)} HIDDEN`))],
    ["a word beyond a cut", pageOf(`q ${box(60, 700, 60, 40)} W n ${text("Please do it HIDDEN")} Q`)],
    ["a word in white", pageOf(`BT /F1 12 Tf 72 720 Td (Please do ) Tj 1 g (HIDDEN) Tj 0 g ( now) Tj ET`)],
    ["words on each other", pageOf(`${text("HIDDEN")} ${text("WMWMWM")} ${text("MWMWMW")}`)],
    ["the same word in white over it", pageOf(`${hidden} 1 g ${hidden}`)],
    ["letters that are taken back in a text", pageOf(`BT /F1 12 Tf 72 720 Td q 0 -900 Td (HIDDEN) Tj Q ET`)],
    [
      "a place that only some programs take back",
      pageOf(`BT /F1 12 Tf 72 -720 Td q 0 1440 Td Q (HIDDEN) Tj ET`),
    ],
  ],
  "what lies over the page": [
    [
      "a white stamp on a page that was moved",
      pageOf(
        `${hidden} 1 0 0 1 5000 0 cm`,
        annotation("/Subtype /Stamp /AP << /N 7 0 R >>", "1 1 1 rg 0 0 240 40 re f"),
      ),
    ],
    [
      "a white stamp on a page that was made small",
      pageOf(
        `${hidden} 0.01 0 0 0.01 0 0 cm`,
        annotation("/Subtype /Stamp /AP << /N 7 0 R >>", "1 1 1 rg 0 0 240 40 re f"),
      ),
    ],
    [
      "a white stamp on a page that was cut",
      pageOf(
        `${hidden} 0 0 1 1 re W n`,
        annotation("/Subtype /Stamp /AP << /N 7 0 R >>", "1 1 1 rg 0 0 240 40 re f"),
      ),
    ],
    ["a field that is drawn white", pageOf("", field("HIDDEN", `1 g ${fieldText("HIDDEN")}`))],
    ["a field that is drawn otherwise", pageOf("", field("HIDDEN", fieldText("Maria")))],
    ["a field that is drawn as what it does not say", pageOf("", field("Maria", fieldText("HIDDEN")))],
    ["a field that is drawn small", pageOf("", field("HIDDEN", "BT /F1 1 Tf 12 14 Td (HIDDEN) Tj ET"))],
    ["a field that is drawn beyond its place", pageOf("", field("HIDDEN", fieldText("HIDDEN", "300 0 Td")))],
    ["a field that is not drawn", pageOf("", annotation("/Subtype /Widget /FT /Tx /T (a) /V (HIDDEN)"))],
    ["a field that is hidden", pageOf("", field("HIDDEN", fieldText("HIDDEN"), "/F 2"))],
    ["a field that is not viewed", pageOf("", field("HIDDEN", fieldText("HIDDEN"), "/F 32"))],
    ["a field for passwords", pageOf("", field("HIDDEN", fieldText("******"), "/Ff 8192"))],
    [
      "a field of a form in XML",
      pageOf("", field("HIDDEN", fieldText("HIDDEN"), "", "/XFA [(template) 7 0 R]")),
    ],
    ["a field under a white box", pageOf("", field("HIDDEN", `${fieldText("HIDDEN")} 1 g 0 0 240 40 re f`))],
    [
      "the name of a field",
      pageOf("", annotation("/Subtype /Widget /FT /Tx /TU (HIDDEN) /T (HIDDEN) /V (x)")),
    ],
    ["a remark beside the page", pageOf("", annotation("/Subtype /Text /Contents (HIDDEN)"))],
    [
      "a remark at a mark",
      pageOf(
        text("Words"),
        annotation("/Subtype /Highlight /QuadPoints [60 740 300 740 60 700 300 700] /Contents (HIDDEN)"),
      ),
    ],
    [
      "a text over the page that is not drawn",
      pageOf("", annotation("/Subtype /FreeText /Contents (HIDDEN) /DA (/F1 12 Tf 0 g)")),
    ],
    [
      "a text over the page that is drawn white",
      pageOf(
        "",
        annotation("/Subtype /FreeText /Contents (HIDDEN) /AP << /N 7 0 R >>", `1 g ${fieldText("HIDDEN")}`),
      ),
    ],
    [
      "a page that a form in XML stands for",
      pageOf(hidden, {
        catalog: "/AcroForm << /Fields [] /XFA [(template) 6 0 R] >>",
        objects: [streamOf("", "<template/>")],
      }),
    ],
  ],
};

/** One number in two parts, of which the second one is painted first. */
const swapped = (between = "") =>
  pageOf(`${text("9", "", "78.67 720 Td")} ${between} ${text("8", "", "72 720 Td")}`);

const isGiven = (read: string): boolean => read.replace(/\s+/g, "").includes("HIDDEN");

for (const [rule, documents] of Object.entries(hidings))
  describe(`text of a PDF is not given that is hidden by ${rule}:`, () => {
    it.each(documents)("%s", async (_, bytes) => {
      const { text: read, removed } = await readDocument(bytes, "pdf");
      expect(isGiven(read), read).toBe(false);
      expect(removed.length).toBeGreaterThan(0);
    });
  });

const seen: readonly (readonly [name: string, bytes: Buffer, text: string])[] = [
  ["in a card with round corners", pageOf(`q ${card} W n ${text("Words")} Q`), "Words"],
  ["in a circle", pageOf(`q ${circle(95, 724, 60)} W n ${text("Words")} Q`), "Words"],
  ["in two cuts", pageOf(`q ${card} W n ${circle(95, 724, 60)} W n ${text("Words")} Q`), "Words"],
  ["white on a card", pageOf(`0 g ${card} f 1 g ${text("Words")}`), "Words"],
  [
    "white on a circle that a circle cuts",
    pageOf(`q ${circle(95, 724, 70)} W n 0 g ${circle(95, 724, 60)} f Q 1 g ${text("Words")}`),
    "Words",
  ],
  [
    "black on a pale card on a dark page",
    pageOf(`0 g ${box(0, 0, 612, 792)} f 0.9 g ${card} f 0 g ${text("Words")}`),
    "Words",
  ],
  [
    "in a frame that is painted later",
    pageOf(`${text("Words")} 0 g ${box(40, 680, 200, 80)} ${box(60, 700, 160, 40)} f*`),
    "Words",
  ],
  [
    "white on a dark gradient",
    pageOf(`${painted(card)} 1 g ${text("Words")}`, withShading(shading("0 0 0.5", "0.3 0 0"))),
    "Words",
  ],
  [
    "black on a gradient of the page",
    pageOf(`/S1 sh 0 g ${text("Words")}`, withShading(shading("1 1 0.8", "0.8 1 1"))),
    "Words",
  ],
  [
    "on a card with a shadow",
    pageOf(
      `q /M gs 0 g ${box(50, 690, 140, 60)} f Q 1 g ${card} f 0 g ${text("Words")}`,
      masked(`0.2 g ${box(0, 0, 612, 792)} f`),
    ),
    "Words",
  ],
  [
    "with lines between its columns",
    pageOf(
      `BT /F1 12 Tf 72 720 Td [(One) -3000 (Two) -3000 (Three)] TJ ET 0 g ${[100, 135, 180].map((x) => `${box(x, 700, 0.5, 40)} f`).join(" ")}`,
    ),
    "One Two Three",
  ],
  [
    "beside a word that is covered",
    pageOf(`${text("Please do HIDDEN now")} 1 g ${box(126, 716, 52, 14)} f`),
    "Please do now",
  ],
  [
    "two lines behind it",
    pageOf(`0 G 0.5 w 60 718 m 200 718 l S 60 724 m 200 724 l S ${text("Words")}`),
    "Words",
  ],
  [
    "a field whose label is printed twice",
    pageOf(
      `${text("Name:", "", "20 714 Td")} ${text("Name:", "", "20.3 714 Td")}`,
      field("Maria", fieldText("Maria")),
    ),
    "Name: [field: Maria]",
  ],
  [
    "a number of a page that is painted before what stands left of it",
    pageOf(`${text("12", "", "300 720 Td")} ${text("Report", "", "72 720 Td")}`),
    "12 Report",
  ],
  ["a sign that reaches back", pageOf(`${text("Words")} ${text("o", "", "104 720 Td")}`), "Wordso"],
  ["a line through it", pageOf(`${text("Words")} 0.5 w 70 724 m 110 724 l S`), "Words"],
  ["letters that stand apart", pageOf(text("Words", "4 Tc")), "Words"],
  [
    "words that are printed twice",
    pageOf(`${text("Bold words")} ${text("Bold words", "", "72.3 720 Td")}`),
    "Bold words",
  ],
  [
    "a field",
    pageOf(text("Name:", "", "20 714 Td"), field("Maria Rossi", fieldText("Maria Rossi"))),
    "Name: [field: Maria Rossi]",
  ],
  [
    "a field with a ground",
    pageOf(
      text("Name:", "", "20 714 Td"),
      field("Maria", `0.9 g 0 0 240 40 re f 0 g ${fieldText("Maria")}`, "/MK << /BG [0.9 0.9 0.9] >>"),
    ),
    "Name: [field: Maria]",
  ],
  [
    "a field that programs draw",
    pageOf(
      text("Name:", "", "20 714 Td"),
      annotation(
        "/Subtype /Widget /FT /Tx /T (a) /V (Maria) /DA (/F1 12 Tf 0 g)",
        "",
        "/NeedAppearances true",
      ),
    ),
    "Name: [field: Maria]",
  ],
  [
    "a button",
    pageOf(
      "",
      annotation("/Subtype /Widget /FT /Btn /Ff 65536 /T (a) /AP << /N 7 0 R >>", fieldText("Send")),
    ),
    "[button: Send]",
  ],
  [
    "a text over the page",
    pageOf(
      text("Date:", "", "20 714 Td"),
      annotation("/Subtype /FreeText /Contents (x) /AP << /N 7 0 R >>", fieldText("4 May 2026")),
    ),
    "Date: [field: 4 May 2026]",
  ],
  ["a word that looks like a field", pageOf(text("[field: x]")), "\\[field: x]"],
  ["a field that looks like the end of one", pageOf("", field("a] b", fieldText("a] b"))), "[field: a\\] b]"],
];

describe("text of a PDF is given that stands", () => {
  it.each(seen)("%s", async (_, bytes, given) => {
    const { text: read } = await readDocument(bytes, "pdf");
    expect(read).toBe(given);
  });
});

describe("digits that are painted in another order than they are read", () => {
  it.each([
    ["one after the other", ""],
    ["with a word between them", text("x", "", "200 720 Td")],
  ])("are in doubt, %s", async (_, between) => {
    const { text: read, removed } = await readDocument(swapped(between), "pdf");
    expect(read).not.toMatch(/[89]/);
    expect(removed.flat()).toContain("order-may-differ");
  });
});

describe("of many shapes", () => {
  it("words are in doubt behind those that a bounded number of pieces was looked at for", async () => {
    const path = `0 0 m 0 790 l ${Array.from({ length: 1400 }, (_, at) => `611 ${790 - at / 2} l`).join(" ")} h f`;
    const words = Array.from({ length: 60 }, (_, at) => text("a b c d e f g h", "", `20 ${20 + at * 12} Td`));
    const bytes = pageOf(`${"/X1 Do ".repeat(140)} ${words.join(" ")} ${text("Last", "", "20 770 Td")}`, {
      resources: "/XObject << /X1 6 0 R >> /ExtGState << /G5 << /ca 0.5 >> >>",
      objects: [
        streamOf(
          "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /ExtGState << /G5 << /ca 0.5 >> >> >>",
          `/G5 gs 0.9 g ${path}`,
        ),
      ],
    });
    const { text: read, removed } = await readDocument(bytes, "pdf");
    expect(read).toContain("a b c");
    expect(read).not.toContain("Last");
    expect(removed.flat()).toContain("whole-document");
  });

  it("no more pieces are kept than those of a page", () => {
    const path = [0, 0, 0, ...Array.from({ length: 1000 }, (_, at) => [1, at, at % 7]).flat()];
    const { paints } = paintOf(
      { fnArray: Array(1000).fill(1), argsArray: Array(1000).fill([2, [path]]) },
      {
        ops: { constructPath: 1, fill: 2 },
        fontOf: () => expect.unreachable(),
        patternOf: () => undefined,
        isLayerOn: () => true,
      },
    );
    expect(paints.reduce((sum, { shape }) => sum + (shape?.pieces.length ?? 0), 0)).toBeLessThan(202_000);
    expect(paints.at(-1)).toMatchObject({ isWhole: false, shape: undefined });
  });
});
