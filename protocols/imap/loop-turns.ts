export { LoopTurns } from "#/src/fairness/loop-turns.ts";
