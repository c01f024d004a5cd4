import fs from "node:fs";

/** The input of the IMAP fuzzer: a grammar of commands that are nearly right, and mutations of octets. Everything follows from a seed,
 *  so that a conversation can be repeated. */

/** A random whole number from 0 to `count` - 1. */
export type Dice = (count: number) => number;

/** mulberry32: small, and with the same results everywhere. */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return (count) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  };
}

/** Reads `imap-grammar.txt`: `name = choice | choice`; a line that begins with a space continues the one before; `<name>` in a choice
 *  stands for one choice of that name. `\e` is empty; `\r`, `\n` and `\x00` are octets. */
function readProductions(text: string): ReadonlyMap<string, readonly string[]> {
  const productions = new Map<string, readonly string[]>();
  for (const line of text.trim().split(/\n(?! )/)) {
    const [, name, choices] = /^(\w+) = ([\s\S]*)$/.exec(line)!;
    productions.set(name!, choices!.split(/\n? +\| /).map(readOctets));
  }
  return productions;
}

/** Replaces escapes by their octets. */
export function readOctets(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-f]{2})|([ern\\]))/g,
    (_escape, hex: string | undefined, letter: string) =>
      hex === undefined
        ? ({ e: "", r: "\r", n: "\n", "\\": "\\" } as Readonly<Record<string, string>>)[letter]!
        : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const productions = readProductions(fs.readFileSync(new URL("imap-grammar.txt", import.meta.url), "utf8"));

export const messages = [
  "From: a@example.test\r\nSubject: x\r\n\r\nbody\r\n",
  'Subject: =?utf-8?q?=C3=A9?=\r\nTo: "a\\"b" <c@d>, g: e@f;\r\nDate: Fri, 32 Foo 2020 99:99\r\n\r\n',
  "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: in\r\n\r\ntext\r\n--b\r\nContent-Transfer-Encoding: base64\r\n\r\nAAECAw==\r\n--b--\r\n",
  'Content-Type: multipart/alternative; boundary=""\r\n\r\n--\r\n\r\n----\r\n',
  "Subject:\0x\r\n\r\n\0\x01\xff\n\r\r\n",
  "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Transfer-Encoding: binary\r\n\r\n\0\r\n--b\r\n--b--",
  "",
  "\r\n",
  "no header at all",
];

/** One random text of the production `name`. */
export function produce(dice: Dice, name: string, depth = 0): string {
  switch (name) {
    case "x512":
    case "x4096":
    case "x70000":
      return "x".repeat(Number(name.slice(1)));
    case "literal":
      return literalOf(dice, produce(dice, "atom", depth + 1), "");
    case "literal8":
      return literalOf(dice, messages[dice(messages.length)]!, "~");
    case "messageLiteral":
      return literalOf(
        dice,
        dice(6) === 0 ? mutate(dice, messages[dice(messages.length)]!) : messages[dice(messages.length)]!,
        "",
      );
  }
  const choices = productions.get(name)!;
  // At great depth the first choice is taken: it refers to no other name.
  const choice = depth > 12 ? choices[0]! : choices[dice(choices.length)]!;
  return choice.replace(/<([a-z]\w*)>/gi, (_text, inner: string) => produce(dice, inner, depth + 1));
}

function literalOf(dice: Dice, octets: string, prefix: string): string {
  const size = dice(30) === 0 ? produce(dice, "number") : String(octets.length);
  return `${prefix}{${size}${dice(5) === 0 ? "" : "+"}}\r\n${octets}`;
}

const tokens = [
  "\r\n",
  "\r",
  "\n",
  "\0",
  " ",
  "  ",
  "(",
  ")",
  "((((",
  '"',
  "\\",
  "{5}\r\n",
  "{5+}\r\n",
  "{0}\r\n",
  "~{3+}\r\n",
  "*",
  "%",
  "[",
  "]",
  "<0.1>",
  "\xff\xfe",
  "\xc3",
  "NIL",
  "UID ",
  "$",
  "4294967296",
  "-1",
  "DONE\r\n",
  "a NOOP\r\n",
  "+",
  "!",
  "{18446744073709551616+}\r\n",
];

/** Changes a few octets, to get input outside the grammar. */
export function mutate(dice: Dice, text: string): string {
  let mutated = text;
  for (let count = 1 + dice(3); count > 0; count--) {
    const at = dice(mutated.length + 1);
    const end = Math.min(mutated.length, at + 1 + dice(8));
    const [before, taken, after] = [mutated.slice(0, at), mutated.slice(at, end), mutated.slice(end)];
    switch (dice(7)) {
      case 0:
        mutated = before + after;
        break;
      case 1:
        mutated = before + taken.repeat(2 + dice(dice(20) === 0 ? 2000 : 4)) + after;
        break;
      case 2:
        mutated = before + String.fromCharCode(dice(256)) + taken + after;
        break;
      case 3:
        mutated = before + tokens[dice(tokens.length)]! + taken + after;
        break;
      case 4:
        mutated = before;
        break;
      case 5:
        mutated = before + tokens[dice(tokens.length)]! + after;
        break;
      default:
        mutated = after + before;
    }
  }
  return mutated;
}
