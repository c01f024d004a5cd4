/** Tokens and app passwords: made here from random bits, shown once, never stored.
 *
 *  token = "wp_" 32 characters (160 bits), stored as its SHA-256: it is random enough for a fast hash. An operator token
 *  begins with "wpo_", an invitation with "wpi_", what opens the link of an operator with "wpl_".
 *  app password = 26 characters (130 bits) in groups, easy to type from another screen. */
import { hash, randomBytes } from "node:crypto";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const tokenPrefix = "wp_";
const tokenDigits = 32;
const operatorTokenPrefix = "wpo_";
const invitationPrefix = "wpi_";
const operatorLinkPrefix = "wpl_";
const passwordDigits = 26;
const groupDigits = 5;
const tokenForm = new RegExp(`^${tokenPrefix}[${alphabet}]{${tokenDigits}}$`);
const invitationForm = new RegExp(`^${invitationPrefix}[${alphabet}]{${tokenDigits}}$`);
const operatorLinkForm = new RegExp(`^${operatorLinkPrefix}[${alphabet}]{${tokenDigits}}$`);
const sessionTokenBytes = 32;
const operatorTokenForm = new RegExp(`^${operatorTokenPrefix}[${alphabet}]{${tokenDigits}}$`);

export function generateToken(): string {
  return tokenPrefix + randomDigits(tokenDigits);
}

export function generateOperatorToken(): string {
  return operatorTokenPrefix + randomDigits(tokenDigits);
}

/** What the command line prints for a person who signs in to the pages for the first time. */
export function generateInvitation(): string {
  return invitationPrefix + randomDigits(tokenDigits);
}

export function isWellFormedInvitation(text: string): boolean {
  return invitationForm.test(text);
}

/** What the command line prints for an operator who signs in to the pages. It is no operator token. */
export function generateOperatorLink(): string {
  return operatorLinkPrefix + randomDigits(tokenDigits);
}

export function isWellFormedOperatorLink(text: string): boolean {
  return operatorLinkForm.test(text);
}

/** The content of a session's cookie. */
export function generateSessionToken(): string {
  return randomBytes(sessionTokenBytes).toString("base64url");
}

export function isWellFormedOperatorToken(text: string): boolean {
  return operatorTokenForm.test(text);
}

/** Whether a text has the form of a token. */
export function isTokenText(text: string): boolean {
  return text.startsWith(tokenPrefix);
}

export function isWellFormedToken(text: string): boolean {
  return tokenForm.test(text);
}

export function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

export function generatePassword(): string {
  return grouped(randomDigits(passwordDigits));
}

/** An app password as it was shown, from one typed without its hyphens, in capitals, or with o for 0 and l or i for 1.
 *  Other text is returned as it is: no account has such a password. */
export function normalPassword(typed: string): string {
  if (typed.length > 2 * passwordDigits) return typed;
  const digits = typed.toLowerCase().replace(/[\s-]/g, "").replace(/o/g, "0").replace(/[il]/g, "1");
  const isOurs = digits.length === passwordDigits && [...digits].every((digit) => alphabet.includes(digit));
  return isOurs ? grouped(digits) : typed;
}

function randomDigits(count: number): string {
  // 256 is a multiple of 32, so the low five bits of a random byte are even.
  return Array.from(randomBytes(count), (byte) => alphabet[byte & 31]).join("");
}

function grouped(digits: string): string {
  const groups = digits.match(new RegExp(`.{1,${groupDigits}}`, "g"))!;
  const last = groups.pop()!;
  // The single digit that is left over stays with the group before it.
  return `${groups.join("-")}${last.length === 1 ? last : `-${last}`}`;
}
