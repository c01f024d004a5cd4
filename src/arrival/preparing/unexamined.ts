import type { Evidence } from "#/src/evidence/checks.ts";

/** The evidence of a message whose examination takes too much work: nothing is known. The message is treated as if every check had
 *  failed. Otherwise a sender could pass the policy of a domain by sending expensive messages. */
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
