/** What an attack is, and what many of them do. */
import type { SendMailOptions } from "nodemailer";
import type { Hands } from "./obedient-agent.ts";

export interface Attack {
  readonly exit: string;
  readonly asks: string;
  deed?(hands: Hands): Promise<unknown>;
  /** What the mail has beside its text. */
  readonly mail?: (evil: string, to: string, attack: number) => SendMailOptions;
}

type Body = (hands: Hands) => Record<string, unknown>;

export const sending = (
  exit: string,
  asks: string,
  body: Body,
  more: (hands: Hands) => Record<string, unknown> = () => ({}),
): Attack => ({ exit, asks, deed: (hands) => hands.send(body(hands), more(hands)) });

export const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
export const base64 = (text: string): string => Buffer.from(text).toString("base64");
export const mailText = (from: string, to: string, text: string, fields = ""): string =>
  `From: ${from}\r\nTo: ${to}\r\nSubject: case\r\nMessage-ID: <${Math.random()}@ours.example>\r\nDate: Mon, 05 Jan 2026 10:00:00 +0000\r\n${fields}\r\n${text}\r\n`;
