/** POST of a push-register to a collection (WebDAV-Push, section "Subscription Registration"): a program is told of its changes by Web Push.
 *  push-register = subscription trigger? expires?
 *  Answers 204 with the URL that ends it and the time at which it ends; the same push resource again renews it. */

import { isWaypostError } from "#/src/model/errors.ts";
import type { PushTriggers, WantedCollectionPush } from "#/src/sign-in/collection-pushes.ts";
import type { DavAnswer } from "../answer.ts";
import { collectionStandards } from "../collections/collection-standard.ts";
import { unmet } from "../dav-error.ts";
import { pushHref, wholeUrl } from "../hrefs.ts";
import { canFollow } from "../properties/push.ts";
import { readXmlBody } from "../read-body.ts";
import type { DavRequest } from "../request.ts";
import type { CollectionResource } from "../resource.ts";
import { childText, findAttribute, findChild, type XmlElement } from "../xml/element.ts";
import { isNamed, push } from "../xml/names.ts";

export async function registerPush(request: DavRequest, resource: CollectionResource): Promise<DavAnswer> {
  const { rooms, login } = request;
  const body = await readXmlBody(request);
  if (body === undefined || !isNamed(body, push("push-register"))) {
    const { conditions, mediaTypes } = collectionStandards[resource.collection.kind];
    throw unmet(403, conditions.supportedData, `What is stored here is ${mediaTypes[0]}.`);
  }
  const unavailable = () => unmet(403, push("push-not-available"), "Push is not available here.");
  if (!canFollow(rooms, login, resource)) throw unavailable();
  const wanted = readWanted(body);
  try {
    const kept = await rooms.collectionPushes.keep(login, resource.collection, wanted);
    return {
      status: 204,
      headers: {
        Location: wholeUrl(request, `${pushHref}${kept.subscription}`),
        Expires: new Date(kept.expiresAt).toUTCString(),
      },
    };
  } catch (error) {
    if (isWaypostError(error) && error.code === "invalid") throw invalidSubscription(error.message);
    if (isWaypostError(error) && error.details.reason === "limit_reached") throw unavailable();
    throw error;
  }
}

/** DAVx5 sends neither `trigger` nor `content-encoding`, which the draft requires. */
function readWanted(body: XmlElement): WantedCollectionPush {
  const subscription = findChild(body, push("subscription"));
  const webPush = subscription && findChild(subscription, push("web-push-subscription"));
  if (webPush === undefined) throw invalidSubscription("There is no web-push-subscription.");
  const text = (name: string): string => childText(webPush, push(name)) ?? "";
  const key = findChild(webPush, push("subscription-public-key"));
  if ((key && findAttribute(key, "type")) !== "p256dh")
    throw invalidSubscription("The key is none of p256dh.");
  if (!["", "aes128gcm"].includes(text("content-encoding")))
    throw invalidSubscription("What is sent is aes128gcm.");
  return {
    endpoint: text("push-resource"),
    p256dh: text("subscription-public-key"),
    auth: text("auth-secret"),
    triggers: readTriggers(findChild(body, push("trigger"))),
    expiresAt: readExpiry(childText(body, push("expires"))),
  };
}

/** Of each kind one depth is served, to which others fall back: items with depth 1, properties with depth 0. */
function readTriggers(trigger: XmlElement | undefined): PushTriggers {
  if (trigger === undefined) return "content-update";
  const hasContent = findChild(trigger, push("content-update")) !== undefined;
  const hasProperties = findChild(trigger, push("property-update")) !== undefined;
  if (hasContent) return hasProperties ? "content-update property-update" : "content-update";
  if (hasProperties) return "property-update";
  throw unmet(403, push("no-supported-trigger"), "There is no trigger that is served.");
}

const imfFixdate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function readExpiry(text = ""): number | undefined {
  const at = imfFixdate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function invalidSubscription(message: string) {
  return unmet(403, push("invalid-subscription"), message);
}
