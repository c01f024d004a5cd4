declare module "css-tree" {
  export interface CssNode {
    readonly type: string;
  }
  export interface CssDeclaration extends CssNode {
    readonly property: string;
    readonly value: CssNode;
  }
  export function parse(source: string, options?: { readonly context?: string }): CssNode;
  export function walk(
    node: CssNode,
    options: { readonly visit: "Declaration"; enter(this: void, node: CssDeclaration): void },
  ): void;
  export const lexer: {
    matchProperty(name: string, value: CssNode): { readonly error: Error | null };
  };
}
