/** A browser in words, for a list of sessions: "Firefox (Linux)", in no language. Programs write what they want into User-Agent, so it proves nothing. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];
const lengthMax = 400;

export function deviceName(userAgent: string): string {
  const text = userAgent.slice(0, lengthMax);
  const browser = browsers.find(([form]) => form.test(text))?.[1] ?? "Browser";
  const system = systems.find(([form]) => form.test(text))?.[1];
  return system === undefined ? browser : `${browser} (${system})`;
}
