/** URLs of messages and their parts (RFC 5092 section 7), as CATENATE uses them (RFC 4469 section 3): for this server and this
 *  login; absolute, from the root, or relative to the selected mailbox.
 *
 *  url = ["imap://" [enc-user "@"] host [":" port]] ["/" enc-mailbox [";UIDVALIDITY=" nz-number] ["/"]]
 *        ";UID=" nz-number ["/;SECTION=" enc-section] ["/;PARTIAL=" number ["." nz-number]] */
import type { Partial } from "../fetch/items.ts";

export interface MessageUrl {
  /** Present in an absolute URL. */
  readonly authority: { readonly user: string | undefined; readonly host: string } | undefined;
  /** undefined: the selected mailbox. */
  readonly mailbox: string | undefined;
  readonly uidValidity: number | undefined;
  readonly uid: number;
  /** The section as in FETCH; "" for the whole message. */
  readonly section: string;
  readonly partial: Partial | undefined;
}

const urlBytesMax = 2000;
const uidMax = 4294967295;
const authority = /^imap:\/\/(?:([^@/;]*)(?:;AUTH=[^@/;]*)?@)?([A-Za-z0-9.-]+)(?::\d{1,5})?(?=\/)/i;
const path =
  /^(?:\/([^;]+?)(?:;UIDVALIDITY=([1-9]\d{0,9}))?\/?)?;UID=([1-9]\d{0,9})(?:\/;SECTION=([^;/]+))?(?:\/;PARTIAL=(\d{1,10})(?:\.([1-9]\d{0,9}))?)?$/i;
const section = /^(?:\d+(?:\.\d+)*(?:\.(?:HEADER|TEXT|MIME))?|HEADER|TEXT)$/;

/** undefined for text that is not a message URL, and for a URL with parts that only URLAUTH allows. */
export function parseMessageUrl(url: string): MessageUrl | undefined {
  if (url.length > urlBytesMax || !/^[!-~]*$/.test(url)) return undefined;
  const origin = authority.exec(url);
  const match = path.exec(origin === null ? url : url.slice(origin[0].length));
  if (match === null) return undefined;
  const [, encodedMailbox, uidValidity, uid, encodedSection, offset, length] = match;
  const mailbox = encodedMailbox === undefined ? undefined : decode(encodedMailbox.replace(/\/$/, ""));
  const sectionText = encodedSection === undefined ? "" : decode(encodedSection)?.toUpperCase();
  const user = origin?.[1] === undefined ? undefined : decode(origin[1]);
  if (encodedMailbox !== undefined && !mailbox) return undefined;
  if (origin !== null && mailbox === undefined) return undefined;
  if (sectionText === undefined || (sectionText !== "" && !section.test(sectionText))) return undefined;
  if (Number(uid) > uidMax) return undefined;
  return {
    authority: origin === null ? undefined : { user, host: origin[2]!.toLowerCase() },
    mailbox,
    uidValidity: uidValidity === undefined ? undefined : Number(uidValidity),
    uid: Number(uid),
    section: sectionText,
    partial:
      offset === undefined
        ? undefined
        : { offset: Number(offset), length: length === undefined ? Number.MAX_SAFE_INTEGER : Number(length) },
  };
}

/** Decodes percent-encoded UTF-8. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
