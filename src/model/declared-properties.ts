/** Properties that people and programs set on an object, of which each is declared once, with its column: the row, insert and update of the
 *  store, what the rooms read, copies, new versions and archives are made of the declaration. One more is one more line, and the migration
 *  of its column. */

/** What the store has of a property, and what the rooms read of it. */
interface Forms {
  /** Always there, maybe empty. */
  readonly name: readonly [string, string];
  readonly text: readonly [string | null, string | undefined];
  readonly number: readonly [number | null, number | undefined];
  readonly flag: readonly [number, boolean];
  /** Milliseconds; `/v1` shows and takes it as a time. */
  readonly time: readonly [number | null, number | undefined];
}
export type PropertyForm = keyof Forms;

export type Declarations = Readonly<Record<string, { readonly column: string; readonly form: PropertyForm }>>;
/** Of an object whose properties `/v1` shows and sets as they are declared: there they have the names of their columns. */
export type ShownDeclarations = Readonly<
  Record<
    string,
    { readonly column: string /** To who calls `/v1`. */; readonly says: string } & (
      | { readonly form: "text"; readonly charactersMax: number }
      | { readonly form: "number" | "flag" | "time" }
    )
  >
>;

/** As they are stored. */
export type StoredProperties<D extends Declarations> = { readonly [P in keyof D]: Forms[D[P]["form"]][0] };
/** As they are read and set. */
export type SettableProperties<D extends Declarations> = { readonly [P in keyof D]: Forms[D[P]["form"]][1] };
export type StoredForms = { readonly [F in PropertyForm]: Forms[F][0] };
/** By their columns. */
export type PropertyColumns<D extends Declarations, T extends Readonly<Record<PropertyForm, unknown>>> = {
  readonly [P in keyof D as D[P]["column"]]: T[D[P]["form"]];
};

export interface DeclaredProperties<D extends Declarations> {
  readonly names: readonly (keyof D & string)[];
  /** A value for each column. */
  forEachColumn<T extends Readonly<Record<PropertyForm, unknown>>>(values: T): PropertyColumns<D, T>;
  /** A value for each property, by its form. */
  forEachForm<T extends Readonly<Record<PropertyForm, unknown>>>(
    values: T,
  ): { readonly [P in keyof D]: T[D[P]["form"]] };
  /** The select list of the columns of a table. */
  selected<Table extends string>(table: Table): { readonly [P in keyof D]: `${Table}.${D[P]["column"]}` };
  /** The given ones with their columns. */
  inColumns(settings: Partial<StoredProperties<D>>): [column: string, value: string | number | null][];
  /** The columns of a new object: those that are not given are as in `former`, or as on an object on which nobody has set any. */
  newColumns(
    settings: Partial<StoredProperties<D>>,
    former?: StoredProperties<D>,
  ): PropertyColumns<D, StoredForms>;
  /** The given properties as they are stored; one that is given as undefined is taken away. */
  stored(given: Partial<SettableProperties<D>>): Partial<StoredProperties<D>>;
  /** Of an object on which nobody has set any. */
  readonly none: StoredProperties<D>;
  /** Of a row. */
  shown(row: StoredProperties<D>): SettableProperties<D>;
  /** Those of an object, without what else it is. */
  alone(object: SettableProperties<D>): SettableProperties<D>;
}

const absent = { name: "", text: null, number: null, flag: 0, time: null } as const;

export function propertiesOf<const D extends Declarations>(declared: D): DeclaredProperties<D> {
  type Name = keyof D & string;
  const names = Object.keys(declared) as Name[];
  const forEach = <Value>(make: (name: Name) => Value, chosen: readonly Name[] = names) =>
    Object.fromEntries(chosen.map((name) => [name, make(name)]));
  const columns = (make: (name: Name) => unknown) =>
    Object.fromEntries(names.map((name) => [declared[name]!.column, make(name)]));
  const none = forEach((name) => absent[declared[name]!.form]) as StoredProperties<D>;
  /** Rows are many: those without properties share one object. */
  const noneShown = names.length === 0 ? ({} as SettableProperties<D>) : undefined;
  return {
    names,
    forEachColumn: (values) => columns((name) => values[declared[name]!.form]) as never,
    forEachForm: (values) => forEach((name) => values[declared[name]!.form]) as never,
    selected: (table) => forEach((name) => `${table}.${declared[name]!.column}`) as never,
    inColumns: (settings) =>
      names.flatMap((name) => {
        const value = settings[name] as string | number | null | undefined;
        return value === undefined
          ? []
          : [[declared[name]!.column, value] as [string, string | number | null]];
      }),
    newColumns: (settings, former = none) =>
      columns((name) => (settings[name] === undefined ? former[name] : settings[name])) as never,
    stored: (given) =>
      forEach(
        (name) => {
          const value = given[name] as string | number | boolean | undefined;
          return typeof value === "boolean" ? Number(value) : (value ?? absent[declared[name]!.form]);
        },
        names.filter((name) => name in given),
      ) as Partial<StoredProperties<D>>,
    none,
    shown: (row) =>
      noneShown ??
      (forEach((name) =>
        declared[name]!.form === "flag" ? row[name] === 1 : (row[name] ?? undefined),
      ) as SettableProperties<D>),
    alone: (object) => forEach((name) => object[name]) as SettableProperties<D>,
  };
}
