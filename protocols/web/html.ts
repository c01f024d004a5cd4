/** HTML as a value. Text that is put into a template is escaped, whoever wrote it; only what a template itself has made is not. */

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];

/** Values stand between tags, or in attributes with double quotes. A name of an element or of an attribute is never a value. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0]!;
  for (const [index, value] of values.entries()) text += written(value) + strings[index + 1]!;
  return new Html(text);
}

function written(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (value === undefined || value === false) return "";
  if (typeof value === "object") return value.map(written).join("");
  return escaped(String(value));
}

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.toWellFormed().replace(/[&<>"']|\0/g, (character) => references[character] ?? "\ufffd");
}
