/** Small documents, made byte by byte. */

import { crc32, deflateRawSync, deflateSync } from "node:zlib";
import { readDocument, unreadDocument } from "#/src/formats/documents/read-document.ts";
import { type ContentReaders, directReaders } from "#/src/mail/content-readers.ts";

/** A ZIP archive with one file. */
export function zipOf(name: string, content: Buffer): Buffer {
  return zipOfFiles([[name, content]]);
}

export function zipOfFiles(files: readonly (readonly [name: string, content: Buffer])[]): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [name, content] of files) {
    const packed = deflateRawSync(content);
    const file = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(file.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), facts, file, packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    entries.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\0"), facts, place, file]));
    locals.push(local);
    at += local.length;
  }
  const central = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, central, end]);
}

const wordNamespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/** A Word document with this XML as its body, and with these styles. */
export function docxOf(body: string, styles?: string): Buffer {
  const xml = `<?xml version="1.0"?><w:document xmlns:w="${wordNamespace}"><w:body>${body}</w:body></w:document>`;
  const sheet = `<?xml version="1.0"?><w:styles xmlns:w="${wordNamespace}">${styles}</w:styles>`;
  return zipOfFiles([
    ["word/document.xml", Buffer.from(xml)],
    ...(styles === undefined ? [] : [["word/styles.xml", Buffer.from(sheet)] as const]),
  ]);
}

export interface DocxParts {
  readonly styles?: string;
  readonly theme?: string;
  readonly settings?: string;
  readonly numbering?: string;
  readonly fontTable?: string;
  /** Attributes of the root of the document. */
  readonly root?: string;
  /** Further files, whole. */
  readonly files?: readonly (readonly [name: string, content: string])[];
}

/** The same with a theme too, and with the names of Word's own elements. */
export function docxWith(body: string, { styles = "", theme, ...more }: DocxParts = {}): Buffer {
  const names = {
    w: wordNamespace,
    w14: "http://schemas.microsoft.com/office/word/2010/wordml",
    wps: "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    wp: "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    a: "http://schemas.openxmlformats.org/drawingml/2006/main",
    mc: "http://schemas.openxmlformats.org/markup-compatibility/2006",
    v: "urn:schemas-microsoft-com:vml",
    w15: "http://schemas.microsoft.com/office/word/2012/wordml",
    wp14: "http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing",
    pic: "http://schemas.openxmlformats.org/drawingml/2006/picture",
    zz: "http://elsewhere.example/zz",
    later: "http://schemas.microsoft.com/office/word/2099/later",
  };
  const said = Object.entries(names)
    .map(([prefix, name]) => `xmlns:${prefix}="${name}"`)
    .join(" ");
  return zipOfFiles([
    [
      "word/document.xml",
      Buffer.from(`<w:document ${said} ${more.root ?? ""}><w:body>${body}</w:body></w:document>`),
    ],
    ...(["settings", "numbering", "fontTable"] as const).flatMap((part) => {
      const text = more[part];
      const xml = `<w:${part} ${said}>${text}</w:${part}>`;
      return text === undefined ? [] : [[`word/${part}.xml`, Buffer.from(xml)] as const];
    }),
    ...(more.files ?? []).map(([name, content]) => [name, Buffer.from(content)] as const),
    ["word/styles.xml", Buffer.from(`<w:styles ${said}>${styles}</w:styles>`)],
    ...(theme === undefined ? [] : [["word/theme/theme1.xml", Buffer.from(theme)] as const]),
  ]);
}

/** A PDF with a line of text on each page. */
export function pdfOf(pages: readonly string[]): Buffer {
  const objects: string[] = [];
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(" ");
  objects.push(
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
  );
  objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (const [at, text] of pages.entries()) {
    const stream = `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    );
  }
  return pdfOfObjects(objects);
}

/** A PDF of a few KB whose page unpacks to this number of MiB. */
export function bombPdf(mebibytes: number): Buffer {
  const page = Buffer.alloc(mebibytes * 1024 * 1024, "(words) Tj ");
  const stream = deflateSync(deflateSync(page, { level: 9 }), { level: 9 }).toString("latin1");
  return pdfOfObjects([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
    `<< /Length ${stream.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n${stream}\nendstream`,
  ]);
}

export function pdfOfObjects(objects: readonly string[]): Buffer {
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`;
  return Buffer.from(file, "latin1");
}

/** Reads documents on the thread of the test. The daemon uses a process of its own for each document. */
export const readersHere: ContentReaders = {
  ...directReaders,
  async readDocument(read, kind) {
    const bytes = await read();
    return bytes === undefined ? unreadDocument : readDocument(bytes, kind);
  },
};
