import type { Evidence } from "#/src/evidence/checks.ts";

/** Of a message whose evidence is more work than a message may be: nothing is known, so nothing counts for it. It is treated as
 *  mail that failed, or else anybody could write in the name of a domain with a policy by being expensive. */
export const unexamined: Evidence = {
  checks: {
    spf: { result: "temperror" },
    dkim: [{ result: "temperror" }],
    dmarc: { result: "temperror" },
    iprev: { result: "temperror" },
  },
  isAuthenticated: false,
  failedPolicy: "quarantine",
};
