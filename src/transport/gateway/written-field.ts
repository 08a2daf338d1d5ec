/** From the names that members of a request have inside to those of a dialect. */
export type WrittenNames = ReadonlyMap<string, string>;

const END_OF_NAME = /[.[]/;

/** A field as the client wrote it: whoever looks at a request further in knows its members by our names. */
export function asWritten(field: string, names: WrittenNames): string {
  const end = field.search(END_OF_NAME);
  const own = end === -1 ? field : field.slice(0, end);
  const written = names.get(own);
  return written === undefined ? field : written + field.slice(own.length);
}
