/** Fonts that a style sheet defines (`@font-face`, CSS Fonts Level 4 section 11). */
import { asciiLower } from "./ascii-case.ts";
import { endOfStatement } from "./blocks.ts";
import { type CssToken, insideOf, skipComponent, splitByComma, trimSpace } from "./tokens.ts";
import { addressOf, foldedName, isHeld } from "./value-forms.ts";

export interface FontFace {
  /** In small letters. */
  readonly family: string;
  /** It has own bytes or sizes, or is another font of the reader's. */
  readonly isOwn: boolean;
  /** It is fetched. */
  readonly isRemote: boolean;
}

export function readFontFace(block: readonly CssToken[]): FontFace {
  let family = "";
  let isOwn = false;
  let isRemote = false;
  const locals: string[] = [];
  for (let at = 0; at < block.length; ) {
    const end = endOfStatement(block, at);
    const [token] = trimSpace(block.slice(at, end));
    const statement = block.slice(at, end);
    const colon = statement.findIndex(({ type }) => type === ":");
    if (token?.type === "ident" && colon !== -1) {
      const value = trimSpace(statement.slice(colon + 1));
      const name = asciiLower(token.value);
      if (name === "font-family") family = familyName(value);
      else if (name === "src") {
        for (const source of splitByComma(value)) {
          const [first] = source;
          if (first?.type === "function" && asciiLower(first.value) === "local")
            locals.push(familyName(insideOf(source.slice(0, skipComponent(source, 0)))));
          else if (first === undefined || !isRemoteSource(source)) isOwn = true;
          else isRemote = true;
        }
      } else if (sizesOfFonts.has(name)) isOwn = true;
    }
    at = end + 1;
  }
  if (locals.some((name) => !isFaceOf(name, family))) isOwn = true;
  return { family, isOwn, isRemote };
}

const sizesOfFonts = new Set(["size-adjust", "ascent-override", "descent-override", "line-gap-override"]);

/** Whether the local font `name` belongs to the family, and is not another font. */
function isFaceOf(name: string, family: string): boolean {
  const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, "");
  const [whole, begin] = [plain(name), plain(family)];
  return whole.startsWith(begin) && faceWords.test(whole.slice(begin.length));
}

const faceWords =
  /^(?:regular|normal|roman|book|plain|thin|hairline|extra|ultra|semi|demi|light|medium|bold|black|heavy|italic|oblique|it|condensed|narrow|variable|vf|mt|ms|ps|std|pro|\d{3})*$/;

function familyName(value: readonly CssToken[]): string {
  const parts = value.flatMap((token) =>
    token.type === "string" || token.type === "ident" ? [foldedName(token.value)] : [],
  );
  return parts.join(" ");
}

function isRemoteSource(source: readonly CssToken[]): boolean {
  const address = addressOf(source.slice(0, skipComponent(source, 0)));
  return address !== undefined && !isHeld(address);
}
