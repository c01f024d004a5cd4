/** Windows of a desk in which pages are drawn: widths, heights, densities and schemes by chance. */
import type { RandomSource } from "../../support/random.ts";
import type { Page, Rule } from "./page.ts";

export interface Window {
  readonly width: number;
  readonly height: number;
  /** Device pixels for each CSS pixel. */
  readonly density: number;
  readonly scheme: "light" | "dark";
}

export const usualWindow: Window = { width: 1024, height: 768, density: 1, scheme: "light" };

const widths = [700, 700, 702, 768, 800, 900, 1000, 1024, 1026, 1100, 1280, 1440, 1920, 2560];
const heights = [500, 600, 768, 768, 900, 1200];
/** Pictures of large windows with many pixels take long, so they are rare. */
const densities = [1, 1, 1, 1, 1, 1.5, 2, 3];

export function randomWindow(random: RandomSource): Window {
  const width = random.below(3) > 0 ? random.one(widths) : 700 + 2 * random.below(931);
  return {
    width,
    height: random.one(heights),
    density: width > 1440 ? 1 : random.one(densities),
    scheme: random.below(4) === 0 ? "dark" : "light",
  };
}

export function writeWindow({ width, height, density, scheme }: Window): string {
  return `${width}x${height}x${density} ${scheme}`;
}

const scheme = /\(prefers-color-scheme:\s*(light|dark)\)/;
const ofColour =
  /^(?:color|background|background-(?:color|image)|(?:-webkit-)?[a-z-]+-color|fill|stroke|(?:text|box)-shadow|--.*)$/;

/** The page with the colours of the light scheme: no promise is made about colours in a dark window. */
export function withLightColours(page: Page): Page {
  const rules = page.rules.flatMap((rule): (Rule | string)[] => {
    if (typeof rule === "string" || !rule.within.some((one) => scheme.test(one))) return [rule];
    const within = rule.within.map((one) =>
      one.replace(scheme, (_, name) => (name === "light" ? "all" : "not all")),
    );
    return [
      { ...rule, within, style: rule.style.filter(([name]) => ofColour.test(name)) },
      { ...rule, style: rule.style.filter(([name]) => !ofColour.test(name)) },
    ];
  });
  return { ...page, rules };
}
