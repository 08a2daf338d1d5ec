/** JSON for output, with keys in snake_case. So keys must be names, never data. */
export function toWireJson(document: unknown, indent?: number): string {
  return JSON.stringify(document, (_, value: unknown) => renamed(value, toSnake), indent);
}

/** Parses such JSON, with keys in camelCase. Throws a SyntaxError on invalid JSON. */
export function fromWireJson(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => renamed(value, toCamel));
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [rename(name), each]));
}

function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toCamel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
