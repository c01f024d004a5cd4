export { LoopTurns } from "#/src/model/loop-turns.ts";
