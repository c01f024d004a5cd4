import type { Report } from "../report.ts";

/** Every report that is served. */
export const reports: readonly Report[] = [];
