/** The pages: `/`, `/sign-in`, `/join`, `/approvals`, `/agents`, `/mine`, `/operator` and what belongs to them. All of it is loaded at the
 *  first request. */
import type { HttpContext, HttpRoute } from "#/protocols/http/app.ts";
import { forCaller } from "#/src/model/caller.ts";
import type { WebAppRooms } from "./web-app.ts";

const paths =
  /^\/(?:$|(?:sign-in|sign-out|join|language|approvals|agents|assets|live|mine)(?:\/|$)|(?:service-worker\.js|manifest\.webmanifest|icon-\d{3}\.png)$)/;
/** `/operator/v1` and its description are for programs. */
const operatorPaths = /^\/operator(?:$|\/(?!v1\/|openapi\.json$))/;

export function createWebRoute(rooms: Omit<WebAppRooms, "createDoors">, load: LoadDoors): HttpRoute {
  let app: Promise<(context: HttpContext) => Promise<void>> | undefined;
  const loaded = async () => {
    const [{ createWebApp }, createDoors] = await Promise.all([import("./web-app.ts"), load()]);
    return createWebApp({ ...rooms, createDoors });
  };
  const servesOperators = rooms.settings.operator.servedOn === "http";
  return {
    accepts: (path) => paths.test(path) || (servesOperators && operatorPaths.test(path)),
    async serve(context) {
      app ??= loaded();
      const serve = await app;
      await forCaller(context.signal, () => serve(context), context.owner);
    },
  };
}

export type LoadDoors = () => Promise<WebAppRooms["createDoors"]>;
