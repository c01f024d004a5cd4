/** Readers of protocols. */
import { Buffer } from "node:buffer";
import { readAddressFilter } from "#/protocols/dav/filters/read-address-filter.ts";
import { createLocks } from "#/protocols/dav/locks/locks.ts";
import { readPropertyQuery } from "#/protocols/dav/property.ts";
import { readXml } from "#/protocols/dav/xml/read-xml.ts";
import { findCommand } from "#/protocols/imap/commands/index.ts";
import { readFetchItems } from "#/protocols/imap/fetch/items.ts";
import { readEntryName } from "#/protocols/imap/mailboxes/metadata-entries.ts";
import { readNotifyArguments } from "#/protocols/imap/notify/grammar.ts";
import { SearchContexts } from "#/protocols/imap/search/contexts.ts";
import { readSearchKeys } from "#/protocols/imap/search/grammar.ts";
import { readMailboxSources } from "#/protocols/imap/search/mailbox-sources.ts";
import { readCommand } from "#/protocols/imap/wire/command-reader.ts";
import { readFlags, readKeyword } from "#/protocols/imap/wire/flags.ts";
import { decodeUtf8, WireReader } from "#/protocols/imap/wire/wire-reader.ts";
import { parseJson } from "#/protocols/json/carriage/json-text.ts";
import { parseMail, parseRcpt } from "#/protocols/smtp/mail-commands.ts";
import { readPath } from "#/protocols/smtp/path.ts";
import { allTake, isTaken } from "./meeting.ts";
import { keepKeywords } from "./store-meetings.ts";

const octets = (text: string): Buffer => Buffer.from(text, "latin1");
const wire = (text: string): WireReader => new WireReader({ lines: [text], literals: [] });
const words = (count: number, word: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => word(at)).join(" ");
const context = { form: "plain", names: "utf8" } as const;
/** The arguments of an IMAP command. */
const parsed = (name: string, text: string) =>
  isTaken(() => findCommand(name)!.parse(wire(text), context as never));
const xml = (text: string) => isTaken(() => readXml(octets(text)));
const json = (text: string) => isTaken(() => parseJson(octets(text)));

export const davMeetings = {
  davXmlElementsMax: { meet: (count: number) => xml(`<a>${"<b/>".repeat(count - 1)}</a>`) },
  davXmlDepthMax: { meet: (count: number) => xml(`${"<a>".repeat(count)}${"</a>".repeat(count)}`) },
  davXmlAttributesMax: { meet: (count: number) => xml(`<a ${words(count, (at) => `b${at}=""`)}/>`) },
  davXmlNameCharactersMax: { meet: (count: number) => xml(`<${"a".repeat(count)}/>`) },
  davPropertiesMax: {
    meet: (count: number) =>
      isTaken(() =>
        readPropertyQuery(
          readXml(
            octets(`<propfind xmlns="DAV:"><prop>${words(count, (at) => `<p${at}/>`)}</prop></propfind>`),
          ),
        ),
      ),
  },
  filterPartsMax: {
    meet: (count: number) =>
      isTaken(() =>
        readAddressFilter(
          readXml(
            octets(
              `<q xmlns="urn:ietf:params:xml:ns:carddav"><filter>${words(count, (at) => `<prop-filter name="P${at}"/>`)}</filter></q>`,
            ),
          ),
        ),
      ),
  },
  locksOfLoginMax: { meet: (count: number) => locked(count, () => 1) },
  locksMax: { meet: (count: number) => locked(count, (at) => at) },
};

/** Locks one resource after the other. */
function locked(count: number, loginOf: (at: number) => number): Promise<boolean> {
  const locks = createLocks({ now: () => 0 } as never)((href) => href);
  return isTaken(() => {
    for (let at = 0; at < count; at++)
      locks.add({
        href: `/a/${at}`,
        login: loginOf(at),
        isDeep: false,
        isShared: false,
        owner: undefined,
        timeoutMs: 60_000,
      } as never);
    return true;
  });
}

export const jsonMeetings = {
  jsonMembersMax: {
    meet: (count: number) => json(`{${Array.from({ length: count }, (_, at) => `"m${at}":1`).join()}}`),
  },
  jsonValuesMax: {
    meet: (count: number) =>
      json(
        `[${Array(count - 1)
          .fill("1")
          .join()}]`,
      ),
  },
  jsonDepthMax: { meet: (count: number) => json("[".repeat(count) + "]".repeat(count)) },
};

export const flagMeetings = {
  keywordsMax: {
    meet: (count: number) =>
      allTake(
        () => readFlags(wire(`(${words(count, (at) => `k${at}`)})`)),
        () => keepKeywords(Array.from({ length: count }, (_, at) => `k${at}`)),
      ),
  },
  keywordBytesMax: {
    meet: (count: number) =>
      allTake(
        () => readKeyword("k".repeat(count)),
        () => keepKeywords(["k".repeat(count)]),
      ),
  },
};

export const imapMeetings = {
  tagLengthMax: { meet: (count: number) => isTaken(() => wire(`${"t".repeat(count)} NOOP`).tag()) },
  nestingMax: {
    meet: (count: number) =>
      isTaken(() =>
        readSearchKeys(wire(`${"(".repeat(count - 1)}SEEN${")".repeat(count - 1)}`), { decode: decodeUtf8 }),
      ),
  },
  literalsMax: { meet: (count: number) => isRead([...Array(count).fill("a1 X {1+}"), ""], true) },
  smallLiteralBytesMax: { meet: (count: number) => isRead([`a1 X {${count}+}`, ""], true) },
  commandBytesMax: { least: 10, meet: (count: number) => isRead([`a1 X ${"x".repeat(count - 6)}`], true) },
  greetingCommandBytesMax: {
    least: 10,
    meet: (count: number) => isRead([`a1 X ${"x".repeat(count - 6)}`], false),
  },
  searchKeysMax: {
    meet: (count: number) =>
      isTaken(() => readSearchKeys(wire(words(count, () => "SEEN")), { decode: decodeUtf8 })),
  },
  searchContextsMax: {
    meet: (count: number) => {
      const contexts = new SearchContexts();
      return Array.from({ length: count }, (_, at) => contexts.add(`t${at}`, { uids: [] } as never)).every(
        Boolean,
      );
    },
  },
  sortedContextMessagesMax: {
    meet: (count: number) =>
      new SearchContexts().add("t", {
        uids: Array.from({ length: count }, (_, at) => at),
        criteria: [],
      } as never),
  },
  searchedNamesMax: {
    meet: (count: number) =>
      isTaken(() => readMailboxSources(wire(`(mailboxes (${words(count, (at) => `m${at}`)}))`), context)),
  },
  sortCriteriaMax: { meet: (count: number) => parsed("SORT", ` (${words(count, () => "DATE")}) UTF-8 ALL`) },
  watchedNamesMax: {
    meet: (count: number) =>
      isTaken(() =>
        readNotifyArguments(
          wire(` SET (mailboxes (${words(count, (at) => `m${at}`)}) (MessageNew MessageExpunge))`),
          context,
        ),
      ),
  },
  fetchItemsMax: {
    meet: (count: number) => isTaken(() => readFetchItems(wire(`(${words(count, () => "UID")})`))),
  },
  sectionDepthMax: {
    meet: (count: number) => isTaken(() => readFetchItems(wire(`BODY[${Array(count).fill("1").join(".")}]`))),
  },
  listPatternsMax: { meet: (count: number) => parsed("LIST", ` "" (${words(count, (at) => `p${at}`)})`) },
  listPatternBytesMax: { meet: (count: number) => parsed("LIST", ` "" ${"p".repeat(count)}`) },
  metadataNamesMax: {
    meet: (count: number) => parsed("GETMETADATA", ` INBOX (${words(count, (at) => `/private/e${at}`)})`),
  },
  metadataNameBytesMax: {
    least: 12,
    meet: (count: number) => isTaken(() => readEntryName(wire(`/private/${"e".repeat(count - 9)}`))),
  },
  catenatedPartsMax: {
    meet: (count: number) => parsed("APPEND", ` INBOX CATENATE (${words(count, () => "URL /INBOX/;UID=1")})`),
  },
};

/** A client that sends these lines, and as many octets as it announces. A line that is longer than the reader takes ends it. */
function isRead(lines: readonly string[], isLoggedIn: boolean): Promise<boolean> {
  const left = [...lines];
  const client = {
    async readLine(most: number) {
      const line = left.shift()!;
      if (line.length >= most) throw new Error("The line is too long");
      return line;
    },
    readBytes: async (size: number) => Buffer.alloc(size),
    discardBytes: async () => {},
  };
  const options = { isLoggedIn, maxAppendBytes: 1, context, findCommand: () => undefined };
  return isTaken(() => readCommand(client as never, options as never));
}

export const smtpMeetings = {
  pathBytesMax: {
    least: 12,
    meet: (count: number) => isTaken(() => readPath(`<${"a".repeat(count - 8)}@x.org>`) !== undefined),
  },
  domainBytesMax: {
    least: 12,
    meet: (count: number) => isTaken(() => readPath(`<a@${"x".repeat(count - 4)}.org>`) !== undefined),
  },
  originalRecipientBytesMax: {
    least: 12,
    meet: (count: number) =>
      isTaken(() => parseRcpt(octets(`RCPT TO:<a@x.org> ORCPT=rfc822;${"a".repeat(count - 7)}`), false)),
  },
  envelopeIdBytesMax: {
    meet: (count: number) =>
      isTaken(() =>
        parseMail(octets(`MAIL FROM:<a@x.org> ENVID=${"e".repeat(count)}`), {
          requireTls: false,
          auth: false,
        } as never),
      ),
  },
};
