/** Operators that change how and where text is painted (ISO 32000-1 sections 9.3 and 9.4.2). */
import { matrixOf, multiply } from "./pdf-geometry.ts";
import type { State } from "./pdf-state.ts";

/** `name`: as pdf.js gives it. */
export function changeText(state: State, name: string, args: readonly never[]): void {
  switch (name) {
    case "setCharSpacing":
      state.charSpacing = args[0]!;
      break;
    case "setWordSpacing":
      state.wordSpacing = args[0]!;
      break;
    case "setHScale":
      state.scale = args[0]! / 100;
      break;
    case "setLeading":
      state.leading = -args[0]!;
      break;
    case "setTextRise":
      state.rise = args[0]!;
      break;
    case "setTextRenderingMode":
      state.mode = args[0]!;
      break;
    case "moveText":
      moveLine(state, args[0]!, args[1]!);
      break;
    case "setLeadingMoveText":
      state.leading = args[1]!;
      moveLine(state, args[0]!, args[1]!);
      break;
    case "setTextMatrix":
      state.line = matrixOf(args);
      state.text = state.line;
      break;
    case "nextLine":
      moveLine(state, 0, state.leading);
      break;
  }
}

function moveLine(state: State, x: number, y: number): void {
  state.line = multiply(state.line, [1, 0, 0, 1, x, y]);
  state.text = state.line;
}
