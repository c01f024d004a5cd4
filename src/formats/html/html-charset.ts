/** The characters of an HTML part. The charset of the part's own header counts; without one the page says it itself
 *  (HTML Living Standard, "Determining the character encoding": byte order mark, then `<meta>` in the first 1024 octets). */
import sniffEncoding from "html-encoding-sniffer";

/** The charset that the page names; undefined when it names none. */
export function charsetOfPage(bytes: Uint8Array): string | undefined {
  const name = sniffEncoding(bytes, { defaultEncoding: none });
  return name === none ? undefined : name;
}

/** No label of an encoding. */
const none = "";
