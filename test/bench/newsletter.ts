/** A small newsletter as the usual tools write it: CSS rules, some of them for small screens, and tables with inline styles. */
import { diceOf } from "../long/imap-productions.ts";

const words =
  "the offer of your order is ready for pickup until Saturday at the shelf near twelve long letters from oak galls".split(
    " ",
  );
const boundary = "=_newsletter";

/** Returns a function that makes this number of random words. */
export function sentences(dice: (sides: number) => number): (count: number) => string {
  return (count) => Array.from({ length: count }, () => words[dice(words.length)]).join(" ");
}

/** HTML of about this size with this number of rules. Another `number` gives other words. */
export function newsletterHtml(bytes: number, number: number, rules = 12): string {
  const sentence = sentences(diceOf(number + 1));
  let css = "";
  for (let at = 0; at < rules; at++)
    css += `.c${at}, table td.c${at} a:hover{color:#333;font-size:${12 + (at % 6)}px;padding:0 10px;line-height:1.4}
@media only screen and (max-width:${400 + at}px){.c${at}{width:100%!important;font-size:16px!important}}\n`;
  let body = "";
  for (let at = 0; css.length + body.length < bytes; at++)
    body += `<table role="presentation" width="100%" style="border-collapse:collapse;background-color:#ffffff"><tr>
<td class="c${at % rules}" style="padding:10px 20px;font-family:Arial;font-size:14px;color:#333333"><h2 class="c${(at * 7) % rules}">${sentence(5)}</h2>
<p style="margin:0 0 12px">${sentence(30)} <a href="https://click.example/track?u=${at}&amp;x=aaaaaaaaaaaaaaaaaaaa" style="color:#0066cc">${sentence(3)}</a></p>
<img src="https://img.example/${at}.png" width="560" height="200"></td></tr></table>\n`;
  return `<!doctype html><html><head><style>${css}</style></head><body bgcolor="#eeeeee">${body}<p>${lastWords}</p></body></html>`;
}

/** A mail with plain text and this HTML. */
export function newsletterMail(bytes: number, number: number): Buffer {
  const html = newsletterHtml(bytes, number);
  const text = [
    `--${boundary}`,
    "Content-Type: text/plain; charset=utf-8",
    "",
    `${sentences(diceOf(number + 1))(20)}. The whole letter is on our page.`,
    `--${boundary}`,
    "Content-Type: text/html; charset=utf-8",
    "",
    html.replaceAll("\n", "\r\n"),
    `--${boundary}--`,
    "",
  ].join("\r\n");
  return Buffer.from(text);
}

/** The visible last line of every newsletter. */
export const lastWords = "You read the weekly letter of oak and ink.";

export const newsletterType = `multipart/alternative; boundary="${boundary}"`;
