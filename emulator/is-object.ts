export type Dictionary = Record<string, unknown>;

export const isObject = (value: unknown): value is Dictionary =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
