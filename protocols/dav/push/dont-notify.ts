/** Push-Dont-Notify of WebDAV-Push: the subscriptions of whoever makes a change, which need not be told of it.
 *  Push-Dont-Notify = 1#( quoted registration URL ) / "*"
 *  `*` stands for those of the login: nobody keeps a change from others. */
import type { QuietPushes } from "#/src/model/author.ts";
import { parseHref } from "../hrefs.ts";

const quoted = /"([^"\\]{1,1000})"/g;
/** Of one request; the rest is told. */
const quietMax = 20;

export function readDontNotify(field: string): QuietPushes | undefined {
  if (field.trim() === "*") return "all";
  const numbers: number[] = [];
  for (const [, url] of field.slice(0, 8000).matchAll(quoted)) {
    const [first, name = "", ...more] = parseHref(url!)?.segments ?? [];
    const isOurs = first === "push" && /^[1-9]\d{0,14}$/.test(name) && more.length === 0;
    if (isOurs && numbers.length < quietMax) numbers.push(Number(name));
  }
  return numbers.length === 0 ? undefined : numbers;
}
