/** The long suites: what each is given by day, for a change (`.ci/run`), and by night, before a release (`npm run nightly`).
 *  What each proves is in `docs/development.md`. */
export interface LongSuite {
  /** A file of this folder, without `.ts`. */
  readonly name: string;
  /** Undefined: it runs only by night. */
  readonly day: readonly string[] | undefined;
  readonly night: readonly string[];
  /** It takes `--seed`, and gets another one each time. */
  readonly isSeeded?: true;
  /** It measures the daemon, so nothing runs beside it. */
  readonly isAlone?: true;
}

export const longSuites: readonly LongSuite[] = [
  { name: "kill-store", day: ["4"], night: ["60"] },
  { name: "kill-daemon", day: ["5"], night: ["50"] },
  { name: "kill-queue", day: ["4"], night: ["30"] },
  { name: "kill-delivery", day: ["3"], night: ["15"] },
  { name: "kill-daemons", day: ["1", "1"], night: ["6", "3"] },
  { name: "kill-shared-store", day: ["1", "1"], night: ["4", "2"] },
  { name: "power-loss-store", day: ["4"], night: ["30"] },
  { name: "power-loss", day: ["4"], night: ["30"] },
  { name: "full-disk-store", day: ["2"], night: ["10"] },
  { name: "disk-full", day: ["2"], night: ["8"] },
  { name: "damaged-store", day: ["5"], night: ["25"] },
  { name: "poisoned-index", day: ["1"], night: ["5"] },
  { name: "move-under-load", day: ["500", "1"], night: ["2000", "4"] },
  { name: "import-killed", day: ["--count", "500", "--kills", "2"], night: ["--count", "10000"] },
  { name: "imaptest-shared", day: ["10", "10"], night: ["60", "30"] },
  { name: "fuzz-imap", day: ["--minutes", "0.3"], night: ["--minutes", "10"], isSeeded: true },
  { name: "fuzz-html-forms", day: ["--minutes", "0.3"], night: ["--minutes", "5"], isSeeded: true },
  {
    name: "fuzz-html",
    day: ["--documents", "40", "--minutes", "5"],
    night: ["--documents", "4000", "--minutes", "60"],
    isSeeded: true,
  },
  { name: "draw-pages", day: ["--kept", "--judges", "firefox"], night: ["--kept"] },
  {
    name: "fuzz-pdf",
    day: ["--documents", "20", "--minutes", "3"],
    night: ["--documents", "4000", "--minutes", "40"],
    isSeeded: true,
  },
  { name: "honest-pages", day: ["--templates", "240"], night: ["--templates", "600"], isSeeded: true },
  { name: "obedient/run", day: ["--attacks", "4", "--outside", "4"], night: [], isSeeded: true },
  { name: "split-imap", day: ["--runs", "1", "wire", "sessions"], night: ["--runs", "5"], isSeeded: true },
  { name: "heap-filling", day: ["--some", "1"], night: [], isSeeded: true },
  { name: "search-load", day: ["10"], night: ["200"], isAlone: true },
  { name: "pipelining-attack", day: ["3"], night: ["8"], isAlone: true },
  { name: "expensive-mail", day: ["--bytes", "200000"], night: [], isAlone: true },
  { name: "abuse/run", day: ["--quick", "--some", "3"], night: [], isSeeded: true, isAlone: true },
  { name: "soak", day: undefined, night: ["60"], isAlone: true },
];

interface Excuse {
  readonly name: string;
  readonly reason: string;
}

/** What may be left out without a failure of `.ci/run`: at most three, each with its reason. */
export const mayNotRun: readonly [Excuse?, Excuse?, Excuse?] = [
  {
    name: "imaptest-shared",
    reason: "imaptest is in no package of Debian. It runs where IMAPTEST_DIR names a built checkout.",
  },
  {
    name: "draw-pages",
    reason:
      "Firefox takes 300 MB, so .ci/night installs it and .ci/run does not. It runs by day where it is installed.",
  },
  {
    name: "signs",
    reason:
      "A public challenge is not kept here. It is measured where its texts lie beside the checkout, in attack-sets.",
  },
];
