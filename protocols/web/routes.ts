/** Every path of the pages, with who may ask for it. */

import { setPaused, showAgents } from "./agents/agents-page.ts";
import { agentOptions, makeAgent, showNewAgent } from "./agents/new-agent.ts";
import { policyOptions, setPolicy, showPolicy } from "./agents/policy.ts";
import { decide, edit, file, frame, showHold, undo } from "./approvals/acts.ts";
import { sendTestMail } from "./approvals/first-steps.ts";
import { listPage } from "./approvals/list-page.ts";
import { decideSelected, select } from "./approvals/several.ts";
import { cookieField, sessionCookie } from "./cookies.ts";
import {
  addPasskey,
  allowPasskey,
  endOtherSessions,
  endSession,
  endShare,
  exportAll,
  makeProgram,
  programOptions,
  removePasskey,
  revokeProgram,
  setApproving,
  setZone,
  tellHere,
  tellHereNoMore,
} from "./mine/acts.ts";
import { getArchive } from "./mine/archive.ts";
import { showMine } from "./mine/mine-page.ts";
import { chooseLanguage, join, joinOptions, showJoin, showSignIn, signIn } from "./strangers.ts";
import { type Answer, pageAnswer, redirect, type SignedVisit, type Visit } from "./visit.ts";

export interface RouteOf<V extends Visit> {
  readonly method: "GET" | "POST";
  readonly path: RegExp;
  /** Octets of the body. */
  readonly bodyBytesMax?: number;
  run(visit: V): Answer | Promise<Answer>;
}

/** For everybody: no query of the store, but where a credential is tried. */
export const openRoutes: readonly RouteOf<Visit>[] = [
  { method: "GET", path: /^\/sign-in$/, run: (visit) => showSignIn(visit) },
  { method: "POST", path: /^\/sign-in$/, run: signIn },
  { method: "GET", path: /^\/join$/, run: showJoin },
  { method: "POST", path: /^\/join$/, run: join },
  { method: "POST", path: /^\/join\/options$/, run: joinOptions },
  { method: "POST", path: /^\/language$/, run: chooseLanguage },
];

const hold = "(hold_[0-9a-z]{26})";

/** For people who are signed in. */
export const signedRoutes: readonly RouteOf<SignedVisit>[] = [
  { method: "GET", path: /^\/live$/, run: (visit) => ({ kind: "live", visit }) },
  { method: "GET", path: /^\/$/, run: () => redirect("/approvals") },
  { method: "GET", path: /^\/approvals$/, run: async (visit) => pageAnswer(await listPage(visit)) },
  { method: "POST", path: /^\/approvals\/test-mail$/, run: sendTestMail },
  { method: "POST", path: /^\/approvals\/select$/, run: select },
  { method: "POST", path: /^\/approvals\/decide$/, run: decideSelected },
  { method: "GET", path: new RegExp(`^/approvals/${hold}$`), run: (visit) => showHold(visit) },
  { method: "GET", path: new RegExp(`^/approvals/${hold}/frame$`), run: frame },
  { method: "GET", path: new RegExp(`^/approvals/${hold}/files/(\\d+(?:\\.\\d+){0,40})$`), run: file },
  { method: "POST", path: new RegExp(`^/approvals/${hold}/decide$`), run: decide },
  { method: "POST", path: new RegExp(`^/approvals/${hold}/undo$`), run: undo },
  { method: "POST", path: new RegExp(`^/approvals/${hold}/edit$`), bodyBytesMax: 2_000_000, run: edit },
  { method: "GET", path: /^\/mine$/, run: (visit) => showMine(visit) },
  { method: "POST", path: /^\/mine\/sessions\/(\d{1,15})\/end$/, run: endSession },
  { method: "POST", path: /^\/mine\/sessions\/end$/, run: endOtherSessions },
  { method: "POST", path: /^\/mine\/passkeys\/new$/, run: allowPasskey },
  { method: "POST", path: /^\/mine\/passkeys$/, run: addPasskey },
  { method: "POST", path: /^\/mine\/passkeys\/(\d{1,15})\/remove$/, run: removePasskey },
  { method: "POST", path: /^\/mine\/programs$/, run: makeProgram },
  { method: "POST", path: /^\/mine\/programs\/options$/, run: programOptions },
  { method: "POST", path: /^\/mine\/programs\/(\d{1,15})\/revoke$/, run: revokeProgram },
  { method: "POST", path: /^\/mine\/shares\/(\d{1,15})\/end$/, run: endShare },
  { method: "GET", path: /^\/mine\/archive$/, run: (visit) => getArchive(visit) },
  { method: "POST", path: /^\/mine\/archive$/, run: exportAll },
  { method: "POST", path: /^\/mine\/notices$/, run: tellHere },
  { method: "POST", path: /^\/mine\/notices\/end$/, run: tellHereNoMore },
  { method: "POST", path: /^\/mine\/zone$/, run: setZone },
  { method: "POST", path: /^\/mine\/approving$/, run: setApproving },
  { method: "GET", path: /^\/agents$/, run: showAgents },
  { method: "GET", path: /^\/agents\/new$/, run: (visit) => showNewAgent(visit) },
  { method: "POST", path: /^\/agents$/, run: makeAgent },
  { method: "POST", path: /^\/agents\/options$/, run: agentOptions },
  { method: "GET", path: /^\/agents\/(ag_[0-9a-z]{1,40})\/policy$/, run: (visit) => showPolicy(visit) },
  { method: "POST", path: /^\/agents\/(ag_[0-9a-z]{1,40})\/policy$/, bodyBytesMax: 400_000, run: setPolicy },
  {
    method: "POST",
    path: /^\/agents\/(ag_[0-9a-z]{1,40})\/policy\/options$/,
    bodyBytesMax: 400_000,
    run: policyOptions,
  },
  { method: "POST", path: /^\/agents\/(ag_[0-9a-z]{1,40})\/(pause|resume)$/, run: setPaused },
  {
    method: "POST",
    path: /^\/sign-out$/,
    async run({ signIn: door, session }) {
      await door.endSessions(session, { number: session.number });
      return redirect("/sign-in?ended", [cookieField(sessionCookie, "", 0)]);
    },
  },
];
