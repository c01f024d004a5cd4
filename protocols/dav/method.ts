/** The declaration of a method. One file each under `methods/`, all of them in `methods/registry.ts`. */
import type { DavAnswer } from "./answer.ts";
import type { DavRequest } from "./request.ts";
import type { ResourceKind } from "./resource.ts";

export interface Method {
  readonly name: string;
  /** The kinds of resources that allow it; others answer 405. */
  readonly on: readonly ResourceKind[];
  /** Instead of 405, elsewhere. */
  readonly statusElsewhere?: number;
  /** Whether the method can be sent to an unmapped URL. If not, such a request gets 404. */
  readonly makesResource?: boolean;
  run(request: DavRequest): Promise<DavAnswer>;
}
