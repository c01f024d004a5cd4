/** PDFs of one page, made from the operators of its content. */
import { pdfOfObjects } from "./documents.ts";

export interface PageForm {
  /** Further resources of the page. */
  readonly resources?: string;
  /** Further entries of the page. */
  readonly page?: string;
  /** Objects from number 6 on. */
  readonly objects?: readonly string[];
  readonly catalog?: string;
}

/** `/F1` is Helvetica. `/F3` in the resources is object 6. */
export function pageOf(
  stream: string,
  { resources = "", page: more = "", objects = [], catalog = "" }: PageForm = {},
): Buffer {
  return pdfOfObjects([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    `<< /Type /Page /Parent 2 0 R ${more.includes("MediaBox") ? "" : "/MediaBox [0 0 612 792]"} /Resources << /Font << /F1 3 0 R >> ${
      resources
    } >> /Contents 5 0 R ${more} >>`.replace(/\/F1 3 0 R >> \/F3/, "/F1 3 0 R /F3 6 0 R >>"),
    streamOf("", stream),
    ...objects,
  ]);
}

export function streamOf(entries: string, stream: string): string {
  return `<< ${entries} /Length ${stream.length} >>\nstream\n${stream}\nendstream`;
}
