/** Headers and structures of mail are read on threads when they are longer than 4 KiB (`src/mail/header-reading.ts`). So no file reads one by
 *  itself that is not in this table, with the reason why nobody waits for it. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const top = new URL("../..", import.meta.url).pathname;
const files = ["src", "protocols", "storage"].flatMap((folder) =>
  readdirSync(path.join(top, folder), { recursive: true, encoding: "utf8" })
    .map((name) => path.posix.join(folder, name))
    .filter((name) => name.endsWith(".ts")),
);
const codeOf = (file: string): string =>
  readFileSync(path.join(top, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");

/** What reads all of a header, or of a message, at once. */
const readers =
  /\b(?:readHeaderFields|parseStructure|prepareMessage|formatEnvelope|readDeliveryReport|selectSigned|encodeBinaryParts|readKnownFields)\(/;

const preparer = "a thread of the class arrival";
const reads: Readonly<Record<string, string>> = {
  "src/mail/header-reading.ts": "decides it",
  "src/mail/prepare-message.ts": preparer,
  "src/mail/prepare-put.ts": "messages of at most 4 KiB (`src/daemon/house.ts`), and commands",
  "src/daemon/house.ts": "commands, which keep nobody waiting",
  "src/mail/search/search-document.ts": "the indexing thread, and commands",
  "src/mail/uploads.ts": "a header that this server writes",
  "src/arrival/preparing/arriving.ts": preparer,
  "src/arrival/preparing/preparer.ts": preparer,
  "src/evidence/authentication-results.ts": preparer,
  "src/evidence/examine.ts": preparer,
  "src/outbound/read-report.ts": preparer,
  "src/outbound/dkim/sign.ts": preparer,
  "src/outbound/finishing.ts": "a default, for headers that were not read before",
  "src/outbound/reports.ts": "the same",
  "src/daemon/moving/uid-of-mail.ts": "the process of an import",
  "src/domain-check/judge-dkim.ts": "a probe of this server",
};

test("only what is in the table reads headers and structures at once", () => {
  const found = files.filter((file) => {
    if (file.startsWith("src/formats/")) return false;
    // Where a function is defined it is not called.
    return readers.test(codeOf(file).replaceAll(/function\*? \w+\(/g, ""));
  });
  expect(found.toSorted()).toEqual(Object.keys(reads).toSorted());
});

test("what has a default is given the fields by the program", () => {
  const calls = files.flatMap((file) =>
    [
      ...codeOf(file).matchAll(
        /(?<!function )\b(finishDraft|composeReport)\(([^()]*(?:\([^()]*\))?[^()]*)\)/g,
      ),
    ].map(([, name, given]) => [name, given!.split(",").length] as const),
  );
  expect(calls.toSorted()).toEqual([
    ["composeReport", 2],
    ["finishDraft", 3],
  ]);
});
