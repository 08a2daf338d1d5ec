/** A JSON object from an untrusted source. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function ownField(value: JsonRecord, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/**
 * Reads an object, or one nested directly inside it: some models wrap the answer, as in
 * `{"response": {…}}`.
 */
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
