/** An object of JSON that somebody else wrote. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function own(value: JsonRecord, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Some put the answer into an object of its own: `{"response": {…}}`. */
export function readWrapped<T>(
  value: JsonRecord,
  read: (value: JsonRecord) => T | undefined,
): T | undefined {
  const direct = read(value);
  if (direct !== undefined) return direct;
  for (const inner of Object.values(value)) {
    const found = isRecord(inner) ? read(inner) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
