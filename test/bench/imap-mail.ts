/** Mail of the IMAP benchmark. The number of a message determines its text, so every answer can be verified. */

const paragraph =
  "The quick brown fox jumps over the lazy dog and comes back in the evening with a new idea.\r\n";
const start = Date.UTC(2024, 0, 1);

/** Words and where they are: [word, n, r] is in each message whose number is r modulo n. */
export const words = {
  subject: ["quarterly", 50, 7],
  body: ["zanzibar", 100, 23],
  text: ["xylophonist", 200, 11],
} as const;

export function holds(kind: keyof typeof words, number: number): boolean {
  const [, every, rest] = words[kind];
  return number % every === rest;
}

export function senderOf(number: number): string {
  return `sender${number % 97}@peer.test`;
}

export function subjectOf(number: number): string {
  return `${holds("subject", number) ? `${words.subject[0]} report` : "notes"} ${number}`;
}

export function internalDateOf(number: number): string {
  const [, day, month, year, time] = /, (\d+) (\w+) (\d+) ([\d:]+)/.exec(dateOf(number).toUTCString())!;
  return `"${day}-${month}-${year} ${time} +0000"`;
}

function dateOf(number: number): Date {
  return new Date(start + number * 977_000);
}

/** Nine of ten messages are text of 4 KiB; every tenth is a multipart of 30 KiB. */
export function messageOf(number: number): Buffer {
  const header = [
    `Received: from mx${number % 5}.peer.test (mx.peer.test [192.0.2.${number % 250}])\r\n\tby mx.example.test with ESMTPS id ${number}; ${dateOf(number).toUTCString()}`,
    `Date: ${dateOf(number).toUTCString().replace("GMT", "+0000")}`,
    `From: Sender ${number % 97} <${senderOf(number)}>`,
    `To: Reader <reader@example.test>, "Day, Kim" <kim${number % 7}@example.test>`,
    `Subject: ${subjectOf(number)}`,
    `Message-ID: <${number}@peer.test>`,
    ...(number % 3 === 0
      ? [`References: <${number - 1}@peer.test>`, `In-Reply-To: <${number - 1}@peer.test>`]
      : []),
    "MIME-Version: 1.0",
  ].join("\r\n");
  const planted = [
    holds("body", number) ? `A word from ${words.body[0]}.\r\n` : "",
    holds("text", number) ? `The ${words.text[0]} plays.\r\n` : "",
  ].join("");
  const text = planted + paragraph.repeat(38);
  if (number % 10 !== 0)
    return Buffer.from(`${header}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}`);
  const html = `<p>${paragraph.repeat(270)}</p>\r\n`;
  return Buffer.from(
    `${header}\r\nContent-Type: multipart/alternative; boundary="b${number}"\r\n\r\n` +
      `--b${number}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}` +
      `--b${number}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n${html}` +
      `--b${number}--\r\n`,
  );
}
