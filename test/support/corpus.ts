/** Real and hostile mail from the corpus in the folder beside the repository. Without the corpus, suites that need it are skipped
 *  and say so in their titles. */
import { Buffer } from "node:buffer";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { decodeCharset } from "#/src/formats/mime/charset.ts";
import { parseStructure, walkParts } from "#/src/formats/mime/structure.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";

export const corpusFolder = fileURLToPath(new URL("../../../shared/corpus", import.meta.url));

export const hasCorpus = existsSync(corpusFolder);

/** For the title of a suite that is skipped without the corpus. */
export const corpusNote = hasCorpus ? "" : ` (skipped: no ${corpusFolder})`;

export interface CorpusMessage {
  readonly file: string;
  readonly bytes: Buffer;
}

/** Every file of the corpus that is one message. */
export function listCorpusMessages(): CorpusMessage[] {
  const index = readFileSync(`${corpusFolder}/mail/index.jsonl`, "utf8").trim().split("\n");
  return index
    .map((line) => JSON.parse(line) as { file: string; form: string })
    .filter((entry) => entry.form === "message")
    .map(({ file }) => ({ file, bytes: readFileSync(`${corpusFolder}/mail/${file}`) }));
}

export interface AttackMessage extends CorpusMessage {
  readonly expect: {
    readonly max_ms?: number;
    readonly max_extra_mib?: number;
    readonly parts?: number;
    readonly structure?: string;
  };
}

/** The attack mails of a group (for example "mime"), with the limits from the file beside each. */
export function listAttackMessages(group: string): AttackMessage[] {
  const folder = `${corpusFolder}/attack/${group}`;
  return readdirSync(folder)
    .filter((name) => name.endsWith(".eml"))
    .map((file) => {
      const sidecar = JSON.parse(readFileSync(`${folder}/${file}.expect.json`, "utf8")) as {
        expect: AttackMessage["expect"];
      };
      return { file, bytes: readFileSync(`${folder}/${file}`), expect: sidecar.expect };
    });
}

/** The message as SMTP carries it: every line end becomes CR LF, also a single CR or LF. */
export function toCrlf(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("latin1").replace(/\r\n|\r|\n/g, "\r\n"), "latin1");
}

/** A file of test vectors from the corpus, as text. */
export function readCorpusText(file: string): string {
  return readFileSync(`${corpusFolder}/${file}`, "utf8");
}

/** Every HTML part of the corpus' mail, decoded. Empty when there is no corpus. */
export function listCorpusHtml(): string[] {
  if (!hasCorpus) return [];
  return [...listCorpusMessages(), ...listAttackMessages("html"), ...listInjectionMessages()].flatMap(
    ({ bytes }) => htmlOf(bytes),
  );
}

/** Mail that hides text, and honest mail whose text must all be given. In "injection-2" a text may also be reported as in doubt. */
export function listInjectionMessages(
  set: "injection" | "injection-2" | "injection-3" = "injection",
): CorpusMessage[] {
  return ["hidden-text", "legit"].flatMap((kind) =>
    readdirSync(`${corpusFolder}/${set}/${kind}`)
      .filter((name) => name.endsWith(".eml"))
      .map((file) => ({ file, bytes: readFileSync(`${corpusFolder}/${set}/${kind}/${file}`) })),
  );
}

export function htmlOf(bytes: Buffer): string[] {
  return walkParts(parseStructure(bytes))
    .filter(({ type, subtype }) => type === "text" && subtype === "html")
    .map((part) =>
      decodeCharset(
        decodeTransfer(bytes.subarray(part.bodyStart, part.bodyEnd), part.encoding),
        part.parameters.charset ?? "us-ascii",
      ),
    );
}

/** Every file of a kind ("calendar") whose path matches. `file` is the path inside the kind's folder. */
export function listCorpusFiles(kind: string, pattern: RegExp): CorpusMessage[] {
  return readdirSync(`${corpusFolder}/${kind}`, { recursive: true, encoding: "utf8" })
    .filter((name) => pattern.test(name))
    .sort()
    .map((file) => ({ file, bytes: readFileSync(`${corpusFolder}/${kind}/${file}`) }));
}
