import { expect, test } from "vitest";
import {
  generateInvitation,
  generateOperatorLink,
  generateOperatorToken,
  generatePassword,
  generateSessionToken,
  generateToken,
  isTokenText,
  isWellFormedInvitation,
  isWellFormedOperatorLink,
  isWellFormedOperatorToken,
  isWellFormedToken,
  normalPassword,
} from "#/src/accounts/secrets.ts";

test("a token is wp_ and 160 random bits", () => {
  const token = generateToken();
  expect(token).toMatch(/^wp_[0-9a-hjkmnp-tv-z]{32}$/);
  expect(isTokenText(token)).toBe(true);
  expect(generateToken()).not.toBe(token);
});

test("an app password is 26 characters in groups", () => {
  expect(generatePassword()).toMatch(/^(?:[0-9a-hjkmnp-tv-z]{5}-){4}[0-9a-hjkmnp-tv-z]{6}$/);
});

test.each([
  ["as it was shown", "abcde-fgh10-12345-67890-mnpqrs"],
  ["without its hyphens", "abcdefgh101234567890mnpqrs"],
  ["in capitals with spaces", "ABCDE FGH10 12345 67890 MNPQRS"],
  ["with letters that look like digits", "abcde-fghlo-i2345-6789O-mnpqrs"],
])("an app password may be typed %s", (_, typed) => {
  expect(normalPassword(typed)).toBe("abcde-fgh10-12345-67890-mnpqrs");
});

test.each(["", "secret", "wp_abc", "a".repeat(10_000), "u".repeat(26)])(
  "other text stays as it is",
  (typed) => {
    expect(normalPassword(typed)).toBe(typed);
  },
);

test("every secret has at least 128 random bits, and none is taken for another kind", () => {
  const kinds = [
    [generateToken, isWellFormedToken],
    [generateOperatorToken, isWellFormedOperatorToken],
    [generateInvitation, isWellFormedInvitation],
    [generateOperatorLink, isWellFormedOperatorLink],
  ] as const;
  const makers = [...kinds.map(([make]) => make), generatePassword, generateSessionToken];
  for (const make of makers) {
    const [one, other] = [make(), make()];
    expect(one).not.toBe(other);
    const digits = one.replace(/^wp[a-z]?_/, "").replaceAll("-", "").length;
    // A digit has five bits, in base64url six.
    expect(digits * 5).toBeGreaterThanOrEqual(128);
    const takers = kinds.filter(([, isOne]) => isOne(one)).map(([maker]) => maker);
    expect(takers).toEqual(kinds.some(([maker]) => maker === make) ? [make] : []);
  }
});
