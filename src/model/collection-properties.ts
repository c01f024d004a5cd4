/** What clients set on a calendar or addressbook. Each property is declared once: its column, the row, insert and update of the store, what the
 *  rooms read, archives and copies are made of the declaration. One more needs its migration here, and the doors that show it. */

/** What the store has of a property, and what the rooms read of it. */
interface Forms {
  /** Always there, maybe empty. */
  readonly name: readonly [string, string];
  readonly text: readonly [string | null, string | undefined];
  readonly number: readonly [number | null, number | undefined];
  readonly flag: readonly [number, boolean];
}
export type PropertyForm = keyof Forms;

export const collectionProperties = {
  displayName: { column: "display_name", form: "name" },
  description: { column: "description", form: "text" },
  /** `#rrggbb` or `#rrggbbaa` (calendar-color of Apple). */
  color: { column: "color", form: "text" },
  /** calendar-order of Apple. */
  order: { column: "position", form: "number" },
  /** IANA name, or the text of a VCALENDAR with one VTIMEZONE as the client wrote it (RFC 4791 section 5.2.2). */
  timeZone: { column: "time_zone", form: "text" },
  /** RFC 6638 section 9.1: events of this calendar do not make its owner busy. */
  isTransparent: { column: "is_transparent", form: "flag" },
  /** Of the scheduling inbox: a VCALENDAR with the VAVAILABILITY of its owner (RFC 7953 section 7.2.4). */
  availability: { column: "availability", form: "text" },
} as const satisfies Readonly<Record<string, { readonly column: string; readonly form: PropertyForm }>>;

type Declared = typeof collectionProperties;
type Name = keyof Declared;
type FormOf<P extends Name> = Forms[Declared[P]["form"]];

/** As they are stored. */
export type CollectionSettings = { readonly [P in Name]: FormOf<P>[0] };
/** As they are read and set. */
export type SettableProperties = { readonly [P in Name]: FormOf<P>[1] };
export type StoredForms = { readonly [F in PropertyForm]: Forms[F][0] };
/** By their columns. */
export type PropertyColumns<T extends Readonly<Record<PropertyForm, unknown>>> = {
  readonly [P in Name as Declared[P]["column"]]: T[Declared[P]["form"]];
};

const names = Object.keys(collectionProperties) as readonly Name[];

function forEachProperty<Value>(
  make: (name: Name, declaration: Declared[Name]) => Value,
  chosen: readonly Name[] = names,
): Record<Name, Value> {
  const values = chosen.map((name) => [name, make(name, collectionProperties[name])]);
  return Object.fromEntries(values) as Record<Name, Value>;
}

/** A value for each column. */
export function forEachColumn<T extends Readonly<Record<PropertyForm, unknown>>>(
  values: T,
): PropertyColumns<T> {
  const columns = Object.values(collectionProperties).map(({ column, form }) => [column, values[form]]);
  return Object.fromEntries(columns) as PropertyColumns<T>;
}

/** A value for each property, by its form. */
export function forEachForm<T extends Readonly<Record<PropertyForm, unknown>>>(values: T) {
  return forEachProperty((_, { form }) => values[form]) as {
    readonly [P in Name]: T[Declared[P]["form"]];
  };
}

/** The select list of the columns of a table. */
export function selectedProperties<Table extends string>(table: Table) {
  return forEachProperty((_, { column }) => `${table}.${column}`) as {
    readonly [P in Name]: `${Table}.${Declared[P]["column"]}`;
  };
}

/** The given ones with their columns. */
export function inColumns(
  settings: Partial<CollectionSettings>,
): [column: string, value: string | number | null][] {
  return names.flatMap((name) => {
    const value = settings[name];
    return value === undefined ? [] : [[collectionProperties[name].column, value] as [string, typeof value]];
  });
}

const absent = { name: "", text: null, number: null, flag: 0 } as const;

/** The given properties as they are stored; one that is given as undefined is taken away. */
export function storedProperties(given: Partial<SettableProperties>): Partial<CollectionSettings> {
  return forEachProperty(
    (name, { form }) => {
      const value = given[name];
      return typeof value === "boolean" ? Number(value) : (value ?? absent[form]);
    },
    names.filter((name) => name in given),
  ) as Partial<CollectionSettings>;
}

/** Of a collection on which nobody has set any. */
export const noProperties: CollectionSettings = forEachForm(absent);

export function shownProperties(row: CollectionSettings): SettableProperties {
  return forEachProperty((name, { form }) =>
    form === "flag" ? row[name] === 1 : (row[name] ?? undefined),
  ) as SettableProperties;
}

/** Those of a collection, without what else it is. */
export function propertiesAlone(collection: SettableProperties): SettableProperties {
  return forEachProperty((name) => collection[name]) as SettableProperties;
}
