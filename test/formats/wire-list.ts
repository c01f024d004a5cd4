/** Reads a parenthesized list of IMAP as strictly as the grammar of RFC 9051 section 9 is: quoted strings of ASCII without
 *  line ends, literals, numbers, NIL, lists with single spaces between (none between body parts and addresses). */
export type WireValue = string | number | null | WireValue[];

export function readWireList(text: string): WireValue[] {
  if (/[\0\u0100-\uffff]/.test(text)) throw new Error("not a string of octets without NUL");
  const open: WireValue[][] = [[]];
  let at = 0;
  let needsSpace = false;
  const add = (value: WireValue, end: number): void => {
    if (needsSpace) throw new Error(`no space before ${text.slice(at, at + 40)}`);
    open.at(-1)!.push(value);
    at = end;
    needsSpace = true;
  };
  while (at < text.length) {
    const rest = text.slice(at, at + 3000);
    const quoted = /^"((?:[^"\\\r\n\x80-\xff]|\\["\\])*)"/.exec(rest);
    const literal = /^\{(\d+)\}\r\n/.exec(rest);
    const number = /^\d+/.exec(rest);
    if (text[at] === "(") {
      const list: WireValue[] = [];
      open.at(-1)!.push(list);
      open.push(list);
      at++;
      needsSpace = false;
    } else if (text[at] === ")") {
      if (open.length < 2) throw new Error("too many closing parentheses");
      open.pop();
      at++;
      needsSpace = text[at] !== "(";
    } else if (text[at] === " ") {
      if (!needsSpace) throw new Error(`space too many at ${text.slice(at, at + 40)}`);
      needsSpace = false;
      at++;
    } else if (quoted !== null) add(quoted[1]!.replace(/\\(.)/g, "$1"), at + quoted[0].length);
    else if (literal !== null) {
      const start = at + literal[0].length;
      const end = start + Number(literal[1]);
      add(text.slice(start, end), end);
    } else if (number !== null) add(Number(number[0]), at + number[0].length);
    else if (rest.startsWith("NIL")) add(null, at + 3);
    else throw new Error(`cannot read ${rest.slice(0, 40)}`);
  }
  if (open.length !== 1 || open[0]!.length !== 1 || !Array.isArray(open[0]![0]))
    throw new Error("not one list");
  return open[0]![0];
}
