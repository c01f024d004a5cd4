/** Every path of the pages, made of the routes, so that a new one is in it. */
import { openOperatorRoutes, operatorRoutes } from "#/protocols/web/operator/routes.ts";
import { openRoutes, signedRoutes } from "#/protocols/web/routes.ts";

export interface AskedPath {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Who may ask for it. */
  readonly who: "anybody" | "person" | "operator";
  /** Where somebody signs in who may not. */
  readonly door: "/sign-in" | "/operator/sign-in";
}

const tables = [
  ["anybody", "/sign-in", openRoutes],
  ["anybody", "/operator/sign-in", openOperatorRoutes],
  ["person", "/sign-in", signedRoutes],
  ["operator", "/operator/sign-in", operatorRoutes],
] as const;

/** What stands in the groups of the routes. */
const groups: readonly (readonly [group: RegExp, what: string])[] = [
  [/\(hold_[^)]*\)/, "hold"],
  [/\(ag_[^)]*\)/, "agent"],
  [/\(\\d\+\(\?:[^)]*\)[^)]*\)/, "1"],
  [/\(\\d[^)]*\)/, "1"],
  [/\(pause\|resume\)/, "pause"],
  [/\(\[a-z0-9\]\[[^)]*\)/, "waypost.test"],
];

export function everyPath(hold: string, agent: string): readonly AskedPath[] {
  return tables.flatMap(([who, door, routes]) =>
    routes.map(({ method, path: form }) => {
      const path = groups.reduce(
        (text, [group, what]) =>
          text.replace(group, what === "hold" ? hold : what === "agent" ? agent : what),
        form.source.slice(1, -1).replaceAll("\\/", "/"),
      );
      if (!form.test(path)) throw new Error(`no path is known for ${form.source}: ${path}`);
      return { method, path, who, door };
    }),
  );
}
