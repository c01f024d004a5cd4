/** Loaded before a daemon that a test starts: what nobody uses stays for a thousandth of the usual time. */
import { scaleIdleTimes } from "#/src/model/background.ts";

scaleIdleTimes(1 / 1000);
