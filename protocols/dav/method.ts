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
  /** It can be sent to a URL at which there is nothing; where it can't, that is 404. */
  readonly makesResource?: boolean;
  run(request: DavRequest): Promise<DavAnswer>;
}
