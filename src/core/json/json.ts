export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

/** An object of parsed JSON whose members have not been checked. */
export type Unknown = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): Unknown | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Unknown)
    : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
