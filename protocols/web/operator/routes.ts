/** Every path of the operator's pages. */
import type { RouteOf } from "../routes.ts";
import type { OperatorVisit, Visit } from "../visit.ts";
import { showAccess } from "./access-page.ts";
import { askAnew } from "./asked-anew.ts";
import { addDomain, checkDomainPage, downloadZone, showDomains } from "./domains-page.ts";
import { exportOwner } from "./export.ts";
import { endOperatorSession, endOtherOperatorSessions, removeOperatorPasskey, showMe } from "./me-page.ts";
import { showNow } from "./now-page.ts";
import { act, showAccounts, showReports, showWebhooks } from "./places.ts";
import { actOnQueue, showQueue } from "./queue-page.ts";
import {
  joinOperator,
  operatorJoinOptions,
  showOperatorJoin,
  showOperatorSignIn,
  signInOperator,
  signOutOperator,
} from "./sign-in-pages.ts";
import { showTrace } from "./trace-page.ts";

/** For everybody. */
export const openOperatorRoutes: readonly RouteOf<Visit>[] = [
  { method: "GET", path: /^\/operator\/sign-in$/, run: (visit) => showOperatorSignIn(visit) },
  { method: "POST", path: /^\/operator\/sign-in$/, run: signInOperator },
  { method: "GET", path: /^\/operator\/join$/, run: (visit) => showOperatorJoin(visit) },
  { method: "POST", path: /^\/operator\/join$/, run: joinOperator },
  { method: "POST", path: /^\/operator\/join\/options$/, run: operatorJoinOptions },
];

const domain = "([a-z0-9][a-z0-9.-]{0,252})";

/** For operators who are signed in. */
export const operatorRoutes: readonly RouteOf<OperatorVisit>[] = [
  { method: "GET", path: /^\/operator$/, run: showNow },
  { method: "GET", path: /^\/operator\/domains$/, run: showDomains },
  { method: "POST", path: /^\/operator\/domains$/, run: addDomain },
  { method: "POST", path: new RegExp(`^/operator/domains/${domain}/check$`), run: checkDomainPage },
  { method: "GET", path: new RegExp(`^/operator/domains/${domain}/zone$`), run: downloadZone },
  { method: "GET", path: /^\/operator\/accounts$/, run: showAccounts },
  { method: "GET", path: /^\/operator\/access$/, run: showAccess },
  { method: "GET", path: /^\/operator\/queue$/, run: showQueue },
  { method: "POST", path: /^\/operator\/queue$/, run: actOnQueue },
  { method: "GET", path: /^\/operator\/webhooks$/, run: showWebhooks },
  { method: "GET", path: /^\/operator\/trace$/, run: showTrace },
  { method: "GET", path: /^\/operator\/reports$/, run: showReports },
  { method: "POST", path: /^\/operator\/act$/, run: act },
  { method: "POST", path: /^\/operator\/export$/, run: exportOwner },
  { method: "POST", path: /^\/operator\/ask$/, run: (visit) => askAnew(visit) },
  { method: "GET", path: /^\/operator\/me$/, run: showMe },
  { method: "POST", path: /^\/operator\/me\/passkeys\/(\d{1,15})\/remove$/, run: removeOperatorPasskey },
  { method: "POST", path: /^\/operator\/me\/sessions\/(\d{1,15})\/end$/, run: endOperatorSession },
  { method: "POST", path: /^\/operator\/me\/sessions\/end$/, run: endOtherOperatorSessions },
  { method: "POST", path: /^\/operator\/sign-out$/, run: signOutOperator },
];
