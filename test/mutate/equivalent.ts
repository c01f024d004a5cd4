/** Mutations that change nothing that anybody can see, each with the reason. */
interface Equivalent {
  readonly file: string;
  /** The part of the source that is changed, with as much around it as tells it from others. */
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const equivalent: readonly Equivalent[] = [
  {
    file: "src/daemon/moving/transfer-thread.ts",
    from: "performance.now() - toldAt < progressMs",
    to: "<=",
    why: "Two looks at a clock of microseconds are never exactly so far apart, and a report of progress would come a moment later.",
  },
];
